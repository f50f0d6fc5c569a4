// Result<T>: a value or an Error, in the shape of std::expected so that the swap is mechanical later.
// Libraries return errors and never log; the owner of the decision logs once. Broken invariants abort.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

namespace hotlatch {

enum class ErrorKind {
  kInvalid,      // the caller's input is wrong
  kNotFound,     // the named thing is not there
  kPermission,   // a right is missing
  kUnsupported,  // this kernel, file or build cannot do it
  kExhausted,    // a limit was reached: disk, memory, map
  kCorrupt,      // stored or received bytes do not hold together
  kUnavailable,  // a peer does not answer; trying again may help
  kIo,           // the operating system refused
  kInternal,     // our own fault
};

// text names the thing, the reason and, where there is one, the next step. os_errno is 0 when no
// system call failed.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  int os_errno = 0;
  std::string text;
};

// An Error for a failed system call. Pass errno in the same expression as the call's result is seen.
Error ErrnoError(int os_errno, std::string what);

inline Error MakeError(ErrorKind kind, std::string text) { return Error{kind, 0, std::move(text)}; }

// 0 answered, 1 failed, 2 usage. Partial answers (3) are no errors.
int ExitCode(const Error& error);

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() {
    if (!has_value()) std::abort();
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    if (!has_value()) std::abort();
    return *std::get_if<0>(&state_);
  }
  T& operator*() { return value(); }
  const T& operator*() const { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Error& error() {
    if (has_value()) std::abort();
    return *std::get_if<1>(&state_);
  }
  const Error& error() const {
    if (has_value()) std::abort();
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error)
      : error_(std::move(error)), failed_(true) {}  // NOLINT(google-explicit-constructor)

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const {
    if (!failed_) std::abort();
    return error_;
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace hotlatch

#define HOTLATCH_CONCAT_INNER(a, b) a##b
#define HOTLATCH_CONCAT(a, b) HOTLATCH_CONCAT_INNER(a, b)

// Return the error of a Result<void>.
#define RETURN_IF_ERROR(expr)                            \
  do {                                                   \
    if (auto result_of_expr = (expr); !result_of_expr) { \
      return result_of_expr.error();                     \
    }                                                    \
  } while (false)

// Bind the value of a Result<T>, or return its error.
#define ASSIGN_OR_RETURN(decl, expr)                      \
  auto HOTLATCH_CONCAT(result_at_, __LINE__) = (expr);    \
  if (!HOTLATCH_CONCAT(result_at_, __LINE__)) {           \
    return HOTLATCH_CONCAT(result_at_, __LINE__).error(); \
  }                                                       \
  decl = std::move(HOTLATCH_CONCAT(result_at_, __LINE__).value())

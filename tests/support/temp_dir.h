// A folder of its own for one test, removed with all it holds when the owner goes.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "agent/base/result.h"

namespace hotlatch {

class TempDir {
 public:
  // Below $TMPDIR or /tmp; mode 0700. The path is short: Unix sockets in it must fit 107 bytes.
  static Result<TempDir> Create() {
    const char* root = std::getenv("TMPDIR");
    std::string path = std::string(root != nullptr && *root != '\0' ? root : "/tmp") + "/hl-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) return ErrnoError(errno, path);
    return TempDir(std::move(path));
  }
  TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TempDir& operator=(TempDir&& other) noexcept {
    if (this != &other) {
      Remove();
      path_ = std::exchange(other.path_, {});
    }
    return *this;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { Remove(); }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TempDir(std::string path) : path_(std::move(path)) {}
  void Remove() {
    if (path_.empty()) return;
    std::error_code ignored;  // a leftover file must not fail a test that has passed
    std::filesystem::remove_all(path_, ignored);
  }

  std::string path_;
};

}  // namespace hotlatch

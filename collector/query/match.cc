#include "collector/query/match.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "collector/query/text.h"

namespace hotlatch::collector {
namespace {

constexpr char kHost[] = "host";
constexpr size_t kMaxPatternBytes = 4096;
constexpr int kMaxClauses = 64;

bool IsNegative(v1::Match::Op op) {
  return op == v1::Match::OP_NOT_EQUAL || op == v1::Match::OP_NOT_REGEX;
}

Result<std::unique_ptr<re2::RE2>> Compile(const v1::Match& match) {
  if (match.value().size() > kMaxPatternBytes) {
    return MakeError(ErrorKind::kInvalid, "where " + match.label() + ": a pattern of " +
                                              std::to_string(match.value().size()) +
                                              " bytes; use at most 4096");
  }
  re2::RE2::Options options(re2::RE2::Quiet);
  auto pattern = std::make_unique<re2::RE2>(match.value(), options);
  if (!pattern->ok()) {
    return MakeError(ErrorKind::kInvalid, "where " + match.label() + ": '" + match.value() +
                                              "' is no pattern: " + pattern->error() +
                                              "; use RE2 syntax");
  }
  return pattern;
}

std::string NodeText(int32_t node) { return node < 0 ? "unknown" : std::to_string(node); }

}  // namespace

const std::vector<std::string>& ProfileLabels() {
  static const std::vector<std::string> labels = {kHost,      "service", "role",
                                                  "database", "wait",    "node"};
  return labels;
}

bool IsProfileLabel(std::string_view label) {
  const auto& labels = ProfileLabels();
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Result<void> CheckProfileLabel(const std::string& label, const char* what) {
  if (IsProfileLabel(label)) return {};
  return MakeError(ErrorKind::kInvalid, std::string(what) + " '" + label +
                                            "': no such label; use one of " +
                                            ListText(ProfileLabels()));
}

std::string HostLabel(const WindowHeader& window) {
  const v1::Identity& identity = window.identity();
  return identity.host_name().empty() ? identity.host_id() : identity.host_name();
}

std::string ProfileLabel(const std::string& label, const WindowHeader& window,
                         const StoredDims& dims) {
  if (label == kHost) return HostLabel(window);
  if (label == "service") return dims.service;
  if (label == "role") return dims.role;
  if (label == "database") return dims.database;
  if (label == "wait") return dims.wait;
  if (label == "node") return NodeText(dims.node);
  return "";
}

Matcher::Matcher() = default;
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

Result<Matcher> Matcher::Make(const v1::Selection& selection) {
  const int64_t from = selection.from_unix_ns();
  const int64_t to = selection.to_unix_ns();
  if (to != 0 && from >= to) {
    return MakeError(ErrorKind::kInvalid, "range: its start " + TimeText(from) +
                                              " is not before its end " + TimeText(to));
  }
  if (selection.where_size() > kMaxClauses) {
    return MakeError(ErrorKind::kInvalid, "where: more than 64 conditions; use a pattern");
  }
  Matcher matcher;
  for (const v1::Match& match : selection.where()) {
    Clause clause;
    clause.label = match.label();
    clause.value = match.value();
    clause.op = match.op();
    if (!v1::Match::Op_IsValid(match.op())) {
      return MakeError(ErrorKind::kInvalid, "where " + match.label() + ": unknown operator " +
                                                std::to_string(match.op()));
    }
    if (match.op() == v1::Match::OP_REGEX || match.op() == v1::Match::OP_NOT_REGEX) {
      ASSIGN_OR_RETURN(clause.pattern, Compile(match));
    }
    matcher.clauses_.push_back(std::move(clause));
  }
  return matcher;
}

Result<void> Matcher::CheckLabels(const std::vector<std::string>& allowed) const {
  const auto& known = allowed.empty() ? ProfileLabels() : allowed;
  for (const Clause& clause : clauses_) {
    if (std::find(known.begin(), known.end(), clause.label) == known.end()) {
      return MakeError(
          ErrorKind::kInvalid,
          "where '" + clause.label + "': no such label here; use one of " + ListText(known));
    }
  }
  return {};
}

bool Matcher::Meets(const Clause& clause, const std::string& value) {
  if (clause.pattern != nullptr) return re2::RE2::FullMatch(value, *clause.pattern);
  return value == clause.value;
}

bool Matcher::Holds(const Clause& clause, const std::string& value) {
  return Meets(clause, value) != IsNegative(clause.op);
}

bool Matcher::WantsWindow(const WindowHeader& window) const {
  return std::all_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
    if (clause.label != kHost) return true;
    const bool meets =
        Meets(clause, window.identity().host_name()) || Meets(clause, window.identity().host_id());
    return meets != IsNegative(clause.op);
  });
}

bool Matcher::WantsDims(const StoredDims& dims) const {
  return std::all_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
    return clause.label == kHost || Holds(clause, ProfileLabel(clause.label, {}, dims));
  });
}

bool Matcher::WantsRow(const std::function<std::string(const std::string&)>& value) const {
  return std::all_of(clauses_.begin(), clauses_.end(), [&](const Clause& clause) {
    return clause.label == kHost || Holds(clause, value(clause.label));
  });
}

std::vector<std::string> Matcher::RowLabels() const {
  std::vector<std::string> labels;
  for (const Clause& clause : clauses_) {
    if (clause.label != kHost) labels.push_back(clause.label);
  }
  return labels;
}

}  // namespace hotlatch::collector

// Selection.where as predicates: all of them must hold. Labels of profiles are host, service, role,
// database, wait and node; host is met by the host's name or its id; node is a decimal or
// "unknown".
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.pb.h"

namespace re2 {
class RE2;
}

namespace hotlatch::collector {

// Outermost first, as errors list them.
const std::vector<std::string>& ProfileLabels();
bool IsProfileLabel(std::string_view label);
// kInvalid naming the known labels. what: "by" or "where".
Result<void> CheckProfileLabel(const std::string& label, const char* what);

// The value of a profile label. The host's name, or its id when it has none.
std::string HostLabel(const WindowHeader& window);
std::string ProfileLabel(const std::string& label, const WindowHeader& window,
                         const StoredDims& dims);

class Matcher {
 public:
  // kInvalid for a pattern that does not compile or a range that is empty by itself.
  static Result<Matcher> Make(const v1::Selection& selection);
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;
  ~Matcher();

  // kInvalid for a label that profiles do not have, or not in allowed, where that is not empty.
  Result<void> CheckLabels(const std::vector<std::string>& allowed) const;

  // Only what is said of the host.
  bool WantsWindow(const WindowHeader& window) const;
  // Only what is said of the dimensions.
  bool WantsDims(const StoredDims& dims) const;
  // All but the host; value gives a label's value in the row at hand.
  bool WantsRow(const std::function<std::string(const std::string& label)>& value) const;
  // Labels but host.
  std::vector<std::string> RowLabels() const;

 private:
  struct Clause {
    std::string label, value;
    v1::Match::Op op = v1::Match::OP_EQUAL;
    std::unique_ptr<re2::RE2> pattern;
  };
  Matcher();
  static bool Holds(const Clause& clause, const std::string& value);
  static bool Meets(const Clause& clause, const std::string& value);

  std::vector<Clause> clauses_;
};

}  // namespace hotlatch::collector

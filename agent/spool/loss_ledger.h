// Windows that did not reach the collector, by stage and reason, until a later window carries the
// count. Not thread safe; its owner locks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

inline constexpr std::string_view kStageSpool = "spool";
inline constexpr std::string_view kStageSend = "send";

class LossLedger {
 public:
  void Add(std::string_view stage, std::string_view reason, uint64_t count);

  // Takes back what a lost window carried for others (its losses of our two stages), or the count
  // of earlier losses would be lost with it.
  void AddCarriedBy(const v1::Window& window);

  void AddAll(const LossLedger& other);

  std::vector<v1::Loss> Take();
  bool empty() const { return counts_.empty(); }

  // One line "stage reason count" each, to outlive the process. Parse skips what it cannot read and
  // takes at most a hundred lines.
  std::string Format() const;
  void Parse(std::string_view text);

 private:
  std::map<std::pair<std::string, std::string>, uint64_t> counts_;
};

}  // namespace hotlatch::agent

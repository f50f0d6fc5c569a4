// The process table as answered: one row per process (or group), joined from sums, the newest title
// and node residency.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"
#include "collector/cli/answerer.h"
#include "collector/cli/selection.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

struct Process {
  std::vector<std::string> labels;                       // in the order of ProcessList::labels
  std::map<std::string, uint64_t, std::less<>> numbers;  // sums of the columns there are
  std::string title, state;                              // newest known; "" when grouped or unknown
  uint64_t threads = 0;
  std::map<std::string, uint64_t> oncpu_ns_by_node;

  uint64_t Number(std::string_view column) const;
  // user + system, without ended children.
  uint64_t cpu_ns() const { return Number("user_ns") + Number("system_ns"); }
};

struct ProcessList {
  std::vector<std::string> labels;  // host, pid, parent_pid, service, role, or those grouped by
  bool grouped = false;
  std::vector<Process> processes;
  v1::AnswerInfo info;
};

// Number columns of the table processes that are summed, in the order shown.
extern const std::vector<std::string> kProcessSums;

// by empty = one row per process. kInvalid when sort names no column.
Result<ProcessList> AskProcesses(Answerer* answerer, const Asked& asked,
                                 const std::vector<std::string>& by);

// Falling by column ("" or cpu = CPU time; pid and text labels rising). kInvalid for an unknown
// column.
Result<void> SortProcesses(ProcessList* list, const std::string& column);

// 0:87% 1:13%, by falling share; "" when unknown.
std::string ResidencyText(const std::map<std::string, uint64_t>& oncpu_ns_by_node);

}  // namespace hotlatch::collector

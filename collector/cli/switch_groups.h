// Context switches by process group: joined from the profiles offcpu and runqueue and the table
// wakers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/cli/json_output.h"
#include "collector/cli/rows_view.h"
#include "collector/cli/screen.h"

namespace hotlatch::collector {

struct SwitchGroup {
  std::vector<std::string> labels;
  uint64_t voluntary = 0, involuntary = 0, blocked_ns = 0;  // profile offcpu
  uint64_t waits = 0, wait_ns = 0;                          // profile runqueue

  uint64_t switches() const { return voluntary + involuntary; }
};

// A group's wakers: who they are and how often, most first.
struct Waker {
  std::vector<std::string> labels;  // of the group woken
  std::string service, role, kind;
  uint64_t wakeups = 0;
};

struct SwitchGroups {
  std::vector<std::string> by;        // labels of the groups
  std::vector<std::string> waker_by;  // those of them that the table wakers has
  std::vector<SwitchGroup> groups;    // by falling switches
  std::vector<Waker> wakers;          // by group (falling sum), then falling wakeups
  v1::AnswerInfo info;
};

Result<SwitchGroups> AskSwitchGroups(Answerer* answerer, const Asked& asked,
                                     const std::vector<std::string>& by);

// top = rows shown, 0 = all; the rest is summed up in one line. A total ends the table.
std::string SwitchGroupsText(const SwitchGroups& groups, size_t top, const Screen& screen);
// The first few wakers of every group.
std::string WakersText(const SwitchGroups& groups, size_t top, const Screen& screen);
std::string SwitchGroupsCsv(const SwitchGroups& groups, size_t top);
Json SwitchGroupsJson(const SwitchGroups& groups, size_t top);
Json WakersJson(const SwitchGroups& groups);

}  // namespace hotlatch::collector

// Folds what the switch programs counted in a generation, and the part of each thread's unfinished interval
// that fell into it, into rows. Pure: no kernel, no clock. ns of CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "agent/bpf/generation.h"
#include "probes/raw_window.h"
#include "probes/stacks.h"
#include "probes/switch/switch.h"

namespace hotlatch::agent {

extern const ProfileDescriptor
    kOffcpuProfile;  // voluntary_switches, involuntary_switches, blocked_ns
extern const ProfileDescriptor kRunqueueProfile;  // waits, wait_ns

class SwitchFold {
 public:
  explicit SwitchFold(const EndedGeneration& ended) : ended_(ended) {}

  void AddRow(const hl_key& key, const switch_row& row);

  // A whole (not torn) entry. True when the thread is dead and its entry can go.
  bool AddTask(const switch_task& task);

  void Emit(RawWindow& out) const;

  const std::vector<hl_key>& live_keys() const { return live_keys_; }
  KeyedRows<switch_row>& rows() { return rows_; }

 private:
  void Charge(const switch_interval& interval);

  EndedGeneration ended_;
  KeyedRows<switch_row> rows_;
  std::map<std::pair<uint32_t, int32_t>, uint64_t> running_ns_;  // by tgid and node
  std::vector<hl_key> live_keys_;  // where live threads left the CPU: their stacks will be needed
};

}  // namespace hotlatch::agent

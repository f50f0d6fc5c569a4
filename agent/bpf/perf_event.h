// Opening of sampling perf events, one per CPU.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::agent {

struct CpuEvent {
  std::string name;  // cycles, cpu-clock
  uint32_t type = 0;
  uint64_t config = 0;
  double frequency_hz = 0;
};

// Hardware cycles where they can be sampled, else the software clock (most virtual machines).
Result<CpuEvent> ChooseCpuEvent(double frequency_hz);

// A counting, sampling event of every task on one CPU.
Result<UniqueFd> OpenCpuEvent(const CpuEvent& event, int cpu);

// From /sys/devices/system/cpu/online. Bounded by the kernel's largest number of CPUs.
Result<std::set<int>> OnlineCpus();

// "0-3,8,10-11"; at most 8192 CPUs.
Result<std::set<int>> ParseCpuList(const std::string& text);

}  // namespace hotlatch::agent

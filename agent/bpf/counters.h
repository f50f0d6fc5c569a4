// The per-CPU counters of a probe (probes/bpf/generation.bpf.h), summed over CPUs and set to 0 for the ended
// generation.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/base/result.h"

namespace hotlatch::agent {

Result<std::vector<uint64_t>> TakeCounters(int map_fd, uint32_t generation_index, uint32_t count);

}  // namespace hotlatch::agent

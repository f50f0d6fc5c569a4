#include "agent/bpf/counters.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

namespace hotlatch::agent {

constexpr uint32_t kCountersPerGeneration = 16;  // HL_COUNTERS

Result<std::vector<uint64_t>> TakeCounters(int map_fd, uint32_t generation_index, uint32_t count) {
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) return ErrnoError(-cpus, "number of possible CPUs");
  std::vector<uint64_t> per_cpu(static_cast<size_t>(cpus));
  const std::vector<uint64_t> zeros(static_cast<size_t>(cpus), 0);
  std::vector<uint64_t> sums(count, 0);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t slot = generation_index * kCountersPerGeneration + i;
    if (bpf_map_lookup_elem(map_fd, &slot, per_cpu.data()) != 0 ||
        bpf_map_update_elem(map_fd, &slot, zeros.data(), BPF_ANY) != 0) {
      return ErrnoError(errno, "reading BPF map counters");
    }
    for (const uint64_t value : per_cpu) sums[i] += value;
  }
  return sums;
}

}  // namespace hotlatch::agent

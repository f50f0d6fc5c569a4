// The two generations of maps that all probes share: one map holds the running generation's number and
// start, every BPF object uses that same map, one store swaps all of them. One thread.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <memory>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"
#include "probes/abi/common.h"

namespace hotlatch::agent {

// A generation that ended: nothing writes to maps number `index` any more. [start_ns, end_ns) of
// CLOCK_MONOTONIC; running_seq is the number of the one that now runs.
struct EndedGeneration {
  uint32_t index = 0;
  uint64_t start_ns = 0;
  uint64_t end_ns = 0;
  uint64_t running_seq = 0;
};

class Generation {
 public:
  static Result<std::unique_ptr<Generation>> Create();
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  // Makes an opened, not yet loaded object use this map in place of its own "generation".
  Result<void> ShareWith(bpf_object* object) const;

  // Begins the next generation and waits until no running program can hold the old one.
  Result<EndedGeneration> Swap();

 private:
  Generation() = default;
  Result<void> CreateFence();
  Result<void> WaitForRunningPrograms();

  UniqueFd map_;
  UniqueFd fence_inner_;
  UniqueFd fence_;
  hl_generation* page_ = nullptr;
};

}  // namespace hotlatch::agent

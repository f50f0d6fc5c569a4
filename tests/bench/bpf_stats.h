// Runs and run time of BPF programs, from the kernel's statistics (BPF_ENABLE_STATS), which are on as long as
// this object lives and cost some tens of ns a run themselves.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"

namespace hotlatch {

struct ProgramCost {
  std::string name;
  double runs_per_second = 0;
  double ns_per_run = 0;
};

class BpfStats {
 public:
  static Result<BpfStats> Enable();

  // Since Enable, programs that ran; all of the host's, by falling run time.
  Result<std::vector<ProgramCost>> Take() const;

 private:
  struct Totals {
    std::string name;
    uint64_t runs = 0, run_ns = 0;
  };
  static std::map<uint32_t, Totals> ReadAll();

  UniqueFd switch_;
  std::map<uint32_t, Totals> before_;  // by program id
  std::chrono::steady_clock::time_point start_;
};

}  // namespace hotlatch

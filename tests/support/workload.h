// Child processes that do a known thing: the independent witnesses of the probe tests. Children are forked,
// run one function and exit; each has the command name given.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hotlatch {

// Owner of forked children; the destructor kills and reaps what is left. Main thread only.
class Workload {
 public:
  Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  ~Workload();

  // comm: at most 15 characters. run must not return to the caller's stack frames; the child exits after it.
  pid_t Start(const std::string& comm, const std::function<void()>& run);

  // True when all have ended (they stay zombies until Reap).
  bool AllEnded() const;

  // Waits for each; the kernel's own account of it, final.
  std::map<pid_t, rusage> Reap();

  const std::vector<pid_t>& pids() const { return pids_; }

 private:
  std::vector<pid_t> pids_;
};

// Bounces one byte between two processes count times each way; every read blocks.
void StartPingPong(Workload& workload, int count);
void SleepRepeatedly(int count, long ns);
// Burns user CPU in a function named hotlatch_test_spin for about so long by the process's own CPU clock.
void SpinUserCpu(long cpu_ms);
// Burns CPU inside the kernel (reads of 64 KiB of /dev/zero) likewise.
void SpinSystemCpu(long cpu_ms);
void YieldRepeatedly(int count);
void PinToCpu(int cpu);

}  // namespace hotlatch

// What the kernel itself counts of a process: the witness our own numbers are held against.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "agent/base/result.h"

namespace hotlatch {

struct ProcCounts {
  // /proc/PID/status, of the main thread only: the whole of a process with one thread.
  uint64_t voluntary_switches = 0;
  uint64_t involuntary_switches = 0;
  uint64_t rss_bytes = 0;
  // /proc/PID/stat, in steps of a clock tick (10 ms).
  uint64_t cpu_ns = 0;
  uint64_t child_cpu_ns = 0;  // of children that ended and were waited for
  char state = '?';           // R, S, D, T ...
};

Result<ProcCounts> ReadProcCounts(pid_t pid);

}  // namespace hotlatch

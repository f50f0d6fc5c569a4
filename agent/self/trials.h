// Whether the kernel lets us, found out by doing it once: each function loads or opens the smallest thing
// of its kind, attaches it where that is part of the question, and takes it away again.
#pragma once

#include <cstdint>
#include <string>

namespace hotlatch::agent {

struct Trial {
  bool works = false;
  int os_errno = 0;  // of the step that failed
  std::string step;  // what was tried last, and the verifier's words where it spoke
};

struct Trials {
  Trial small_map;        // one page
  Trial large_map;        // 16 MiB: fails alone where the memlock limit is what stands in the way
  Trial hardware_cycles;  // perf_event on one CPU, all processes
  Trial cpu_clock;
  Trial sample_program;  // a BPF program on the cpu-clock event
  Trial raw_tracepoint;  // sched_switch
  Trial tp_btf;          // sched_switch
  Trial fentry;
  Trial kprobe;
};

// Takes some milliseconds. Silences libbpf's own messages for the process.
Trials TryEverything(const std::string& sys_root);

}  // namespace hotlatch::agent

// The rights an agent keeps once everything is attached. Of those it has:
//   CAP_BPF              maps of later generations, look-ups by batch
//   CAP_PERFMON          samples on CPUs that come online later; tracing programs
//   CAP_SYS_PTRACE       /proc/PID/root, maps and exe of other users' processes: symbols
//   CAP_DAC_READ_SEARCH  binaries and debug files only their owner may read: symbols
//   CAP_SYSLOG           addresses in /proc/kallsyms, for modules loaded later
// CAP_SYS_ADMIN, CAP_DAC_OVERRIDE and the rest go, and no_new_privs is set. As uid 0 without
// CAP_DAC_OVERRIDE the agent may still write its own files: the spool belongs to uid 0.
#pragma once

#include <string>
#include <vector>

#include "agent/base/result.h"

namespace hotlatch::agent {

// For the calling thread and the threads it starts later: call before any other thread is started.
// Returns the names of the rights kept.
Result<std::vector<std::string>> DropRights();

}  // namespace hotlatch::agent

// Words for a process that is no known database: its systemd unit or command.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hotlatch::agent {

struct ProcessNames {
  std::string service;  // systemd unit without ".service", command, or "kernel"
  std::string role;     // of kernel threads: kworker, ksoftirqd ...; else ""
  std::string title;    // the command
};

struct ProcessFacts {
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint64_t start_time_ns = 0;
  bool kernel_thread = false;
  std::string_view comm;
};

// The unit that a cgroup file's text (/proc/PID/cgroup) puts the process into; "" when it is in none.
std::string UnitOfCgroup(std::string_view cgroup_text);

// Remembers names by pid and start time, so that an ended process keeps its identity. One thread.
class GenericEngine {
 public:
  explicit GenericEngine(std::string proc_root) : proc_root_(std::move(proc_root)) {}

  const ProcessNames& Describe(const ProcessFacts& process);

  // Once a window: forgets processes that were not described since the last call.
  void ForgetUnused();

 private:
  struct Entry {
    uint64_t start_time_ns = 0;
    std::string comm;
    bool used = false;
    ProcessNames names;
  };

  ProcessNames Name(const ProcessFacts& process) const;

  std::string proc_root_;
  std::unordered_map<uint32_t, Entry> entries_;  // by pid
};

}  // namespace hotlatch::agent

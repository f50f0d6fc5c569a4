// What a host says of itself about BPF, perf and privileges: files of /proc and /sys only, nothing tried.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace hotlatch::agent {

struct HostEvidence {
  std::string kernel_release;
  int btf_errno = 0;     // 0 = /sys/kernel/btf/vmlinux can be read
  std::string tracefs;   // where it is mounted; "" = nowhere
  std::string lockdown;  // none, integrity, confidentiality; "" = this kernel has none
  std::optional<int64_t> perf_event_paranoid;  // these five: nullopt = cannot be read
  std::optional<int64_t> unprivileged_bpf_disabled;
  std::optional<int64_t> kptr_restrict;
  std::optional<int64_t> bpf_jit_enable;
  std::optional<int64_t> bpf_stats_enabled;
  std::string memlock_soft;            // bytes or "unlimited"
  std::set<std::string> capabilities;  // effective, of those named in the .cc
  int64_t seccomp_mode = 0;            // 2 = filter
  bool initial_user_namespace = true;
  bool kernel_addresses = false;  // /proc/kallsyms shows them
  bool processes_listed = false;  // /proc/1 can be seen
  uint32_t numa_nodes = 0;
  uint32_t online_cpus = 0;
  std::string cgroup2;  // where it is mounted; "" = nowhere
};

HostEvidence ReadHost(const std::string& proc_root, const std::string& sys_root);

}  // namespace hotlatch::agent

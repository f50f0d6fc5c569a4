// A recorded /proc and /sys in a temporary directory; the default is a healthy host's, as root.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace hotlatch::agent {

class HostTree {
 public:
  HostTree() {
    std::string pattern = "/tmp/hotlatch-host-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    Put("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    Put("proc/sys/kernel/version", "#1 SMP Debian 6.1.76-1\n");
    Put("proc/sys/kernel/random/boot_id", "0e5a9a3c-0b3f-4f43-9d2e-5a44a6f4a001\n");
    Put("proc/sys/kernel/perf_event_paranoid", "3\n");
    Put("proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
    Put("proc/sys/kernel/kptr_restrict", "1\n");
    Put("proc/sys/kernel/bpf_stats_enabled", "0\n");
    Put("proc/sys/net/core/bpf_jit_enable", "1\n");
    Put("proc/self/mounts",
        "tracefs /sys/kernel/debug/tracing tracefs rw 0 0\n"
        "tracefs /sys/kernel/tracing tracefs rw 0 0\n"
        "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
    Put("proc/self/limits",
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max locked memory         8388608              8388608              bytes     \n");
    Put("proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t0\nSeccomp_filters:\t0\n");
    Put("proc/self/uid_map", "         0          0 4294967295\n");
    Put("proc/kallsyms", "0000000000000000 A fixed\nffffffff81000000 T _text\n");
    Put("proc/1/stat", "1 (systemd) S 0\n");
    Put("proc/cpuinfo",
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Gold 6148\nflags\t\t: fpu hypervisor "
        "avx\n");
    Put("proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\n");
    Put("sys/kernel/btf/vmlinux", "BTF");
    Put("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
    Put("sys/devices/system/node/online", "0-1\n");
    Put("sys/devices/system/cpu/online", "0-3,8,10-11\n");
    Put("sys/class/dmi/id/sys_vendor", "QEMU\n");
  }
  ~HostTree() { std::filesystem::remove_all(root_); }
  HostTree(const HostTree&) = delete;
  HostTree& operator=(const HostTree&) = delete;

  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  void Remove(const std::string& path) { std::filesystem::remove_all(root_ + "/" + path); }

  std::string proc() const { return root_ + "/proc"; }
  std::string sys() const { return root_ + "/sys"; }

 private:
  std::string root_;
};

}  // namespace hotlatch::agent

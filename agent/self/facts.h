// What a host is, as windows carry it. Everything here is best effort: what cannot be read is left out.
#pragma once

#include <string>
#include <vector>

#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

// kernel.release, kernel.version, cpu.model, cpu.online, memory.total_bytes, virtualisation (present
// where the CPU says that it is virtual; its value names the maker where firmware tells, else "yes").
std::vector<v1::Fact> HostFacts(const std::string& proc_root);
std::vector<v1::Fact> HostFacts(const std::string& proc_root, const std::string& sys_root);

// numa_nodes is 1 where the kernel knows no nodes; online_cpus is 0 where it cannot be read.
v1::Topology HostTopology(const std::string& sys_root);

// How many numbers a list as "0-3,8,10-11" holds; 0 when it is malformed or holds more than a million.
uint32_t CountCpuList(const std::string& list);

std::string KernelRelease();  // of the running kernel, as uname -r
std::string LibbpfVersion();  // of the library in use, "1.1"

}  // namespace hotlatch::agent

#include "agent/engine/generic.h"

#include <algorithm>

#include "agent/base/file.h"

namespace hotlatch::agent {
namespace {

constexpr size_t kMaxCgroupBytes = 64U << 10U;
constexpr std::string_view kServiceSuffix = ".service";

// kworker/0:1H-kblockd -> kworker; jbd2/vda-8 -> jbd2; migration/3 -> migration.
std::string KernelThreadRole(std::string_view comm) {
  return std::string(comm.substr(0, comm.find_first_of("/:")));
}

}  // namespace

std::string UnitOfCgroup(std::string_view cgroup_text) {
  // The last line with a service wins: of cgroup v1's lines the systemd one, of v2 the only one.
  std::string unit;
  while (!cgroup_text.empty()) {
    const size_t length = std::min(cgroup_text.find('\n'), cgroup_text.size());
    const std::string_view line = cgroup_text.substr(0, length);
    cgroup_text.remove_prefix(std::min(length + 1, cgroup_text.size()));
    // user@1000.service holds a whole session, not a service.
    size_t end = line.rfind(kServiceSuffix);
    while (end != std::string_view::npos) {
      const size_t slash = line.rfind('/', end);
      const std::string_view name = line.substr(slash + 1, end - slash - 1);
      if (slash != std::string_view::npos && !name.empty() && !name.starts_with("user@")) {
        unit = name;
        break;
      }
      end = end == 0 ? std::string_view::npos : line.rfind(kServiceSuffix, end - 1);
    }
  }
  return unit;
}

const ProcessNames& GenericEngine::Describe(const ProcessFacts& process) {
  Entry& entry = entries_[process.pid];
  entry.used = true;
  if (entry.start_time_ns != process.start_time_ns || entry.comm != process.comm) {
    entry.start_time_ns = process.start_time_ns;
    entry.comm = process.comm;
    entry.names = Name(process);
  }
  return entry.names;
}

ProcessNames GenericEngine::Name(const ProcessFacts& process) const {
  ProcessNames names;
  names.title = process.comm;
  if (process.kernel_thread) {
    names.service = "kernel";
    names.role = KernelThreadRole(process.comm);
    return names;
  }
  const auto cgroup =
      ReadFile(proc_root_ + "/" + std::to_string(process.pid) + "/cgroup", kMaxCgroupBytes);
  if (cgroup) names.service = UnitOfCgroup(*cgroup);
  if (!cgroup) {
    // It has ended: a child of the same command ran in its parent's unit.
    const auto parent = entries_.find(process.parent_pid);
    if (parent != entries_.end() && parent->second.comm == process.comm) {
      names.service = parent->second.names.service;
    }
  }
  if (names.service.empty()) names.service = process.comm;
  if (names.service.empty()) names.service = "unknown";
  return names;
}

void GenericEngine::ForgetUnused() {
  std::erase_if(entries_, [](const auto& entry) { return !entry.second.used; });
  for (auto& [pid, entry] : entries_) entry.used = false;
}

}  // namespace hotlatch::agent

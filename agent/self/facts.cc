#include "agent/self/facts.h"

#include <bpf/libbpf.h>
#include <sys/utsname.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "agent/base/file.h"

namespace hotlatch::agent {
namespace {

constexpr size_t kMaxCpuinfoBytes = 16 << 20;
constexpr size_t kMaxValueBytes = 256;
constexpr uint32_t kMaxListed = 1'000'000;

void AddFact(std::vector<v1::Fact>& facts, const std::string& name, std::string value) {
  if (value.empty()) return;
  if (value.size() > kMaxValueBytes) value.resize(kMaxValueBytes);
  v1::Fact& fact = facts.emplace_back();
  fact.set_name(name);
  fact.set_value(std::move(value));
}

// The value of the first line "key<blanks>: value".
std::string Field(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const size_t colon = line.find(':');
    const size_t start = line.find_first_not_of(" \t", colon + 1);
    if (colon == std::string::npos || start == std::string::npos) return "";
    return line.substr(start);
  }
  return "";
}

std::string FirstLineOrEmpty(const std::string& path) {
  const auto line = ReadFirstLine(path);
  return line ? *line : "";
}

std::string Virtualisation(const std::string& cpuinfo, const std::string& sys_root) {
  const std::string flags = " " + Field(cpuinfo, "flags") + " ";
  if (flags.find(" hypervisor ") == std::string::npos) return "";
  const std::string vendor = FirstLineOrEmpty(sys_root + "/class/dmi/id/sys_vendor");
  return vendor.empty() ? "yes" : vendor;
}

}  // namespace

std::vector<v1::Fact> HostFacts(const std::string& proc_root) {
  return HostFacts(proc_root, "/sys");
}

std::vector<v1::Fact> HostFacts(const std::string& proc_root, const std::string& sys_root) {
  std::vector<v1::Fact> facts;
  AddFact(facts, "kernel.release", FirstLineOrEmpty(proc_root + "/sys/kernel/osrelease"));
  AddFact(facts, "kernel.version", FirstLineOrEmpty(proc_root + "/sys/kernel/version"));
  const auto cpuinfo = ReadFile(proc_root + "/cpuinfo", kMaxCpuinfoBytes);
  if (cpuinfo) AddFact(facts, "cpu.model", Field(*cpuinfo, "model name"));
  AddFact(facts, "cpu.online", FirstLineOrEmpty(sys_root + "/devices/system/cpu/online"));
  if (const auto meminfo = ReadFile(proc_root + "/meminfo", 1 << 16); meminfo) {
    uint64_t kib = 0;
    std::istringstream(Field(*meminfo, "MemTotal")) >> kib;
    if (kib != 0) AddFact(facts, "memory.total_bytes", std::to_string(kib * 1024));
  }
  if (cpuinfo) AddFact(facts, "virtualisation", Virtualisation(*cpuinfo, sys_root));
  return facts;
}

uint32_t CountCpuList(const std::string& list) {
  uint32_t count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    std::istringstream in(range);
    uint32_t first = 0;
    if (!(in >> first)) return 0;
    uint32_t last = first;
    char dash = 0;
    if (in >> dash && (dash != '-' || !(in >> last))) return 0;
    if (last < first || last - first >= kMaxListed) return 0;
    count += last - first + 1;
    if (count > kMaxListed) return 0;
  }
  return count;
}

v1::Topology HostTopology(const std::string& sys_root) {
  v1::Topology topology;
  const std::string nodes = FirstLineOrEmpty(sys_root + "/devices/system/node/online");
  topology.set_numa_nodes(std::max(1U, CountCpuList(nodes)));
  topology.set_online_cpus(CountCpuList(FirstLineOrEmpty(sys_root + "/devices/system/cpu/online")));
  return topology;
}

std::string KernelRelease() {
  utsname names{};
  return uname(&names) == 0 ? static_cast<const char*>(names.release) : "unknown";
}

std::string LibbpfVersion() {
  return std::to_string(libbpf_major_version()) + "." + std::to_string(libbpf_minor_version());
}

}  // namespace hotlatch::agent

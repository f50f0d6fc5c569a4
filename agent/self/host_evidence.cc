#include "agent/self/host_evidence.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <vector>

#include "agent/base/file.h"
#include "agent/base/unique_fd.h"
#include "agent/self/facts.h"

namespace hotlatch::agent {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

struct NamedCapability {
  int bit;
  const char* name;
};
constexpr std::array<NamedCapability, 7> kCapabilities{
    {{CAP_SYS_ADMIN, "CAP_SYS_ADMIN"},
     {CAP_BPF, "CAP_BPF"},
     {CAP_PERFMON, "CAP_PERFMON"},
     {CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
     {CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH"},
     {CAP_SYSLOG, "CAP_SYSLOG"},
     {CAP_SYS_RESOURCE, "CAP_SYS_RESOURCE"}}};

std::string TextOrEmpty(const std::string& path) {
  const auto text = ReadFile(path, kMaxBytes);
  return text ? *text : "";
}

std::optional<int64_t> Number(const std::string& path) {
  const std::string text = TextOrEmpty(path);
  int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc()) return std::nullopt;
  return value;
}

// Words of the first line that starts with key, after it.
std::vector<std::string> Words(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    std::vector<std::string> words;
    for (std::string word; rest >> word;) words.push_back(word);
    return words;
  }
  return {};
}

std::string FirstWord(const std::string& text, std::string_view key) {
  const auto words = Words(text, key);
  return words.empty() ? "" : words[0];
}

// Where a file system of that type is mounted, the preferred place before others.
std::string MountPoint(const std::string& mounts, std::string_view type,
                       std::string_view preferred) {
  std::istringstream lines(mounts);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream in(line);
    std::string device;
    std::string place;
    std::string kind;
    if (!(in >> device >> place >> kind) || kind != type) continue;
    if (place == preferred) return place;
    if (found.empty()) found = place;
  }
  return found;
}

// "none [integrity] confidentiality" -> integrity
std::string Bracketed(const std::string& text) {
  const size_t open = text.find('[');
  const size_t close = text.find(']');
  if (open == std::string::npos || close == std::string::npos || close < open) return "";
  return text.substr(open + 1, close - open - 1);
}

std::set<std::string> Capabilities(const std::string& hexadecimal) {
  uint64_t mask = 0;
  std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), mask, 16);
  std::set<std::string> names;
  for (const NamedCapability& capability : kCapabilities) {
    if ((mask >> capability.bit & 1) != 0) names.insert(capability.name);
  }
  return names;
}

bool ShowsAddresses(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> head{};
  const ssize_t n = fd.valid() ? ::read(fd.get(), head.data(), head.size()) : 0;
  const std::string_view text(head.data(), n > 0 ? static_cast<size_t>(n) : 0);
  // Some symbols are at 0 by right, so any other address decides.
  for (size_t start = 0; start + 16 <= text.size();) {
    if (text.substr(start, 16).find_first_not_of('0') != std::string_view::npos) return true;
    const size_t end = text.find('\n', start);
    if (end == std::string_view::npos) break;
    start = end + 1;
  }
  return false;
}

int ReadErrno(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return errno;
  char byte = 0;
  return ::read(fd.get(), &byte, 1) < 0 ? errno : 0;
}

}  // namespace

HostEvidence ReadHost(const std::string& proc_root, const std::string& sys_root) {
  HostEvidence host;
  const std::string kernel = proc_root + "/sys/kernel/";
  std::istringstream(TextOrEmpty(kernel + "osrelease")) >> host.kernel_release;
  host.btf_errno = ReadErrno(sys_root + "/kernel/btf/vmlinux");
  const std::string mounts = TextOrEmpty(proc_root + "/self/mounts");
  host.tracefs = MountPoint(mounts, "tracefs", "/sys/kernel/tracing");
  host.cgroup2 = MountPoint(mounts, "cgroup2", "/sys/fs/cgroup");
  host.lockdown = Bracketed(TextOrEmpty(sys_root + "/kernel/security/lockdown"));
  host.perf_event_paranoid = Number(kernel + "perf_event_paranoid");
  host.unprivileged_bpf_disabled = Number(kernel + "unprivileged_bpf_disabled");
  host.kptr_restrict = Number(kernel + "kptr_restrict");
  host.bpf_stats_enabled = Number(kernel + "bpf_stats_enabled");
  host.bpf_jit_enable = Number(proc_root + "/sys/net/core/bpf_jit_enable");
  host.memlock_soft = FirstWord(TextOrEmpty(proc_root + "/self/limits"), "Max locked memory");
  const std::string status = TextOrEmpty(proc_root + "/self/status");
  host.capabilities = Capabilities(FirstWord(status, "CapEff:"));
  host.seccomp_mode = std::atoll(FirstWord(status, "Seccomp:").c_str());
  const auto uid_map = Words(TextOrEmpty(proc_root + "/self/uid_map"), "");
  host.initial_user_namespace =
      uid_map.empty() || (uid_map.size() == 3 && uid_map[2] == "4294967295");
  host.kernel_addresses = ShowsAddresses(proc_root + "/kallsyms");
  host.processes_listed = ReadErrno(proc_root + "/1/stat") == 0;
  const v1::Topology topology = HostTopology(sys_root);
  host.numa_nodes = topology.numa_nodes();
  host.online_cpus = topology.online_cpus();
  return host;
}

}  // namespace hotlatch::agent

#include "agent/bpf/perf_event.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cmath>

#include "agent/base/file.h"

namespace hotlatch::agent {
namespace {

constexpr int kMaxCpus = 8192;

Result<int> ParseCpu(std::string_view text, const std::string& list) {
  int cpu = -1;
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), cpu);
  if (err != std::errc() || end != text.data() + text.size() || cpu < 0 || cpu >= kMaxCpus) {
    return MakeError(ErrorKind::kCorrupt, "list of CPUs '" + list + "' is not of the form 0-3,8");
  }
  return cpu;
}

}  // namespace

Result<UniqueFd> OpenCpuEvent(const CpuEvent& event, int cpu) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.freq = 1;
  attr.sample_freq = static_cast<uint64_t>(std::llround(event.frequency_hz));
  UniqueFd fd(static_cast<int>(
      syscall(SYS_perf_event_open, &attr, /*pid=*/-1, cpu, /*group_fd=*/-1, PERF_FLAG_FD_CLOEXEC)));
  if (!fd.valid()) {
    return ErrnoError(errno, "perf_event_open " + event.name + " on CPU " + std::to_string(cpu));
  }
  return fd;
}

Result<CpuEvent> ChooseCpuEvent(double frequency_hz) {
  const CpuEvent cycles{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, frequency_hz};
  const CpuEvent clock{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, frequency_hz};
  ASSIGN_OR_RETURN(const std::set<int> online, OnlineCpus());
  const int cpu = *online.begin();
  if (OpenCpuEvent(cycles, cpu)) return cycles;
  auto opened = OpenCpuEvent(clock, cpu);
  if (!opened) return opened.error();
  return clock;
}

Result<std::set<int>> ParseCpuList(const std::string& text) {
  std::set<int> cpus;
  size_t at = 0;
  while (at < text.size()) {
    const size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, comma - at);
    const size_t dash = part.find('-');
    ASSIGN_OR_RETURN(const int first, ParseCpu(part.substr(0, dash), text));
    int last = first;
    if (dash != std::string_view::npos) {
      ASSIGN_OR_RETURN(last, ParseCpu(part.substr(dash + 1), text));
    }
    for (int cpu = first; cpu <= last; cpu++) cpus.insert(cpu);
    at = comma + 1;
  }
  if (cpus.empty()) return MakeError(ErrorKind::kCorrupt, "list of CPUs is empty");
  return cpus;
}

Result<std::set<int>> OnlineCpus() {
  ASSIGN_OR_RETURN(const std::string line, ReadFirstLine("/sys/devices/system/cpu/online"));
  return ParseCpuList(line);
}

}  // namespace hotlatch::agent

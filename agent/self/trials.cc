#include "agent/self/trials.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>

#include "agent/base/file.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::agent {
namespace {

constexpr const char* kLicence = "Dual BSD/GPL";
// An empty function made for such tests; in every kernel with BPF and networking since 5.5.
constexpr const char* kTestFunction = "bpf_fentry_test1";

// r0 = 0; exit
constexpr std::array<bpf_insn, 2> kReturnZero{
    {{BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0}, {BPF_JMP | BPF_EXIT, 0, 0, 0, 0}}};

Trial Failed(int os_errno, std::string step) { return {false, os_errno, std::move(step)}; }
Trial Works(std::string step) { return {true, 0, std::move(step)}; }

// The verifier's last line that says something.
std::string LastWords(const char* log) {
  std::string text(log);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.starts_with("processed ") || text.find("\nprocessed ") != std::string::npos) {
    const size_t cut = text.rfind("processed ");
    text.resize(cut == 0 ? 0 : cut - 1);
  }
  const size_t line = text.rfind('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

struct Loaded {
  UniqueFd fd;
  Trial trial;  // why fd is not valid
};

Loaded Load(bpf_prog_type type, bpf_attach_type attach, uint32_t btf_id, const std::string& step) {
  std::array<char, 4096> log{};
  LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = attach, .attach_btf_id = btf_id,
              .log_level = 1, .log_size = log.size(), .log_buf = log.data());
  const int fd = bpf_prog_load(type, "hotlatch_try", kLicence, kReturnZero.data(),
                               kReturnZero.size(), &options);
  if (fd >= 0) return {UniqueFd(fd), {}};
  const int os_errno = -fd;
  const std::string words = LastWords(log.data());
  return {UniqueFd(), Failed(os_errno, "load " + step + (words.empty() ? "" : ": " + words))};
}

Trial TryMap(uint32_t bytes) {
  constexpr uint32_t kValueBytes = 4096;
  const UniqueFd fd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "hotlatch_try", sizeof(uint32_t),
                                   kValueBytes, bytes / kValueBytes, nullptr));
  const std::string step = "map of " + std::to_string(bytes >> 10) + " KiB";
  return fd.valid() ? Works(step) : Failed(errno, step);
}

UniqueFd OpenEvent(perf_event_attr& attr, pid_t pid, int cpu) {
  attr.size = sizeof attr;
  attr.disabled = 1;
  return UniqueFd(
      static_cast<int>(syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

Trial TryEvent(uint32_t type, uint64_t config, const std::string& step) {
  perf_event_attr attr{};
  attr.type = type;
  attr.config = config;
  attr.sample_freq = 99;
  attr.freq = 1;
  const UniqueFd fd = OpenEvent(attr, -1, 0);
  return fd.valid() ? Works(step) : Failed(errno, step);
}

Trial TrySampleProgram() {
  Loaded program = Load(BPF_PROG_TYPE_PERF_EVENT, BPF_PERF_EVENT, 0, "perf_event program");
  if (!program.fd.valid()) return program.trial;
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = 1'000'000'000;
  const UniqueFd event = OpenEvent(attr, -1, 0);
  if (!event.valid()) return Failed(errno, "open cpu-clock");
  if (ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program.fd.get()) != 0) {
    return Failed(errno, "attach to cpu-clock");
  }
  return Works("perf_event program on cpu-clock");
}

Trial TryRawTracepoint() {
  Loaded program =
      Load(BPF_PROG_TYPE_RAW_TRACEPOINT, bpf_attach_type(0), 0, "raw_tracepoint program");
  if (!program.fd.valid()) return program.trial;
  const int link = bpf_raw_tracepoint_open("sched_switch", program.fd.get());
  if (link < 0) return Failed(-link, "attach to sched_switch");
  const UniqueFd owner(link);
  return Works("raw_tracepoint/sched_switch");
}

Trial TryTracing(bpf_attach_type attach, const char* target, const std::string& step) {
  const int btf_id = libbpf_find_vmlinux_btf_id(target, attach);
  if (btf_id <= 0) return Failed(-btf_id, step + ": not in the kernel's BTF");
  Loaded program = Load(BPF_PROG_TYPE_TRACING, attach, static_cast<uint32_t>(btf_id), step);
  if (!program.fd.valid()) return program.trial;
  const int link = bpf_raw_tracepoint_open(nullptr, program.fd.get());
  if (link < 0) return Failed(-link, "attach " + step);
  const UniqueFd owner(link);
  return Works(step);
}

Trial TryKprobe(const std::string& sys_root) {
  const auto type = ReadFirstLine(sys_root + "/bus/event_source/devices/kprobe/type");
  perf_event_attr attr{};
  if (!type ||
      std::from_chars(type->data(), type->data() + type->size(), attr.type).ec != std::errc()) {
    return Failed(ENOENT, "no kprobe event source: the kernel is built without kprobes");
  }
  Loaded program = Load(BPF_PROG_TYPE_KPROBE, bpf_attach_type(0), 0, "kprobe program");
  if (!program.fd.valid()) return program.trial;
  attr.config1 = reinterpret_cast<uint64_t>(kTestFunction);
  const UniqueFd event = OpenEvent(attr, -1, 0);
  if (!event.valid()) return Failed(errno, std::string("kprobe on ") + kTestFunction);
  if (ioctl(event.get(), PERF_EVENT_IOC_SET_BPF, program.fd.get()) != 0) {
    return Failed(errno, std::string("attach to kprobe on ") + kTestFunction);
  }
  return Works(std::string("kprobe/") + kTestFunction);
}

int SaysNothing(libbpf_print_level, const char*, va_list) { return 0; }

}  // namespace

Trials TryEverything(const std::string& sys_root) {
  libbpf_set_print(SaysNothing);
  Trials trials;
  trials.small_map = TryMap(4 << 10);
  trials.large_map = TryMap(16 << 20);
  trials.hardware_cycles =
      TryEvent(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "perf_event cycles");
  trials.cpu_clock = TryEvent(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "perf_event cpu-clock");
  trials.sample_program = TrySampleProgram();
  trials.raw_tracepoint = TryRawTracepoint();
  trials.tp_btf = TryTracing(BPF_TRACE_RAW_TP, "sched_switch", "tp_btf/sched_switch");
  trials.fentry =
      TryTracing(BPF_TRACE_FENTRY, kTestFunction, std::string("fentry/") + kTestFunction);
  trials.kprobe = TryKprobe(sys_root);
  return trials;
}

}  // namespace hotlatch::agent

#include "agent/self/doctor.h"

#include <fmt/format.h>

#include <cstdio>
#include <system_error>
#include <utility>

namespace hotlatch::agent {
namespace {

constexpr auto kOk = CheckState::kOk;
constexpr auto kDegraded = CheckState::kDegraded;
constexpr auto kMissing = CheckState::kMissing;

class Examination {
 public:
  Examination(const HostEvidence& host, const Trials& trials) : host_(host), trials_(trials) {}

  DoctorReport Report() {
    CheckKernel();
    CheckSecurity();
    CheckCapabilities();
    CheckTrials();
    CheckRest();
    Answer();
    return std::move(report_);
  }

 private:
  void Add(std::string name, CheckState state, std::string seen, std::string advice = "") {
    if (state == kOk) advice.clear();
    report_.checks.push_back({std::move(name), state, std::move(seen), std::move(advice)});
  }

  static std::string Setting(const std::optional<int64_t>& value) {
    return value ? std::to_string(*value) : "cannot be read";
  }

  void CheckKernel() {
    int major = 0;
    int minor = 0;
    const bool parsed = std::sscanf(host_.kernel_release.c_str(), "%d.%d", &major, &minor) == 2;
    const bool recent = parsed && std::pair(major, minor) >= std::pair(5, 8);
    Add("kernel", recent ? kOk : kDegraded, host_.kernel_release,
        "older than 5.8: works only where the distribution brought BPF back (RHEL 8)");
    Add("btf", host_.btf_errno == 0 ? kOk : kMissing,
        host_.btf_errno == 0 ? "/sys/kernel/btf/vmlinux"
                             : fmt::format("/sys/kernel/btf/vmlinux: {}",
                                           std::generic_category().message(host_.btf_errno)),
        "use a kernel built with CONFIG_DEBUG_INFO_BTF");
    Add("tracefs", host_.tracefs.empty() ? kDegraded : kOk,
        host_.tracefs.empty() ? "not mounted" : host_.tracefs,
        "mount -t tracefs tracefs /sys/kernel/tracing; cpu and switch do without");
  }

  void CheckSecurity() {
    const bool locked = host_.lockdown == "confidentiality";
    Add("lockdown", locked ? kMissing : kOk, host_.lockdown.empty() ? "none" : host_.lockdown,
        "boot with lockdown=integrity or none");
    Add("seccomp", kOk, host_.seccomp_mode == 2 ? "a filter is in force" : "no filter");
    const bool perfmon =
        host_.capabilities.contains("CAP_PERFMON") || host_.capabilities.contains("CAP_SYS_ADMIN");
    const bool strict = host_.perf_event_paranoid.value_or(2) > 0;
    Add("kernel.perf_event_paranoid", perfmon || !strict ? kOk : kDegraded,
        Setting(host_.perf_event_paranoid),
        "above 0 nobody samples all processes without CAP_PERFMON");
    Add("kernel.unprivileged_bpf_disabled", kOk, Setting(host_.unprivileged_bpf_disabled));
    const Trial& large = trials_.large_map;
    const bool limit = trials_.small_map.works && !large.works;
    Add("memlock", limit ? kMissing : kOk,
        fmt::format("limit {}; {}", host_.memlock_soft.empty() ? "unknown" : host_.memlock_soft,
                    large.works               ? "a BPF map of 16 MiB fits"
                    : trials_.small_map.works ? "a BPF map of 16 MiB does not fit"
                                              : "no BPF map at all, so the limit was not tried"),
        limit ? Refused(large, "CAP_SYS_RESOURCE").advice : "");
  }

  void CheckCapabilities() {
    struct Row {
      const char* name;
      CheckState without;
      const char* advice;
    };
    constexpr Row kRows[] = {
        {"CAP_BPF", kMissing, "run as root or with CAP_BPF: loads programs and maps"},
        {"CAP_PERFMON", kMissing, "run as root or with CAP_PERFMON: attaches to the kernel"},
        {"CAP_SYS_ADMIN", kDegraded, "mounts tracefs; lists of loaded programs"},
        {"CAP_SYS_PTRACE", kDegraded, "symbols of other users' processes are missing without"},
        {"CAP_DAC_READ_SEARCH", kDegraded, "binaries only their owner may read have no symbols"},
        {"CAP_SYSLOG", kDegraded, "kernel symbols are missing where kptr_restrict is 1"},
        {"CAP_SYS_RESOURCE", kDegraded,
         "the memlock limit cannot be raised; harmless while it fits"},
    };
    const bool admin = host_.capabilities.contains("CAP_SYS_ADMIN");
    for (const Row& row : kRows) {
      const bool held = host_.capabilities.contains(row.name);
      const bool covered = admin && row.without == kMissing;
      Add(row.name, held || covered ? kOk : row.without,
          held      ? "held"
          : covered ? "not held, CAP_SYS_ADMIN stands in"
                    : "not held",
          row.advice);
    }
    if (!host_.initial_user_namespace) {
      Add("user namespace", kMissing, "not the initial one",
          "run outside: its rights do not count for BPF and perf");
    }
  }

  Cause Refused(const Trial& trial, const std::string& need) const {
    return WhyRefused(host_, trials_, trial, need);
  }

  void AddTrial(const std::string& name, const Trial& trial, CheckState without,
                const std::string& need, const std::string& advice) {
    if (trial.works) {
      Add(name, kOk, trial.step);
      return;
    }
    const Cause cause = Refused(trial, need);
    Add(name, without, cause.text, cause.advice.empty() ? advice : cause.advice);
  }

  void CheckTrials() {
    AddTrial("bpf map", trials_.small_map, kMissing, "CAP_BPF",
             "the kernel needs CONFIG_BPF_SYSCALL");
    AddTrial("raw_tracepoint", trials_.raw_tracepoint, kMissing, NeedOf(),
             "the kernel needs CONFIG_BPF_EVENTS");
    AddTrial("tp_btf", trials_.tp_btf, kMissing, NeedOf(),
             "switch and process need BTF tracepoints: a kernel of 5.8 or later with BTF");
    AddTrial("fentry", trials_.fentry, kDegraded, NeedOf(),
             "nothing to do: cpu and switch do without, tracepoints are used");
    AddTrial("kprobe", trials_.kprobe, kDegraded, NeedOf(),
             "nothing to do: cpu and switch do without, tracepoints are used");
    AddTrial("hardware pmu", trials_.hardware_cycles, kDegraded, "CAP_PERFMON",
             "cpu-clock is used instead; in a virtual machine ask for a virtual PMU");
    AddTrial("cpu-clock", trials_.cpu_clock, kMissing, "CAP_PERFMON",
             "the kernel needs CONFIG_PERF_EVENTS");
    AddTrial("sample program", trials_.sample_program, kMissing, NeedOf(),
             "the kernel needs CONFIG_BPF_EVENTS");
  }

  void CheckRest() {
    Add("kernel symbols", host_.kernel_addresses ? kOk : kDegraded,
        fmt::format("kptr_restrict {}, /proc/kallsyms {} addresses", Setting(host_.kptr_restrict),
                    host_.kernel_addresses ? "shows" : "hides"),
        host_.capabilities.contains("CAP_SYSLOG")
            ? "sysctl kernel.kptr_restrict=1; kernel frames have no names without"
            : "run as root or with CAP_SYSLOG; kernel frames have no names without");
    const bool jit = host_.bpf_jit_enable.value_or(1) != 0;
    Add("bpf jit", jit ? kOk : kDegraded,
        fmt::format("net.core.bpf_jit_enable {}", Setting(host_.bpf_jit_enable)),
        "sysctl net.core.bpf_jit_enable=1; probes cost several times more without");
    Add("bpf statistics", kOk,
        fmt::format("kernel.bpf_stats_enabled {}", Setting(host_.bpf_stats_enabled)));
    Add("numa", kOk, fmt::format("{} node(s), {} CPUs", host_.numa_nodes, host_.online_cpus));
    Add("cgroup v2", host_.cgroup2.empty() ? kDegraded : kOk,
        host_.cgroup2.empty() ? "not mounted" : host_.cgroup2,
        "services are told by command instead of by unit");
    Add("processes", host_.processes_listed ? kOk : kDegraded,
        host_.processes_listed ? "/proc shows those of others" : "/proc hides those of others",
        "mount /proc without hidepid, or run as root");
  }

  void Answer() {
    const Question cpu = AnswerCpu();
    const Question switches = AnswerSwitches();
    report_.usable = cpu.works && switches.works;
    report_.questions = {cpu,
                         switches,
                         {"processes", switches.works && host_.processes_listed,
                          !switches.works          ? "needs the context switches"
                          : host_.processes_listed ? "task iterator and sched_process_exit"
                                                   : "/proc hides other users' processes"}};
  }

  Question AnswerCpu() const {
    const Trial& program = trials_.sample_program;
    const std::string name = "cpu profile";
    if (host_.btf_errno != 0) return {name, false, "the kernel's BTF is missing"};
    if (!program.works) return {name, false, Refused(program, NeedOf()).text};
    return {name, true,
            trials_.hardware_cycles.works ? "hardware cycles" : "cpu-clock, as there is no PMU"};
  }

  Question AnswerSwitches() const {
    const std::string name = "context switches";
    if (host_.btf_errno != 0) return {name, false, "the kernel's BTF is missing"};
    if (trials_.tp_btf.works) return {name, true, trials_.tp_btf.step};
    return {name, false, Refused(trials_.tp_btf, NeedOf()).text};
  }

  // Loading takes CAP_BPF first, then CAP_PERFMON: name the one that is not there.
  std::string NeedOf() const {
    return host_.capabilities.contains("CAP_BPF") ? "CAP_PERFMON" : "CAP_BPF";
  }

  const HostEvidence& host_;
  const Trials& trials_;
  DoctorReport report_;
};

}  // namespace

DoctorReport Judge(const HostEvidence& host, const Trials& trials) {
  return Examination(host, trials).Report();
}

}  // namespace hotlatch::agent

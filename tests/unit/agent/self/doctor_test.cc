#include "agent/self/doctor.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/unit/agent/self/host_tree.h"

namespace hotlatch::agent {
namespace {

Trial Yes(const char* step) { return {true, 0, step}; }
Trial No(int os_errno, const char* step) { return {false, os_errno, step}; }

Trials AllWork() {
  return {Yes("map of 4 KiB"),
          Yes("map of 16384 KiB"),
          Yes("cycles"),
          Yes("cpu-clock"),
          Yes("perf_event program"),
          Yes("raw_tracepoint/sched_switch"),
          Yes("tp_btf/sched_switch"),
          Yes("fentry"),
          Yes("kprobe")};
}

Trials AllRefused(int os_errno) {
  Trials trials;
  for (Trial* trial : {&trials.small_map, &trials.large_map, &trials.hardware_cycles,
                       &trials.cpu_clock, &trials.sample_program, &trials.raw_tracepoint,
                       &trials.tp_btf, &trials.fentry, &trials.kprobe}) {
    *trial = No(os_errno, "try");
  }
  return trials;
}

Check Find(const DoctorReport& report, const std::string& name) {
  for (const Check& check : report.checks) {
    if (check.name == name) return check;
  }
  ADD_FAILURE() << "no check " << name;
  return {};
}

DoctorReport Examine(const HostTree& host, const Trials& trials) {
  return Judge(ReadHost(host.proc(), host.sys()), trials);
}

TEST(Doctor, HealthyHostAnswersEverythingAndAdvisesNothing) {
  const HostTree host;
  const DoctorReport report = Examine(host, AllWork());
  EXPECT_TRUE(report.usable);
  for (const Check& check : report.checks) {
    EXPECT_EQ(check.state, CheckState::kOk) << check.name << ": " << check.seen;
    EXPECT_EQ(check.advice, "") << check.name;
  }
  for (const Question& question : report.questions) EXPECT_TRUE(question.works) << question.name;
  EXPECT_EQ(Find(report, "tracefs").seen, "/sys/kernel/tracing");
  EXPECT_EQ(Find(report, "numa").seen, "2 node(s), 7 CPUs");
}

// A guest without kprobes, PMU and CAP_SYS_RESOURCE whose kernel refuses fentry: usable.
TEST(Doctor, GuestWithoutKprobesFentryAndPmuIsUsableAndSaysWhy) {
  HostTree host;
  host.Put("proc/self/status", "CapEff:\t000001fffeffffff\nSeccomp:\t0\n");
  host.Put("proc/self/mounts", "proc /proc proc rw 0 0\n");
  Trials trials = AllWork();
  trials.fentry = No(EPERM, "load fentry");
  trials.kprobe = No(ENOENT, "no kprobe event source");
  trials.hardware_cycles = No(ENOENT, "perf_event cycles");
  const DoctorReport report = Examine(host, trials);
  EXPECT_TRUE(report.usable);
  EXPECT_EQ(Find(report, "CAP_SYS_RESOURCE").state, CheckState::kDegraded);
  EXPECT_EQ(Find(report, "tracefs").seen, "not mounted");
  EXPECT_EQ(Find(report, "fentry").state, CheckState::kDegraded);
  EXPECT_NE(Find(report, "fentry").seen.find("this kernel refuses it"), std::string::npos);
  EXPECT_EQ(report.questions[0].why, "cpu-clock, as there is no PMU");
}

TEST(Doctor, MissingCapabilityIsNamedBeforeEverythingElse) {
  HostTree host;
  host.Put("proc/self/status", "CapEff:\t0000000000000000\nSeccomp:\t2\n");
  host.Put("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
  const DoctorReport report = Examine(host, AllRefused(EPERM));
  EXPECT_FALSE(report.usable);
  EXPECT_NE(Find(report, "bpf map").seen.find("CAP_BPF is missing"), std::string::npos);
  EXPECT_NE(Find(report, "cpu-clock").seen.find("CAP_PERFMON is missing"), std::string::npos);
  EXPECT_EQ(Find(report, "memlock").state, CheckState::kOk) << "was not tried, so not accused";
  for (const Question& question : report.questions) EXPECT_FALSE(question.works);
}

TEST(Doctor, OnlyPerfmonMissingIsToldApartFromOnlyBpfMissing) {
  HostTree host;
  host.Put("proc/self/status", "CapEff:\t0000008000000000\n");  // CAP_BPF
  const DoctorReport report = Examine(host, AllRefused(EPERM));
  EXPECT_NE(Find(report, "raw_tracepoint").seen.find("CAP_PERFMON is missing"), std::string::npos);
  EXPECT_EQ(Find(report, "CAP_BPF").state, CheckState::kOk);
  EXPECT_EQ(Find(report, "CAP_PERFMON").state, CheckState::kMissing);
}

struct CauseCase {
  const char* path;
  const char* text;
  const char* expected;
};

TEST(Doctor, CausesOfARefusalWithEveryRightAreToldApart) {
  for (const CauseCase& c : {
           CauseCase{"proc/self/uid_map", "0 100000 65536\n", "user namespace"},
           CauseCase{"proc/self/status", "CapEff:\t000001ffffffffff\nSeccomp:\t2\n", "seccomp"},
           CauseCase{"sys/kernel/security/lockdown", "none integrity [confidentiality]\n",
                     "lockdown is 'confidentiality'"},
           CauseCase{"sys/kernel/security/lockdown", "none [integrity] confidentiality\n",
                     "this kernel refuses it"},
       }) {
    HostTree host;
    host.Put(c.path, c.text);
    const DoctorReport report = Examine(host, AllRefused(EPERM));
    EXPECT_NE(Find(report, "bpf map").seen.find(c.expected), std::string::npos)
        << c.expected << ": " << Find(report, "bpf map").seen;
    EXPECT_FALSE(report.usable);
  }
}

TEST(Doctor, MemlockIsBlamedOnlyWhenASmallMapFitsAndALargeOneDoesNot) {
  const HostTree host;
  Trials trials = AllWork();
  trials.large_map = No(EPERM, "map of 16384 KiB");
  const Check memlock = Find(Examine(host, trials), "memlock");
  EXPECT_EQ(memlock.state, CheckState::kMissing);
  EXPECT_NE(memlock.advice.find("ulimit -l"), std::string::npos) << memlock.advice;
  EXPECT_NE(memlock.seen.find("limit 8388608"), std::string::npos) << memlock.seen;
}

TEST(Doctor, WithoutBtfNothingWorks) {
  HostTree host;
  host.Remove("sys/kernel/btf");
  const DoctorReport report = Examine(host, AllWork());
  EXPECT_FALSE(report.usable);
  EXPECT_EQ(Find(report, "btf").state, CheckState::kMissing);
  EXPECT_EQ(report.questions[0].why, "the kernel's BTF is missing");
}

TEST(Doctor, OldKernelIsJudgedByWhatWorks) {
  HostTree host;
  host.Put("proc/sys/kernel/osrelease", "4.18.0-553.el8_10.x86_64\n");
  Trials trials = AllWork();
  trials.tp_btf = No(EINVAL, "tp_btf");
  const DoctorReport report = Examine(host, trials);
  EXPECT_FALSE(report.usable) << "nothing stands in for BTF tracepoints";
  EXPECT_EQ(Find(report, "kernel").state, CheckState::kDegraded);
  EXPECT_EQ(Find(report, "tp_btf").state, CheckState::kMissing);
  EXPECT_FALSE(report.questions[1].works);
}

TEST(Doctor, HiddenKernelAddressesAreSeen) {
  HostTree host;
  host.Put("proc/kallsyms", "0000000000000000 T _text\n0000000000000000 T _stext\n");
  EXPECT_EQ(Find(Examine(host, AllWork()), "kernel symbols").state, CheckState::kDegraded);
}

TEST(Doctor, EmptyTreeIsNoCrash) {
  const DoctorReport report = Judge(ReadHost("/nowhere", "/nowhere"), AllRefused(ENOSYS));
  EXPECT_FALSE(report.usable);
}

}  // namespace
}  // namespace hotlatch::agent

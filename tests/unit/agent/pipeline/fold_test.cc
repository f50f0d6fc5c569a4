#include "agent/pipeline/fold.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "probes/switch/fold.h"
#include "tests/support/window_view.h"

namespace hotlatch::agent {
namespace {

constexpr uint32_t kUser =
    1'000'000'001;  // no such processes: names come from the raw window alone
constexpr uint32_t kThread = 1'000'000'002;

RawProcess Process(uint32_t pid, const char* comm, uint32_t flags = 0) {
  RawProcess process;
  process.pid = pid;
  process.comm = comm;
  process.flags = flags;
  process.start_time_ns = 7;
  return process;
}

RawRow Row(uint32_t pid, uint64_t kernel_stack, uint64_t user_stack, uint64_t value) {
  RawRow row;
  row.key.tgid = pid;
  row.key.kernel_stack = kernel_stack;
  row.key.user_stack = user_stack;
  row.values[0] = value;
  return row;
}

v1::Window Fold(const RawWindow& raw) {
  Symbolizer symbolizer("/nonexistent");
  GenericEngine engine("/nonexistent");
  v1::Window out;
  WindowFold(raw, symbolizer, engine, out).Run();
  return out;
}

RawWindow TwoProcesses() {
  RawWindow raw;
  raw.processes[kUser] = Process(kUser, "worker");
  raw.processes[kThread] = Process(kThread, "kworker/0:1-events", HL_KEY_KERNEL_THREAD);
  raw.profiles.push_back({&kOffcpuProfile, "sched_switch", 0, {}});
  return raw;
}

TEST(WindowFold, KernelThreadsAreAServiceOfTheirOwnWithTheirKindAsRole) {
  RawWindow raw = TwoProcesses();
  raw.profiles[0].rows = {Row(kThread, HL_STACK_NONE, HL_STACK_NONE, 3)};
  raw.profiles[0].rows[0].key.flags = HL_KEY_KERNEL_THREAD;
  const auto rows = ProfileOf(Fold(raw), "offcpu");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].service, "kernel");
  EXPECT_EQ(rows[0].role, "kworker");
  EXPECT_EQ(rows[0].stack_flags, v1::STACK_FLAG_NONE);
}

TEST(WindowFold, ALostStackKeepsItsCountsUnderAMarker) {
  RawWindow raw = TwoProcesses();
  raw.profiles[0].rows = {Row(kUser, HL_STACK_LOST, HL_STACK_LOST, 3),
                          Row(kUser, HL_STACK_NONE, 99, 4)};
  const v1::Window window = Fold(raw);
  uint64_t lost = 0;
  for (const ProfileRow& row : ProfileOf(window, "offcpu")) {
    EXPECT_NE(row.stack_flags & v1::STACK_FLAG_LOST, 0U);
    EXPECT_TRUE(row.Has("[user stack lost]"));
    lost += row.values.at("voluntary_switches");
  }
  EXPECT_EQ(lost, 7U);
  EXPECT_EQ(LossOf(window, "switch", "stack_unknown"), 1U);  // 99 was promised and is not there
}

TEST(WindowFold, RowsOfProcessesOfOneServiceAreOneRow) {
  RawWindow raw = TwoProcesses();
  raw.processes[kUser + 5] = Process(kUser + 5, "worker");
  raw.profiles[0].rows = {Row(kUser, 0, 0, 3), Row(kUser + 5, 0, 0, 4)};
  const auto rows = ProfileOf(Fold(raw), "offcpu");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].values.at("voluntary_switches"), 7U);
  EXPECT_EQ(rows[0].stack_flags, v1::STACK_FLAG_USER_MISSING);
}

TEST(WindowFold, SwitchesOfAProcessThatNobodyKnowsAreReportedAndCounted) {
  RawWindow raw = TwoProcesses();
  raw.switches[42] = {.voluntary = 6, .involuntary = 0, .blocked_ns = 0, .runnable_ns = 0};
  const v1::Window window = Fold(raw);
  int64_t found = 0;
  for (const TableRow& row : RowsOf(window, "processes")) {
    if (row.numbers.at("pid") == 42) found = row.numbers.at("voluntary_switches");
  }
  EXPECT_EQ(found, 6);
  EXPECT_EQ(LossOf(window, "process", "owner_unknown"), 1U);
}

TEST(WindowFold, ChainsThatLeaveTheCodeAreCutAndSaidToHaveNoRoot) {
  RawWindow raw;
  RawProcess self = Process(static_cast<uint32_t>(getpid()), "self");
  raw.processes[self.pid] = self;
  raw.stacks[50] = {{reinterpret_cast<uint64_t>(&getpid), 0xdeadbeef, 0xfeedf00d}, false};
  raw.profiles.push_back({&kOffcpuProfile, "sched_switch", 0, {Row(self.pid, 0, 50, 1)}});
  Symbolizer symbolizer("/proc");
  GenericEngine engine("/proc");
  v1::Window window;
  WindowFold(raw, symbolizer, engine, window).Run();
  const auto rows = ProfileOf(window, "offcpu");
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(rows[0].frames.size(), 2U);
  EXPECT_EQ(rows[0].frames[0], "getpid");
  EXPECT_EQ(rows[0].frames[1], "[unknown caller]");
  EXPECT_EQ(rows[0].stack_flags, v1::STACK_FLAG_NO_ROOT);
}

TEST(IsProbeFrame, KnowsOurOwnFramesOnly) {
  EXPECT_TRUE(IsProbeFrame("bpf_prog_b4313f626634bbd6_on_sched_switch"));
  EXPECT_TRUE(IsProbeFrame("__traceiter_sched_switch"));
  EXPECT_FALSE(IsProbeFrame("__schedule"));
  EXPECT_FALSE(IsProbeFrame(""));
}

}  // namespace
}  // namespace hotlatch::agent

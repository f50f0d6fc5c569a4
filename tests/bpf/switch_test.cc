// The switch probe against the kernel's own accounts of a workload, on the real kernel.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <thread>

#include "agent/pipeline/pipeline.h"
#include "tests/bpf/open_pipeline.h"
#include "tests/support/require.h"
#include "tests/support/window_view.h"
#include "tests/support/workload.h"

namespace hotlatch::agent {
namespace {

using std::chrono::milliseconds;

struct Counts {
  uint64_t voluntary = 0, involuntary = 0;
};

void AddCounts(const v1::Window& window, std::map<pid_t, Counts>& counts) {
  for (const TableRow& row : RowsOf(window, "processes")) {
    Counts& sum = counts[static_cast<pid_t>(row.numbers.at("pid"))];
    sum.voluntary += static_cast<uint64_t>(row.numbers.at("voluntary_switches"));
    sum.involuntary += static_cast<uint64_t>(row.numbers.at("involuntary_switches"));
  }
}

// Closes windows of about a second until the workload has ended, and one more after its last switches.
std::vector<v1::Window> CloseWindowsUntilEnded(Pipeline& pipeline, const Workload& workload) {
  std::vector<v1::Window> windows;
  bool ended = false;
  while (!ended && windows.size() < 120) {
    for (int i = 0; i < 100 && !ended; i++) {
      std::this_thread::sleep_for(milliseconds(10));
      ended = workload.AllEnded();
    }
    // A zombie's parent is told just before the last switch; nothing tells when that is done.
    if (ended) std::this_thread::sleep_for(milliseconds(200));
    auto window = pipeline.CloseWindow();
    if (!window) {
      ADD_FAILURE() << window.error().text;
      break;
    }
    windows.push_back(std::move(*window));
  }
  EXPECT_TRUE(ended) << "the workload did not end";
  return windows;
}

// Processes that sleep, block on pipes, yield and are pre-empted: 200 000 switches.
void StartSwitches(Workload& workload) {
  for (int i = 0; i < 8; i++) StartPingPong(workload, 12000);
  for (int i = 0; i < 4; i++) workload.Start("hl-sleep", [] { SleepRepeatedly(3000, 20'000); });
  for (int i = 0; i < 4; i++) {
    workload.Start("hl-yield", [] {
      PinToCpu(0);
      YieldRepeatedly(8000);
    });
  }
  for (int i = 0; i < 4; i++) workload.Start("hl-spin", [] { SpinUserCpu(1500); });
}

TEST(SwitchProbe, CountsOfEveryProcessEqualTheKernelsOverAllWindows) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto pipeline = OpenPipeline({});
  ASSERT_NE(pipeline, nullptr);
  Workload workload;
  StartSwitches(workload);
  const std::vector<v1::Window> windows = CloseWindowsUntilEnded(*pipeline, workload);
  std::map<pid_t, Counts> counts;
  for (const v1::Window& window : windows) AddCounts(window, counts);

  uint64_t all = 0;
  for (const auto& [pid, usage] : workload.Reap()) {
    EXPECT_EQ(counts[pid].voluntary, static_cast<uint64_t>(usage.ru_nvcsw)) << "pid " << pid;
    EXPECT_EQ(counts[pid].involuntary, static_cast<uint64_t>(usage.ru_nivcsw)) << "pid " << pid;
    all += static_cast<uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw);
  }
  EXPECT_GE(all, 200'000U);
  EXPECT_GE(windows.size(), 3U);
  RecordProperty("switches", static_cast<int>(all));
}

TEST(SwitchProbe, SeenIsReportedPlusLostWhenMapsAreTooSmall) {
  HOTLATCH_REQUIRE(MissingBpf());
  PipelineOptions options;
  options.row_map_entries = 16;
  options.stack_map_entries = 8;
  auto pipeline = OpenPipeline(options);
  ASSERT_NE(pipeline, nullptr);
  Workload workload;
  for (int i = 0; i < 8; i++) StartPingPong(workload, 500);
  for (int i = 0; i < 4; i++) workload.Start("hl-sleep", [] { SleepRepeatedly(500, 20'000); });
  uint64_t seen = 0;
  uint64_t reported = 0;
  uint64_t lost = 0;
  uint64_t stacks_lost = 0;
  for (const v1::Window& window : CloseWindowsUntilEnded(*pipeline, workload)) {
    seen += CounterOf(window, "switch.seen");
    lost += LossOf(window, "switch", "row_map_full");
    stacks_lost += LossOf(window, "switch", "kernel_stack_map_full");
    for (const ProfileRow& row : ProfileOf(window, "offcpu")) {
      reported += row.values.at("voluntary_switches") + row.values.at("involuntary_switches");
    }
  }
  EXPECT_GT(lost, 0U);
  EXPECT_GT(stacks_lost, 0U);
  EXPECT_EQ(seen, reported + lost);
}

TEST(SwitchProbe, ATaskMapThatIsTooSmallLosesTimesAndNoCounts) {
  HOTLATCH_REQUIRE(MissingBpf());
  PipelineOptions options;
  options.task_map_entries = 4;
  auto pipeline = OpenPipeline(options);
  ASSERT_NE(pipeline, nullptr);
  Workload workload;
  for (int i = 0; i < 2; i++) workload.Start("hl-sleep", [] { SleepRepeatedly(500, 20'000); });
  std::map<pid_t, Counts> counts;
  uint64_t lost = 0;
  for (const v1::Window& window : CloseWindowsUntilEnded(*pipeline, workload)) {
    AddCounts(window, counts);
    lost += LossOf(window, "switch", "task_map_full");
  }
  EXPECT_GT(lost, 0U);
  for (const auto& [pid, usage] : workload.Reap()) {
    // Without an entry the kind is told by the arguments, so only the sum is exact.
    EXPECT_EQ(counts[pid].voluntary + counts[pid].involuntary,
              static_cast<uint64_t>(usage.ru_nvcsw + usage.ru_nivcsw));
  }
}

// Every thread is on a CPU, waits for one, or is blocked: together, the whole window.
TEST(SwitchProbe, TimesOfAProcessAddUpToTheWindow) {
  HOTLATCH_REQUIRE(MissingBpf());
  Workload workload;
  StartPingPong(workload, 1'000'000'000);
  workload.Start("hl-sleep", [] { SleepRepeatedly(1'000'000'000, 50'000); });
  workload.Start("hl-spin", [] { SpinUserCpu(1'000'000'000); });
  workload.Start("hl-pause", [] { pause(); });
  std::this_thread::sleep_for(milliseconds(50));  // all of them run or sleep by now
  auto pipeline = OpenPipeline({});
  ASSERT_NE(pipeline, nullptr);
  ASSERT_TRUE(pipeline->CloseWindow().has_value());
  for (int i = 0; i < 3; i++) {
    std::this_thread::sleep_for(milliseconds(700));
    auto window = pipeline->CloseWindow();
    ASSERT_TRUE(window.has_value());
    const auto length_ns = static_cast<double>(window->range().end_monotonic_ns() -
                                               window->range().start_monotonic_ns());
    std::map<int64_t, double> times;
    for (const TableRow& row : RowsOf(*window, "processes")) {
      times[row.numbers.at("pid")] += static_cast<double>(row.numbers.at("blocked_ns")) +
                                      static_cast<double>(row.numbers.at("runqueue_ns"));
    }
    for (const TableRow& row : RowsOf(*window, "residency")) {
      times[row.numbers.at("pid")] += static_cast<double>(row.numbers.at("oncpu_ns"));
    }
    for (const pid_t pid : workload.pids()) {
      EXPECT_NEAR(times[pid] / length_ns, 1.0, 0.001) << "pid " << pid << " window " << i;
    }
  }
}

TEST(SwitchProbe, AProcessBlockedSinceBeforeTheStartIsChargedToEveryWindow) {
  HOTLATCH_REQUIRE(MissingBpf());
  Workload workload;
  const pid_t blocked = workload.Start("hl-blocked", [] { pause(); });
  std::this_thread::sleep_for(milliseconds(50));
  auto pipeline = OpenPipeline({});
  ASSERT_NE(pipeline, nullptr);
  ASSERT_TRUE(pipeline->CloseWindow().has_value());
  for (int i = 0; i < 3; i++) {
    std::this_thread::sleep_for(milliseconds(300));
    auto window = pipeline->CloseWindow();
    ASSERT_TRUE(window.has_value());
    const uint64_t length_ns =
        window->range().end_monotonic_ns() - window->range().start_monotonic_ns();
    uint64_t blocked_ns = 0;
    for (const TableRow& row : RowsOf(*window, "processes")) {
      if (row.numbers.at("pid") == blocked)
        blocked_ns += static_cast<uint64_t>(row.numbers.at("blocked_ns"));
    }
    EXPECT_EQ(blocked_ns, length_ns);
    bool has_stack = false;
    for (const ProfileRow& row : ProfileOf(*window, "offcpu")) {
      if (row.service == "hl-blocked") has_stack = row.Has("do_syscall_64");
    }
    EXPECT_TRUE(has_stack) << "its kernel stack, taken once at the start, is gone in window " << i;
  }
}

TEST(SwitchProbe, AWakeUpIsCountedOnceForItsWaker) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto pipeline = OpenPipeline({});
  ASSERT_NE(pipeline, nullptr);
  Workload workload;
  StartPingPong(workload, 2000);
  int64_t by_ping = 0;
  int64_t all = 0;
  uint64_t voluntary = 0;
  for (const v1::Window& window : CloseWindowsUntilEnded(*pipeline, workload)) {
    for (const TableRow& row : RowsOf(window, "wakers")) {
      if (row.texts.at("service") != "hl-pong") continue;
      all += row.numbers.at("wakeups");
      if (row.texts.at("waker_service") == "hl-ping") by_ping += row.numbers.at("wakeups");
    }
    for (const TableRow& row : RowsOf(window, "processes")) {
      if (row.texts.at("service") == "hl-pong") {
        voluntary += static_cast<uint64_t>(row.numbers.at("voluntary_switches"));
      }
    }
  }
  // Each voluntary switch but the last, at exit, ends in a wake-up, but for those that a wake-up met while
  // they were still on their way.
  EXPECT_LE(static_cast<uint64_t>(all), voluntary);
  EXPECT_GT(static_cast<double>(by_ping), 0.98 * static_cast<double>(voluntary));
}

}  // namespace
}  // namespace hotlatch::agent

// The process probe against wait4's account, on the real kernel.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "agent/pipeline/pipeline.h"
#include "tests/support/require.h"
#include "tests/support/window_view.h"
#include "tests/support/workload.h"

namespace hotlatch::agent {
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

PipelineOptions OnlyProcess() {
  PipelineOptions options;
  options.probes = {"process"};
  options.strict = true;
  return options;
}

v1::Window MustClose(Pipeline& pipeline) {
  auto window = pipeline.CloseWindow();
  EXPECT_TRUE(window.has_value());
  return window ? *window : v1::Window();
}

TEST(ProcessProbe, CpuTimeOfUserAndSystemEqualsWait4OverAllWindows) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto pipeline = Pipeline::Open(OnlyProcess());
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().text;
  Workload workload;
  const pid_t user = workload.Start("hl-user", [] { SpinUserCpu(900); });
  const pid_t system = workload.Start("hl-system", [] { SpinSystemCpu(900); });
  std::map<int64_t, std::pair<double, double>> seconds;
  bool ended = false;
  for (int i = 0; i < 100 && !ended; i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ended = workload.AllEnded();
    const v1::Window window = MustClose(**pipeline);
    for (const TableRow& row : RowsOf(window, "processes")) {
      auto& sum = seconds[row.numbers.at("pid")];
      sum.first += static_cast<double>(row.numbers.at("user_ns")) / 1e9;
      sum.second += static_cast<double>(row.numbers.at("system_ns")) / 1e9;
    }
  }
  ASSERT_TRUE(ended);
  const auto usage = workload.Reap();
  for (const pid_t pid : {user, system}) {
    const double user_s = Seconds(usage.at(pid).ru_utime);
    const double system_s = Seconds(usage.at(pid).ru_stime);
    EXPECT_NEAR(seconds[pid].first + seconds[pid].second, user_s + system_s,
                0.02 * (user_s + system_s));
    EXPECT_NEAR(seconds[pid].first, user_s, 0.1 * (user_s + system_s));
  }
}

TEST(ProcessProbe, ProcessesOfAFewMillisecondsAreAllSeenAndTheirTimeIsTheParentsChildTime) {
  HOTLATCH_REQUIRE(MissingBpf());
  constexpr int kChildren = 100;
  auto pipeline = Pipeline::Open(OnlyProcess());
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().text;
  Workload workload;
  const pid_t parent = workload.Start("hl-parent", [] {
    for (int i = 0; i < kChildren; i++) {
      const pid_t child = fork();
      if (child == 0) {
        SpinUserCpu(4);
        _exit(0);
      }
      waitpid(child, nullptr, 0);
    }
  });
  int seen = 0;
  double own_s = 0;
  double child_s = 0;
  bool ended = false;
  for (int i = 0; i < 100 && !(ended && seen == kChildren); i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ended = workload.AllEnded();
    const v1::Window window = MustClose(**pipeline);
    for (const TableRow& row : RowsOf(window, "processes")) {
      if (row.numbers.at("pid") == parent) {
        child_s += static_cast<double>(row.numbers.at("child_user_ns") +
                                       row.numbers.at("child_system_ns")) /
                   1e9;
      } else if (row.numbers.at("parent_pid") == parent) {
        if (row.texts.at("state") == "ended") seen++;
        own_s += static_cast<double>(row.numbers.at("user_ns") + row.numbers.at("system_ns")) / 1e9;
        EXPECT_EQ(row.texts.at("title"), "hl-parent");
      }
    }
  }
  EXPECT_EQ(seen, kChildren);
  EXPECT_GE(own_s, 0.004 * kChildren);
  EXPECT_NEAR(own_s, child_s, 0.05 * own_s);
}

TEST(ProcessProbe, EndedThreadsWithoutARecordAreCounted) {
  HOTLATCH_REQUIRE(MissingBpf());
  PipelineOptions options = OnlyProcess();
  options.task_map_entries = 8;  // 5 records of ended threads
  auto pipeline = Pipeline::Open(options);
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().text;
  for (int i = 0; i < 50; i++) {
    Workload workload;
    workload.Start("hl-short", [] {});
  }
  uint64_t ended = 0;
  uint64_t lost = 0;
  // The record is written when the last reference to the task goes, an RCU grace period after the wait.
  for (int i = 0; i < 50 && ended < 50; i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const v1::Window window = MustClose(**pipeline);
    ended += CounterOf(window, "process.ended_threads");
    lost += LossOf(window, "process", "ended_map_full");
  }
  EXPECT_GE(ended, 50U);
  EXPECT_GT(lost, 0U);
}

}  // namespace
}  // namespace hotlatch::agent

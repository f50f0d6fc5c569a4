// Probes that are detached and attached again, on the real kernel.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "agent/pipeline/pipeline.h"
#include "tests/support/require.h"
#include "tests/support/window_view.h"
#include "tests/support/workload.h"

namespace hotlatch::agent {
namespace {

TEST(PausedProbes, SeeNothingAndChargeNothingOfThePause) {
  HOTLATCH_REQUIRE(MissingBpf());
  // Before the pipeline: a forked child would hold its links open.
  Workload workload;
  const pid_t pid = workload.Start("hl-sleep", [] { SleepRepeatedly(1'000'000'000, 1'000'000); });
  PipelineOptions options;
  options.strict = true;
  auto pipeline = Pipeline::Open(options);
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().text;
  ASSERT_TRUE((*pipeline)->SetAttached(false).has_value());
  ASSERT_TRUE((*pipeline)->CloseWindow().has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  auto paused = (*pipeline)->CloseWindow();
  ASSERT_TRUE(paused.has_value());
  EXPECT_EQ(CounterOf(*paused, "switch.seen"), 0U);
  EXPECT_EQ(CounterOf(*paused, "cpu.seen") + CounterOf(*paused, "cpu.idle"), 0U);

  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ASSERT_TRUE((*pipeline)->SetAttached(true).has_value());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  auto running = (*pipeline)->CloseWindow();
  ASSERT_TRUE(running.has_value());
  EXPECT_GT(CounterOf(*running, "switch.seen"), 0U);
  const uint64_t window_ns =
      running->range().end_monotonic_ns() - running->range().start_monotonic_ns();
  int found = 0;
  for (const TableRow& row : RowsOf(*running, "processes")) {
    if (row.numbers.at("pid") != pid) continue;
    found++;
    EXPECT_GT(row.numbers.at("blocked_ns"), 0);
    EXPECT_LT(static_cast<uint64_t>(row.numbers.at("blocked_ns")), window_ns - 400'000'000U)
        << "blocked time of the pause was charged";
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace hotlatch::agent

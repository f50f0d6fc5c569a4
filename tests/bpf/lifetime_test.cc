// Threads that change or end, and what must not stay behind, on the real kernel.
#include <bpf/bpf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "agent/pipeline/pipeline.h"
#include "tests/bpf/open_pipeline.h"
#include "tests/support/require.h"
#include "tests/support/window_view.h"
#include "tests/support/workload.h"

namespace hotlatch::agent {
namespace {

using std::chrono::milliseconds;

// Ids of all BPF links of the host.
std::set<uint32_t> LinkIds() {
  std::set<uint32_t> ids;
  for (uint32_t id = 0; bpf_link_get_next_id(id, &id) == 0;) ids.insert(id);
  return ids;
}

TEST(Lifetime, NothingStaysInTheKernelAfterClose) {
  HOTLATCH_REQUIRE(MissingBpf());
  const std::set<uint32_t> before = LinkIds();
  std::set<uint32_t> during;
  {
    auto pipeline = OpenPipeline({});
    ASSERT_NE(pipeline, nullptr);
    during = LinkIds();
  }
  EXPECT_GT(during.size(), before.size());
  EXPECT_EQ(LinkIds(), before);
}

// A thread that is not the leader executes another program: it becomes the leader, with the leader's pid.
TEST(Lifetime, ExecByAThreadLeavesNoPhantomOnTheCpu) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto pipeline = OpenPipeline({});
  ASSERT_NE(pipeline, nullptr);
  Workload workload;
  const pid_t pid = workload.Start("hl-exec", [] {
    std::thread([] {
      SpinUserCpu(300);
      execl("/bin/sleep", "sleep", "1000", nullptr);
    }).join();
  });
  double cpu_s = 0;
  double oncpu_s = 0;
  for (int i = 0; i < 4; i++) {
    std::this_thread::sleep_for(milliseconds(500));
    auto window = pipeline->CloseWindow();
    ASSERT_TRUE(window.has_value());
    for (const TableRow& row : RowsOf(*window, "processes")) {
      if (row.numbers.at("pid") != pid) continue;
      cpu_s += static_cast<double>(row.numbers.at("user_ns") + row.numbers.at("system_ns")) / 1e9;
    }
    for (const TableRow& row : RowsOf(*window, "residency")) {
      if (row.numbers.at("pid") == pid)
        oncpu_s += static_cast<double>(row.numbers.at("oncpu_ns")) / 1e9;
    }
  }
  EXPECT_NEAR(cpu_s, 0.31, 0.06);
  EXPECT_NEAR(oncpu_s, cpu_s, 0.06);
}

TEST(Lifetime, AZombieIsNotBlocked) {
  HOTLATCH_REQUIRE(MissingBpf());
  Workload workload;
  const pid_t zombie = workload.Start("hl-zombie", [] {});
  while (!workload.AllEnded()) std::this_thread::sleep_for(milliseconds(10));
  auto pipeline = OpenPipeline({});
  ASSERT_NE(pipeline, nullptr);
  std::this_thread::sleep_for(milliseconds(300));
  auto window = pipeline->CloseWindow();
  ASSERT_TRUE(window.has_value());
  int found = 0;
  for (const TableRow& row : RowsOf(*window, "processes")) {
    if (row.numbers.at("pid") != zombie) continue;
    found++;
    EXPECT_EQ(row.numbers.at("blocked_ns"), 0);
  }
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace hotlatch::agent

// The cpu probe against the kernel's CPU accounting, and its stacks against a known workload.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "agent/bpf/perf_event.h"
#include "agent/pipeline/pipeline.h"
#include "tests/support/require.h"
#include "tests/support/window_view.h"
#include "tests/support/workload.h"

namespace hotlatch::agent {
namespace {

PipelineOptions OnlyCpu() {
  PipelineOptions options;
  options.probes = {"cpu", "process"};
  options.strict = true;
  options.cpu_frequency_hz = 499;
  return options;
}

// What a service's rows of the cpu profile hold.
struct Sampled {
  double cpu_s = 0;
  uint64_t samples = 0, in_user_function = 0, in_kernel_read = 0;
  std::string event;
};

Sampled SampleOf(const v1::Window& window, const std::string& service) {
  Sampled out;
  for (const ProfileRow& row : ProfileOf(window, "cpu")) {
    if (row.service != service) continue;
    const uint64_t samples = row.values.at("samples");
    out.samples += samples;
    out.cpu_s += static_cast<double>(row.values.at("cpu_ns")) / 1e9;
    if (row.Has("hotlatch_test_spin")) out.in_user_function += samples;
    if (row.Has("vfs_read") || row.Has("ksys_read")) out.in_kernel_read += samples;
  }
  for (const v1::Profile& profile : window.profiles()) {
    if (profile.name() == "cpu") out.event = profile.event();
  }
  return out;
}

TEST(CpuProbe, SampledTimeIsTheCpuTimeOfTheKernelAndStacksNameTheFunctions) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto pipeline = Pipeline::Open(OnlyCpu());
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().text;
  Workload workload;
  workload.Start("hl-user", [] { SpinUserCpu(2000); });
  workload.Start("hl-system", [] { SpinSystemCpu(2000); });
  for (int i = 0; i < 600 && !workload.AllEnded(); i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  ASSERT_TRUE(workload.AllEnded());
  auto window = (*pipeline)->CloseWindow();
  ASSERT_TRUE(window.has_value());

  const Sampled user = SampleOf(*window, "hl-user");
  const Sampled system = SampleOf(*window, "hl-system");
  EXPECT_NEAR(user.cpu_s, 2.0, 0.2);
  EXPECT_NEAR(system.cpu_s, 2.0, 0.2);
  EXPECT_GT(static_cast<double>(user.in_user_function), 0.9 * static_cast<double>(user.samples));
  EXPECT_GT(static_cast<double>(system.in_kernel_read), 0.8 * static_cast<double>(system.samples));
  EXPECT_EQ(user.in_kernel_read, 0U);
  EXPECT_TRUE(user.event == "cpu-clock" || user.event == "cycles") << user.event;
}

TEST(CpuProbe, SeenIsReportedPlusLostWhenMapsAreTooSmall) {
  HOTLATCH_REQUIRE(MissingBpf());
  PipelineOptions options = OnlyCpu();
  options.row_map_entries = 2;
  options.stack_map_entries = 2;
  auto pipeline = Pipeline::Open(options);
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().text;
  Workload workload;
  for (int i = 0; i < 8; i++) workload.Start("hl-spin", [] { SpinUserCpu(300); });
  for (int i = 0; i < 600 && !workload.AllEnded(); i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  auto window = (*pipeline)->CloseWindow();
  ASSERT_TRUE(window.has_value());
  uint64_t reported = 0;
  for (const ProfileRow& row : ProfileOf(*window, "cpu")) reported += row.values.at("samples");
  const uint64_t lost = LossOf(*window, "cpu", "row_map_full");
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(CounterOf(*window, "cpu.seen"), reported + lost);
}

// A CPU taken away and given back while the probe runs does no harm, and is sampled again.
TEST(CpuProbe, CpusThatComeAndGoAreFollowed) {
  HOTLATCH_REQUIRE(MissingBpf());
  const std::string control = "/sys/devices/system/cpu/cpu1/online";
  if (!std::ofstream(control).is_open())
    GTEST_SKIP() << "this machine has no CPU that can go offline";
  auto pipeline = Pipeline::Open(OnlyCpu());
  ASSERT_TRUE(pipeline.has_value()) << pipeline.error().text;
  std::ofstream(control) << "0" << std::flush;
  auto without = (*pipeline)->CloseWindow();
  std::ofstream(control) << "1" << std::flush;
  ASSERT_TRUE(without.has_value()) << without.error().text;
  ASSERT_TRUE((*pipeline)->CloseWindow().has_value());
  Workload workload;
  workload.Start("hl-spin", [] {
    PinToCpu(1);
    SpinUserCpu(500);
  });
  for (int i = 0; i < 300 && !workload.AllEnded(); i++) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  auto window = (*pipeline)->CloseWindow();
  ASSERT_TRUE(window.has_value());
  EXPECT_NEAR(SampleOf(*window, "hl-spin").cpu_s, 0.5, 0.1);
}

TEST(CpuList, IsParsedAsTheKernelWritesIt) {
  EXPECT_EQ(*ParseCpuList("0-2,5,7-8"), (std::set<int>{0, 1, 2, 5, 7, 8}));
  EXPECT_EQ(*ParseCpuList("0"), (std::set<int>{0}));
  for (const char* bad : {"", "a", "0-", "-1", "0-99999", "1,,2"}) {
    EXPECT_FALSE(ParseCpuList(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace hotlatch::agent

// Time spent blocked is charged to the window in which it passes, not to the one in which it ends.
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/hotlatch.h"
#include "tests/support/pulse.h"
#include "tests/support/require.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

constexpr seconds kWindow{10};

// The first multiple of 10 s that is not before the time: windows are aligned to the wall clock.
system_clock::time_point NextEdge(system_clock::time_point time) {
  const auto since_epoch = std::chrono::ceil<seconds>(time.time_since_epoch());
  return system_clock::time_point((since_epoch + kWindow - seconds(1)) / kWindow * kWindow);
}

TEST(BlockedProcessTest,
     AProcessBlockedFor35SecondsShowsTenSecondsInEachFullWindowWhileStillBlocked) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto site = Site::Start("10s");
  ASSERT_TRUE(site) << site.error().text;
  Pulse pulse;
  pulse.Rest();
  const auto blocked_since = system_clock::now();
  LetPass(seconds(35));
  const auto first = NextEdge(blocked_since);
  // Full windows end before now; the last may still be under way to the collector.
  int full_windows = 0;
  for (auto start = first; start + kWindow < system_clock::now(); start += kWindow) {
    nlohmann::json answer;
    nlohmann::json row;
    const auto inside = Rfc3339(start + seconds(1));
    const bool stored = WaitUntil(
        [&] {
          const auto told =
              (*site)->Ask({"ps", "--from", inside, "--to", Rfc3339(start + seconds(9)), "--where",
                            "pid=" + std::to_string(pulse.pid())});
          if (!told || (*told)["rows"].empty()) return false;
          answer = *told;
          row = answer["rows"][0];
          return true;
        },
        seconds(5));
    ASSERT_TRUE(stored) << "no row of the process in the window that starts at " << Rfc3339(start);
    EXPECT_EQ(answer["fidelity"]["windows"], 1) << answer.dump();
    EXPECT_NEAR(row["blocked_ns"].get<double>(), 10e9, 50e6) << answer.dump();
    // Exactly as long as the window itself, whatever its edges: it was blocked for all of it.
    EXPECT_NEAR(row["blocked_ns"].get<double>(), answer["fidelity"]["covered_ns"].get<double>(),
                5e6);
    ++full_windows;
  }
  EXPECT_GE(full_windows, 2) << "35 s hold at least two full windows";
}

}  // namespace
}  // namespace hotlatch

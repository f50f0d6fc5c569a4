// kill -9 of the collector, ten times in a minute of load: what it acknowledged is there, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "tests/support/hotlatch.h"
#include "tests/support/proc_counts.h"
#include "tests/support/pulse.h"
#include "tests/support/require.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::seconds;

constexpr int kKills = 10;
constexpr seconds kBetween{5};

// ORDINAL-SESSION-SEQUENCE.window
uint64_t SequenceOf(const std::string& name) {
  return std::stoull(name.substr(name.rfind('-') + 1));
}

// Asked of the file itself, with no collector between: windows stored, and gaps between them.
struct Stored {
  uint64_t windows = 0, missing = 0;
};
Stored StoredIn(const std::string& file) {
  const auto answer = AskJson({"status", file});
  EXPECT_TRUE(answer) << answer.error().text;
  if (!answer) return {};
  return {(*answer)["fidelity"]["windows"], (*answer)["fidelity"]["windows_missing"]};
}

TEST(CollectorKilledTest, TenKillsInAMinuteLoseNoAcknowledgedWindowAndDoubleNone) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto site = Site::Start("1s");
  ASSERT_TRUE(site) << site.error().text;
  Pulse pulse;  // its first switch comes after the agent's start, so all of them are in windows
  for (int kill = 0; kill < kKills; ++kill) {
    LetPass(kBetween);
    (*site)->collector().Kill();
    // With no collector no acknowledgement can come: every window before the oldest one in the spool
    // has been acknowledged.
    ASSERT_TRUE(WaitUntil([&] { return !(*site)->SpooledWindows().empty(); }, seconds(5)));
    const uint64_t acknowledged = SequenceOf((*site)->SpooledWindows().front()) - 1;
    const Stored stored = StoredIn((*site)->store_path());
    EXPECT_GE(stored.windows, acknowledged) << "kill " << kill;
    EXPECT_EQ(stored.missing, 0U) << "kill " << kill;
    const auto restarted = (*site)->StartTheCollector();
    ASSERT_TRUE(restarted) << restarted.error().text;
  }
  pulse.Rest();
  const auto truth = ReadProcCounts(pulse.pid());
  ASSERT_TRUE(truth) << truth.error().text;
  LetPass(seconds(2));
  const auto exit_code = (*site)->agent().Stop(seconds(15));
  ASSERT_TRUE(exit_code) << exit_code.error().text;
  EXPECT_EQ(*exit_code, 0) << (*site)->agent().Err();
  EXPECT_TRUE((*site)->SpooledWindows().empty());

  const Stored stored = StoredIn((*site)->store_path());
  EXPECT_GE(stored.windows, kKills * 5U);
  EXPECT_EQ(stored.missing, 0U);
  // A window lost or stored twice would show here: the kernel's own count, against the sum of all windows.
  const auto answer =
      AskJson({"ps", (*site)->store_path(), "--where", "pid=" + std::to_string(pulse.pid())});
  ASSERT_TRUE(answer) << answer.error().text;
  ASSERT_EQ((*answer)["rows"].size(), 1U) << answer->dump();
  EXPECT_EQ((*answer)["rows"][0]["voluntary_switches"], truth->voluntary_switches);
  EXPECT_GT(truth->voluntary_switches, 1000U);
}

}  // namespace
}  // namespace hotlatch

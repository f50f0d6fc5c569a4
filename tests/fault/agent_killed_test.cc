// kill -9 of the agent, ten times in a minute of load: nothing of it stays in the kernel, and what was
// acknowledged, or spooled, is in the store once.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>

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

// Ids of all BPF programs, links and maps of this machine.
std::set<std::string> BpfObjects() {
  std::set<std::string> objects;
  for (const char* kind : {"prog", "link", "map"}) {
    ProcessOptions command;
    command.argv = {"bpftool", "--json", kind, "show"};
    command.environment = {{"PATH", "/usr/sbin:/sbin:/usr/bin:/bin"}};
    const auto outcome = RunProcess(command, seconds(20));
    EXPECT_TRUE(outcome) << outcome.error().text;
    if (!outcome) continue;
    EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
    const auto listed = nlohmann::json::parse(outcome->out, nullptr, false);
    if (!listed.is_array()) continue;  // nothing at all: bpftool prints no list
    for (const auto& object : listed) objects.insert(std::string(kind) + " " + object["id"].dump());
  }
  return objects;
}

bool NothingLeftOf(const std::set<std::string>& before) {
  const std::set<std::string> now = BpfObjects();
  return std::includes(before.begin(), before.end(), now.begin(), now.end());
}

TEST(AgentKilledTest, TenKillsInAMinuteLeaveNothingInTheKernelAndDoubleNoWindow) {
  HOTLATCH_REQUIRE(MissingBpf());
  const std::set<std::string> before = BpfObjects();
  auto site = Site::Start("1s");
  ASSERT_TRUE(site) << site.error().text;
  EXPECT_FALSE(NothingLeftOf(before)) << "bpftool does not see the agent: the test proves nothing";
  Pulse pulse;
  uint64_t stored_before = (*site)->StoredWindows();
  for (int kill = 0; kill < kKills; ++kill) {
    LetPass(kBetween);
    const uint64_t acknowledged = (*site)->StoredWindows();
    EXPECT_GT(acknowledged, stored_before) << "no window came between kills " << kill;
    (*site)->agent().Kill();
    EXPECT_TRUE(WaitUntil([&] { return NothingLeftOf(before); }, seconds(10)))
        << "a killed agent left BPF objects behind";
    EXPECT_GE((*site)->StoredWindows(), acknowledged);
    stored_before = acknowledged;
    const auto restarted = (*site)->StartTheAgent();
    ASSERT_TRUE(restarted) << restarted.error().text;
  }
  LetPass(kBetween);
  pulse.Rest();
  const auto truth = ReadProcCounts(pulse.pid());
  ASSERT_TRUE(truth) << truth.error().text;
  const auto exit_code = (*site)->agent().Stop(seconds(15));
  ASSERT_TRUE(exit_code) << exit_code.error().text;
  EXPECT_TRUE((*site)->SpooledWindows().empty()) << "a window of a killed agent was never sent";

  const auto answer =
      AskJson({"ps", (*site)->store_path(), "--where", "pid=" + std::to_string(pulse.pid())});
  ASSERT_TRUE(answer) << answer.error().text;
  EXPECT_EQ((*answer)["fidelity"]["windows_missing"], 0) << answer->dump();
  ASSERT_EQ((*answer)["rows"].size(), 1U) << answer->dump();
  // The window that was open dies with the agent, so less than the truth; a doubled one would be more.
  const uint64_t told = (*answer)["rows"][0]["voluntary_switches"];
  EXPECT_LE(told, truth->voluntary_switches);
  EXPECT_GT(told, truth->voluntary_switches / 2);
}

}  // namespace
}  // namespace hotlatch

// Switches and CPU time of real PostgreSQL backends, against what the kernel counts itself. The load is
// stopped (SIGSTOP to pgbench) at both ends, so that backends rest in their client read while /proc is
// read and a window's edge passes: what is left to differ is our own fault.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <map>

#include "tests/support/hotlatch.h"
#include "tests/support/postgres_cluster.h"
#include "tests/support/proc_counts.h"
#include "tests/support/require.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

constexpr int kClients = 4;
constexpr seconds kLoad{30};
constexpr seconds kQuiet{3};  // more than one window of 1 s, with its delivery

using Counts = std::map<pid_t, ProcCounts>;

Counts ReadAll(const std::vector<pid_t>& pids) {
  Counts counts;
  for (const pid_t pid : pids) {
    const auto read = ReadProcCounts(pid);
    EXPECT_TRUE(read) << read.error().text;
    if (read) counts[pid] = *read;
  }
  return counts;
}

void ExpectNear(uint64_t told, uint64_t truth, double share, const std::string& what) {
  const double allowed = static_cast<double>(truth) * share;
  EXPECT_NEAR(static_cast<double>(told), static_cast<double>(truth), allowed) << what;
}

void CompareBackend(const nlohmann::json& row, const ProcCounts& before, const ProcCounts& after) {
  const std::string who = "backend " + row["pid"].dump();
  ExpectNear(row["voluntary_switches"], after.voluntary_switches - before.voluntary_switches, 0.001,
             who + " voluntary");
  ExpectNear(row["involuntary_switches"], after.involuntary_switches - before.involuntary_switches,
             0.001, who + " involuntary");
  const uint64_t cpu_ns = after.cpu_ns - before.cpu_ns;
  if (cpu_ns > 1'000'000'000) ExpectNear(row["cpu_ns"], cpu_ns, 0.03, who + " CPU");
}

TEST(PostgresSwitchesTest, SwitchesAndCpuOfEachBackendEqualWhatTheKernelCounts) {
  HOTLATCH_REQUIRE(MissingBpf());
  HOTLATCH_REQUIRE(MissingPostgres());
  auto cluster = PostgresCluster::Start({});
  ASSERT_TRUE(cluster) << cluster.error().text;
  const auto ready = (*cluster)->InitPgbench(2);
  ASSERT_TRUE(ready) << ready.error().text;
  auto load =
      Process::Start((*cluster)->Pgbench({"-n", "-c", std::to_string(kClients), "-T", "600"}));
  ASSERT_TRUE(load) << load.error().text;
  std::vector<pid_t> backends;
  ASSERT_TRUE(WaitUntil(
      [&] {
        const auto found = (*cluster)->ClientBackends();
        if (found) backends = *found;
        return backends.size() == kClients;
      },
      seconds(20)));
  auto site = Site::Start("1s");
  ASSERT_TRUE(site) << site.error().text;

  load->Signal(SIGSTOP);
  LetPass(kQuiet);
  const auto from = system_clock::now() - seconds(1);
  const Counts before = ReadAll(backends);
  load->Signal(SIGCONT);
  LetPass(kLoad);
  load->Signal(SIGSTOP);
  LetPass(seconds(1));  // a transaction under way ends
  const Counts after = ReadAll(backends);
  const auto to = system_clock::now();
  LetPass(kQuiet);

  const auto answer = (*site)->Ask({"ps", "--from", Rfc3339(from), "--to", Rfc3339(to)});
  ASSERT_TRUE(answer) << answer.error().text;
  for (const auto& loss : (*answer)["fidelity"]["loss"]) {
    if (loss["probe"] != "switch") continue;
    EXPECT_LE(loss["count"].get<double>(), loss["seen_count"].get<double>() * 0.001) << loss.dump();
  }
  int compared = 0;
  for (const auto& row : (*answer)["rows"]) {
    const pid_t pid = row["pid"];
    if (before.count(pid) == 0) continue;
    CompareBackend(row, before.at(pid), after.at(pid));
    ++compared;
  }
  EXPECT_EQ(compared, kClients) << answer->dump();
  uint64_t switches = 0;
  int busy = 0;
  for (const auto& [pid, counts] : after) {
    if (counts.cpu_ns - before.at(pid).cpu_ns > 1'000'000'000) ++busy;
    switches += counts.voluntary_switches - before.at(pid).voluntary_switches;
  }
  EXPECT_GT(busy, 0) << "no backend used a second of CPU: nothing was compared";
  EXPECT_GT(switches, 10'000U) << "the load did nothing: the comparison proves nothing";
}

}  // namespace
}  // namespace hotlatch

// pgbench -C: a backend per transaction. What lives for milliseconds is counted, and the agent does not grow.
#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include "tests/support/hotlatch.h"
#include "tests/support/postgres_cluster.h"
#include "tests/support/proc_counts.h"
#include "tests/support/require.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::seconds;
using std::chrono::system_clock;

constexpr seconds kLoad{20};

// Transactions, as pgbench says at its end; each had a backend of its own.
uint64_t TransactionsOf(const std::string& report) {
  std::smatch match;
  const std::regex line("number of transactions actually processed: ([0-9]+)");
  return std::regex_search(report, match, line) ? std::stoull(match[1]) : 0;
}

uint64_t RssOf(pid_t pid) {
  const auto counts = ReadProcCounts(pid);
  return counts ? counts->rss_bytes : 0;
}

struct Ended {
  uint64_t backends = 0;
  uint64_t voluntary_switches = 0;
  uint64_t cpu_ns = 0;
};

// Of the postmaster's children: backends, and a handful of the server's own processes.
Ended SumOf(const nlohmann::json& rows, pid_t postmaster) {
  Ended sum;
  for (const auto& row : rows) {
    if (row["parent_pid"] != postmaster) continue;
    const uint64_t voluntary = row["voluntary_switches"];
    sum.backends += voluntary > 0 ? 1 : 0;
    sum.voluntary_switches += voluntary;
    sum.cpu_ns += row["cpu_ns"].get<uint64_t>();
  }
  return sum;
}

TEST(ShortBackendsTest, ABackendPerTransactionIsCountedAndMemoryStaysFlat) {
  HOTLATCH_REQUIRE(MissingBpf());
  HOTLATCH_REQUIRE(MissingPostgres());
  auto cluster = PostgresCluster::Start({});
  ASSERT_TRUE(cluster) << cluster.error().text;
  const auto ready = (*cluster)->InitPgbench(1);
  ASSERT_TRUE(ready) << ready.error().text;
  auto site = Site::Start("1s");
  ASSERT_TRUE(site) << site.error().text;
  const auto before = ReadProcCounts((*cluster)->postmaster());
  ASSERT_TRUE(before) << before.error().text;
  const auto from = system_clock::now();

  auto load = Process::Start(
      (*cluster)->Pgbench({"-n", "-S", "-C", "-c", "4", "-T", std::to_string(kLoad.count())}));
  ASSERT_TRUE(load) << load.error().text;
  LetPass(seconds(8));  // caches have filled by then
  const uint64_t early_rss_bytes = RssOf((*site)->agent().pid());
  const auto exit_code = load->Wait(kLoad + seconds(20));
  ASSERT_TRUE(exit_code) << exit_code.error().text;
  ASSERT_EQ(*exit_code, 0) << load->Err();
  LetPass(seconds(3));  // the last window is closed and stored
  const auto after = ReadProcCounts((*cluster)->postmaster());
  ASSERT_TRUE(after) << after.error().text;

  EXPECT_TRUE((*site)->agent().Running()) << (*site)->agent().Err();
  const uint64_t late_rss_bytes = RssOf((*site)->agent().pid());
  EXPECT_GT(early_rss_bytes, 0U);
  EXPECT_LT(late_rss_bytes, early_rss_bytes + early_rss_bytes / 5) << "the agent grew under load";

  const auto answer = (*site)->Ask({"ps", "--from", Rfc3339(from)});
  ASSERT_TRUE(answer) << answer.error().text;
  const Ended ended = SumOf((*answer)["rows"], (*cluster)->postmaster());
  const uint64_t transactions = TransactionsOf(load->Out());
  EXPECT_GT(transactions, 500U);
  // Each backend waited for its client at least once: a backend without a switch was not counted.
  EXPECT_GE(ended.backends, transactions * 999 / 1000) << (*answer)["fidelity"].dump();
  EXPECT_GE(ended.voluntary_switches, transactions);
  // The kernel adds the CPU time of ended children to the postmaster's own account.
  const double child_cpu_ns = static_cast<double>(after->child_cpu_ns - before->child_cpu_ns);
  EXPECT_NEAR(static_cast<double>(ended.cpu_ns), child_cpu_ns, child_cpu_ns * 0.1);
}

}  // namespace
}  // namespace hotlatch

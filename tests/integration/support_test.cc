// What the other tests stand on: a private server that works and is gone afterwards, and processes
// that are never left behind.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "tests/support/postgres_cluster.h"
#include "tests/support/process.h"
#include "tests/support/require.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::seconds;

TEST(ProcessTest, ExitCodeAndOutputComeBack) {
  const auto outcome =
      RunProcess({.argv = {"sh", "-c", "echo out; echo err >&2; exit 7"}}, seconds(10));
  ASSERT_TRUE(outcome) << outcome.error().text;
  EXPECT_EQ(outcome->exit_code, 7);
  EXPECT_EQ(outcome->out, "out\n");
  EXPECT_EQ(outcome->err, "err\n");
}

TEST(ProcessTest, AProcessThatIsNotDoneInTimeIsKilledWithItsChildren) {
  pid_t pid = 0;
  {
    auto process = Process::Start({.argv = {"sh", "-c", "sleep 100 & sleep 100"}});
    ASSERT_TRUE(process) << process.error().text;
    pid = process->pid();
    EXPECT_FALSE(process->Wait(std::chrono::milliseconds(100)));
  }
  EXPECT_TRUE(WaitUntil([&] { return ::kill(-pid, 0) != 0; }, seconds(5)))
      << "the group still lives";
}

TEST(PostgresClusterTest, ServesPgbenchAndLeavesNothing) {
  HOTLATCH_REQUIRE(MissingPostgres());
  std::string folder;
  pid_t postmaster = 0;
  {
    auto cluster = PostgresCluster::Start({});
    ASSERT_TRUE(cluster) << cluster.error().text;
    folder = (*cluster)->socket_folder();
    postmaster = (*cluster)->postmaster();
    const auto ready = (*cluster)->InitPgbench(1);
    ASSERT_TRUE(ready) << ready.error().text;
    const auto load = RunProcess((*cluster)->Pgbench({"-S", "-t", "10"}), seconds(30));
    ASSERT_TRUE(load) << load.error().text;
    EXPECT_EQ(load->exit_code, 0) << load->err;
    const auto version = (*cluster)->Query("SHOW server_version_num");
    ASSERT_TRUE(version) << version.error().text;
    EXPECT_EQ(version->substr(0, 2), "15");
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_NE(::kill(postmaster, 0), 0) << "the postmaster still lives";
}

}  // namespace
}  // namespace hotlatch

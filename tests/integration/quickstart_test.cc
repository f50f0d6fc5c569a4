// packaging/quickstart with the programs of this build: what it shows, and that nothing of it is left.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>

#include "tests/support/hotlatch.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::seconds;

// Its temporary files go into a folder of ours, so that leftovers can be seen.
ProcessOptions Quickstart(const TempDir& folder, const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.argv = {std::string(HOTLATCH_SOURCE_DIR) + "/packaging/quickstart"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.environment = {{"TMPDIR", folder.path()}};
  return options;
}

// Processes started with the folder in their arguments or working in it.
std::vector<std::string> ProcessesOf(const TempDir& folder) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto place = std::filesystem::read_symlink(entry.path() / "cwd", ignored).string();
    if (place.find(folder.path()) != std::string::npos) found.push_back(entry.path());
  }
  return found;
}

void ExpectNothingLeft(const TempDir& folder) {
  EXPECT_TRUE(WaitUntil([&] { return ProcessesOf(folder).empty(); }, seconds(10)));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

class QuickstartTest : public testing::Test {
 protected:
  void SetUp() override {
    HOTLATCH_REQUIRE(MissingBpf());
    HOTLATCH_REQUIRE(MissingPostgres());
    auto folder = TempDir::Create();
    ASSERT_TRUE(folder) << folder.error().text;
    // The database's own user must be able to look into it.
    std::filesystem::permissions(folder->path(), std::filesystem::perms(0755));
    folder_ = std::make_unique<TempDir>(std::move(*folder));
  }

  std::unique_ptr<TempDir> folder_;
};

TEST_F(QuickstartTest, ShowsBothProfilesOfPostgresAndLeavesNothing) {
  const auto outcome = RunProcess(
      Quickstart(*folder_, {"--bin-dir", HOTLATCH_BIN_DIR, "--seconds", "6"}), seconds(120));
  ASSERT_TRUE(outcome) << outcome.error().text;
  EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
  for (const char* shown :
       {"hotlatch tree", "hotlatch switches", "PostgresMain", "schedule", "What to type next"}) {
    EXPECT_NE(outcome->out.find(shown), std::string::npos) << shown << " in\n" << outcome->out;
  }
  EXPECT_NE(outcome->err.find("==> starting the agent"), std::string::npos) << outcome->err;
  ExpectNothingLeft(*folder_);
}

TEST_F(QuickstartTest, LeavesNothingWhenItIsStoppedHalfWay) {
  auto process =
      Process::Start(Quickstart(*folder_, {"--bin-dir", HOTLATCH_BIN_DIR, "--seconds", "300"}));
  ASSERT_TRUE(process) << process.error().text;
  ASSERT_TRUE(WaitUntil(
      [&] {
        return process->Err().find("==> profiling") != std::string::npos || !process->Running();
      },
      seconds(90)));
  ASSERT_TRUE(process->Running()) << process->Err();
  EXPECT_GE(ProcessesOf(*folder_).size(), 4U) << "the leftovers would not be seen";
  const auto exit_code = process->Stop(seconds(40));
  ASSERT_TRUE(exit_code) << exit_code.error().text;
  EXPECT_EQ(*exit_code, 143);
  ExpectNothingLeft(*folder_);
}

TEST_F(QuickstartTest, AFailingStepIsNamedAndLeavesNothing) {
  const auto outcome =
      RunProcess(Quickstart(*folder_, {"--bin-dir", folder_->path()}), seconds(60));
  ASSERT_TRUE(outcome) << outcome.error().text;
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_NE(outcome->err.find("hotlatch-agent is not there"), std::string::npos) << outcome->err;
  ExpectNothingLeft(*folder_);
}

TEST(QuickstartArgumentsTest, WrongArgumentsAreUsageErrors) {
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  for (const char* wrong : {"--bogus", "--seconds"}) {
    const auto outcome = RunProcess(Quickstart(*folder, {wrong}), seconds(10));
    ASSERT_TRUE(outcome) << outcome.error().text;
    EXPECT_EQ(outcome->exit_code, 2) << outcome->err;
  }
}

}  // namespace
}  // namespace hotlatch

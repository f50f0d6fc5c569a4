// What a user can get wrong: one clear line with the next step, and the right exit code.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "agent/base/file.h"
#include "tests/support/hotlatch.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::seconds;

constexpr uid_t kNobody = 65534;

int Lines(const std::string& text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

// A file system of its own that is full after a few pages.
class TinyDisk {
 public:
  explicit TinyDisk(std::string path, const std::string& size) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0;
  }
  ~TinyDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;
  bool mounted() const { return mounted_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool mounted_ = false;
};

void ExpectRefused(ProcessOptions command, int exit_code, const std::vector<std::string>& words) {
  const std::string shown = command.argv.back();
  const auto outcome = RunProcess(command, seconds(30));
  ASSERT_TRUE(outcome) << shown << ": " << outcome.error().text;
  EXPECT_EQ(outcome->exit_code, exit_code) << shown << ": " << outcome->err;
  EXPECT_EQ(outcome->out, "") << shown;
  EXPECT_EQ(Lines(outcome->err), 1) << shown << ": " << outcome->err;
  for (const std::string& word : words) {
    EXPECT_NE(outcome->err.find(word), std::string::npos)
        << "no '" << word << "' in " << outcome->err;
  }
}

ProcessOptions AsNobody(ProcessOptions command) {
  command.uid = kNobody;
  command.gid = kNobody;
  return command;
}

TEST(ErrorsTest, WithoutRightsAgentAndRecordSayWhichAreMissing) {
  HOTLATCH_REQUIRE(MissingRoot());
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  ASSERT_EQ(::chown(folder->path().c_str(), kNobody, kNobody), 0);
  ExpectRefused(AsNobody(Command("hotlatch-agent", {"--spool-dir", *folder / "spool"})), 1,
                {"root"});
  ExpectRefused(AsNobody(Command("hotlatch", {"record", "-d", "1", "-o", *folder / "x.hotlatch"})),
                1, {"root"});
  EXPECT_FALSE(std::filesystem::exists(*folder / "x.hotlatch")) << "a failed recording left a file";
}

TEST(ErrorsTest, AnAddressWhereNobodyListensIsNamed) {
  const std::string address = FreeAddress();
  for (const char* question : {"hosts", "status", "tree", "switches", "ps"}) {
    ExpectRefused(Command("hotlatch", {question, "--server", address}), 1,
                  {address, "hotlatch-collector"});
  }
}

TEST(ErrorsTest, AnAddressThatIsNoneIsAUsageError) {
  const auto agent =
      RunProcess(Command("hotlatch-agent", {"--collector", "nonsense"}), seconds(10));
  ASSERT_TRUE(agent) << agent.error().text;
  EXPECT_EQ(agent->exit_code, 2) << agent->err;
  EXPECT_NE(agent->err.find("nonsense"), std::string::npos) << agent->err;
  const auto collector =
      RunProcess(Command("hotlatch-collector", {"--listen", "nonsense"}), seconds(10));
  ASSERT_TRUE(collector) << collector.error().text;
  EXPECT_EQ(collector->exit_code, 2) << collector->err;
  EXPECT_NE(collector->err.find("nonsense"), std::string::npos) << collector->err;
}

TEST(ErrorsTest, ASecondCollectorOnTheSameAddressIsRefused) {
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  const std::string address = FreeAddress();
  auto first = StartCollector(address, *folder / "first");
  ASSERT_TRUE(first) << first.error().text;
  const auto second =
      RunProcess(Command("hotlatch-collector", {"--listen", address, "--data", *folder / "second"}),
                 seconds(20));
  ASSERT_TRUE(second) << second.error().text;
  EXPECT_EQ(second->exit_code, 1) << second->err;
  EXPECT_NE(second->err.find(address), std::string::npos) << second->err;
}

TEST(ErrorsTest, ACollectorWhoseStoreIsAForeignFileDoesNotTouchIt) {
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  const std::string file = StorePath(folder->path());
  const std::string text(9'000, 'x');
  ASSERT_TRUE(WriteFileAtomically(file, text));
  const auto outcome = RunProcess(
      Command("hotlatch-collector", {"--listen", FreeAddress(), "--data", folder->path()}),
      seconds(20));
  ASSERT_TRUE(outcome) << outcome.error().text;
  EXPECT_EQ(outcome->exit_code, 1) << outcome->err;
  EXPECT_NE(outcome->err.find(file), std::string::npos) << outcome->err;
  const auto left = ReadFile(file, 1 << 20);
  ASSERT_TRUE(left);
  EXPECT_EQ(*left, text);
}

TEST(ErrorsTest, ARecordingOnAFullDiskFailsWithOneLine) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  const TinyDisk disk(*folder / "disk", "64k");
  ASSERT_TRUE(disk.mounted()) << std::strerror(errno);
  const auto outcome = RunCli({"record", "-d", "3", "--window", "1s", "-o", disk / "x.hotlatch"});
  ASSERT_TRUE(outcome) << outcome.error().text;
  EXPECT_EQ(outcome->exit_code, 1) << outcome->err;
  EXPECT_NE(outcome->err.find("x.hotlatch"), std::string::npos) << outcome->err;
  EXPECT_LE(Lines(outcome->err), 3) << outcome->err;
}

TEST(ErrorsTest, AnAgentWhoseSpoolIsOnAFullDiskRunsOnAndSaysSoOnce) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  const TinyDisk disk(*folder / "disk", "16k");
  ASSERT_TRUE(disk.mounted()) << std::strerror(errno);
  auto agent =
      Process::Start(Command("hotlatch-agent", {"--collector", FreeAddress(), "--spool-dir",
                                                disk / "spool", "--window", "1s"}));
  ASSERT_TRUE(agent) << agent.error().text;
  EXPECT_TRUE(
      WaitUntil([&] { return agent->Err().find("disk") != std::string::npos || !agent->Running(); },
                seconds(20)))
      << agent->Err();
  LetPass(seconds(3));
  EXPECT_TRUE(agent->Running()) << agent->Err();
  EXPECT_LE(Lines(agent->Err()), 12) << "a line for every window: " << agent->Err();
  const auto exit_code = agent->Stop(seconds(15));
  ASSERT_TRUE(exit_code) << exit_code.error().text;
}

}  // namespace
}  // namespace hotlatch

// A recording answers as a collector does, and what is no recording is refused with one clear line.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/support/hotlatch.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

namespace hotlatch {
namespace {

// One line, and not empty: a user sees what is wrong and what to do, not a wall.
void ExpectOneLine(const Outcome& outcome, int exit_code) {
  EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_GT(outcome.err.size(), 10U);
}

Outcome Record(const std::string& file, const std::vector<std::string>& command) {
  std::vector<std::string> arguments = {"record", "-o", file, "--window", "1s", "--"};
  arguments.insert(arguments.end(), command.begin(), command.end());
  const auto outcome = RunCli(arguments);
  return outcome ? *outcome : Outcome{-1, "", outcome.error().text};
}

TEST(RecordingTest, ACommandIsRecordedAndEveryQuestionAnswered) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  const std::string file = *folder / "x.hotlatch";
  const Outcome recorded =
      Record(file, {"sh", "-c", "n=0; while [ $n -lt 600000 ]; do n=$((n+1)); done; exit 0"});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  for (const char* question : {"hosts", "status", "tree", "switches", "ps"}) {
    const auto answer = AskJson({question, file});
    ASSERT_TRUE(answer) << answer.error().text;
    EXPECT_FALSE((*answer)["rows"].empty()) << question << ": " << answer->dump();
  }
  const auto ps = AskJson({"ps", file});
  ASSERT_TRUE(ps);
  const auto& rows = (*ps)["rows"];
  EXPECT_TRUE(std::any_of(
      rows.begin(), rows.end(),
      [](const auto& row) { return row["cpu_ns"] > 100'000'000 && row["service"] == "sh"; }))
      << "the recorded shell is not among the processes: " << rows.dump();
}

TEST(RecordingTest, AStoreAnswersTheSameAsAFileAndThroughACollector) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto site = Site::Start("1s");
  ASSERT_TRUE(site) << site.error().text;
  // Nothing may change between the two questions.
  ASSERT_TRUE((*site)->agent().Stop(std::chrono::seconds(10)));
  for (const char* question : {"hosts", "tree", "switches", "ps"}) {
    const std::string start = "2020-01-01T00:00:00Z";
    const std::vector<std::string> words = {question, "--from", start, "--to", "now"};
    const auto of_collector = (*site)->Ask(words);
    ASSERT_TRUE(of_collector) << of_collector.error().text;
    auto with_file = words;
    with_file.insert(with_file.begin() + 1, (*site)->store_path());
    const auto of_file = AskJson(with_file);
    ASSERT_TRUE(of_file) << of_file.error().text;
    EXPECT_FALSE((*of_file)["rows"].empty()) << question;
    EXPECT_EQ((*of_collector)["rows"], (*of_file)["rows"]) << question;
  }
}

TEST(RecordingTest, ATruncatedRecordingIsRefusedWithOneLine) {
  HOTLATCH_REQUIRE(MissingBpf());
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  const std::string file = *folder / "x.hotlatch";
  ASSERT_EQ(Record(file, {"sleep", "2"}).exit_code, 0);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const auto outcome = RunCli({"tree", file});
  ASSERT_TRUE(outcome) << outcome.error().text;
  ExpectOneLine(*outcome, 1);
  EXPECT_NE(outcome->err.find(file), std::string::npos) << outcome->err;
}

TEST(RecordingTest, ForeignEmptyAndMissingFilesAreRefusedWithOneLineThatNamesThem) {
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  std::ofstream(*folder / "foreign.hotlatch") << std::string(20'000, 'x');
  std::ofstream(*folder / "empty.hotlatch").flush();
  for (const char* name : {"foreign.hotlatch", "empty.hotlatch", "missing.hotlatch"}) {
    const std::string file = *folder / name;
    const auto outcome = RunCli({"tree", file});
    ASSERT_TRUE(outcome) << outcome.error().text;
    ExpectOneLine(*outcome, 1);
    EXPECT_NE(outcome->err.find(name), std::string::npos) << outcome->err;
  }
  EXPECT_FALSE(std::filesystem::exists(*folder / "missing.hotlatch"))
      << "asking must not create it";
}

}  // namespace
}  // namespace hotlatch

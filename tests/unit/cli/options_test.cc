#include "collector/cli/options.h"

#include <gtest/gtest.h>

#include "collector/cli/help_text.h"

namespace hotlatch::collector {
namespace {

using Args = std::vector<std::string>;

CliOptions Parsed(const Args& args) {
  ParsedLine line = ParseCommandLine(args);
  EXPECT_FALSE(line.done) << line.talk;
  return line.options;
}

std::string UsageError(const Args& args) {
  const ParsedLine line = ParseCommandLine(args);
  EXPECT_TRUE(line.done);
  EXPECT_EQ(line.exit_code, 2) << line.out;
  EXPECT_EQ(line.out, "");
  return line.talk;
}

TEST(CliOptions, ATreeQuestionIsUnderstoodWhole) {
  const CliOptions options =
      Parsed({"tree", "x.hotlatch", "--from", "-15m", "--to", "now", "--where",
              "role=client backend", "--where", "service!~pg.*", "--by", "service,node",
              "--profile", "offcpu", "--per", "second", "--top", "5", "--json"});
  EXPECT_EQ(options.command, "tree");
  EXPECT_EQ(options.file, "x.hotlatch");
  EXPECT_EQ(options.from->ns, -900'000'000'000);
  EXPECT_TRUE(options.to->relative);
  ASSERT_EQ(options.where.size(), 2U);
  EXPECT_EQ(options.where[0].value(), "client backend");
  EXPECT_EQ(options.where[1].op(), v1::Match::OP_NOT_REGEX);
  EXPECT_EQ(options.by, (Args{"service", "node"}));
  EXPECT_TRUE(options.per_second);
  EXPECT_EQ(options.top, 5U);
  EXPECT_EQ(options.format, OutputFormat::kJson);
}

TEST(CliOptions, DefaultsAreTheDocumentedOnes) {
  const CliOptions options = Parsed({"tree"});
  EXPECT_EQ(options.server, "127.0.0.1:7411");
  EXPECT_FALSE(options.from || options.to);
  EXPECT_EQ(options.profile, "cpu");
  EXPECT_DOUBLE_EQ(options.min_percent, 0.5);
  EXPECT_DOUBLE_EQ(options.max_loss_percent, 1);
  EXPECT_FALSE(options.by_given);
  EXPECT_TRUE(Parsed({"tree", "--by", "none"}).by_given);
  EXPECT_TRUE(Parsed({"tree", "--by", "none"}).by.empty());
}

TEST(CliOptions, MatchesSplitAtTheFirstOperator) {
  EXPECT_EQ(ParseMatch("wait=IO:a=b")->value(), "IO:a=b");
  EXPECT_EQ(ParseMatch("a!=b")->op(), v1::Match::OP_NOT_EQUAL);
  EXPECT_EQ(ParseMatch("a=~b.*")->op(), v1::Match::OP_REGEX);
  EXPECT_EQ(ParseMatch("a=")->value(), "");
  for (const char* bad : {"", "a", "=b", "a!b", "a=~("}) EXPECT_FALSE(ParseMatch(bad)) << bad;
}

TEST(CliOptions, UsageErrorsNameTheFlagAndWhereHelpIs) {
  EXPECT_NE(UsageError({"tree", "--from", "soon"}).find("hotlatch tree --help"), std::string::npos);
  EXPECT_NE(UsageError({"tree", "--per", "transaction"}).find("not available yet"),
            std::string::npos);
  EXPECT_NE(UsageError({"tree", "--per", "call"}).find("not available yet"), std::string::npos);
  EXPECT_NE(UsageError({"tree", "--per", "minute"}).find("--per minute"), std::string::npos);
  EXPECT_NE(UsageError({"ps", "--json", "--csv"}).find("only one"), std::string::npos);
  EXPECT_NE(UsageError({"tree", "--from", "-1m", "--to", "-2m"}).find("empty"), std::string::npos);
  EXPECT_NE(UsageError({"tree", "--color", "blue"}).find("--color blue"), std::string::npos);
  EXPECT_NE(UsageError({"top", "x.hotlatch"}).find("recording"), std::string::npos);
  EXPECT_NE(UsageError({"tree", "--", "ls"}).find("record"), std::string::npos);
  EXPECT_NE(UsageError({"record", "-o", "x", "--window", "2m"}).find("1s to 60s"),
            std::string::npos);
  UsageError({"nonsense"});
  UsageError({"tree", "--nonsense"});
  UsageError({"tree", "--max-loss", "101"});
  UsageError({"tree", "--csv"});
  UsageError({"record"});
  UsageError({});
}

TEST(CliOptions, ARecordedCommandKeepsItsFlags) {
  const CliOptions options =
      Parsed({"record", "-d", "1.5", "-o", "x", "--window", "2s", "--probe", "cpu", "--strict",
              "--row-map-entries", "16", "--", "pgbench", "-S", "--json", "--", "tree"});
  EXPECT_EQ(options.record.command, (Args{"pgbench", "-S", "--json", "--", "tree"}));
  EXPECT_EQ(options.record.window_ns, 2'000'000'000U);
  EXPECT_DOUBLE_EQ(options.record.duration_s, 1.5);
  EXPECT_EQ(options.record.probes, Args{"cpu"});
  EXPECT_TRUE(options.record.strict);
  EXPECT_EQ(options.record.row_map_entries, 16U);
}

TEST(CliOptions, EveryCommandHasHelpWithExamples) {
  for (const CommandHelp& help : CommandHelps()) {
    const ParsedLine line = ParseCommandLine({help.name, "--help"});
    EXPECT_TRUE(line.done);
    EXPECT_EQ(line.exit_code, 0);
    EXPECT_NE(line.out.find("Examples:"), std::string::npos) << help.name;
    EXPECT_NE(line.out.find("hotlatch " + std::string(help.name)), std::string::npos);
    EXPECT_EQ(line.talk, "");
  }
  const ParsedLine whole = ParseCommandLine({"--help"});
  EXPECT_EQ(whole.exit_code, 0);
  for (const CommandHelp& help : CommandHelps()) {
    EXPECT_NE(whole.out.find(help.name), std::string::npos);
  }
  EXPECT_EQ(ParseCommandLine({"--version"}).out.rfind("hotlatch ", 0), 0U);
}

}  // namespace
}  // namespace hotlatch::collector

#include "agent/daemon/command_line.h"

#include <gtest/gtest.h>

#include <fstream>

#include "agent/base/units.h"

namespace hotlatch::agent {
namespace {

const std::vector<ProbeInfo> kProbes{{"cpu", "where the CPU goes"}, {"switch", "why it waits"}};

Result<Command> Parse(const std::vector<std::string>& arguments) {
  return ParseCommandLine(arguments, kProbes);
}

Command ParseOk(const std::vector<std::string>& arguments) {
  auto command = Parse(arguments);
  EXPECT_TRUE(command) << (command ? "" : command.error().text);
  return command ? *command : Command{};
}

class ConfigFile {
 public:
  explicit ConfigFile(const std::string& text)
      : path_(testing::TempDir() + "hotlatch-" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml") {
    std::ofstream(path_) << text;
  }
  ~ConfigFile() { std::remove(path_.c_str()); }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(CommandLine, EveryOptionHasHelpAndIsInHelpAndConfiguration) {
  const std::string help = ParseOk({"--help"}).text;
  const std::string config = ParseOk({"--print-config"}).text;
  ASSERT_GE(OptionTable().size(), 12U);
  for (const OptionRow& row : OptionTable()) {
    EXPECT_GE(row.help.size(), 20U) << row.name;
    EXPECT_TRUE(row.help.ends_with('.') || row.help.find(';') != std::string::npos) << row.name;
    EXPECT_NE(help.find("--" + std::string(row.name)), std::string::npos) << row.name;
    if (row.shape == OptionShape::kList) continue;  // empty by default, see the test below
    EXPECT_NE(config.find("\n" + std::string(row.name) + "="), std::string::npos) << row.name;
  }
  EXPECT_NE(help.find("Examples:"), std::string::npos);
}

TEST(CommandLine, DefaultsAreThoseOfTheHelp) {
  const Options options = ParseOk({}).options;
  EXPECT_EQ(options.collector, "127.0.0.1:7411");
  EXPECT_EQ(options.window, std::chrono::seconds(10));
  EXPECT_EQ(options.spool_max_bytes, 256U << 20);
  EXPECT_EQ(options.spool_dir, "/var/lib/hotlatch/spool");
  EXPECT_EQ(options.pipeline.cpu_frequency_hz, 99);
  EXPECT_TRUE(options.pipeline.probes.empty());
  EXPECT_FALSE(options.pipeline.strict);
}

TEST(CommandLine, PrintedConfigurationIsReadBackTheSame) {
  const std::vector<std::string> flags{
      "--window", "7s",          "--probes", "cpu,switch", "--strict",          "--frequency",
      "49",       "--collector", "db1:7411", "--insecure", "--spool-max-bytes", "1GiB"};
  std::vector<std::string> print = flags;
  print.emplace_back("--print-config");
  const std::string text = ParseOk(print).text;
  const ConfigFile file(text);
  EXPECT_EQ(ParseOk({"--config", file.path(), "--print-config"}).text, text);
  const Options options = ParseOk({"--config", file.path()}).options;
  EXPECT_EQ(options.window, std::chrono::seconds(7));
  EXPECT_EQ(options.pipeline.probes, (std::vector<std::string>{"cpu", "switch"}));
  EXPECT_TRUE(options.pipeline.strict);
  EXPECT_TRUE(options.insecure);
  EXPECT_EQ(options.spool_max_bytes, 1U << 30);
}

TEST(CommandLine, FlagsWinOverTheFile) {
  const ConfigFile file("window = \"7s\"\nfrequency = 49\nrow-map-entries = 16\n");
  const Options options = ParseOk({"--config", file.path(), "--window", "3s"}).options;
  EXPECT_EQ(options.window, std::chrono::seconds(3));
  EXPECT_EQ(options.pipeline.cpu_frequency_hz, 49);
  EXPECT_EQ(options.pipeline.row_map_entries, 16U);
}

TEST(CommandLine, UnknownAndWrongSettingsInTheFileAreErrors) {
  for (const char* text : {"windw = \"7s\"\n", "window = \"7 parsecs\"\n", "[other]\nx = 1\n",
                           "check = true\n", "[doctor]\njson = true\n"}) {
    const ConfigFile file(text);
    const auto command = Parse({"--config", file.path()});
    ASSERT_FALSE(command) << text;
    EXPECT_EQ(command.error().kind, ErrorKind::kInvalid);
  }
  const ConfigFile file("windw = \"7s\"\n");
  EXPECT_EQ(Parse({"--config", file.path()}).error().text,
            "--config: 'windw' is no setting; see hotlatch-agent --print-config");
  EXPECT_FALSE(Parse({"--config", "/nowhere.toml"}));
}

TEST(CommandLine, ValuesOutOfRangeAreUsageErrors) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--window", "999ms"},
                                             {"--window", "61s"},
                                             {"--window", "-1s"},
                                             {"--frequency", "0"},
                                             {"--frequency", "1001"},
                                             {"--frequency", "9.5"},
                                             {"--collector", "nowhere"},
                                             {"--collector", "unix:/tmp/x:1"},
                                             {"--spool-dir", "relative"},
                                             {"--spool-max-bytes", "1KiB"},
                                             {"--log-level", "loud"},
                                             {"--row-map-entries", "0"},

                                             {"--probes", "cpu,nope"},
                                             {"--nope"},
                                             {"extra"}}) {
    const auto command = Parse(arguments);
    ASSERT_FALSE(command) << arguments[0] << " " << arguments.back();
    EXPECT_EQ(ExitCode(command.error()), 2);
  }
}

TEST(CommandLine, CollectorElsewhereNeedsInsecure) {
  const auto refused = Parse({"--collector", "10.0.0.7:7411"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("--insecure"), std::string::npos);
  EXPECT_TRUE(Parse({"--collector", "10.0.0.7:7411", "--insecure"}));
  for (const char* local : {"127.0.0.1:1", "127.9.9.9:7411", "localhost:7411", "[::1]:7411"}) {
    EXPECT_TRUE(Parse({"--collector", local})) << local;
  }
}

TEST(CommandLine, ActionsAreChosen) {
  EXPECT_EQ(ParseOk({}).action, Action::kRun);
  EXPECT_EQ(ParseOk({"--check"}).action, Action::kCheck);
  EXPECT_EQ(ParseOk({"--list-probes"}).action, Action::kListProbes);
  EXPECT_EQ(ParseOk({"--version"}).action, Action::kVersion);
  EXPECT_EQ(ParseOk({"doctor"}).action, Action::kDoctor);
  EXPECT_FALSE(ParseOk({"doctor"}).json);
  EXPECT_TRUE(ParseOk({"doctor", "--json"}).json);
  EXPECT_NE(ParseOk({"doctor", "--help"}).text.find("--json"), std::string::npos);
}

TEST(Units, DurationsAndSizesAreExact) {
  EXPECT_EQ(ParseDuration("1m")->count(), 60'000'000'000);
  EXPECT_EQ(ParseDuration("250ms")->count(), 250'000'000);
  EXPECT_EQ(ParseDuration("10")->count(), 10'000'000'000);
  EXPECT_EQ(*ParseBytes("64KiB"), 65536U);
  EXPECT_EQ(*ParseBytes("3MB"), 3'000'000U);
  EXPECT_EQ(*ParseBytes("17"), 17U);
  for (const char* bad : {"", "s", "1x", "1 s", "99999999999999999999", "9223372036854775807m"}) {
    EXPECT_FALSE(ParseDuration(bad)) << bad;
    EXPECT_FALSE(ParseBytes(bad)) << bad;
  }
}

}  // namespace
}  // namespace hotlatch::agent

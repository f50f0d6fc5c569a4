// What is shipped beside the programs is true of them: example settings hold every setting and are accepted,
// and the service files start the programs with flags that exist.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "agent/base/file.h"
#include "tests/support/hotlatch.h"
#include "tests/support/require.h"

namespace hotlatch {
namespace {

constexpr size_t kMaxBytes = 1 << 20;

std::string Packaged(const std::string& name) {
  return std::string(HOTLATCH_SOURCE_DIR) + "/packaging/" + name;
}

Outcome RunProgram(const std::string& program, const std::vector<std::string>& arguments) {
  const auto outcome = RunProcess(Command(program, arguments), std::chrono::seconds(20));
  EXPECT_TRUE(outcome) << outcome.error().text;
  return outcome ? *outcome : Outcome{-1, "", ""};
}

std::set<std::string> Found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, regex)) names.insert(match[1]);
  }
  return names;
}

std::set<std::string> KeysIn(const std::string& file) {
  const auto text = ReadFile(file, kMaxBytes);
  EXPECT_TRUE(text) << text.error().text;
  return text ? Found(*text, "^(?:# )?([a-z-]+) = ") : std::set<std::string>{};
}

// Long flags with a value or that can be set in a file: all but those that end the program at once.
std::set<std::string> SettingsOf(const std::string& program) {
  std::set<std::string> names =
      Found(RunProgram(program, {"--help"}).out, "^ +(?:-[a-z],)?--([a-z-]+)");
  for (const char* action : {"help", "version", "config", "check", "list-probes", "print-config"}) {
    names.erase(action);
  }
  return names;
}

TEST(PackagingTest, ExampleSettingsAreAcceptedAndHoldEverySettingThereIs) {
  const Outcome agent =
      RunProgram("hotlatch-agent", {"--config", Packaged("agent.toml"), "--print-config"});
  EXPECT_EQ(agent.exit_code, 0) << agent.err;
  const Outcome collector =
      RunProgram("hotlatch-collector", {"--config", Packaged("collector.toml"), "--version"});
  EXPECT_EQ(collector.exit_code, 0) << collector.err;
  EXPECT_EQ(KeysIn(Packaged("agent.toml")), SettingsOf("hotlatch-agent"));
  EXPECT_EQ(KeysIn(Packaged("collector.toml")), SettingsOf("hotlatch-collector"));
}

TEST(PackagingTest, ExampleSettingsAreTheDefaults) {
  const Outcome without = RunProgram("hotlatch-agent", {"--print-config"});
  const Outcome with =
      RunProgram("hotlatch-agent", {"--config", Packaged("agent.toml"), "--print-config"});
  EXPECT_EQ(without.out, with.out);
}

TEST(PackagingTest, ASettingThatDoesNotExistIsRefused) {
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder);
  const std::string file = *folder / "wrong.toml";
  ASSERT_TRUE(WriteFileAtomically(file, "colector = \"127.0.0.1:7411\"\n"));
  const Outcome agent = RunProgram("hotlatch-agent", {"--config", file, "--print-config"});
  EXPECT_EQ(agent.exit_code, 2);
  EXPECT_NE(agent.err.find("colector"), std::string::npos) << agent.err;
  const Outcome collector = RunProgram("hotlatch-collector", {"--config", file, "--version"});
  EXPECT_EQ(collector.exit_code, 2);
  EXPECT_NE(collector.err.find("colector"), std::string::npos) << collector.err;
}

TEST(PackagingTest, ServiceFilesStartTheProgramsWithFlagsThatExist) {
  for (const std::string program : {"hotlatch-agent", "hotlatch-collector"}) {
    const auto unit = ReadFile(Packaged(program + ".service"), kMaxBytes);
    ASSERT_TRUE(unit) << unit.error().text;
    const std::set<std::string> started = Found(*unit, "^ExecStart=/usr/bin/([a-z-]+) --config ");
    EXPECT_EQ(started, std::set<std::string>{program});
    EXPECT_NE(RunProgram(program, {"--help"}).out.find("--config"), std::string::npos);
  }
}

}  // namespace
}  // namespace hotlatch

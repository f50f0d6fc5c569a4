#include "collector/daemon/options.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace hotlatch::collector {
namespace {

CollectorOptions Parsed(const std::vector<std::string>& arguments) {
  const auto command = ParseCollectorCommand(arguments);
  EXPECT_TRUE(command) << command.error().text;
  return command ? command->options : CollectorOptions();
}

Error ParseError(const std::vector<std::string>& arguments) {
  const auto command = ParseCollectorCommand(arguments);
  EXPECT_FALSE(command);
  return command ? Error{} : command.error();
}

TEST(CollectorOptionsTest, DefaultsAreThoseOfTheTable) {
  const CollectorOptions options = Parsed({});
  EXPECT_EQ(options.listen.WithPort(options.listen.port), "127.0.0.1:7411");
  EXPECT_EQ(options.retention.max_age_ns, int64_t{30} * 86'400 * 1'000'000'000);
  EXPECT_EQ(options.retention.max_bytes, uint64_t{10} << 30);
  EXPECT_EQ(options.max_message_bytes, uint64_t{16} << 20);
  EXPECT_EQ(options.log_level, "info");
}

TEST(CollectorOptionsTest, HelpNamesEveryOptionAndHasExamples) {
  const auto command = ParseCollectorCommand({"--help"});
  ASSERT_TRUE(command);
  EXPECT_FALSE(command->run);
  for (const CollectorOptionRow& row : CollectorOptionTable()) {
    EXPECT_NE(command->text.find("--" + std::string(row.name)), std::string::npos) << row.name;
    EXPECT_NE(command->text.find(std::string(row.help).substr(0, 20)), std::string::npos)
        << row.name;
  }
  EXPECT_NE(command->text.find("Examples:"), std::string::npos);
}

TEST(CollectorOptionsTest, FlagsWinOverTheFile) {
  TempDir dir = std::move(*TempDir::Create());
  std::ofstream(dir / "c.toml") << "data = \"/srv/a\"\nretention-age = \"7d\"\n";
  const CollectorOptions options = Parsed({"--config", dir / "c.toml", "--data", "/srv/b"});
  EXPECT_EQ(options.data_dir, "/srv/b");
  EXPECT_EQ(options.retention.max_age_ns, int64_t{7} * 86'400 * 1'000'000'000);
}

TEST(CollectorOptionsTest, UnknownKeysAndFlagsAreUsageErrors) {
  TempDir dir = std::move(*TempDir::Create());
  std::ofstream(dir / "c.toml") << "colour = \"red\"\n";
  EXPECT_EQ(ExitCode(ParseError({"--config", dir / "c.toml"})), 2);
  EXPECT_EQ(ExitCode(ParseError({"--colour", "red"})), 2);
  EXPECT_EQ(ExitCode(ParseError({"--config", dir / "missing.toml"})), 2);
}

TEST(CollectorOptionsTest, BadValuesNameTheOption) {
  for (const auto& [flag, value] : std::vector<std::pair<std::string, std::string>>{
           {"--listen", "7411"},
           {"--listen", "127.0.0.1:99999"},
           {"--listen", "host:1"},
           {"--retention-age", "soon"},
           {"--retention-age", "99999999999999999999d"},
           {"--retention-bytes", "-1"},
           {"--max-message", "1GiB"},
           {"--log-level", "loud"}}) {
    const Error error = ParseError({flag, value});
    EXPECT_EQ(error.kind, ErrorKind::kInvalid);
    EXPECT_NE(error.text.find(flag), std::string::npos) << error.text;
    EXPECT_NE(error.text.find(value), std::string::npos) << error.text;
  }
}

TEST(CollectorOptionsTest, WithoutTlsOnlyLoopbackIsListenedOn) {
  EXPECT_NE(ParseError({"--listen", "0.0.0.0:7411"}).text.find("TLS"), std::string::npos);
  EXPECT_NE(ParseError({"--listen", "[::]:7411"}).text.find("TLS"), std::string::npos);
  EXPECT_EQ(Parsed({"--listen", "[::1]:0"}).listen.WithPort(5), "[::1]:5");
  EXPECT_EQ(Parsed({"--listen", "localhost:7"}).listen.WithPort(7), "127.0.0.1:7");
}

}  // namespace
}  // namespace hotlatch::collector

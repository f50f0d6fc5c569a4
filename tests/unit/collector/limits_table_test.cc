// proto/README.md promises the numbers the check enforces.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "collector/ingest/check.h"

namespace hotlatch::collector {
namespace {

TEST(LimitsTableTest, TheDocumentHasTheNumbersOfTheCheck) {
  const std::vector<std::pair<std::string, int64_t>> limits = {
      {"kMaxWindowNs", kMaxWindowNs},
      {"kEarliestUnixNs", kEarliestUnixNs},
      {"kLatestUnixNs", kLatestUnixNs},
      {"kMaxNameBytes", kMaxNameBytes},
      {"kMaxStringBytes", kMaxStringBytes},
      {"kMaxStrings", kMaxStrings},
      {"kMaxModules", kMaxModules},
      {"kMaxFrames", kMaxFrames},
      {"kMaxStacks", kMaxStacks},
      {"kMaxStackDepth", kMaxStackDepth},
      {"kMaxDims", kMaxDims},
      {"kMaxProfiles", kMaxProfiles},
      {"kMaxTables", kMaxTables},
      {"kMaxColumns", kMaxColumns},
      {"kMaxRows", kMaxRows},
      {"kMaxFacts", kMaxFacts},
      {"kMaxFidelityEntries", kMaxFidelityEntries},
      {"kMaxNode", kMaxNode}};
  std::vector<std::string> lines;
  std::ifstream in(std::string(HOTLATCH_SOURCE_DIR) + "/proto/README.md");
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  for (const auto& [name, value] : limits) {
    bool found = false;
    for (const std::string& line : lines) {
      found = found || (line.find("`" + name + "`") != std::string::npos &&
                        line.find("| " + std::to_string(value) + " |") != std::string::npos);
    }
    EXPECT_TRUE(found) << name << " " << value;
  }
}

}  // namespace
}  // namespace hotlatch::collector

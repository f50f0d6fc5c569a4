// Replays tests/fuzz/corpus/window, and mutations of whole windows from fixed seeds.
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/window_target.h"
#include "tests/unit/collector/window_builder.h"

namespace hotlatch::collector {
namespace {

namespace fs = std::filesystem;

std::string Bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Mutated(std::string bytes, std::mt19937& random) {
  for (unsigned change = 0; change <= random() % 4; ++change) {
    const size_t at = random() % bytes.size();
    switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << (random() % 8)));
        break;
      case 2:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      default:
        bytes.erase(at, 1);
        break;
    }
  }
  return bytes;
}

class WindowCorpusTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { google::protobuf::SetLogHandler(nullptr); }
};

// The file's name begins with the fate it must have: stored-, refused-, garbage-.
TEST_F(WindowCorpusTest, EveryInputMeetsItsFate) {
  const std::map<std::string, WindowFate> fates = {{"stored", WindowFate::kStored},
                                                   {"refused", WindowFate::kRefused},
                                                   {"garbage", WindowFate::kNotAMessage}};
  const fs::path corpus = fs::path(HOTLATCH_SOURCE_DIR) / "tests/fuzz/corpus/window";
  std::map<std::string, int> seen;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    const std::string name = entry.path().filename().string();
    const std::string fate = name.substr(0, name.find('-'));
    ++seen[fate];
    ASSERT_TRUE(fates.count(fate)) << name;
    EXPECT_EQ(TryWindow(Bytes(entry.path())), fates.at(fate)) << name;
  }
  EXPECT_GE(seen["stored"], 4);
  EXPECT_GE(seen["refused"], 20);
  EXPECT_GE(seen["garbage"], 10);
}

TEST_F(WindowCorpusTest, MutatedWindowsAreRefusedOrStoredWhole) {
  const std::string whole = SmallWindow(1).SerializeAsString();
  std::mt19937 random(20240229);
  std::map<WindowFate, int> seen;
  for (int round = 0; round < 3000; ++round) ++seen[TryWindow(Mutated(whole, random))];
  EXPECT_GT(seen[WindowFate::kNotAMessage], 100);
  EXPECT_GT(seen[WindowFate::kRefused], 100);
  EXPECT_GT(seen[WindowFate::kStored], 10);
}

}  // namespace
}  // namespace hotlatch::collector

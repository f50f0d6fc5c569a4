#include "agent/spool/window_file.h"

#include <gtest/gtest.h>

namespace hotlatch::agent {
namespace {

const std::string kSession(32, 'c');

TEST(WindowFile, BodyComesBack) {
  const auto body = DecodeWindowFile(EncodeWindowFile("a window"));
  ASSERT_TRUE(body);
  EXPECT_EQ(*body, "a window");
}

TEST(WindowFile, EveryShorterLengthIsCorrupt) {
  const std::string bytes = EncodeWindowFile("a window");
  for (size_t length = 0; length < bytes.size(); ++length) {
    const auto body = DecodeWindowFile(bytes.substr(0, length));
    ASSERT_FALSE(body) << length;
    EXPECT_EQ(body.error().kind, ErrorKind::kCorrupt);
  }
}

TEST(WindowFile, EveryFlippedBitIsCorrupt) {
  const std::string bytes = EncodeWindowFile("a window");
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string altered = bytes;
    altered[bit / 8] = static_cast<char>(altered[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(DecodeWindowFile(altered)) << bit;
  }
}

TEST(WindowFile, TrailingBytesAreCorrupt) {
  EXPECT_FALSE(DecodeWindowFile(EncodeWindowFile("a window") + "x"));
}

TEST(WindowFile, NameComesBackAndSortsByOrdinalThenSequence) {
  const std::string second = FormatWindowName({2, kSession, 10});
  const std::string tenth = FormatWindowName({10, kSession, 9});
  EXPECT_LT(second, tenth);
  const auto name = ParseWindowName(tenth);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->ordinal, 10U);
  EXPECT_EQ(name->session_id, kSession);
  EXPECT_EQ(name->sequence, 9U);
}

TEST(WindowFile, ForeignNamesAreNotParsed) {
  const std::string digits(20, '1');
  for (const std::string& name :
       {std::string(""), std::string(".window"), std::string("a-b-c.window"), digits + ".window",
        digits + "-" + digits + ".window", digits + "--" + digits + ".window",
        digits + "-../x-" + digits + ".window", digits + "-" + kSession + "-1.window",
        std::string(20, '9') + "-" + kSession + "-" + digits + ".window",
        digits + "-" + kSession + "-" + digits}) {
    EXPECT_FALSE(ParseWindowName(name)) << name;
  }
}

}  // namespace
}  // namespace hotlatch::agent

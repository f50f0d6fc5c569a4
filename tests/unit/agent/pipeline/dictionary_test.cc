#include "agent/pipeline/dictionary.h"

#include <gtest/gtest.h>

#include <array>

namespace hotlatch::agent {
namespace {

TEST(CleanText, ControlCharactersAndBrokenUtf8AreEscaped) {
  EXPECT_EQ(CleanText("a\nb\x1b[31m", 100), "a\\x0ab\\x1b[31m");
  EXPECT_EQ(CleanText("\x7f", 100), "\\x7f");
  EXPECT_EQ(CleanText("\xc3\xa9", 100), "\xc3\xa9");
  EXPECT_EQ(CleanText("\xc3", 100), "\\xc3");                    // cut short
  EXPECT_EQ(CleanText("\xc0\xaf", 100), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(CleanText("\xed\xa0\x80", 100), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(CleanText("\xc2\x9b", 100),
            "\\xc2\\x9b");  // C1: a terminal's control sequence introducer
  EXPECT_EQ(CleanText("\xf5\x80\x80\x80", 100), "\\xf5\\x80\\x80\\x80");
}

TEST(CleanText, IsCutAtWholeCharacters) {
  const std::string text = CleanText(std::string(50, 'x') + "\xe2\x82\xac\xe2\x82\xac", 54);
  EXPECT_LE(text.size(), 54U);
  EXPECT_EQ(text.substr(0, 50), std::string(50, 'x'));
  EXPECT_NE(static_cast<unsigned char>(text.back()), 0xe2);
}

TEST(DictionaryBuilder, EverythingIsStoredOnceAndIndexZeroIsEmpty) {
  v1::Dictionary dictionary;
  DictionaryBuilder builder(&dictionary);
  EXPECT_EQ(dictionary.strings(0), "");
  EXPECT_EQ(dictionary.stack_depth(0), 0U);
  const uint32_t libc = builder.Module("/lib/libc.so.6", "abcd");
  EXPECT_EQ(builder.Module("/lib/libc.so.6", "abcd"), libc);
  EXPECT_NE(builder.Module("/lib/libc.so.6", "ffff"), libc);
  const uint32_t poll = builder.Frame("poll", libc, 16, v1::FRAME_KIND_USER);
  EXPECT_EQ(builder.Frame("poll", libc, 16, v1::FRAME_KIND_USER), poll);
  EXPECT_NE(builder.Frame("poll", libc, 20, v1::FRAME_KIND_USER), poll);
  const std::array frames = {poll, poll};
  const uint32_t stack = builder.Stack(frames, v1::STACK_FLAG_NONE);
  EXPECT_EQ(builder.Stack(frames, v1::STACK_FLAG_NONE), stack);
  EXPECT_NE(builder.Stack(frames, v1::STACK_FLAG_TRUNCATED), stack);
  EXPECT_EQ(builder.Stack({}, v1::STACK_FLAG_NONE), 0U);
  const uint32_t dims = builder.Dimensions({"postgres", "", "", "", 1});
  EXPECT_EQ(builder.Dimensions({"postgres", "", "", "", 1}), dims);
  EXPECT_NE(builder.Dimensions({"postgres", "", "", "", 0}), dims);
}

TEST(DictionaryBuilder, TextsThatBecomeEqualByCleaningShareAnIndex) {
  v1::Dictionary dictionary;
  DictionaryBuilder builder(&dictionary);
  EXPECT_EQ(builder.String("a\n"), builder.String("a\\x0a"));
}

}  // namespace
}  // namespace hotlatch::agent

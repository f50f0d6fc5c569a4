#include "collector/cli/format.h"

#include <gtest/gtest.h>

#include "collector/cli/screen.h"
#include "collector/cli/text_table.h"

namespace hotlatch::collector {
namespace {

TEST(Format, ControlCharactersAndBrokenUtf8AreEscaped) {
  EXPECT_EQ(Escaped("postgres: walsender"), "postgres: walsender");
  EXPECT_EQ(Escaped("\x1b[31mred\n\t"), "\\x1b[31mred\\x0a\\x09");
  EXPECT_EQ(Escaped(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Escaped("\x7f"), "\\x7f");
  EXPECT_EQ(Escaped("\xc2\x9b"), "\\xc2\\x9b");  // C1: a CSI of its own
  EXPECT_EQ(Escaped("\xe2\x80\xae"
                    "evil"),
            "\\xe2\\x80\\xaeevil");  // right-to-left override
  EXPECT_EQ(Escaped("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(Escaped("\xc0\xaf"), "\\xc0\\xaf");  // overlong
  EXPECT_EQ(Escaped("Größe 数"), "Größe 数");
}

TEST(Format, WidthCountsCharactersAndCutsKeepThemWhole) {
  EXPECT_EQ(DisplayWidth("Größe"), 5U);
  EXPECT_EQ(Fitted("Größe", 5), "Größe");
  EXPECT_EQ(Fitted("Größer", 5), "Größ…");
  EXPECT_EQ(Fitted("anything", 0), "anything");
  EXPECT_EQ(Fitted("ab", 1), "…");
  EXPECT_EQ(PadLeft("µs", 4), "  µs");
  EXPECT_EQ(PadRight("µs", 4), "µs  ");
}

TEST(Format, NumbersKeepThreeDigitsAndTheirUnit) {
  EXPECT_EQ(HumanCount(0), "0");
  EXPECT_EQ(HumanCount(1234567), "1 234 567");
  EXPECT_EQ(HumanDuration(0), "0 ns");
  EXPECT_EQ(HumanDuration(999), "999 ns");
  EXPECT_EQ(HumanDuration(1230), "1.23 µs");
  EXPECT_EQ(HumanDuration(12'340'000), "12.3 ms");
  EXPECT_EQ(HumanDuration(999'960'000), "1.00 s");
  EXPECT_EQ(HumanDuration(123'400'000'000), "123 s");
  EXPECT_EQ(HumanDuration(1'234'500'000'000), "1 235 s");
  EXPECT_EQ(HumanDuration(UINT64_MAX), "18 446 744 074 s");
  EXPECT_EQ(HumanBytes(1023), "1023 B");
  EXPECT_EQ(HumanBytes(1536), "1.50 KiB");
  EXPECT_EQ(HumanValue(1000, "ns"), "1.00 µs");
  EXPECT_EQ(HumanValue(1000, "count"), "1 000");
}

TEST(Format, RatesDivideByTheTimeCovered) {
  EXPECT_EQ(HumanRate(20'000'000'000, "ns", 10'000'000'000), "2.00 s/s");
  EXPECT_EQ(HumanRate(5, "count", 10'000'000'000), "0.5/s");
  EXPECT_EQ(HumanRate(12'345'678, "count", 10'000'000'000), "1 234 568/s");
  EXPECT_EQ(HumanRate(5, "count", 0), "-");
}

TEST(Format, SharesOfNothingAreNoNumber) {
  EXPECT_EQ(HumanPercent(1, 3), "33.33%");
  EXPECT_EQ(HumanPercent(3, 3), "100.0%");
  EXPECT_EQ(HumanPercent(0, 0), "-");
}

TEST(Format, CsvFieldsAreQuotedAndOneLine) {
  EXPECT_EQ(CsvField("client backend"), "client backend");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(CsvField("two\nlines"), "two\\x0alines");
}

TEST(Screen, ColoursAreOnlyThereWhenAskedFor) {
  EXPECT_EQ((Screen{false, 0}).Painted("x", Paint::kBold), "x");
  EXPECT_EQ((Screen{true, 0}).Painted("x", Paint::kBold), "\x1b[1mx\x1b[0m");
  EXPECT_FALSE(ScreenFor(-1, ColorMode::kAuto, 0).color);  // no terminal
  EXPECT_TRUE(ScreenFor(-1, ColorMode::kAlways, 0).color);
  EXPECT_EQ(ScreenFor(-1, ColorMode::kAuto, 0).width, 0U);
  EXPECT_EQ(ScreenFor(-1, ColorMode::kAuto, 44).width, 44U);
}

TEST(TextTable, ColumnsAlignAndLinesFitTheScreen) {
  TextTable table({{"name"}, {"n", true}, {"title"}});
  table.AddRow({"µ", "7", "short"});
  table.AddRow({"longer", "1 000", "a long title that is cut"});
  EXPECT_EQ(table.Render({}),
            "name        n  title\n"
            "µ           7  short\n"
            "longer  1 000  a long title that is cut\n");
  EXPECT_EQ(table.Render({false, 22}),
            "name        n  title\n"
            "µ           7  short\n"
            "longer  1 000  a long…\n");
}

}  // namespace
}  // namespace hotlatch::collector

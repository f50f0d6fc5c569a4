#include "collector/cli/time_parse.h"

#include <gtest/gtest.h>

namespace hotlatch::collector {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(TimeParse, UtcZoneAndFractionAreExact) {
  EXPECT_EQ(ParseTime("1970-01-01T00:00:01Z")->ns, kSecond);
  EXPECT_EQ(ParseTime("2026-01-31T12:00:00Z")->ns, 1769860800 * kSecond);
  EXPECT_EQ(ParseTime("2026-01-31T13:30:00+01:30")->ns, 1769860800 * kSecond);
  EXPECT_EQ(ParseTime("2026-01-31T07:00:00-05:00")->ns, 1769860800 * kSecond);
  EXPECT_EQ(ParseTime("2026-01-31T12:00:00.000000001Z")->ns, 1769860800 * kSecond + 1);
  EXPECT_EQ(ParseTime("2026-01-31T12:00:00.25Z")->ns, 1769860800 * kSecond + kSecond / 4);
  EXPECT_FALSE(ParseTime("2026-01-31T12:00:00Z")->relative);
}

TEST(TimeParse, OffsetsAndNowAreRelativeToAnAnchor) {
  EXPECT_EQ(ParseTime("-15m")->ns, -900 * kSecond);
  EXPECT_EQ(ParseTime("-2h30m")->ns, -9000 * kSecond);
  EXPECT_EQ(ParseTime("-90s")->ns, -90 * kSecond);
  EXPECT_EQ(ParseTime("-1d")->ns, -86400 * kSecond);
  EXPECT_TRUE(ParseTime("now")->relative);
  EXPECT_EQ(ParseTime("-90s")->Resolve(100 * kSecond), 10 * kSecond);
  EXPECT_EQ(ParseTime("1970-01-01T00:00:01Z")->Resolve(100 * kSecond), kSecond);
}

TEST(TimeParse, WhatIsNoTimeIsRefusedWithTheForms) {
  for (const char* bad : {"",
                          "-",
                          "15m",
                          "-m",
                          "-15",
                          "-15x",
                          "-30m2h",
                          "-1h1h",
                          "-99999999999s",
                          "yesterday",
                          "2026-01-31",
                          "2026-01-31T12:00:00",
                          "2026-13-01T00:00:00Z",
                          "2026-02-30T10:00:00Z",
                          "2026-02-31T00:00:00Z",
                          "2026-01-31T24:00:00Z",
                          "2026-01-31T12:00:00.Z",
                          "2026-01-31T12:00:00.1234567890Z",
                          "2026-01-31T12:00:00Zx",
                          "2026-01-31T12:00:00+1:00",
                          "1969-12-31T23:59:59Z",
                          "2400-01-01T00:00:00Z",
                          "1970-01-01T00:00:00+01:00"}) {
    const auto time = ParseTime(bad);
    ASSERT_FALSE(time) << bad;
    EXPECT_EQ(time.error().kind, ErrorKind::kInvalid);
    EXPECT_NE(time.error().text.find("-15m"), std::string::npos) << time.error().text;
  }
  EXPECT_TRUE(ParseTime("2024-02-29T00:00:00Z"));
}

TEST(TimeParse, FormattedTimeReadsBackTheSame) {
  for (const int64_t ns :
       {int64_t{0}, kSecond, 1769860800 * kSecond + 1, 1769860800 * kSecond + 250'000'000}) {
    EXPECT_EQ(ParseTime(FormatTime(ns))->ns, ns) << FormatTime(ns);
  }
  EXPECT_EQ(FormatTime(1769860800 * kSecond), "2026-01-31T12:00:00Z");
  EXPECT_EQ(FormatTime(1769860800 * kSecond + 250'000'000), "2026-01-31T12:00:00.25Z");
  EXPECT_EQ(FormatTimeMs(1769860800 * kSecond + 250'999'999), "2026-01-31T12:00:00.25Z");
}

}  // namespace
}  // namespace hotlatch::collector

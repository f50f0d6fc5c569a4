#include "collector/cli/time_parse.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdint>
#include <ctime>
#include <string_view>

namespace hotlatch::collector {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
// The longest offset: about 100 years, so that sums stay inside int64_t.
constexpr int64_t kMaxOffsetSeconds = int64_t{100} * 366 * 86400;

Error BadTime(const std::string& text) {
  return MakeError(ErrorKind::kInvalid,
                   "time '" + text + "': use 2026-01-31T12:00:00Z, -15m, -2h30m, -90s or now");
}

// Takes exactly `digits` digits off the front; -1 when they are not there.
int TakeNumber(std::string_view* text, size_t digits) {
  if (text->size() < digits) return -1;
  int value = 0;
  for (size_t i = 0; i < digits; ++i) {
    const char c = (*text)[i];
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  text->remove_prefix(digits);
  return value;
}

bool TakeChar(std::string_view* text, std::string_view any_of) {
  if (text->empty() || any_of.find(text->front()) == std::string_view::npos) return false;
  text->remove_prefix(1);
  return true;
}

// [.digits], at most nanoseconds.
bool TakeFraction(std::string_view* text, int64_t* ns) {
  *ns = 0;
  if (!TakeChar(text, ".")) return true;
  int64_t scale = kSecondNs;
  size_t digits = 0;
  while (!text->empty() && std::isdigit(static_cast<unsigned char>(text->front())) != 0) {
    scale /= 10;
    *ns += (text->front() - '0') * scale;
    text->remove_prefix(1);
    if (++digits > 9) return false;
  }
  return digits > 0;
}

// Z or +hh:mm; seconds east of UTC.
bool TakeZone(std::string_view* text, int64_t* east_seconds) {
  *east_seconds = 0;
  if (TakeChar(text, "Zz")) return true;
  if (text->empty() || (text->front() != '+' && text->front() != '-')) return false;
  const int64_t sign = text->front() == '+' ? 1 : -1;
  text->remove_prefix(1);
  const int hours = TakeNumber(text, 2);
  if (hours < 0 || hours > 23 || !TakeChar(text, ":")) return false;
  const int minutes = TakeNumber(text, 2);
  if (minutes < 0 || minutes > 59) return false;
  *east_seconds = sign * (hours * 3600 + minutes * 60);
  return true;
}

bool TakeDateTime(std::string_view* text, std::tm* when) {
  const int year = TakeNumber(text, 4);
  if (!TakeChar(text, "-")) return false;
  const int month = TakeNumber(text, 2);
  if (!TakeChar(text, "-")) return false;
  const int day = TakeNumber(text, 2);
  if (!TakeChar(text, "Tt ")) return false;
  const int hour = TakeNumber(text, 2);
  if (!TakeChar(text, ":")) return false;
  const int minute = TakeNumber(text, 2);
  if (!TakeChar(text, ":")) return false;
  const int second = TakeNumber(text, 2);
  // int64_t nanoseconds end in April 2262.
  if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  when->tm_year = year - 1900;
  when->tm_mon = month - 1;
  when->tm_mday = day;
  when->tm_hour = hour;
  when->tm_min = minute;
  when->tm_sec = second;
  return true;
}

Result<TimePoint> ParseAbsolute(const std::string& text) {
  std::string_view rest = text;
  std::tm when{};
  int64_t fraction_ns = 0;
  int64_t east_seconds = 0;
  if (!TakeDateTime(&rest, &when) || !TakeFraction(&rest, &fraction_ns) ||
      !TakeZone(&rest, &east_seconds) || !rest.empty()) {
    return BadTime(text);
  }
  // timegm turns 31 February into March; a leap second alone may move the day.
  const int month = when.tm_mon;
  const bool leap_second = when.tm_sec == 60;
  const int64_t seconds = timegm(&when);
  if (when.tm_mon != month && !leap_second) return BadTime(text);
  if (seconds - east_seconds < 0) return BadTime(text);
  return TimePoint{false, (seconds - east_seconds) * kSecondNs + fraction_ns};
}

Result<TimePoint> ParseOffset(const std::string& text) {
  std::string_view rest = text;
  rest.remove_prefix(1);
  int64_t seconds = 0;
  int64_t last_scale = INT64_MAX;  // units must fall: 2h30m, never 30m2h
  while (!rest.empty()) {
    int64_t number = 0;
    size_t digits = 0;
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
      number = number * 10 + (rest.front() - '0');
      rest.remove_prefix(1);
      if (++digits > 10) return BadTime(text);
    }
    if (digits == 0 || rest.empty()) return BadTime(text);
    const char unit = rest.front();
    rest.remove_prefix(1);
    const int64_t scale = unit == 'd'   ? 86400
                          : unit == 'h' ? 3600
                          : unit == 'm' ? 60
                          : unit == 's' ? 1
                                        : 0;
    if (scale == 0 || scale >= last_scale) return BadTime(text);
    last_scale = scale;
    seconds += number * scale;
    if (seconds > kMaxOffsetSeconds) return BadTime(text);
  }
  if (last_scale == INT64_MAX) return BadTime(text);
  return TimePoint{true, -seconds * kSecondNs};
}

}  // namespace

Result<TimePoint> ParseTime(const std::string& text) {
  if (text == "now") return TimePoint{true, 0};
  if (text.size() > 64 || text.empty()) return BadTime(text.substr(0, 64));
  if (text.front() == '-') return ParseOffset(text);
  return ParseAbsolute(text);
}

std::string FormatTime(int64_t unix_ns) {
  int64_t seconds = unix_ns / kSecondNs;
  int64_t ns = unix_ns % kSecondNs;
  if (ns < 0) {
    ns += kSecondNs;
    --seconds;
  }
  const time_t when_seconds = seconds;
  std::tm when{};
  gmtime_r(&when_seconds, &when);
  std::string text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", when.tm_year + 1900, when.tm_mon + 1,
                  when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec);
  if (ns != 0) {
    std::string fraction = fmt::format("{:09}", ns);
    while (fraction.back() == '0') fraction.pop_back();
    text += "." + fraction;
  }
  return text + "Z";
}

std::string FormatTimeMs(int64_t unix_ns) {
  constexpr int64_t kMillisecondNs = 1'000'000;
  return FormatTime(unix_ns / kMillisecondNs * kMillisecondNs);
}

}  // namespace hotlatch::collector

#include "collector/cli/format.h"

#include <fmt/format.h>

#include <array>

namespace hotlatch::collector {
namespace {

// Length of the valid UTF-8 sequence at the front of text and its code point; 0 when there is none.
size_t DecodeUtf8(std::string_view text, uint32_t* code) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  size_t length = 0;
  if (first < 0x80) {
    *code = first;
    return 1;
  }
  if (first >= 0xc2 && first <= 0xdf) length = 2;
  if (first >= 0xe0 && first <= 0xef) length = 3;
  if (first >= 0xf0 && first <= 0xf4) length = 4;
  if (length == 0 || text.size() < length) return 0;
  *code = first & (0xffU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return 0;
    *code = (*code << 6U) | (byte(i) & 0x3fU);
  }
  const bool overlong = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
  const bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
  return overlong || surrogate || *code > 0x10ffff ? 0 : length;
}

// What can move the cursor, change colours or reorder a line.
bool IsUnsafe(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || (code >= 0x200e && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

struct Scale {
  double factor;
  const char* name;
};

// Three significant digits.
std::string Scaled(double value, const char* name) {
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, digits, name);
}

}  // namespace

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = DecodeUtf8(text, &code);
    const size_t taken = length == 0 ? 1 : length;
    if (length == 0 || IsUnsafe(code)) {
      for (size_t i = 0; i < taken; ++i) {
        out += fmt::format("\\x{:02x}", static_cast<uint8_t>(text[i]));
      }
    } else {
      out.append(text.substr(0, taken));
    }
    text.remove_prefix(taken);
  }
  return out;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (const char c : text) {
    if ((static_cast<uint8_t>(c) & 0xc0U) != 0x80U) ++width;
  }
  return width;
}

std::string Fitted(std::string_view text, size_t width) {
  if (width == 0 || DisplayWidth(text) <= width) return std::string(text);
  size_t columns = 0;
  size_t end = 0;
  while (end < text.size()) {
    const bool starts = (static_cast<uint8_t>(text[end]) & 0xc0U) != 0x80U;
    if (starts && ++columns == width) break;
    ++end;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t have = DisplayWidth(text);
  return std::string(have < width ? width - have : 0, ' ') + std::string(text);
}

std::string PadRight(std::string_view text, size_t width) {
  const size_t have = DisplayWidth(text);
  return std::string(text) + std::string(have < width ? width - have : 0, ' ');
}

std::string HumanCount(uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) out += ' ';
    out += digits[i];
  }
  return out;
}

std::string HumanDuration(uint64_t ns) {
  constexpr std::array<Scale, 3> kScales = {{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}}};
  if (ns >= 1'000'000'000'000) {
    const uint64_t half_up = ns % 1'000'000'000 >= 500'000'000 ? 1 : 0;
    return HumanCount(ns / 1'000'000'000 + half_up) + " s";
  }
  const auto value = static_cast<double>(ns);
  for (const Scale& scale : kScales) {
    if (value >= scale.factor * 0.9995) return Scaled(value / scale.factor, scale.name);
  }
  return std::to_string(ns) + " ns";
}

std::string HumanBytes(uint64_t bytes) {
  constexpr std::array<Scale, 4> kScales = {
      {{1099511627776.0, "TiB"}, {1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}}};
  const auto value = static_cast<double>(bytes);
  for (const Scale& scale : kScales) {
    if (value >= scale.factor) return Scaled(value / scale.factor, scale.name);
  }
  return std::to_string(bytes) + " B";
}

std::string HumanValue(uint64_t value, std::string_view unit) {
  if (unit == "ns") return HumanDuration(value);
  if (unit == "bytes") return HumanBytes(value);
  return HumanCount(value);
}

std::string HumanRate(uint64_t value, std::string_view unit, uint64_t covered_ns) {
  if (covered_ns == 0) return "-";
  const double per_second = static_cast<double>(value) * 1e9 / static_cast<double>(covered_ns);
  if ((unit == "ns" || unit == "bytes") && per_second < 1.8e19) {
    return HumanValue(static_cast<uint64_t>(per_second + 0.5), unit) + "/s";
  }
  if (per_second > 0 && per_second < 99.95) return fmt::format("{:.1f}/s", per_second);
  return per_second < 1.8e19 ? HumanCount(static_cast<uint64_t>(per_second + 0.5)) + "/s"
                             : fmt::format("{:.3g}/s", per_second);
}

std::string HumanPercent(uint64_t part, uint64_t whole) {
  if (whole == 0) return "-";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return fmt::format("{:.{}f}%", percent, percent < 99.995 ? 2 : percent < 999.95 ? 1 : 0);
}

std::string CsvField(std::string_view text) {
  const std::string safe = Escaped(text);
  if (safe.find_first_of(",\"") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace hotlatch::collector

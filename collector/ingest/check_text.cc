#include "collector/ingest/check_text.h"

#include <array>
#include <cstdio>

namespace hotlatch::collector {
namespace {

struct Decoded {
  uint32_t code_point = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

// Shortest form only, no surrogates, nothing above U+10FFFF.
Decoded DecodeOne(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
  uint32_t code_point = first & (0xffU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code_point = (code_point << 6) | (byte(i) & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < kLeast.at(size) || code_point > 0x10ffff) return {};
  if (code_point >= 0xd800 && code_point < 0xe000) return {};
  return {code_point, size};
}

bool IsControl(uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
}

}  // namespace

Error FieldError(const std::string& field, int64_t index, const std::string& reason) {
  const std::string brackets = index < 0 ? "" : "[" + std::to_string(index) + "]";
  return MakeError(ErrorKind::kInvalid, field + brackets + ": " + reason);
}

Result<void> CheckText(std::string_view text, size_t max_bytes, const std::string& field,
                       int64_t index) {
  if (text.size() > max_bytes) {
    return FieldError(
        field, index,
        std::to_string(text.size()) + " bytes, more than " + std::to_string(max_bytes));
  }
  while (!text.empty()) {
    const Decoded decoded = DecodeOne(text);
    if (decoded.bytes == 0) return FieldError(field, index, "not valid UTF-8");
    if (IsControl(decoded.code_point)) {
      std::array<char, 16> code{};
      std::snprintf(code.data(), code.size(), "U+%04X", decoded.code_point);
      return FieldError(field, index, std::string("control character ") + code.data());
    }
    text.remove_prefix(decoded.bytes);
  }
  return {};
}

Result<void> CheckName(std::string_view text, size_t max_bytes, const std::string& field,
                       int64_t index) {
  if (text.empty()) return FieldError(field, index, "empty");
  return CheckText(text, max_bytes, field, index);
}

Result<void> CheckCount(int64_t count, int64_t most, const std::string& field) {
  if (count <= most) return {};
  return FieldError(field, -1,
                    std::to_string(count) + " entries, more than " + std::to_string(most));
}

}  // namespace hotlatch::collector

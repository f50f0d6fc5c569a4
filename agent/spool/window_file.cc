#include "agent/spool/window_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <charconv>

namespace hotlatch::agent {
namespace {

constexpr std::string_view kMagic("HLWIN\r\n\0", 8);
constexpr uint32_t kVersionOne = 1;
constexpr std::string_view kSuffix = ".window";
constexpr size_t kDigits = 20;
constexpr size_t kMaxSessionDigits = 64;

template <typename T>
void PutLittleEndian(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

template <typename T>
T GetLittleEndian(std::string_view bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  return value;
}

uint32_t Crc32(std::string_view bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::optional<uint64_t> ParsePadded(std::string_view digits) {
  uint64_t value = 0;
  if (digits.size() != kDigits) return std::nullopt;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string FormatWindowName(const WindowName& name) {
  return fmt::format("{:020}-{}-{:020}{}", name.ordinal, name.session_id, name.sequence, kSuffix);
}

std::optional<WindowName> ParseWindowName(std::string_view file_name) {
  if (!file_name.ends_with(kSuffix)) return std::nullopt;
  file_name.remove_suffix(kSuffix.size());
  const size_t first = file_name.find('-');
  const size_t last = file_name.rfind('-');
  if (first == std::string_view::npos || first == last) return std::nullopt;
  const auto ordinal = ParsePadded(file_name.substr(0, first));
  const auto sequence = ParsePadded(file_name.substr(last + 1));
  const std::string_view session = file_name.substr(first + 1, last - first - 1);
  const bool session_ok = !session.empty() && session.size() <= kMaxSessionDigits &&
                          session.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  if (!ordinal || !sequence || !session_ok) return std::nullopt;
  return WindowName{*ordinal, std::string(session), *sequence};
}

std::string EncodeWindowFile(std::string_view body) {
  std::string out;
  out.reserve(kWindowHeaderBytes + body.size());
  out += kMagic;
  PutLittleEndian<uint32_t>(out, kVersionOne);
  PutLittleEndian<uint32_t>(out, Crc32(body));
  PutLittleEndian<uint64_t>(out, body.size());
  out += body;
  return out;
}

Result<std::string> DecodeWindowFile(std::string_view bytes) {
  if (bytes.size() < kWindowHeaderBytes || !bytes.starts_with(kMagic)) {
    return MakeError(ErrorKind::kCorrupt, "no window header");
  }
  const auto version = GetLittleEndian<uint32_t>(bytes.substr(8));
  if (version != kVersionOne) {
    return MakeError(ErrorKind::kCorrupt, fmt::format("window version {} is not known", version));
  }
  const std::string_view body = bytes.substr(kWindowHeaderBytes);
  const auto length = GetLittleEndian<uint64_t>(bytes.substr(16));
  if (length != body.size()) {
    return MakeError(ErrorKind::kCorrupt, fmt::format("torn: {} bytes of {}", body.size(), length));
  }
  if (Crc32(body) != GetLittleEndian<uint32_t>(bytes.substr(12))) {
    return MakeError(ErrorKind::kCorrupt, "checksum differs");
  }
  return std::string(body);
}

}  // namespace hotlatch::agent

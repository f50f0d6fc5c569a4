#include "agent/base/units.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace hotlatch {
namespace {

struct Unit {
  std::string_view suffix;
  uint64_t factor;
};

constexpr std::array<Unit, 6> kTimes{{{"ms", 1'000'000},
                                      {"s", 1'000'000'000},
                                      {"m", 60'000'000'000},
                                      {"h", 3'600'000'000'000},
                                      {"d", 86'400'000'000'000},
                                      {"", 1'000'000'000}}};
constexpr std::array<Unit, 9> kSizes{{{"TiB", 1ULL << 40},
                                      {"KiB", 1 << 10},
                                      {"MiB", 1 << 20},
                                      {"GiB", 1 << 30},
                                      {"KB", 1000},
                                      {"MB", 1'000'000},
                                      {"GB", 1'000'000'000},
                                      {"B", 1},
                                      {"", 1}}};

std::optional<uint64_t> ParseWhole(std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> ParseWithUnit(std::string_view text, std::span<const Unit> units) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = ParseWhole(text.substr(0, digits));
  if (!number) return std::nullopt;
  for (const Unit& unit : units) {
    if (text.substr(digits) != unit.suffix) continue;
    // Durations are signed: half of the range is enough for both.
    if (*number > std::numeric_limits<int64_t>::max() / unit.factor) return std::nullopt;
    return *number * unit.factor;
  }
  return std::nullopt;
}

Error Invalid(std::string_view text, std::string_view expected) {
  return MakeError(ErrorKind::kInvalid, fmt::format("'{}': expected {}", text, expected));
}

bool IsHostName(std::string_view host) {
  return !host.empty() && host.size() <= 253 &&
         host.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") ==
             std::string_view::npos;
}

bool IsLoopback(const std::string& host) {
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  return host == "localhost";
}

}  // namespace

Result<std::chrono::nanoseconds> ParseDuration(std::string_view text) {
  const auto value = ParseWithUnit(text, kTimes);
  if (!value) return Invalid(text, "a duration as 10s, 500ms, 1m or 30d");
  return std::chrono::nanoseconds(static_cast<int64_t>(*value));
}

Result<uint64_t> ParseBytes(std::string_view text) {
  const auto value = ParseWithUnit(text, kSizes);
  if (!value) return Invalid(text, "a size as 256MiB or 1GiB");
  return *value;
}

Result<uint64_t> ParseNumber(std::string_view text, uint64_t min, uint64_t max) {
  const auto value = ParseWhole(text);
  if (!value || *value < min || *value > max) {
    return Invalid(text, fmt::format("a whole number from {} to {}", min, max));
  }
  return *value;
}

std::string Address::WithPort(int other_port) const {
  const bool v6 = host.find(':') != std::string::npos;
  return fmt::format("{}:{}", v6 ? "[" + host + "]" : host, other_port);
}

Result<Address> ParseAddress(std::string_view text, uint16_t lowest_port) {
  constexpr std::string_view kExpected = "HOST:PORT as 127.0.0.1:7411 or [::1]:7411";
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Invalid(text, kExpected);
  const auto port = ParseWhole(text.substr(colon + 1));
  if (!port || *port < lowest_port || *port > 65535) return Invalid(text, kExpected);
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (bracketed) host = host.substr(1, host.size() - 2);
  Address address{std::string(host), static_cast<uint16_t>(*port), false, bracketed};
  in6_addr v6{};
  in_addr v4{};
  const bool usable =
      bracketed ? inet_pton(AF_INET6, address.host.c_str(), &v6) == 1 : IsHostName(host);
  if (!usable) return Invalid(text, kExpected);
  if (inet_pton(AF_INET, address.host.c_str(), &v4) == 1) address.literal = true;
  address.loopback = IsLoopback(address.host);
  return address;
}

}  // namespace hotlatch

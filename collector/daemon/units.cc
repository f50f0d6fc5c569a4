// Ages, sizes and addresses as users write them.
#include <arpa/inet.h>

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

#include "collector/daemon/options.h"

namespace hotlatch::collector {
namespace {

struct Unit {
  std::string_view suffix;
  uint64_t factor;
};

constexpr std::array<Unit, 4> kAges{{{"s", 1'000'000'000},
                                     {"m", 60'000'000'000},
                                     {"h", 3'600'000'000'000},
                                     {"d", 86'400'000'000'000}}};
constexpr std::array<Unit, 8> kSizes{{{"KiB", 1 << 10},
                                      {"MiB", 1 << 20},
                                      {"GiB", 1 << 30},
                                      {"TiB", 1ULL << 40},
                                      {"KB", 1000},
                                      {"MB", 1'000'000},
                                      {"GB", 1'000'000'000},
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
  if (*number == 0 && digits == text.size()) return 0;
  for (const Unit& unit : units) {
    if (text.substr(digits) != unit.suffix) continue;
    if (*number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / unit.factor) {
      return std::nullopt;
    }
    return *number * unit.factor;
  }
  return std::nullopt;
}

Error Expected(std::string_view text, const char* what) {
  return MakeError(ErrorKind::kInvalid, "'" + std::string(text) + "': expected " + what);
}

}  // namespace

Result<int64_t> ParseAgeNs(std::string_view text) {
  const auto value = ParseWithUnit(text, kAges);
  if (!value) return Expected(text, "an age as 30d, 12h, 45m or 10s; 0 for no limit");
  return static_cast<int64_t>(*value);
}

Result<uint64_t> ParseSizeBytes(std::string_view text) {
  const auto value = ParseWithUnit(text, kSizes);
  if (!value) return Expected(text, "a size as 10GiB or 512MiB");
  return *value;
}

std::string ListenAddress::Text(int real_port) const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(real_port);
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  constexpr char kForm[] = "ADDRESS:PORT as 127.0.0.1:7411 or [::1]:7411";
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return Expected(text, kForm);
  const auto port = ParseWhole(text.substr(colon + 1));
  if (!port || *port > 65535) return Expected(text, kForm);
  std::string host(text.substr(0, colon));
  if (host == "localhost") host = "127.0.0.1";
  ListenAddress address;
  address.port = static_cast<uint16_t>(*port);
  in_addr v4{};
  in6_addr v6{};
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    address.host = host.substr(1, host.size() - 2);
    if (inet_pton(AF_INET6, address.host.c_str(), &v6) != 1) return Expected(text, kForm);
    address.loopback = IN6_IS_ADDR_LOOPBACK(&v6);
    return address;
  }
  if (inet_pton(AF_INET, host.c_str(), &v4) != 1) return Expected(text, kForm);
  address.host = host;
  address.loopback = (ntohl(v4.s_addr) >> 24) == 127;
  return address;
}

}  // namespace hotlatch::collector

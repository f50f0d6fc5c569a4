// Durations, sizes and addresses as users write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/base/result.h"

namespace hotlatch {

// "10s", "500ms", "45m", "12h", "30d"; a bare number is seconds.
Result<std::chrono::nanoseconds> ParseDuration(std::string_view text);

// "256MiB", "64KiB", "1GiB", "2TiB", powers of 1000 as "10MB"; a bare number is bytes.
Result<uint64_t> ParseBytes(std::string_view text);

// A whole number from min to max.
Result<uint64_t> ParseNumber(std::string_view text, uint64_t min, uint64_t max);

struct Address {
  std::string host;  // without brackets
  uint16_t port = 0;
  bool loopback = false;  // 127.0.0.0/8, ::1 or localhost
  bool literal = false;   // of IPv4 or IPv6, not a name

  // With another port, as gRPC and messages have it: 127.0.0.1:7411, [::1]:7411.
  std::string WithPort(int other_port) const;
};

// "host:port", "127.0.0.1:7411", "[::1]:7411". The host is a name or a literal, never a scheme or path; the
// port is lowest_port or more (0: a listener's "any free one").
Result<Address> ParseAddress(std::string_view text, uint16_t lowest_port = 1);

}  // namespace hotlatch

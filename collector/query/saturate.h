// Sums that stop at the largest number instead of starting again at zero.
#pragma once

#include <cstdint>
#include <limits>

namespace hotlatch::collector {

inline uint64_t SaturatingAdd(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<uint64_t>::max() : sum;
}

inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

// The length of [start, end), 0 when that is empty.
inline uint64_t LengthNs(int64_t start_ns, int64_t end_ns) {
  return end_ns <= start_ns ? 0 : static_cast<uint64_t>(end_ns) - static_cast<uint64_t>(start_ns);
}

inline int64_t ClampToInt64(uint64_t value) {
  constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return static_cast<int64_t>(value > kMax ? kMax : value);
}

}  // namespace hotlatch::collector

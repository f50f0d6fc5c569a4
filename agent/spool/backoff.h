// Waits between attempts: doubling from min to max, each drawn between half and the whole of it, so
// that agents that lost the same collector do not come back in step. Not thread safe.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>

namespace hotlatch::agent {

class Backoff {
 public:
  Backoff(std::chrono::milliseconds min, std::chrono::milliseconds max, uint64_t seed)
      : min_(min), max_(max), next_(min), random_(seed) {}

  std::chrono::milliseconds Next() {
    const std::chrono::milliseconds whole = next_;
    next_ = std::min(max_, next_ * 2);
    std::uniform_int_distribution<int64_t> draw(whole.count() / 2, whole.count());
    return std::chrono::milliseconds(draw(random_));
  }

  void Reset() { next_ = min_; }

 private:
  const std::chrono::milliseconds min_;
  const std::chrono::milliseconds max_;
  std::chrono::milliseconds next_;
  std::mt19937_64 random_;
};

}  // namespace hotlatch::agent

#include "agent/base/clock.h"

#include <ctime>

namespace hotlatch {
namespace {

int64_t ReadNs(clockid_t clock) {
  timespec ts{};
  clock_gettime(clock, &ts);
  return static_cast<int64_t>(ts.tv_sec) * 1'000'000'000 + ts.tv_nsec;
}

}  // namespace

uint64_t MonotonicNs() { return static_cast<uint64_t>(ReadNs(CLOCK_MONOTONIC)); }
int64_t UnixNs() { return ReadNs(CLOCK_REALTIME); }

}  // namespace hotlatch

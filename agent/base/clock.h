// The two clocks of a window. Kernel programs stamp with CLOCK_MONOTONIC (bpf_ktime_get_ns).
#pragma once

#include <cstdint>

namespace hotlatch {

uint64_t MonotonicNs();
int64_t UnixNs();

}  // namespace hotlatch

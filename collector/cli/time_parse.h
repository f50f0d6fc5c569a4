// Points in time as the command line takes and prints them.
#pragma once

#include <cstdint>
#include <string>

#include "agent/base/result.h"

namespace hotlatch::collector {

// What the user wrote: a fixed point, or an offset to an anchor that is known later. The anchor is
// the present for a collector and the end of the data for a recording.
struct TimePoint {
  bool relative = false;
  int64_t ns = 0;  // unix ns when fixed, else ns to add to the anchor (<= 0)

  int64_t Resolve(int64_t anchor_unix_ns) const { return relative ? anchor_unix_ns + ns : ns; }
};

// RFC 3339 (2026-01-31T12:00:00Z, +01:00, fractions up to ns), "now", or a past offset of hours,
// minutes and seconds: -15m, -2h30m, -90s. Years 1970 to 2262. kInvalid with the forms otherwise.
Result<TimePoint> ParseTime(const std::string& text);

// RFC 3339, UTC, with the fraction in full when there is one: 2026-01-31T12:00:00.25Z.
std::string FormatTime(int64_t unix_ns);

// The same cut down to milliseconds, for people.
std::string FormatTimeMs(int64_t unix_ns);

}  // namespace hotlatch::collector

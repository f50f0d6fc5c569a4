// Every rule a window must keep before it is stored. All that comes over the wire is hostile until
// it has passed here. The numbers are also in proto/README.md. Fields this build does not know are
// ignored.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/base/result.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::collector {

inline constexpr int64_t kMaxWindowNs = 120'000'000'000;
inline constexpr int64_t kEarliestUnixNs = 946'684'800'000'000'000;  // 2000-01-01
inline constexpr int64_t kLatestUnixNs = 4'102'444'800'000'000'000;  // 2100-01-01
inline constexpr size_t kMaxNameBytes = 256;                         // labels, names, units
inline constexpr size_t kMaxStringBytes = 4096;                      // all other text
inline constexpr int kMaxStrings = 1 << 19;
inline constexpr int kMaxModules = 1 << 16;
inline constexpr int kMaxFrames = 1 << 19;
inline constexpr int kMaxStacks = 1 << 18;
inline constexpr uint32_t kMaxStackDepth = 1024;
inline constexpr int kMaxDims = 1 << 16;
inline constexpr int kMaxProfiles = 64;
inline constexpr int kMaxTables = 64;
inline constexpr int kMaxColumns = 128;  // of a profile or table
inline constexpr int kMaxRows = 1 << 20;
inline constexpr int kMaxFacts = 1024;
inline constexpr int kMaxFidelityEntries = 4096;  // losses, probes, counters each
inline constexpr int kMaxNode = 4096;

// kInvalid; the text begins with the field's path: "dictionary.frame_module[17]: 99 is beyond the
// 12 modules".
Result<void> CheckWindow(const v1::Window& window);

}  // namespace hotlatch::collector

// The range and labels a command asks for.
#pragma once

#include <cstdint>

#include "agent/base/result.h"
#include "collector/cli/command.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

// What was asked, to be held against what was answered.
struct Asked {
  v1::Selection selection;
  bool from_given = false;
  bool to_given = false;
  // How far behind the asked end live data may end: one window and its delivery. 0 for a recording.
  int64_t slack_ns = 0;
  int64_t now_unix_ns = 0;
};

// --from, --to and --where. Relative times count from now, in a recording from its end (which is
// one question to it). Without times: all of a recording, the last 5 minutes of a collector.
Result<Asked> AskedRange(const CommandContext& context);

}  // namespace hotlatch::collector

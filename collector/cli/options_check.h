// The checks of options that the parser itself cannot make.
#pragma once

#include "agent/base/result.h"
#include "collector/cli/options.h"

namespace hotlatch::collector {

// Fills what derives from text (from, to, window_ns, per_second, by) and refuses what does not fit
// together. Errors are of kind kInvalid and name the flag.
Result<void> CheckOptions(CliOptions* options);

}  // namespace hotlatch::collector

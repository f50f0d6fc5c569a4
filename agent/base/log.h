// Logging to stderr, one line each, key=value. Levels: error = an operator must act; warn = data is
// missing; info = a state changed; debug, trace = for developers. stdout is for data only.
#pragma once

#include <spdlog/spdlog.h>

#include <string>

#include "agent/base/result.h"

namespace hotlatch {

// level: error, warn, info, debug, trace.
Result<void> SetUpLog(const std::string& program, const std::string& level);

}  // namespace hotlatch

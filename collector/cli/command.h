// What every command gets and gives back.
#pragma once

#include <cstdint>
#include <string>

#include "agent/base/result.h"
#include "collector/cli/answerer.h"
#include "collector/cli/options.h"
#include "collector/cli/screen.h"

namespace hotlatch::collector {

// Lives as long as the command runs; owns nothing. Commands print nothing themselves: data goes to
// out, talk (warnings beside machine-readable output) to talk.
struct CommandContext {
  const CliOptions* options = nullptr;
  Answerer* answerer = nullptr;
  Screen screen;
  int64_t now_unix_ns = 0;
  std::string* out = nullptr;
  std::string* talk = nullptr;
};

// The exit code: 0 answered, 3 answered with loss or over part of the range. Errors are 1 or 2 by
// ExitCode(error).
using CommandResult = Result<int>;

CommandResult RunHosts(const CommandContext& context);
CommandResult RunStatus(const CommandContext& context);
CommandResult RunTree(const CommandContext& context);
CommandResult RunSwitches(const CommandContext& context);
CommandResult RunPs(const CommandContext& context);

// Writes to the standard output by itself, screen by screen.
CommandResult RunTop(const CommandContext& context);

// Records; no answerer. Its last line goes to talk.
CommandResult RunRecord(const RecordOptions& options, std::string* talk);

}  // namespace hotlatch::collector

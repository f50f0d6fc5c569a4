// Names, summaries and examples of the commands: help, parser and completions read the same list.
#pragma once

#include <span>

namespace hotlatch::collector {

struct CommandHelp {
  const char* name;
  const char* summary;
  const char* footer;  // notes and examples
};

std::span<const CommandHelp> CommandHelps();

const char* MainFooter();

}  // namespace hotlatch::collector

// The actions of hotlatch-agent, each returning the program's exit code.
#pragma once

#include "agent/daemon/command_line.h"

namespace hotlatch::agent {

// stdout is data, stderr the log. 0 done, 1 failed, 2 usage.
int RunCommand(const Command& command);

}  // namespace hotlatch::agent

// From arguments and configuration file to what is to be done.
#pragma once

#include <string>
#include <vector>

#include "agent/base/result.h"
#include "agent/daemon/options.h"
#include "agent/pipeline/pipeline.h"

namespace hotlatch::agent {

enum class Action { kRun, kCheck, kDoctor, kListProbes, kVersion, kPrint };

struct Command {
  Action action = Action::kRun;
  Options options;
  bool json = false;  // doctor
  std::string text;   // kPrint: help or configuration, for stdout
};

// arguments without the program's name. known_probes: the names --probes may hold. Flags win over
// the file of --config. Errors are kInvalid, their text for stderr.
Result<Command> ParseCommandLine(const std::vector<std::string>& arguments,
                                 const std::vector<ProbeInfo>& known_probes);

}  // namespace hotlatch::agent

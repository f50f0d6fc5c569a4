#include <cstdio>
#include <string>
#include <vector>

#include "agent/daemon/command_line.h"
#include "agent/daemon/run.h"
#include "agent/pipeline/pipeline.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto command = hotlatch::agent::ParseCommandLine(arguments, hotlatch::agent::ListProbes());
  if (!command) {
    std::fprintf(stderr, "hotlatch-agent: %s\n", command.error().text.c_str());
    return hotlatch::ExitCode(command.error());
  }
  return hotlatch::agent::RunCommand(*command);
}

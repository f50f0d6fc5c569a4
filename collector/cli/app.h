// The program behind main(): parses, opens, runs one command, prints.
#pragma once

#include <string>
#include <vector>

namespace hotlatch::collector {

// args without the program's name. Writes data to stdout and talk to stderr; returns the exit code.
// A reader of stdout that went away is no error.
int RunCli(const std::vector<std::string>& args);

}  // namespace hotlatch::collector

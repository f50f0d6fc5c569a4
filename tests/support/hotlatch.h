// The real programs, started as a user would start them, and their JSON answers.
#pragma once

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace hotlatch {

// Path of one of our programs: <build>/bin/<name>.
std::string ProgramPath(const std::string& name);

// `hotlatch ARGUMENTS`, ended within a minute.
Result<Outcome> RunCli(const std::vector<std::string>& arguments);

// The same with --json; an answer that is no JSON, or exit codes 1 and 2, are errors. exit code 3
// (answered, with loss) is an answer.
Result<nlohmann::json> AskJson(const std::vector<std::string>& arguments);

}  // namespace hotlatch

#include "tests/support/hotlatch.h"

namespace hotlatch {

std::string ProgramPath(const std::string& name) {
  return std::string(HOTLATCH_BIN_DIR) + "/" + name;
}

Result<Outcome> RunCli(const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.argv = {ProgramPath("hotlatch")};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  return RunProcess(options, std::chrono::minutes(1));
}

Result<nlohmann::json> AskJson(const std::vector<std::string>& arguments) {
  std::vector<std::string> with_json = arguments;
  with_json.emplace_back("--json");
  ASSIGN_OR_RETURN(const Outcome outcome, RunCli(with_json));
  if (outcome.exit_code != 0 && outcome.exit_code != 3) {
    return MakeError(ErrorKind::kIo, "hotlatch " + arguments[0] + ": exit code " +
                                         std::to_string(outcome.exit_code) + ": " + outcome.err);
  }
  nlohmann::json answer = nlohmann::json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  if (answer.is_discarded()) {
    return MakeError(ErrorKind::kCorrupt, "hotlatch " + arguments[0] + ": no JSON: " + outcome.out);
  }
  return answer;
}

}  // namespace hotlatch

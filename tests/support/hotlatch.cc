#include "tests/support/hotlatch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <filesystem>

#include "agent/base/unique_fd.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

std::string ProgramPath(const std::string& name) {
  return std::string(HOTLATCH_BIN_DIR) + "/" + name;
}

ProcessOptions Command(const std::string& program, const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.argv = {ProgramPath(program)};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  return options;
}

Result<Outcome> RunCli(const std::vector<std::string>& arguments) {
  return RunProcess(Command("hotlatch", arguments), std::chrono::minutes(1));
}

Result<nlohmann::json> AskJson(std::vector<std::string> arguments) {
  const std::string question = arguments.empty() ? "" : arguments[0];
  arguments.emplace_back("--json");
  ASSIGN_OR_RETURN(const Outcome outcome, RunCli(arguments));
  if (outcome.exit_code != 0 && outcome.exit_code != 3) {
    return MakeError(ErrorKind::kIo, "hotlatch " + question + ": exit code " +
                                         std::to_string(outcome.exit_code) + ": " + outcome.err);
  }
  nlohmann::json answer = nlohmann::json::parse(outcome.out, nullptr, /*allow_exceptions=*/false);
  if (answer.is_discarded()) {
    return MakeError(ErrorKind::kCorrupt, "hotlatch " + question + ": no JSON: " + outcome.out);
  }
  return answer;
}

std::string Rfc3339(std::chrono::system_clock::time_point time) {
  const auto since_epoch = std::chrono::duration_cast<milliseconds>(time.time_since_epoch());
  const std::time_t whole = since_epoch.count() / 1000;
  std::tm parts{};
  ::gmtime_r(&whole, &parts);
  std::array<char, 32> text{};
  const size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string fraction = std::to_string(1000 + since_epoch.count() % 1000).substr(1);
  return std::string(text.data(), length) + "." + fraction + "Z";
}

std::string FreeAddress() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket.get(), generic, length) != 0) std::abort();
  if (::getsockname(socket.get(), generic, &length) != 0) std::abort();
  return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

std::string StorePath(const std::string& data_folder) { return data_folder + "/windows.hotlatch"; }

Result<Process> StartCollector(const std::string& address, const std::string& data_folder) {
  // Written by the collector once it listens.
  const std::string port_file = data_folder + ".port";
  std::error_code ignored;
  std::filesystem::remove(port_file, ignored);
  ASSIGN_OR_RETURN(
      Process collector,
      Process::Start(Command("hotlatch-collector", {"--listen", address, "--data", data_folder,
                                                    "--port-file", port_file})));
  const bool listens = WaitUntil(
      [&] { return !collector.Running() || std::filesystem::exists(port_file); }, seconds(20));
  if (!listens || !collector.Running()) {
    return MakeError(ErrorKind::kUnavailable, "collector: does not listen: " + collector.Err());
  }
  return collector;
}

Result<std::unique_ptr<Site>> Site::Start(const std::string& window) {
  ASSIGN_OR_RETURN(TempDir folder, TempDir::Create());
  std::unique_ptr<Site> site(new Site(std::move(folder), FreeAddress(), window));
  RETURN_IF_ERROR(site->StartTheCollector());
  RETURN_IF_ERROR(site->StartTheAgent());
  const bool stores =
      WaitUntil([&] { return !site->agent_.Running() || site->StoredWindows() > 0; }, seconds(90));
  if (!stores || !site->agent_.Running()) {
    return MakeError(ErrorKind::kUnavailable, "agent: sent no window: " + site->agent_.Err());
  }
  return site;
}

Site::~Site() {
  (void)agent_.Stop(seconds(10));
  (void)collector_.Stop(seconds(10));
}

Result<void> Site::StartTheCollector() {
  collector_.Kill();
  ASSIGN_OR_RETURN(collector_, StartCollector(address_, folder_ / "data"));
  return {};
}

Result<void> Site::StartTheAgent() {
  agent_.Kill();
  ASSIGN_OR_RETURN(agent_,
                   Process::Start(Command("hotlatch-agent", {"--collector", address_, "--spool-dir",
                                                             spool_path(), "--window", window_})));
  return {};
}

Result<nlohmann::json> Site::Ask(std::vector<std::string> arguments) const {
  arguments.emplace_back("--server");
  arguments.push_back(address_);
  return AskJson(std::move(arguments));
}

uint64_t Site::StoredWindows() const {
  const auto answer = Ask({"hosts"});
  if (!answer) return 0;
  uint64_t windows = 0;
  for (const auto& host : answer->value("rows", nlohmann::json::array())) {
    windows += host.value("windows_count", uint64_t{0});
  }
  return windows;
}

std::vector<std::string> Site::SpooledWindows() const {
  std::vector<std::string> names;
  std::error_code none;  // no spool yet: no windows
  for (const auto& entry : std::filesystem::directory_iterator(spool_path(), none)) {
    if (entry.path().extension() == ".window") names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace hotlatch

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

// argv of a program of ours, to be given to Process::Start or RunProcess.
ProcessOptions Command(const std::string& program, const std::vector<std::string>& arguments);

// `hotlatch ARGUMENTS`, ended within a minute.
Result<Outcome> RunCli(const std::vector<std::string>& arguments);

// The same with --json. An answer that is no JSON, or exit code 1 or 2, is an error; exit code 3
// (answered, with loss or over part of the range) is an answer.
Result<nlohmann::json> AskJson(std::vector<std::string> arguments);

// RFC 3339 in UTC, milliseconds: what --from and --to take.
std::string Rfc3339(std::chrono::system_clock::time_point time);

// 127.0.0.1 with a port that was free a moment ago.
std::string FreeAddress();

// Returns when it listens. The store is StorePath(data_folder), made when it is not there.
Result<Process> StartCollector(const std::string& address, const std::string& data_folder);
std::string StorePath(const std::string& data_folder);

// A collector and an agent of this host with folders of their own. The agent is stopped first, so
// that its last window can be sent. Not for sharing between threads.
class Site {
 public:
  // Returns when the first window is stored. window as the flag takes it: "1s".
  static Result<std::unique_ptr<Site>> Start(const std::string& window);
  ~Site();
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const std::string& address() const { return address_; }
  std::string store_path() const { return StorePath(folder_ / "data"); }
  std::string spool_path() const { return folder_ / "spool"; }
  Process& agent() { return agent_; }
  Process& collector() { return collector_; }

  // `hotlatch ARGUMENTS --server ADDRESS --json`.
  Result<nlohmann::json> Ask(std::vector<std::string> arguments) const;

  // The two can be restarted in place; an old process is killed first.
  Result<void> StartTheCollector();
  Result<void> StartTheAgent();

  // Windows of this host in the store; 0 when the collector does not answer.
  uint64_t StoredWindows() const;

  // Names of the windows that the collector has not acknowledged, oldest first.
  std::vector<std::string> SpooledWindows() const;

 private:
  Site(TempDir folder, std::string address, std::string window)
      : folder_(std::move(folder)), address_(std::move(address)), window_(std::move(window)) {}

  TempDir folder_;
  std::string address_, window_;
  Process collector_, agent_;
};

}  // namespace hotlatch

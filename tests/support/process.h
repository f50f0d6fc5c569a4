// A child process that cannot outlive its owner, with its output kept in memory.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"

namespace hotlatch {

struct ProcessOptions {
  std::vector<std::string> argv{};                                 // argv[0] is looked up in PATH
  std::vector<std::pair<std::string, std::string>> environment{};  // added to our own
  std::string folder{};                                            // working folder; "" = ours
  uid_t uid = 0;  // 0 = as we are; else the child runs with this user and group and no others
  gid_t gid = 0;
};

struct Outcome {
  int exit_code = 0;  // 128 + signal when killed by one
  std::string out, err;
};

// Move only; not for sharing between threads. The child leads a process group of its own and is
// killed with that group when the owner goes, or by the kernel when the test itself dies.
class Process {
 public:
  static Result<Process> Start(const ProcessOptions& options);

  Process() = default;  // none yet: not running

  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  pid_t pid() const { return pid_; }

  // Everything written so far. Output never blocks the child.
  std::string Out() const;
  std::string Err() const;

  bool Running();

  // The exit code. kUnavailable when the child still runs after that time; it is then left running.
  Result<int> Wait(std::chrono::milliseconds at_most);

  void Signal(int signal) const;                        // to the child only
  Result<int> Stop(std::chrono::milliseconds at_most);  // SIGTERM, then Wait
  void Kill();  // SIGKILL to the whole group; reaped when this returns

 private:
  void Reap(int status);

  pid_t pid_ = -1;
  UniqueFd pidfd_, out_, err_;
  bool reaped_ = false;
  int exit_code_ = -1;
};

// Start, Wait, collect. A child that is not done in time is killed: kUnavailable.
Result<Outcome> RunProcess(const ProcessOptions& options, std::chrono::milliseconds at_most);

}  // namespace hotlatch

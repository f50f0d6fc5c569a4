// The command a recording is made of.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::collector {

// A child that waits before exec until it is let go, so that nothing of it is missed. Signals are
// at their defaults in it. Reaped by TryWait only; left alone when this is destroyed.
class ChildProcess {
 public:
  // Forks; exec has not happened yet.
  static Result<ChildProcess> Spawn(const std::vector<std::string>& command);

  // Lets it exec. kNotFound, kPermission … name the command when exec failed; it is then reaped.
  Result<void> Go();

  // Its wait status once it has ended.
  std::optional<int> TryWait();

  void Terminate() const;

  // "pgbench: exit 1", "pgbench: killed by signal 9 (Killed)".
  std::string StatusText(int wait_status) const;

 private:
  ChildProcess() = default;

  std::string name_;
  pid_t pid_ = -1;
  std::optional<int> status_;
  UniqueFd go_, failed_;
};

}  // namespace hotlatch::collector

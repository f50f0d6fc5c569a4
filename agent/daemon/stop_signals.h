// SIGTERM and SIGINT as a descriptor: nothing runs in a signal handler.
#pragma once

#include <cstdint>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::agent {

class StopSignals {
 public:
  // Blocks both signals for this thread and those it starts: call before any thread is started.
  // Ignores SIGPIPE and SIGXFSZ, which are errors of write here.
  static Result<StopSignals> Open();

  // Waits until the wall clock shows that time or a signal came; true = a signal. Sleeps no longer
  // than the time that was left when it began, whatever the wall clock does meanwhile.
  bool WaitUntil(int64_t unix_ns) const;

 private:
  explicit StopSignals(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace hotlatch::agent

// Where a closed window goes: the spool of the daemon, or the store of a recording.
#pragma once

#include "agent/base/result.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

class WindowSink {
 public:
  virtual ~WindowSink() = default;
  // Takes the window over. An error means that this window is lost; the caller counts it and goes on.
  virtual Result<void> Deliver(const v1::Window& window) = 0;
};

}  // namespace hotlatch::agent

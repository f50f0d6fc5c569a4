// A child that sleeps 2 ms again and again until it is told to rest: a steady source of voluntary switches
// whose true number /proc tells.
#pragma once

#include <sys/types.h>

#include <atomic>

#include "agent/base/result.h"

namespace hotlatch {

// Move only by pointer; not for sharing between threads. The child is killed with its owner.
class Pulse {
 public:
  Pulse();  // starts the child; aborts when the system refuses a process
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  pid_t pid() const { return pid_; }

  // Returns when the child blocks for good: from then on its counts stand still.
  void Rest();

 private:
  pid_t pid_ = -1;
  std::atomic<bool>* rest_ = nullptr;  // in memory shared with the child
};

}  // namespace hotlatch

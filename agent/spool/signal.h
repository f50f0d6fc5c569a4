// A counter that threads wait on: read Seen(), look at the state, WaitUntil() returns at once when
// anything was raised in between. So no change is missed and no lock is held while looking.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace hotlatch::agent {

// Thread safe.
class Signal {
 public:
  uint64_t Seen() const {
    const std::lock_guard lock(mutex_);
    return raised_;
  }

  void Raise() {
    {
      const std::lock_guard lock(mutex_);
      ++raised_;
    }
    condition_.notify_all();
  }

  // Returns when raised since seen, or at the deadline.
  void WaitUntil(uint64_t seen, std::chrono::steady_clock::time_point deadline) {
    std::unique_lock lock(mutex_);
    condition_.wait_until(lock, deadline, [&] { return raised_ != seen; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable condition_;
  uint64_t raised_ = 0;  // guarded by mutex_
};

}  // namespace hotlatch::agent

#include "tests/support/wait.h"

#include <thread>

namespace hotlatch {

bool WaitUntil(const std::function<bool()>& done, std::chrono::milliseconds at_most) {
  const auto deadline = std::chrono::steady_clock::now() + at_most;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

void LetPass(std::chrono::milliseconds span) { std::this_thread::sleep_for(span); }

}  // namespace hotlatch

// Waiting for a condition with a deadline, instead of sleeping and hoping.
#pragma once

#include <chrono>
#include <functional>

namespace hotlatch {

// Asks every 20 ms until done() is true or the time is over; returns whether it became true.
bool WaitUntil(const std::function<bool()>& done, std::chrono::milliseconds at_most);

// For tests that measure a span of real time, not for waiting until something is ready.
void LetPass(std::chrono::milliseconds span);

}  // namespace hotlatch

#include "tests/support/pulse.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <new>

#include "tests/support/proc_counts.h"
#include "tests/support/wait.h"

namespace hotlatch {
namespace {

[[noreturn]] void Beat(const std::atomic<bool>& rest) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const timespec pause_time{0, 2'000'000};
  while (!rest.load()) ::nanosleep(&pause_time, nullptr);
  while (true) ::pause();
}

}  // namespace

Pulse::Pulse() {
  void* shared = ::mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) std::abort();
  rest_ = ::new (shared) std::atomic<bool>(false);
  pid_ = ::fork();
  if (pid_ < 0) std::abort();
  if (pid_ == 0) Beat(*rest_);
}

Pulse::~Pulse() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  ::munmap(rest_, sizeof(std::atomic<bool>));
}

void Pulse::Rest() {
  rest_->store(true);
  // Longer than one beat with the same count: it is in pause().
  uint64_t before = 0;
  WaitUntil(
      [&] {
        const auto counts = ReadProcCounts(pid_);
        if (!counts) return true;
        const bool still = counts->voluntary_switches == before;
        before = counts->voluntary_switches;
        return still && counts->state == 'S';
      },
      std::chrono::seconds(10));
}

}  // namespace hotlatch

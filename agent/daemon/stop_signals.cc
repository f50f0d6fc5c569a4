#include "agent/daemon/stop_signals.h"

#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <csignal>
#include <ctime>

#include "agent/base/clock.h"

namespace hotlatch::agent {

Result<StopSignals> StopSignals::Open() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  if (const int error = pthread_sigmask(SIG_BLOCK, &signals, nullptr); error != 0) {
    return ErrnoError(error, "blocking SIGTERM and SIGINT");
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  UniqueFd fd(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) return ErrnoError(errno, "signalfd");
  return StopSignals(std::move(fd));
}

bool StopSignals::WaitUntil(int64_t unix_ns) const {
  const auto deadline =
      static_cast<int64_t>(MonotonicNs()) + std::max<int64_t>(0, unix_ns - UnixNs());
  for (;;) {
    const int64_t left = std::max<int64_t>(0, deadline - static_cast<int64_t>(MonotonicNs()));
    const timespec wait{left / 1'000'000'000, left % 1'000'000'000};
    pollfd poll_fd{fd_.get(), POLLIN, 0};
    const int ready = ppoll(&poll_fd, 1, &wait, nullptr);
    if (ready > 0) return true;
    if (ready == 0) return false;
  }
}

}  // namespace hotlatch::agent

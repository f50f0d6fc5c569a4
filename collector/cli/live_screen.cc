#include "collector/cli/live_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string_view>
#include <utility>

#include "agent/base/clock.h"

namespace hotlatch::collector {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";  // alternate screen, no cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";

Result<bool> Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EPIPE) return false;
    if (written < 0) return ErrnoError(errno, "output");
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

size_t Height() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Result<LiveScreen> LiveScreen::Open() {
  LiveScreen screen;
  const sigset_t set = Signals();
  if (const int failed = pthread_sigmask(SIG_BLOCK, &set, nullptr); failed != 0) {
    return ErrnoError(failed, "signals");
  }
  screen.signals_.reset(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!screen.signals_.valid()) return ErrnoError(errno, "signals");
  screen.out_is_terminal_ = isatty(STDOUT_FILENO) == 1;
  if (!screen.out_is_terminal_) return screen;
  if (isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &screen.saved_) == 0) {
    termios raw = screen.saved_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    screen.in_is_terminal_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  if (const auto entered = Write(kEnter); !entered) return entered.error();
  return screen;
}

LiveScreen::LiveScreen(LiveScreen&& other) noexcept
    : owner_(std::exchange(other.owner_, false)),
      out_is_terminal_(other.out_is_terminal_),
      in_is_terminal_(other.in_is_terminal_),
      saved_(other.saved_),
      signals_(std::move(other.signals_)) {}

LiveScreen::~LiveScreen() {
  if (!owner_ || !out_is_terminal_) return;
  // The terminal may be gone; there is nobody to tell.
  if (const auto left = Write(kLeave); !left) return;
  if (in_is_terminal_) tcsetattr(STDIN_FILENO, TCSANOW, &saved_);
}

Result<bool> LiveScreen::Show(const std::string& text) {
  if (!out_is_terminal_) return Write(text);
  std::string out = "\x1b[H";
  std::string_view rest = text;
  for (size_t lines = Height(); lines > 0 && !rest.empty(); --lines) {
    const size_t end = rest.find('\n');
    out += rest.substr(0, end);
    out += lines == 1 ? "\x1b[K" : "\x1b[K\r\n";
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return Write(out + "\x1b[J");
}

LiveScreen::Event LiveScreen::Wait(double seconds) {
  const uint64_t end = MonotonicNs() + static_cast<uint64_t>(seconds * 1e9);
  // Keys count only while we are in a terminal: `top < file` is not stopped by the file.
  std::array<pollfd, 2> fds = {
      {{signals_.get(), POLLIN, 0}, {in_is_terminal_ ? STDIN_FILENO : -1, POLLIN, 0}}};
  while (true) {
    const uint64_t now = MonotonicNs();
    if (now >= end) return Event::kTimeout;
    const int ready = poll(fds.data(), fds.size(), static_cast<int>((end - now) / 1'000'000 + 1));
    if (ready < 0 && errno != EINTR) return Event::kQuit;
    if (ready <= 0) continue;
    signalfd_siginfo info{};
    if (read(signals_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
      return info.ssi_signo == SIGWINCH ? Event::kTimeout : Event::kQuit;
    }
    if ((fds[1].revents & (POLLIN | POLLHUP)) != 0) {
      char key = 0;
      const ssize_t got = read(STDIN_FILENO, &key, 1);
      if (got == 0 || key == 'q' || key == 'Q') return Event::kQuit;
    }
  }
}

}  // namespace hotlatch::collector

// A terminal in the hands of a live command: the alternate screen, keys without echo, signals as
// events.
#pragma once

#include <termios.h>

#include <cstddef>
#include <string>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::collector {

// Leaves the terminal as it was when destroyed. Without a terminal it only writes screen after
// screen and waits. SIGINT, SIGTERM and SIGHUP stay blocked in the calling thread for its lifetime.
class LiveScreen {
 public:
  enum class Event { kTimeout, kQuit };

  static Result<LiveScreen> Open();
  LiveScreen(LiveScreen&& other) noexcept;
  LiveScreen& operator=(LiveScreen&&) = delete;
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  ~LiveScreen();

  bool is_terminal() const { return out_is_terminal_; }

  // Replaces what is shown, cut to the terminal's height; without one it is appended. false when
  // the reader went away.
  Result<bool> Show(const std::string& text);

  // Until the time is over, q, Ctrl-C or a signal to end. A changed window size is a timeout.
  Event Wait(double seconds);

 private:
  LiveScreen() = default;

  bool owner_ = true;
  bool out_is_terminal_ = false;
  bool in_is_terminal_ = false;
  termios saved_{};
  UniqueFd signals_;
};

}  // namespace hotlatch::collector

#include "collector/cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace hotlatch::collector {

std::string Screen::Painted(std::string_view text, Paint paint) const {
  if (!color || paint == Paint::kPlain || text.empty()) return std::string(text);
  const char* start = "";
  switch (paint) {
    case Paint::kBold:
      start = "\x1b[1m";
      break;
    case Paint::kDim:
      start = "\x1b[2m";
      break;
    case Paint::kKernel:
      start = "\x1b[33m";
      break;
    case Paint::kWarning:
      start = "\x1b[1;31m";
      break;
    case Paint::kPlain:
      break;
  }
  return start + std::string(text) + "\x1b[0m";
}

Screen ScreenFor(int fd, ColorMode mode, size_t asked_width) {
  Screen screen;
  const bool terminal = isatty(fd) == 1;
  const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  const bool refused = no_color != nullptr && *no_color != '\0';
  screen.color = mode == ColorMode::kAlways || (mode == ColorMode::kAuto && terminal && !refused);
  screen.width = asked_width;
  winsize size{};
  if (asked_width == 0 && terminal) {
    screen.width = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 100;
  }
  return screen;
}

}  // namespace hotlatch::collector

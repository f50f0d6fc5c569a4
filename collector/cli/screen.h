// What the output goes to: its width and whether it takes colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hotlatch::collector {

enum class Paint { kPlain, kBold, kDim, kKernel, kWarning };

struct Screen {
  bool color = false;
  size_t width = 0;  // columns; 0 = never cut

  // Text with the colour around it, or text as it is without colours. Pad before painting.
  std::string Painted(std::string_view text, Paint paint) const;
};

enum class ColorMode { kAuto, kAlways, kNever };

// Looks at fd: colours only on a terminal and without NO_COLOR unless the mode says otherwise; the
// width asked for, else the terminal's, else unlimited.
Screen ScreenFor(int fd, ColorMode mode, size_t asked_width);

}  // namespace hotlatch::collector

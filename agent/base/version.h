#pragma once

#include <string_view>

namespace hotlatch {

inline constexpr std::string_view kVersion = HOTLATCH_VERSION;

}  // namespace hotlatch

// Pieces of error texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hotlatch::collector {

// RFC 3339 in UTC with whole seconds: 2024-02-01T10:00:00Z.
std::string TimeText(int64_t unix_ns);

// "a, b, c"; "none" when there is none.
std::string ListText(const std::vector<std::string>& items);

}  // namespace hotlatch::collector

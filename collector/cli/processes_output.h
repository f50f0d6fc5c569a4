// The process list as a table, CSV and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "collector/cli/json_output.h"
#include "collector/cli/processes.h"
#include "collector/cli/screen.h"

namespace hotlatch::collector {

// The first `top` rows (0 = all), and a line for the rest. per_second turns switches into rates.
std::string ProcessesText(const ProcessList& list, size_t top, bool per_second,
                          const Screen& screen);
std::string ProcessesCsv(const ProcessList& list, size_t top);
Json ProcessesJson(const ProcessList& list, size_t top);

}  // namespace hotlatch::collector

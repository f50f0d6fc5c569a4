// Bounded reads of whole small files, as in /proc and /sys. What is longer than max_bytes is an error
// of kind kExhausted: nothing read from outside is unbounded.
#pragma once

#include <cstddef>
#include <string>

#include "agent/base/result.h"

namespace hotlatch {

Result<std::string> ReadFile(const std::string& path, size_t max_bytes);

// The file's first line without its line end.
Result<std::string> ReadFirstLine(const std::string& path);

// Writes path.tmp, syncs it, renames it to path: afterwards path holds all bytes or its old content.
Result<void> WriteFileAtomically(const std::string& path, const std::string& bytes);

}  // namespace hotlatch

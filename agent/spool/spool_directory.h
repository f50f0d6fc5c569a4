// The spool's directory: made, checked and locked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::agent {

// Makes the directory and its parents (0755, the last 0700) where missing. kInvalid when it is no
// directory of ours alone.
Result<void> PrepareSpoolDirectory(const std::string& directory);

// Holds directory/lock until the descriptor is closed. kUnavailable when another process holds it.
Result<UniqueFd> LockSpoolDirectory(const std::string& directory);

struct FoundFile {
  std::string name;
  uint64_t bytes = 0;
  bool regular = false;
};

// Entries whose name ends in .window, in the order of names. Unfinished *.window.tmp are removed;
// other files are none of our business.
Result<std::vector<FoundFile>> ListWindowFiles(const std::string& directory);

}  // namespace hotlatch::agent

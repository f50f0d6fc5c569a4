// Executable mappings of a process, from /proc/PID/maps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"

namespace hotlatch::agent {

struct Mapping {
  uint64_t start = 0, end = 0;  // [start, end)
  uint64_t file_offset = 0;
  uint64_t device = 0, inode = 0;  // inode 0: no file
  std::string path;                // without " (deleted)"; "" = anonymous; [vdso] and the like
  bool deleted = false;

  bool operator==(const Mapping&) const = default;
};

// Executable ones only, by rising address; lines that do not parse are left out.
std::vector<Mapping> ParseMaps(std::string_view text);

// kNotFound when the process has ended; kExhausted when the list is absurdly long.
Result<std::vector<Mapping>> ReadMaps(const std::string& proc_root, uint32_t pid);

// The mapping that holds the address, or null.
const Mapping* FindMapping(const std::vector<Mapping>& maps, uint64_t address);

}  // namespace hotlatch::agent

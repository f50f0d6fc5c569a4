// A v1::Window as plain rows, for tests. Indices are trusted: windows come from our own pipeline.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hotlatch/v1/window.pb.h"

namespace hotlatch {

struct TableRow {
  std::map<std::string, std::string> texts;
  std::map<std::string, int64_t> numbers;
};
std::vector<TableRow> RowsOf(const v1::Window& window, const std::string& table);

struct ProfileRow {
  std::string service, role;
  int node = -1;
  uint32_t stack_flags = 0;
  std::vector<std::string> frames;  // leaf first; [module+0xoffset] when unnamed
  std::map<std::string, uint64_t> values;

  bool Has(const std::string& function) const;
};
std::vector<ProfileRow> ProfileOf(const v1::Window& window, const std::string& profile);

uint64_t CounterOf(const v1::Window& window, const std::string& name);
uint64_t LossOf(const v1::Window& window, const std::string& probe, const std::string& reason);

}  // namespace hotlatch

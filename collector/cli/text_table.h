// A table of text with aligned columns, two spaces apart.
#pragma once

#include <string>
#include <vector>

#include "collector/cli/screen.h"

namespace hotlatch::collector {

struct TextColumn {
  std::string title;
  bool right = false;  // numbers
};

class TextTable {
 public:
  explicit TextTable(std::vector<TextColumn> columns) : columns_(std::move(columns)) {}

  // Cells in the order of the columns, already escaped; missing ones are empty.
  void AddRow(std::vector<std::string> cells);

  // Header and rows, each ending in a line feed. On a narrow screen the last column is cut first,
  // then whole lines.
  std::string Render(const Screen& screen) const;

 private:
  std::vector<TextColumn> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hotlatch::collector

#include "collector/cli/text_table.h"

#include <algorithm>
#include <utility>

#include "collector/cli/format.h"

namespace hotlatch::collector {
namespace {

std::string Line(const std::vector<TextColumn>& columns, const std::vector<size_t>& widths,
                 const std::vector<std::string>& cells, size_t screen_width) {
  std::string line;
  for (size_t c = 0; c < columns.size(); ++c) {
    if (c != 0) line += "  ";
    line += columns[c].right ? PadLeft(cells[c], widths[c]) : PadRight(cells[c], widths[c]);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return Fitted(line, screen_width);
}

}  // namespace

void TextTable::AddRow(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::Render(const Screen& screen) const {
  std::vector<std::string> titles;
  std::vector<size_t> widths;
  for (size_t c = 0; c < columns_.size(); ++c) {
    titles.push_back(columns_[c].title);
    size_t width = DisplayWidth(columns_[c].title);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[c]));
    widths.push_back(width);
  }
  std::string out =
      screen.Painted(Line(columns_, widths, titles, screen.width), Paint::kBold) + "\n";
  for (const auto& row : rows_) out += Line(columns_, widths, row, screen.width) + "\n";
  return out;
}

}  // namespace hotlatch::collector

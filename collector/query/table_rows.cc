#include "collector/query/table_rows.h"

#include <algorithm>

#include "collector/query/saturate.h"
#include "collector/query/text.h"

namespace hotlatch::collector {
namespace {

bool IsText(const v1::Column& column) { return column.unit() == "text"; }

// What a block does not have is "", as is a host without a name.
std::string LabelOf(const TableBlock& block, const std::string& label, int row) {
  if (label == "host") return HostLabel(*block.window);
  for (const v1::Column& column : block.table.columns()) {
    if (column.name() != label) continue;
    return IsText(column) ? block.strings[column.strings(row)]
                          : std::to_string(column.numbers(row));
  }
  return "";
}

int RowsOf(const v1::Table& table) {
  if (table.columns().empty()) return 0;
  const v1::Column& first = table.columns(0);
  return IsText(first) ? first.strings_size() : first.numbers_size();
}

}  // namespace

bool TableSums::IsLabel(const v1::Column& column) const {
  return IsText(column) || column.unit() == "id" ||
         std::find(by_.begin(), by_.end(), column.name()) != by_.end();
}

Result<void> TableSums::Add(const TableBlock& block) {
  std::vector<int> sums_of;  // the sum each column goes to, -1 = none
  for (const v1::Column& column : block.table.columns()) {
    known_.insert(column.name());
    if (IsLabel(column)) {
      sums_of.push_back(-1);
      continue;
    }
    sums_of.push_back(groups_.Column(column.name(), column.unit()));
    mixed_units_ = mixed_units_ || sums_of.back() < 0;
  }
  for (int row = 0; row < RowsOf(block.table); ++row) {
    RETURN_IF_ERROR(AddRow(block, row, sums_of));
  }
  return {};
}

Result<void> TableSums::AddRow(const TableBlock& block, int row, const std::vector<int>& sums_of) {
  const auto value = [&](const std::string& label) { return LabelOf(block, label, row); };
  if (!matcher_->WantsRow(value)) return {};
  std::vector<std::string> labels;
  for (const std::string& label : by_) labels.push_back(value(label));
  if (per_window_) labels.push_back(std::to_string(block.window->range().end_unix_ns()));
  ASSIGN_OR_RETURN(std::vector<int64_t>* const sums, groups_.Group(labels));
  for (size_t c = 0; c < sums_of.size(); ++c) {
    if (sums_of[c] < 0) continue;
    int64_t& sum = (*sums)[static_cast<size_t>(sums_of[c])];
    sum = SaturatingAdd(sum, block.table.columns(static_cast<int>(c)).numbers(row));
  }
  return {};
}

Result<void> TableSums::CheckLabels() const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  RETURN_IF_ERROR(matcher_->CheckLabels(known));
  for (const std::string& label : by_) {
    if (known_.count(label) > 0) continue;
    return MakeError(ErrorKind::kInvalid,
                     "by '" + label + "': no such label here; use one of " + ListText(known));
  }
  return {};
}

}  // namespace hotlatch::collector

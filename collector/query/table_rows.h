// Sums over the rows of a table's blocks. Labels are host and any column: text as it is, numbers as
// decimals. Summed are the number columns that are no labels: not named by `by`, not of unit id.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/query/group_sums.h"
#include "collector/query/match.h"
#include "collector/store/store.h"

namespace hotlatch::collector {

class TableSums {
 public:
  // matcher must outlive it.
  TableSums(std::vector<std::string> by, bool per_window, const Matcher& matcher)
      : by_(std::move(by)), per_window_(per_window), matcher_(&matcher) {}

  Result<void> Add(const TableBlock& block);

  // After the last Add: kInvalid naming the labels of the table when one asked for was in no block.
  Result<void> CheckLabels() const;

  const GroupSums& groups() const { return groups_; }
  bool mixed_units() const { return mixed_units_; }

 private:
  bool IsLabel(const v1::Column& column) const;
  Result<void> AddRow(const TableBlock& block, int row, const std::vector<int>& sums_of);

  const std::vector<std::string> by_;
  const bool per_window_;
  const Matcher* matcher_;
  GroupSums groups_;
  std::set<std::string> known_ = {"host"};
  bool mixed_units_ = false;
};

}  // namespace hotlatch::collector

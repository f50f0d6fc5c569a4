// Sums of number columns by groups of label values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

class GroupSums {
 public:
  // Columns in the order they were first asked for. -1 when the name is there with another unit.
  int Column(const std::string& name, const std::string& unit);

  // The sums of a group, with room for every column there is now; valid until the next call.
  // kExhausted when there are too many groups for one answer.
  Result<std::vector<int64_t>*> Group(const std::vector<std::string>& labels);

  // Fills columns and rows. time_label: index of a label that is a number and sorts first, or -1.
  // Then by the first ns column, else the first column, falling; then by labels.
  void Emit(int time_label, v1::RowsResponse* response) const;

 private:
  std::vector<v1::NumberColumnInfo> columns_;
  std::map<std::string, size_t> column_index_;
  std::map<std::vector<std::string>, std::vector<int64_t>> groups_;
};

}  // namespace hotlatch::collector

#include "collector/query/group_sums.h"

#include <algorithm>
#include <cstdlib>

namespace hotlatch::collector {
namespace {

constexpr size_t kMaxGroups = 500'000;

int64_t At(const std::vector<int64_t>& numbers, size_t column) {
  return column < numbers.size() ? numbers[column] : 0;
}

}  // namespace

int GroupSums::Column(const std::string& name, const std::string& unit) {
  const auto [it, is_new] = column_index_.emplace(name, columns_.size());
  if (is_new) {
    v1::NumberColumnInfo column;
    column.set_name(name);
    column.set_unit(unit);
    columns_.push_back(std::move(column));
  }
  return columns_[it->second].unit() == unit ? static_cast<int>(it->second) : -1;
}

Result<std::vector<int64_t>*> GroupSums::Group(const std::vector<std::string>& labels) {
  auto it = groups_.find(labels);
  if (it == groups_.end()) {
    if (groups_.size() >= kMaxGroups) {
      return MakeError(ErrorKind::kExhausted,
                       "rows: more than 500000 groups; narrow the range or group by fewer labels");
    }
    it = groups_.emplace(labels, std::vector<int64_t>()).first;
  }
  it->second.resize(std::max(it->second.size(), columns_.size()));
  return &it->second;
}

void GroupSums::Emit(int time_label, v1::RowsResponse* response) const {
  size_t order = 0;
  for (size_t c = columns_.size(); c > 0; --c) {
    if (columns_[c - 1].unit() == "ns") order = c - 1;
  }
  struct Entry {
    int64_t time = 0;
    int64_t key = 0;
    const std::vector<std::string>* labels = nullptr;
    const std::vector<int64_t>* numbers = nullptr;
  };
  std::vector<Entry> entries;
  for (const auto& [labels, numbers] : groups_) {
    const int64_t time =
        time_label < 0 ? 0
                       : std::strtoll(labels[static_cast<size_t>(time_label)].c_str(), nullptr, 10);
    entries.push_back({time, At(numbers, order), &labels, &numbers});
  }
  // The map has them by label already.
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.key > b.key;
  });
  for (const v1::NumberColumnInfo& column : columns_) *response->add_columns() = column;
  for (const Entry& entry : entries) {
    v1::Row* row = response->add_rows();
    for (const std::string& label : *entry.labels) row->add_labels(label);
    for (size_t c = 0; c < columns_.size(); ++c) row->add_numbers(At(*entry.numbers, c));
  }
}

}  // namespace hotlatch::collector

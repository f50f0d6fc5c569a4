// Rows as answered, checked, with columns found by name.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"
#include "collector/cli/answerer.h"
#include "collector/cli/selection.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

struct RowsQuestion {
  std::string profile, table;  // one of them
  std::vector<std::string> by;
  bool per_window = false;
};

class RowsView {
 public:
  RowsView() = default;

  // kCorrupt when a row has not one value per label and column.
  static Result<RowsView> From(v1::RowsResponse response);

  int size() const { return response_.rows_size(); }
  const v1::RowsResponse& response() const { return response_; }
  const v1::AnswerInfo& info() const { return response_.info(); }

  bool HasColumn(std::string_view name) const { return columns_.count(name) != 0; }
  // 0 when there is no such column.
  int64_t Number(int row, std::string_view column) const;
  // "" when there is no such label.
  const std::string& Label(int row, std::string_view label) const;

 private:
  v1::RowsResponse response_;
  std::map<std::string, int, std::less<>> labels_, columns_;
};

Result<RowsView> AskRows(Answerer* answerer, const Asked& asked, const RowsQuestion& question);

// As AskRows; an answer without rows when the answerer does not know the profile, table or label,
// as with data of another version.
Result<RowsView> AskRowsIfAny(Answerer* answerer, const Asked& asked, const RowsQuestion& question);

// Counters are never negative; a negative one is printed as 0.
uint64_t Unsigned(int64_t number);

}  // namespace hotlatch::collector

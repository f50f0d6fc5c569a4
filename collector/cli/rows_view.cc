#include "collector/cli/rows_view.h"

#include <utility>

#include "collector/cli/fidelity.h"

namespace hotlatch::collector {

Result<RowsView> RowsView::From(v1::RowsResponse response) {
  for (const v1::Row& row : response.rows()) {
    if (row.labels_size() != response.labels_size() ||
        row.numbers_size() != response.columns_size()) {
      return MakeError(ErrorKind::kCorrupt,
                       "rows: not one value per column; the answer does not hold together");
    }
  }
  RowsView view;
  for (int i = 0; i < response.labels_size(); ++i) view.labels_.try_emplace(response.labels(i), i);
  for (int i = 0; i < response.columns_size(); ++i) {
    view.columns_.try_emplace(response.columns(i).name(), i);
  }
  view.response_ = std::move(response);
  return view;
}

int64_t RowsView::Number(int row, std::string_view column) const {
  const auto found = columns_.find(column);
  return found == columns_.end() ? 0 : response_.rows(row).numbers(found->second);
}

const std::string& RowsView::Label(int row, std::string_view label) const {
  static const std::string none;
  const auto found = labels_.find(label);
  return found == labels_.end() ? none : response_.rows(row).labels(found->second);
}

Result<RowsView> AskRows(Answerer* answerer, const Asked& asked, const RowsQuestion& question) {
  v1::RowsRequest request;
  *request.mutable_selection() = asked.selection;
  if (question.table.empty()) {
    request.set_profile(question.profile);
  } else {
    request.set_table(question.table);
  }
  for (const std::string& label : question.by) request.add_by(label);
  request.set_per_window(question.per_window);
  ASSIGN_OR_RETURN(v1::RowsResponse response, answerer->Rows(request));
  RETURN_IF_ERROR(RequireWindows(response.info(), asked, answerer));
  return RowsView::From(std::move(response));
}

Result<RowsView> AskRowsIfAny(Answerer* answerer, const Asked& asked,
                              const RowsQuestion& question) {
  Result<RowsView> rows = AskRows(answerer, asked, question);
  if (!rows &&
      (rows.error().kind == ErrorKind::kNotFound || rows.error().kind == ErrorKind::kInvalid)) {
    return RowsView();
  }
  return rows;
}

uint64_t Unsigned(int64_t number) { return number < 0 ? 0 : static_cast<uint64_t>(number); }

}  // namespace hotlatch::collector

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "collector/query/group_sums.h"
#include "collector/query/match.h"
#include "collector/query/profile_shape.h"
#include "collector/query/query.h"
#include "collector/query/saturate.h"
#include "collector/query/table_rows.h"
#include "collector/query/text.h"
#include "collector/query/windows_used.h"

namespace hotlatch::collector {
namespace {

constexpr char kTime[] = "time";

void AddUnitWarning(bool mixed, v1::AnswerInfo* info) {
  if (mixed) info->add_warnings("a column changed its unit within the range; one unit is shown");
}

Result<v1::RowsResponse> ProfileRows(Store& store, const v1::RowsRequest& request,
                                     const Matcher& matcher) {
  RETURN_IF_ERROR(matcher.CheckLabels({}));
  for (const std::string& label : request.by()) RETURN_IF_ERROR(CheckProfileLabel(label, "by"));
  ASSIGN_OR_RETURN(const WindowsUsed used,
                   WindowsUsed::Collect(store, request.selection(), matcher));
  ScanRange range = used.Range(request.selection(), matcher);
  ASSIGN_OR_RETURN(const ProfileShape shape, FirstShape(store, range, request.profile()));
  range.want_dims = [&](const StoredDims& dims) { return matcher.WantsDims(dims); };
  GroupSums groups;
  for (size_t c = 0; c < shape.columns.size(); ++c) groups.Column(shape.columns[c], shape.units[c]);
  std::set<std::string> events;
  bool mixed = false;
  const auto visit = [&](const ProfileBlock& block) -> Result<void> {
    events.insert(EventText(block));
    if (block.stacks.empty()) return {};
    std::vector<int> columns;
    for (size_t c = 0; c < block.columns.size(); ++c) {
      columns.push_back(groups.Column(block.columns[c], block.units[c]));
      mixed = mixed || columns.back() < 0;
    }
    std::vector<std::string> labels;
    for (const std::string& label : request.by()) {
      labels.push_back(ProfileLabel(label, *block.window, *block.dims));
    }
    if (request.per_window()) {
      labels.push_back(std::to_string(block.window->range().end_unix_ns()));
    }
    ASSIGN_OR_RETURN(std::vector<int64_t>* const sums, groups.Group(labels));
    for (size_t c = 0; c < columns.size(); ++c) {
      if (columns[c] < 0) continue;
      int64_t& sum = (*sums)[static_cast<size_t>(columns[c])];
      for (const uint64_t value : block.values[c]) sum = SaturatingAdd(sum, ClampToInt64(value));
    }
    return {};
  };
  RETURN_IF_ERROR(store.ScanProfile(range, request.profile(), visit));
  v1::RowsResponse response;
  groups.Emit(request.per_window() ? request.by_size() : -1, &response);
  *response.mutable_info() = used.Info();
  SetEvents(events, response.mutable_info());
  AddUnitWarning(mixed, response.mutable_info());
  return response;
}

Result<v1::RowsResponse> TableRows(Store& store, const v1::RowsRequest& request,
                                   const Matcher& matcher) {
  ASSIGN_OR_RETURN(const WindowsUsed used,
                   WindowsUsed::Collect(store, request.selection(), matcher));
  const ScanRange range = used.Range(request.selection(), matcher);
  TableSums sums({request.by().begin(), request.by().end()}, request.per_window(), matcher);
  bool any = false;
  RETURN_IF_ERROR(store.ScanTable(range, request.table(), [&](const TableBlock& block) {
    any = true;
    return sums.Add(block);
  }));
  if (!any) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, store.TableNames(range));
    return MakeError(
        ErrorKind::kNotFound,
        "table '" + request.table() + "': not in this range, which has " + ListText(names));
  }
  RETURN_IF_ERROR(sums.CheckLabels());
  v1::RowsResponse response;
  sums.groups().Emit(request.per_window() ? request.by_size() : -1, &response);
  *response.mutable_info() = used.Info();
  AddUnitWarning(sums.mixed_units(), response.mutable_info());
  return response;
}

}  // namespace

Result<v1::RowsResponse> AnswerRows(Store& store, const v1::RowsRequest& request) {
  ASSIGN_OR_RETURN(const Matcher matcher, Matcher::Make(request.selection()));
  const bool profile = request.source_case() == v1::RowsRequest::kProfile;
  if (!profile && request.source_case() != v1::RowsRequest::kTable) {
    return MakeError(ErrorKind::kInvalid, "rows: no source; name a profile or a table");
  }
  ASSIGN_OR_RETURN(v1::RowsResponse response, profile ? ProfileRows(store, request, matcher)
                                                      : TableRows(store, request, matcher));
  for (const std::string& label : request.by()) response.add_labels(label);
  if (request.per_window()) response.add_labels(kTime);
  return response;
}

}  // namespace hotlatch::collector

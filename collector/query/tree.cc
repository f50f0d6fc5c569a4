#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "collector/query/match.h"
#include "collector/query/profile_shape.h"
#include "collector/query/query.h"
#include "collector/query/tree_builder.h"
#include "collector/query/tree_layout.h"
#include "collector/query/windows_used.h"

namespace hotlatch::collector {
namespace {

constexpr uint32_t kDefaultMaxNodes = 65536;
constexpr uint32_t kMostNodes = 1U << 20;

struct TreeScan {
  std::set<std::string> events;
  uint64_t blocks_without_column = 0;
};

Result<TreeScan> FillTree(Store& store, const ScanRange& range, const v1::TreeRequest& request,
                          const std::string& column, const std::string& unit, TreeBuilder* tree) {
  TreeScan seen;
  const auto visit = [&](const ProfileBlock& block) -> Result<void> {
    seen.events.insert(EventText(block));
    const int c = FindColumn(block, column, unit);
    if (c < 0) {
      ++seen.blocks_without_column;
      return {};
    }
    std::vector<std::string> labels;
    for (const std::string& label : request.by()) {
      labels.push_back(ProfileLabel(label, *block.window, *block.dims));
    }
    const std::vector<uint64_t>& values = block.values[static_cast<size_t>(c)];
    if (std::all_of(values.begin(), values.end(), [](uint64_t value) { return value == 0; })) {
      return {};
    }
    ASSIGN_OR_RETURN(const uint32_t label_node, tree->LabelNode(labels));
    for (size_t row = 0; row < block.stacks.size(); ++row) {
      RETURN_IF_ERROR(tree->Add(label_node, block.stacks[row], values[row]));
    }
    return {};
  };
  RETURN_IF_ERROR(store.ScanProfile(range, request.profile(), visit));
  return seen;
}

}  // namespace

Result<v1::TreeResponse> AnswerTree(Store& store, const v1::TreeRequest& request) {
  ASSIGN_OR_RETURN(const Matcher matcher, Matcher::Make(request.selection()));
  RETURN_IF_ERROR(matcher.CheckLabels({}));
  for (const std::string& label : request.by()) RETURN_IF_ERROR(CheckProfileLabel(label, "by"));
  ASSIGN_OR_RETURN(const WindowsUsed used,
                   WindowsUsed::Collect(store, request.selection(), matcher));
  ScanRange range = used.Range(request.selection(), matcher);
  ASSIGN_OR_RETURN(const ProfileShape shape, FirstShape(store, range, request.profile()));
  ASSIGN_OR_RETURN(const size_t column, ChooseColumn(shape, request.profile(), request.value()));
  range.want_dims = [&](const StoredDims& dims) { return matcher.WantsDims(dims); };

  v1::TreeResponse response;
  response.set_value(shape.columns[column]);
  response.set_unit(shape.units[column]);
  TreeBuilder tree(store, request.inverted());
  ASSIGN_OR_RETURN(const TreeScan seen,
                   FillTree(store, range, request, response.value(), response.unit(), &tree));
  tree.Finish();
  const uint32_t max_nodes = request.max_nodes() == 0 ? kDefaultMaxNodes : request.max_nodes();
  LayOutTree(tree, std::min(max_nodes, kMostNodes), &response);
  response.set_stacks_truncated(tree.defects().truncated);
  response.set_stacks_user_missing(tree.defects().user_missing);
  response.set_stacks_lost(tree.defects().lost);
  *response.mutable_info() = used.Info();
  SetEvents(seen.events, response.mutable_info());
  if (seen.blocks_without_column > 0) {
    response.mutable_info()->add_warnings("some windows have no column " + response.value() +
                                          " and are left out");
  }
  return response;
}

}  // namespace hotlatch::collector

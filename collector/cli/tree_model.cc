#include "collector/cli/tree_model.h"

#include <algorithm>
#include <utility>

namespace hotlatch::collector {
namespace {

Error Corrupt(const char* what) {
  return MakeError(ErrorKind::kCorrupt,
                   std::string("tree: ") + what + "; the answer does not hold together");
}

// Adds the nodes of `from` to `to`; map[i] is the place of node i.
void AddAll(const Tree& from, TreeMerger* to) {
  std::vector<uint32_t> place(from.nodes.size(), 0);
  for (uint32_t i = 0; i < from.nodes.size(); ++i) {
    const ShownNode& node = from.nodes[i];
    if (i != 0) place[i] = to->Child(place[node.parent], node);
    to->Add(place[i], node.self, node.total);
  }
}

}  // namespace

Result<Tree> TreeFromResponse(const v1::TreeResponse& response) {
  const int count = response.parent_size();
  if (count == 0) return Corrupt("no root");
  if (response.name_size() != count || response.module_size() != count ||
      response.kind_size() != count || response.self_size() != count ||
      response.total_size() != count) {
    return Corrupt("columns of different lengths");
  }
  Tree tree;
  tree.nodes.resize(static_cast<size_t>(count));
  std::vector<uint32_t> depth(static_cast<size_t>(count), 0);
  const auto strings = static_cast<uint32_t>(response.strings_size());
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<uint32_t>(i);
    ShownNode& node = tree.nodes[index];
    if (response.name(i) >= strings || response.module(i) >= strings)
      return Corrupt("a string index");
    node.name = response.strings(static_cast<int>(response.name(i)));
    node.module = response.strings(static_cast<int>(response.module(i)));
    node.kind = response.kind(i);
    node.self = response.self(i);
    node.total = response.total(i);
    node.parent = response.parent(i);
    if (i == 0) continue;
    if (node.parent >= index) return Corrupt("a node before its parent");
    depth[index] = depth[node.parent] + 1;
    if (depth[index] > kMaxTreeDepth) return Corrupt("deeper than any stack");
    tree.nodes[node.parent].children.push_back(index);
  }
  tree.value = response.value();
  tree.unit = response.unit();
  tree.stacks_truncated = response.stacks_truncated();
  tree.stacks_user_missing = response.stacks_user_missing();
  tree.stacks_lost = response.stacks_lost();
  tree.folded_nodes = response.folded_nodes();
  SortChildren(&tree);
  return tree;
}

void SortChildren(Tree* tree) {
  const std::vector<ShownNode>& nodes = tree->nodes;
  for (ShownNode& node : tree->nodes) {
    std::sort(node.children.begin(), node.children.end(), [&nodes](uint32_t a, uint32_t b) {
      if (nodes[a].total != nodes[b].total) return nodes[a].total > nodes[b].total;
      return std::tie(nodes[a].name, nodes[a].module) < std::tie(nodes[b].name, nodes[b].module);
    });
  }
}

TreeMerger::TreeMerger() { tree_.nodes.resize(1); }

uint32_t TreeMerger::Child(uint32_t parent, const ShownNode& like) {
  const auto next = static_cast<uint32_t>(tree_.nodes.size());
  const auto [place, is_new] =
      index_.try_emplace({parent, like.kind, like.name, like.module}, next);
  if (is_new) {
    ShownNode node;
    node.name = like.name;
    node.module = like.module;
    node.kind = like.kind;
    node.parent = parent;
    tree_.nodes.push_back(std::move(node));
    tree_.nodes[parent].children.push_back(next);
  }
  return place->second;
}

void TreeMerger::Add(uint32_t node, uint64_t self, uint64_t total) {
  tree_.nodes[node].self += self;
  tree_.nodes[node].total += total;
}

Tree TreeMerger::Finish() {
  SortChildren(&tree_);
  index_.clear();
  return std::move(tree_);
}

Tree MergeTrees(const Tree& a, const Tree& b) {
  TreeMerger builder;
  AddAll(a, &builder);
  AddAll(b, &builder);
  Tree tree = builder.Finish();
  tree.nodes.front().name = a.root().name;
  tree.value = a.value;
  tree.unit = a.unit;
  tree.stacks_truncated = a.stacks_truncated + b.stacks_truncated;
  tree.stacks_user_missing = a.stacks_user_missing + b.stacks_user_missing;
  tree.stacks_lost = a.stacks_lost + b.stacks_lost;
  tree.folded_nodes = a.folded_nodes + b.folded_nodes;
  return tree;
}

}  // namespace hotlatch::collector

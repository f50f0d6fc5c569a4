// A tree as answered, checked and ready to be cut, merged and drawn.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "agent/base/result.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

// total = self + the children's totals, in the callee direction. In the caller direction (inverted)
// self is the part whose stacks end here.
struct ShownNode {
  std::string name, module;
  uint32_t kind = v1::NODE_KIND_ROOT;  // v1::NodeKind
  uint64_t self = 0;
  uint64_t total = 0;
  uint32_t parent = 0;
  std::vector<uint32_t> children;  // by falling total, then name
};

// Node 0 is the root; a node comes after its parent. No node is deeper than kMaxTreeDepth.
struct Tree {
  std::vector<ShownNode> nodes;
  std::string value, unit;
  uint64_t stacks_truncated = 0, stacks_user_missing = 0, stacks_lost = 0;
  uint64_t folded_nodes = 0;

  const ShownNode& root() const { return nodes.front(); }
};

inline constexpr uint32_t kMaxTreeDepth = 2048;

// kCorrupt when the columns do not hold together (lengths, indices, order, depth).
Result<Tree> TreeFromResponse(const v1::TreeResponse& response);

// Grows a tree node by node; nodes of one name, module and kind below one parent are one.
class TreeMerger {
 public:
  TreeMerger();
  // The child, created when it is not there.
  uint32_t Child(uint32_t parent, const ShownNode& like);
  void Add(uint32_t node, uint64_t self, uint64_t total);
  // value, unit and the like are the caller's to fill.
  Tree Finish();

 private:
  Tree tree_;
  std::map<std::tuple<uint32_t, uint32_t, std::string, std::string>, uint32_t> index_;
};

// One tree with the sum of both at every node. value and unit are a's.
Tree MergeTrees(const Tree& a, const Tree& b);

void SortChildren(Tree* tree);

}  // namespace hotlatch::collector

// Stacks merged into one tree. Frames are one node when name, module and kind are the same below
// the same parent, whatever their offsets. A node's total is its self plus its children's totals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/base/result.h"
#include "collector/query/string_pool.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

struct TreeNode {
  uint32_t parent = 0;  // node 0 is the root and its own parent; a parent precedes its children
  uint32_t name = 0;    // in the builder's strings
  uint32_t module = 0;
  v1::NodeKind kind = v1::NODE_KIND_ROOT;
  uint64_t self = 0;
  uint64_t total = 0;
};

// Values on stacks that are not whole.
struct StackDefects {
  uint64_t truncated = 0, user_missing = 0, lost = 0;
};

class TreeBuilder {
 public:
  // inverted: the leaf on top, its callers below. store must outlive it.
  TreeBuilder(Store& store, bool inverted);

  // The node under which the labels' stacks go. kExhausted when the tree grows beyond its bound.
  Result<uint32_t> LabelNode(const std::vector<std::string>& labels);
  // Inside the visitor of a scan.
  Result<void> Add(uint32_t label_node, uint64_t stack, uint64_t value);

  // Sums totals. Once, after the last Add.
  void Finish();

  const std::vector<TreeNode>& nodes() const { return nodes_; }
  const StringPool& strings() const { return strings_; }
  const StackDefects& defects() const { return defects_; }

 private:
  struct ChildKey {
    uint32_t parent = 0, name = 0, module = 0, kind = 0;
    bool operator==(const ChildKey&) const = default;
  };
  struct StackKey {
    uint32_t label_node = 0;
    uint64_t stack = 0;
    bool operator==(const StackKey&) const = default;
  };
  struct Hash {
    size_t operator()(const ChildKey& key) const;
    size_t operator()(const StackKey& key) const;
  };
  struct Place {
    uint32_t node = 0;
    uint32_t flags = 0;
  };
  struct FrameName {
    uint32_t name = 0, module = 0;
    v1::NodeKind kind = v1::NODE_KIND_USER;
  };

  Result<uint32_t> Child(uint32_t parent, const FrameName& frame);
  Result<FrameName> Name(uint32_t frame_id);
  Result<Place> PlaceOf(uint32_t label_node, uint64_t stack);

  Store* store_;
  const bool inverted_;
  StringPool strings_;
  std::vector<TreeNode> nodes_;
  StackDefects defects_;
  std::unordered_map<ChildKey, uint32_t, Hash> children_;
  std::unordered_map<StackKey, Place, Hash> places_;
  std::unordered_map<uint32_t, FrameName> names_;
};

}  // namespace hotlatch::collector

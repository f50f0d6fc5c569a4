#include "collector/query/tree_layout.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "collector/query/saturate.h"
#include "collector/query/string_pool.h"

namespace hotlatch::collector {
namespace {

class Layout {
 public:
  Layout(const TreeBuilder& tree, v1::TreeResponse* response)
      : tree_(tree), nodes_(tree.nodes()), out_(response) {}

  void Run(size_t max_nodes) {
    Order();
    ChooseKept(std::max<size_t>(max_nodes, 2));
    Emit();
    for (const std::string& text : strings_.texts()) out_->add_strings(text);
  }

 private:
  bool Before(uint32_t a, uint32_t b) const {
    const TreeNode& x = nodes_[a];
    const TreeNode& y = nodes_[b];
    if (x.total != y.total) return x.total > y.total;
    const StringPool& texts = tree_.strings();
    return std::forward_as_tuple(texts.Text(x.name), texts.Text(x.module), x.kind) <
           std::forward_as_tuple(texts.Text(y.name), texts.Text(y.module), y.kind);
  }

  // preorder_ holds all nodes, children_ those of node n from begin_[n] to begin_[n + 1], in order.
  void Order() {
    begin_.assign(nodes_.size() + 1, 0);
    for (size_t n = 1; n < nodes_.size(); ++n) ++begin_[nodes_[n].parent + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    children_.resize(nodes_.size() - 1);
    std::vector<size_t> next(begin_.begin(), begin_.end() - 1);
    for (uint32_t n = 1; n < nodes_.size(); ++n) children_[next[nodes_[n].parent]++] = n;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      std::sort(children_.begin() + static_cast<ptrdiff_t>(begin_[n]),
                children_.begin() + static_cast<ptrdiff_t>(begin_[n + 1]),
                [this](uint32_t a, uint32_t b) { return Before(a, b); });
    }
    std::vector<uint32_t> todo = {0};
    while (!todo.empty()) {
      const uint32_t n = todo.back();
      todo.pop_back();
      preorder_.push_back(n);
      for (size_t c = begin_[n + 1]; c > begin_[n]; --c) todo.push_back(children_[c - 1]);
    }
  }

  // A prefix of the nodes by falling total is a tree: no child exceeds its parent, and of equals
  // the parent comes first.
  void ChooseKept(size_t max_nodes) {
    kept_.assign(nodes_.size(), true);
    if (nodes_.size() <= max_nodes) return;
    std::vector<uint32_t> by_size = preorder_;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [this](uint32_t a, uint32_t b) { return nodes_[a].total > nodes_[b].total; });
    // Kept nodes and one [other] below each that loses a child, for a growing prefix.
    std::vector<size_t> missing_children(nodes_.size());
    for (size_t n = 0; n < nodes_.size(); ++n) missing_children[n] = begin_[n + 1] - begin_[n];
    size_t others = 0;
    size_t best = 1;
    for (size_t i = 0; i < by_size.size(); ++i) {
      const uint32_t n = by_size[i];
      if (n != 0 && --missing_children[nodes_[n].parent] == 0) --others;
      if (missing_children[n] > 0) ++others;
      if (i + 1 + others <= max_nodes) best = i + 1;
      if (i + 1 > max_nodes) break;
    }
    kept_.assign(nodes_.size(), false);
    for (size_t i = 0; i < best; ++i) kept_[by_size[i]] = true;
    out_->set_folded_nodes(nodes_.size() - best);
  }

  uint32_t Append(uint32_t parent, uint32_t name, uint32_t module, v1::NodeKind kind, uint64_t self,
                  uint64_t total) {
    out_->add_parent(parent);
    out_->add_name(name);
    out_->add_module(module);
    out_->add_kind(static_cast<uint32_t>(kind));
    out_->add_self(self);
    out_->add_total(total);
    return static_cast<uint32_t>(out_->parent_size() - 1);
  }

  struct Step {
    uint32_t node = 0;
    uint32_t out_parent = 0;
    bool other = false;  // emit [other] below out_parent instead, of this total
    uint64_t total = 0;
  };

  void Emit() {
    std::vector<Step> todo = {{}};
    while (!todo.empty()) {
      const Step step = todo.back();
      todo.pop_back();
      if (step.other) {
        Append(step.out_parent, strings_.Index("[other]"), 0, v1::NODE_KIND_OTHER, step.total,
               step.total);
        continue;
      }
      const TreeNode& node = nodes_[step.node];
      const StringPool& texts = tree_.strings();
      const uint32_t out =
          Append(step.out_parent, strings_.Index(texts.Text(node.name)),
                 strings_.Index(texts.Text(node.module)), node.kind, node.self, node.total);
      PushChildren(step.node, out, &todo);
    }
  }

  // Last first, since todo is a stack: [other] comes after all that stay.
  void PushChildren(uint32_t node, uint32_t out, std::vector<Step>* todo) const {
    Step other{node, out, true, 0};
    bool any = false;
    for (size_t c = begin_[node]; c < begin_[node + 1]; ++c) {
      if (kept_[children_[c]]) continue;
      any = true;
      other.total = SaturatingAdd(other.total, nodes_[children_[c]].total);
    }
    if (any) todo->push_back(other);
    for (size_t c = begin_[node + 1]; c > begin_[node]; --c) {
      if (kept_[children_[c - 1]]) todo->push_back({children_[c - 1], out, false, 0});
    }
  }

  const TreeBuilder& tree_;
  const std::vector<TreeNode>& nodes_;
  v1::TreeResponse* out_;
  StringPool strings_;
  std::vector<size_t> begin_;
  std::vector<uint32_t> children_, preorder_;
  std::vector<bool> kept_;
};

}  // namespace

void LayOutTree(const TreeBuilder& tree, uint32_t max_nodes, v1::TreeResponse* response) {
  Layout(tree, response).Run(max_nodes);
}

}  // namespace hotlatch::collector

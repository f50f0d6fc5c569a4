#include "collector/cli/tree_function.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace hotlatch::collector {
namespace {

bool IsFrame(const ShownNode& node) {
  return node.kind == v1::NODE_KIND_USER || node.kind == v1::NODE_KIND_KERNEL ||
         node.kind == v1::NODE_KIND_MARKER;
}

// Which nodes match, asked once per distinct name.
std::vector<bool> MatchingNodes(const Tree& tree, const std::string& pattern) {
  const re2::RE2 regex(pattern, re2::RE2::Quiet);  // a name like operator() need be no regex
  std::map<std::string_view, bool> known;
  std::vector<bool> matching(tree.nodes.size(), false);
  for (size_t i = 0; i < tree.nodes.size(); ++i) {
    const ShownNode& node = tree.nodes[i];
    if (!IsFrame(node)) continue;
    const auto [place, is_new] = known.try_emplace(node.name, false);
    if (is_new) {
      place->second = node.name == pattern || (regex.ok() && re2::RE2::FullMatch(node.name, regex));
    }
    matching[i] = place->second;
  }
  return matching;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Levenshtein distance of short strings.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above + 1, row[j - 1] + 1, change});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::vector<std::string> NearNames(const Tree& tree, const std::string& pattern) {
  const std::string wanted = Lower(pattern.substr(0, 128));
  std::set<std::string_view> seen;
  std::vector<std::pair<size_t, std::string>> ranked;
  for (const ShownNode& node : tree.nodes) {
    if (!IsFrame(node) || node.name.size() > 256 || !seen.insert(node.name).second) continue;
    const std::string name = Lower(node.name);
    const bool part = name.find(wanted) != std::string::npos ||
                      (name.size() > 3 && wanted.find(name) != std::string::npos);
    const size_t distance = part ? 0 : Distance(name, wanted);
    if (part || distance <= std::max<size_t>(2, wanted.size() / 3)) {
      ranked.emplace_back(distance, node.name);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  if (ranked.size() > 5) ranked.resize(5);
  std::vector<std::string> names;
  names.reserve(ranked.size());
  for (auto& [distance, name] : ranked) names.push_back(std::move(name));
  return names;
}

Error NotFound(const Tree& tree, const std::string& pattern) {
  std::string text = "function '" + pattern + "' is in no stack of this answer";
  const std::vector<std::string> near = NearNames(tree, pattern);
  for (size_t i = 0; i < near.size(); ++i) text += (i == 0 ? "; near: " : ", ") + near[i];
  if (near.empty())
    text += "; try another --profile or range, or a regex such as '.*" + pattern + ".*'";
  return MakeError(ErrorKind::kNotFound, text);
}

class Focus {
 public:
  Focus(const Tree& tree, std::vector<bool> matching)
      : tree_(tree), matching_(std::move(matching)) {}

  // Whether an ancestor matches already, for every node.
  std::vector<bool> Inner() const {
    std::vector<bool> inner(tree_.nodes.size(), false);
    for (size_t i = 1; i < tree_.nodes.size(); ++i) {
      const uint32_t parent = tree_.nodes[i].parent;
      inner[i] = inner[parent] || matching_[parent];
    }
    return inner;
  }

  // The labels above node, from the root on, then node itself.
  uint32_t PlaceBelowLabels(uint32_t node, TreeMerger* builder, uint64_t total) const {
    std::vector<uint32_t> labels;
    for (uint32_t at = tree_.nodes[node].parent; at != 0; at = tree_.nodes[at].parent) {
      if (tree_.nodes[at].kind == v1::NODE_KIND_LABEL) labels.push_back(at);
    }
    std::reverse(labels.begin(), labels.end());
    uint32_t place = 0;
    builder->Add(place, 0, total);
    for (const uint32_t label : labels) {
      place = builder->Child(place, tree_.nodes[label]);
      builder->Add(place, 0, total);
    }
    return builder->Child(place, tree_.nodes[node]);
  }

  void AddCallers(uint32_t node, TreeMerger* builder) const {
    const uint64_t total = tree_.nodes[node].total;
    uint32_t place = PlaceBelowLabels(node, builder, total);
    builder->Add(place, 0, total);
    for (uint32_t at = tree_.nodes[node].parent; at != 0; at = tree_.nodes[at].parent) {
      if (!IsFrame(tree_.nodes[at])) continue;
      place = builder->Child(place, tree_.nodes[at]);
      builder->Add(place, 0, total);
    }
    builder->Add(place, total, 0);  // this is where these stacks end
  }

  // Depth is bounded by kMaxTreeDepth, and a parent comes before its children.
  void AddCallees(uint32_t node, uint32_t place, TreeMerger* builder) const {
    builder->Add(place, tree_.nodes[node].self, tree_.nodes[node].total);
    for (const uint32_t child : tree_.nodes[node].children) {
      AddCallees(child, builder->Child(place, tree_.nodes[child]), builder);
    }
  }

 private:
  const Tree& tree_;
  std::vector<bool> matching_;
};

}  // namespace

Result<Tree> FocusOnFunction(const Tree& tree, const std::string& pattern, Direction direction) {
  const std::vector<bool> matching = MatchingNodes(tree, pattern);
  if (std::find(matching.begin(), matching.end(), true) == matching.end()) {
    return NotFound(tree, pattern);
  }
  const Focus focus(tree, matching);
  const std::vector<bool> inner = focus.Inner();
  TreeMerger builder;
  for (uint32_t i = 1; i < tree.nodes.size(); ++i) {
    if (!matching[i] || inner[i]) continue;
    if (direction == Direction::kCallers) {
      focus.AddCallers(i, &builder);
    } else {
      focus.AddCallees(i, focus.PlaceBelowLabels(i, &builder, tree.nodes[i].total), &builder);
    }
  }
  Tree focused = builder.Finish();
  focused.nodes.front().name = tree.root().name;
  focused.value = tree.value;
  focused.unit = tree.unit;
  focused.folded_nodes = tree.folded_nodes;
  return focused;
}

}  // namespace hotlatch::collector

#include <algorithm>

#include "collector/cli/format.h"
#include "collector/cli/tree_render.h"

namespace hotlatch::collector {
namespace {

const char* KindName(uint32_t kind) {
  switch (kind) {
    case v1::NODE_KIND_ROOT:
      return "root";
    case v1::NODE_KIND_LABEL:
      return "label";
    case v1::NODE_KIND_USER:
      return "user";
    case v1::NODE_KIND_KERNEL:
      return "kernel";
    case v1::NODE_KIND_MARKER:
      return "marker";
    default:
      return "other";
  }
}

std::string FoldedName(const ShownNode& node) {
  std::string name = Escaped(node.name);
  std::replace(name.begin(), name.end(), ';', ':');
  return name.empty() ? "(none)" : name;
}

void Folded(const Tree& tree, uint32_t index, const std::string& path, std::string* out) {
  const ShownNode& node = tree.nodes[index];
  const std::string here = index == 0     ? ""
                           : path.empty() ? FoldedName(node)
                                          : path + ";" + FoldedName(node);
  if (node.self != 0) {
    *out += (here.empty() ? "all" : here) + " " + std::to_string(node.self) + "\n";
  }
  for (const uint32_t child : node.children) Folded(tree, child, here, out);
}

struct RowPlace {
  uint32_t depth;
  int64_t parent;
};

void AddRows(const Tree& tree, uint32_t index, RowPlace place, uint64_t per_second_of, Json* rows) {
  const ShownNode& node = tree.nodes[index];
  const auto here = static_cast<int64_t>(rows->size());
  const std::string self = UnitName("self", tree.unit);
  const std::string total = UnitName("total", tree.unit);
  Json row = {{"depth", place.depth},  {"name", index == 0 ? "all" : node.name},
              {"module", node.module}, {"kind", KindName(node.kind)},
              {self, node.self},       {total, node.total},
              {"parent", place.parent}};
  if (per_second_of != 0) {
    const double seconds = static_cast<double>(per_second_of) / 1e9;
    row[self + "_per_second"] = static_cast<double>(node.self) / seconds;
    row[total + "_per_second"] = static_cast<double>(node.total) / seconds;
  }
  rows->push_back(std::move(row));
  for (const uint32_t child : node.children) {
    AddRows(tree, child, {place.depth + 1, here}, per_second_of, rows);
  }
}

}  // namespace

std::string RenderFolded(const Tree& tree) {
  std::string out;
  Folded(tree, 0, "", &out);
  return out;
}

Json TreeRows(const Tree& tree, uint64_t per_second_of) {
  Json rows = Json::array();
  AddRows(tree, 0, {0, -1}, per_second_of, &rows);
  return rows;
}

}  // namespace hotlatch::collector

// Trees as text, folded stacks and JSON rows.
#pragma once

#include <cstdint>
#include <string>

#include "collector/cli/json_output.h"
#include "collector/cli/screen.h"
#include "collector/cli/tree_model.h"

namespace hotlatch::collector {

struct TreeView {
  double min_percent = 0.5;    // of `whole`
  uint32_t max_depth = 0;      // levels below the root; 0 = all
  uint32_t top = 0;            // children of a node; 0 = all
  bool show_self = true;       // self says nothing in the caller direction
  uint64_t whole = 0;          // what 100 % is; 0 = the root's total
  uint64_t per_second_of = 0;  // covered ns to divide by; 0 = values as they are
};

// Header line and one line per node: total%, self%, value, function [module]. A node with one
// visible child is followed by it on the same indent. What is hidden is summed up in a line "… N
// more" at the end of its chain, so that self and hidden parts of a chain and its branches add up
// to its total.
std::string RenderTree(const Tree& tree, const TreeView& view, const Screen& screen);

// label;frame;frame VALUE for every node with self, root first; ';' in names becomes ':'.
std::string RenderFolded(const Tree& tree);

// {"depth", "name", "module", "kind", "self_<unit>", "total_<unit>", "parent"}; parent is a row's
// number, -1 for the root's. Rows above per_second_of 0 carry ..._per_second as well.
Json TreeRows(const Tree& tree, uint64_t per_second_of);

}  // namespace hotlatch::collector

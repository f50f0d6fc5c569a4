// From a finished TreeBuilder to the nodes of an answer: ordered, and folded where they are too
// many.
#pragma once

#include <cstdint>

#include "collector/query/tree_builder.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

// Fills strings, node columns, folded_nodes. Nodes in pre-order; children by falling total, then
// name, module and kind; at most max_nodes (at least 2): the largest stay, the rest of each parent
// is one child [other], last.
void LayOutTree(const TreeBuilder& tree, uint32_t max_nodes, v1::TreeResponse* response);

}  // namespace hotlatch::collector

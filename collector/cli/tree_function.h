// perf's caller breakdown: one function's callers or callees out of a whole tree.
#pragma once

#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/cli/tree_model.h"

namespace hotlatch::collector {

enum class Direction { kCallees, kCallers };

// From a caller->callee tree: the functions whose whole name is `pattern` or matches it as RE2,
// below their labels. With kCallers their callers come below them, the nearest first; with kCallees
// what they call. Every stack counts once, at its outermost matching function, so that totals add
// up. Root's total is the sum of the functions found. kNotFound names functions with similar names.
Result<Tree> FocusOnFunction(const Tree& tree, const std::string& pattern, Direction direction);

}  // namespace hotlatch::collector

// Asking for trees; shared by the commands that show one.
#pragma once

#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/cli/command.h"
#include "collector/cli/selection.h"
#include "collector/cli/tree_model.h"
#include "collector/cli/tree_render.h"

namespace hotlatch::collector {

struct TreeQuestion {
  std::string profile, value;
  std::vector<std::string> by;
  bool inverted = false;
  bool every_node = false;  // as many nodes as an answer may have, for exact output
};

struct TreeAnswer {
  Tree tree;
  v1::AnswerInfo info;
};

Result<TreeAnswer> AskTree(Answerer* answerer, const Asked& asked, const TreeQuestion& question);

// Shares of the value that stand on incomplete stacks; nothing when all are whole.
std::vector<std::string> StackLines(const Tree& tree);

// Cut-offs, direction and rate as the options ask.
TreeView ViewOf(const CliOptions& options, const v1::AnswerInfo& info);

}  // namespace hotlatch::collector

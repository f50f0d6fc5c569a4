#include "collector/cli/tree_command.h"

#include <fmt/format.h>

#include <utility>

#include "collector/cli/fidelity.h"
#include "collector/cli/format.h"
#include "collector/cli/json_output.h"
#include "collector/cli/tree_function.h"

namespace hotlatch::collector {
namespace {

constexpr uint32_t kEveryNode = 1'000'000;

TreeQuestion QuestionOf(const CliOptions& options) {
  TreeQuestion question;
  question.profile = options.profile;
  question.value = options.value;
  question.by = options.by;
  // A function's callers are wanted over all groups; a tree from the top is read by group.
  if (!options.by_given && !options.inverted && options.function.empty()) {
    question.by = {"service", "role"};
  }
  // The breakdown of a function is made here, from whole stacks.
  question.inverted = options.inverted && options.function.empty();
  question.every_node = options.format != OutputFormat::kText || !options.function.empty();
  return question;
}

std::string EventsText(const v1::AnswerInfo& info) {
  std::string text;
  for (const std::string& event : info.events())
    text += (text.empty() ? ": " : ", ") + Escaped(event);
  return text;
}

std::string HeaderText(const CliOptions& options, const TreeAnswer& answer, const Asked& asked,
                       uint64_t whole) {
  const Tree& tree = answer.tree;
  std::string out = "profile " + Escaped(options.profile) + EventsText(answer.info) + ", value " +
                    Escaped(tree.value);
  out += options.inverted ? ", callers below callees\n" : "\n";
  out += RangeLine(answer.info, asked);
  out += fmt::format("total   {}, {}\n", HumanValue(whole, tree.unit),
                     HumanRate(whole, tree.unit, answer.info.covered_ns()));
  if (!options.function.empty()) {
    out += fmt::format("function {}: {} ({})\n", Escaped(options.function),
                       HumanValue(tree.root().total, tree.unit),
                       HumanPercent(tree.root().total, whole));
  }
  return out + "\n";
}

Json QuestionJson(const CliOptions& options, const TreeQuestion& question, const Tree& tree) {
  Json json = {{"profile", question.profile},
               {"value", tree.value},
               {"unit", tree.unit},
               {"by", question.by},
               {"inverted", options.inverted}};
  if (!options.function.empty()) json["function"] = options.function;
  return json;
}

Json TreeJson(const CliOptions& options, const TreeQuestion& question, const TreeAnswer& answer,
              const Verdict& verdict) {
  Json json = Envelope(options, answer.info, verdict);
  json["query"].update(QuestionJson(options, question, answer.tree));
  Json& fidelity = json["fidelity"];
  fidelity[UnitName("stacks_truncated", answer.tree.unit)] = answer.tree.stacks_truncated;
  fidelity[UnitName("stacks_user_missing", answer.tree.unit)] = answer.tree.stacks_user_missing;
  fidelity[UnitName("stacks_lost", answer.tree.unit)] = answer.tree.stacks_lost;
  fidelity["folded_nodes_count"] = answer.tree.folded_nodes;
  json["rows"] = TreeRows(answer.tree, options.per_second ? answer.info.covered_ns() : 0);
  return json;
}

std::string TreeText(const CommandContext& context, const TreeAnswer& answer, const Asked& asked,
                     const Verdict& verdict, const TreeAnswer& whole) {
  const CliOptions& options = *context.options;
  const uint64_t total = whole.tree.root().total;
  std::string out = HeaderText(options, answer, asked, total);
  if (total == 0) {
    out += "nothing recorded in profile " + Escaped(options.profile) + " for this selection\n";
  } else {
    // Of a function's tree the function is 100 %; its share of all is in the header.
    out += RenderTree(answer.tree, ViewOf(options, answer.info), context.screen);
  }
  out += "\n" + FidelityFooter(FidelityLines(answer.info, verdict), context.screen);
  return out + FidelityFooter(StackLines(whole.tree), context.screen);
}

}  // namespace

Result<TreeAnswer> AskTree(Answerer* answerer, const Asked& asked, const TreeQuestion& question) {
  v1::TreeRequest request;
  *request.mutable_selection() = asked.selection;
  request.set_profile(question.profile);
  request.set_value(question.value);
  for (const std::string& label : question.by) request.add_by(label);
  request.set_inverted(question.inverted);
  request.set_max_nodes(question.every_node ? kEveryNode : 0);
  ASSIGN_OR_RETURN(v1::TreeResponse response, answerer->Tree(request));
  RETURN_IF_ERROR(RequireWindows(response.info(), asked, answerer));
  ASSIGN_OR_RETURN(Tree tree, TreeFromResponse(response));
  return TreeAnswer{std::move(tree), std::move(*response.mutable_info())};
}

std::vector<std::string> StackLines(const Tree& tree) {
  std::vector<std::string> lines;
  const auto line = [&](uint64_t value, const char* what) {
    if (value == 0) return;
    lines.push_back(fmt::format("stacks {}: {} ({})", what, HumanValue(value, tree.unit),
                                HumanPercent(value, tree.root().total)));
  };
  line(tree.stacks_truncated, "truncated");
  line(tree.stacks_user_missing, "without their user part");
  line(tree.stacks_lost, "lost, counted without frames");
  if (tree.folded_nodes != 0) {
    lines.push_back("smallest " + HumanCount(tree.folded_nodes) +
                    " nodes are summed up in [other]");
  }
  return lines;
}

TreeView ViewOf(const CliOptions& options, const v1::AnswerInfo& info) {
  TreeView view;
  view.min_percent = options.min_percent;
  view.max_depth = options.max_depth;
  view.top = options.top;
  view.show_self = !options.inverted;
  view.per_second_of = options.per_second ? info.covered_ns() : 0;
  return view;
}

CommandResult RunTree(const CommandContext& context) {
  const CliOptions& options = *context.options;
  ASSIGN_OR_RETURN(const Asked asked, AskedRange(context));
  const TreeQuestion question = QuestionOf(options);
  ASSIGN_OR_RETURN(TreeAnswer whole, AskTree(context.answerer, asked, question));
  const Verdict verdict = Judge(whole.info, asked, options.max_loss_percent);
  TreeAnswer answer = whole;
  if (!options.function.empty()) {
    const Direction direction = options.inverted ? Direction::kCallers : Direction::kCallees;
    ASSIGN_OR_RETURN(answer.tree, FocusOnFunction(whole.tree, options.function, direction));
  }
  switch (options.format) {
    case OutputFormat::kJson:
      *context.out = Dump(TreeJson(options, question, answer, verdict));
      break;
    case OutputFormat::kFolded:
      *context.out = RenderFolded(answer.tree);
      *context.talk = FidelityTalk(answer.info, verdict);
      break;
    default:
      *context.out = TreeText(context, answer, asked, verdict, whole);
      break;
  }
  return verdict.exit_code();
}

}  // namespace hotlatch::collector

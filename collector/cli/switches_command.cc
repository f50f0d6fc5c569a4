#include "collector/cli/command.h"
#include "collector/cli/fidelity.h"
#include "collector/cli/format.h"
#include "collector/cli/selection.h"
#include "collector/cli/switch_groups.h"
#include "collector/cli/tree_command.h"

namespace hotlatch::collector {
namespace {

constexpr size_t kDefaultGroups = 20;

// One column, or voluntary + involuntary: a user who says "switches" means all of them.
Result<TreeAnswer> AskStacks(const CommandContext& context, const Asked& asked,
                             const std::vector<std::string>& by) {
  const CliOptions& options = *context.options;
  const bool every_node = options.format == OutputFormat::kJson;
  if (!options.value.empty() && options.value != "switches") {
    return AskTree(context.answerer, asked, {"offcpu", options.value, by, false, every_node});
  }
  ASSIGN_OR_RETURN(
      TreeAnswer both,
      AskTree(context.answerer, asked, {"offcpu", "voluntary_switches", by, false, every_node}));
  ASSIGN_OR_RETURN(
      const TreeAnswer involuntary,
      AskTree(context.answerer, asked, {"offcpu", "involuntary_switches", by, false, every_node}));
  both.tree = MergeTrees(both.tree, involuntary.tree);
  both.tree.value = "switches";
  return both;
}

std::string Text(const CommandContext& context, const Asked& asked, const SwitchGroups& groups,
                 const TreeAnswer& stacks, const Verdict& verdict) {
  const CliOptions& options = *context.options;
  const Screen& screen = context.screen;
  const size_t top = options.top != 0 ? options.top : kDefaultGroups;
  std::string out = "context switches\n" + RangeLine(groups.info, asked) + "\n";
  if (groups.groups.empty()) {
    out += "no context switches recorded for this selection\n";
  } else {
    out += SwitchGroupsText(groups, top, screen) + "\n";
    out +=
        screen.Painted("main wakers", Paint::kBold) + "\n" + WakersText(groups, top, screen) + "\n";
    out += screen.Painted("by stack, value " + Escaped(stacks.tree.value), Paint::kBold) + "\n";
    out += RenderTree(stacks.tree, ViewOf(options, groups.info), screen);
  }
  out += "\n" + FidelityFooter(FidelityLines(groups.info, verdict), screen);
  return out + FidelityFooter(StackLines(stacks.tree), screen);
}

}  // namespace

CommandResult RunSwitches(const CommandContext& context) {
  const CliOptions& options = *context.options;
  ASSIGN_OR_RETURN(const Asked asked, AskedRange(context));
  std::vector<std::string> by = options.by;
  if (!options.by_given) by = {"service", "role"};
  ASSIGN_OR_RETURN(const SwitchGroups groups, AskSwitchGroups(context.answerer, asked, by));
  const Verdict verdict = Judge(groups.info, asked, options.max_loss_percent);
  if (options.format == OutputFormat::kCsv) {
    *context.out = SwitchGroupsCsv(groups, options.top);
    *context.talk = FidelityTalk(groups.info, verdict);
    return verdict.exit_code();
  }
  Asked same = asked;  // the windows of the first answer, though more may have come since
  same.selection.set_to_unix_ns(groups.info.to_unix_ns());
  ASSIGN_OR_RETURN(const TreeAnswer stacks, AskStacks(context, same, by));
  if (options.format == OutputFormat::kJson) {
    Json json = Envelope(options, groups.info, verdict);
    json["query"]["by"] = by;
    json["query"]["value"] = stacks.tree.value;
    json["rows"] = SwitchGroupsJson(groups, options.top);
    json["wakers"] = WakersJson(groups);
    json["stacks"] = TreeRows(stacks.tree, 0);
    *context.out = Dump(json);
  } else {
    *context.out = Text(context, asked, groups, stacks, verdict);
  }
  return verdict.exit_code();
}

}  // namespace hotlatch::collector

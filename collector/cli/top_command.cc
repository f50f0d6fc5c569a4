#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "agent/base/clock.h"
#include "collector/cli/command.h"
#include "collector/cli/fidelity.h"
#include "collector/cli/format.h"
#include "collector/cli/live_screen.h"
#include "collector/cli/processes.h"
#include "collector/cli/processes_output.h"
#include "collector/cli/selection.h"
#include "collector/cli/text_table.h"
#include "collector/cli/tree_command.h"

namespace hotlatch::collector {
namespace {

constexpr int64_t kRangeNs = int64_t{30} * 1'000'000'000;
constexpr size_t kDefaultRows = 12;

// An inverted tree without groups has the functions that ran right below its root.
std::string FunctionsText(const Tree& tree, size_t top, const Screen& screen) {
  if (tree.root().total == 0) return "no CPU samples\n";
  TextTable table({{"self", true}, {"time", true}, {"function [module]"}});
  const std::vector<uint32_t>& functions = tree.root().children;
  for (size_t i = 0; i < std::min(top, functions.size()); ++i) {
    const ShownNode& node = tree.nodes[functions[i]];
    std::string name = Escaped(node.name);
    if (node.kind == v1::NODE_KIND_KERNEL) {
      name += " [k]";
    } else if (!node.module.empty()) {
      name += " [" + Escaped(node.module) + "]";
    }
    table.AddRow(
        {HumanPercent(node.total, tree.root().total), HumanValue(node.total, tree.unit), name});
  }
  return table.Render(screen);
}

Result<std::string> Frame(const CommandContext& context, int64_t now_unix_ns) {
  const CliOptions& options = *context.options;
  const size_t top = options.top != 0 ? options.top : kDefaultRows;
  const Screen screen = ScreenFor(STDOUT_FILENO, options.color, options.width);
  Asked asked;
  asked.selection.set_from_unix_ns(now_unix_ns - kRangeNs);
  asked.now_unix_ns = now_unix_ns;
  ASSIGN_OR_RETURN(ProcessList list, AskProcesses(context.answerer, asked, options.by));
  RETURN_IF_ERROR(SortProcesses(&list, options.sort));
  ASSIGN_OR_RETURN(const TreeAnswer functions,
                   AskTree(context.answerer, asked, {"cpu", "", {}, true, false}));
  const Verdict verdict = Judge(list.info, asked, options.max_loss_percent);
  std::string out = screen.Painted(
      Fitted("hotlatch top  " + Escaped(options.server) + "  " + FormatTimeMs(now_unix_ns),
             screen.width),
      Paint::kBold);
  out += "\n" + Fitted(RangeLine(list.info, asked), screen.width) + "\n";
  out += ProcessesText(list, top, true, screen) + "\n";
  out += FunctionsText(functions.tree, top, screen) + "\n";
  return out + FidelityFooter(FidelityLines(list.info, verdict), screen);
}

}  // namespace

CommandResult RunTop(const CommandContext& context) {
  const CliOptions& options = *context.options;
  ASSIGN_OR_RETURN(LiveScreen live, LiveScreen::Open());
  for (uint64_t shown = 0;;) {
    Result<std::string> frame = Frame(context, UnixNs());
    // A live screen outlasts a collector that restarts; a script wants to know.
    if (!frame && (!live.is_terminal() || ExitCode(frame.error()) == 2)) return frame.error();
    const std::string text = frame ? *frame : Escaped(frame.error().text) + "\n";
    ASSIGN_OR_RETURN(const bool reader, live.Show(text));
    if (!reader || ++shown == options.count) return 0;
    if (live.Wait(options.interval_s) == LiveScreen::Event::kQuit) return 0;
  }
}

}  // namespace hotlatch::collector

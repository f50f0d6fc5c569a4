#include "collector/cli/command.h"
#include "collector/cli/fidelity.h"
#include "collector/cli/processes.h"
#include "collector/cli/processes_output.h"
#include "collector/cli/selection.h"

namespace hotlatch::collector {

CommandResult RunPs(const CommandContext& context) {
  const CliOptions& options = *context.options;
  ASSIGN_OR_RETURN(const Asked asked, AskedRange(context));
  ASSIGN_OR_RETURN(ProcessList list, AskProcesses(context.answerer, asked, options.by));
  RETURN_IF_ERROR(SortProcesses(&list, options.sort));
  const Verdict verdict = Judge(list.info, asked, options.max_loss_percent);
  switch (options.format) {
    case OutputFormat::kJson: {
      Json json = Envelope(options, list.info, verdict);
      json["query"]["by"] = list.labels;
      json["rows"] = ProcessesJson(list, options.top);
      *context.out = Dump(json);
      break;
    }
    case OutputFormat::kCsv:
      *context.out = ProcessesCsv(list, options.top);
      *context.talk = FidelityTalk(list.info, verdict);
      break;
    default:
      *context.out = RangeLine(list.info, asked) + "\n" +
                     ProcessesText(list, options.top, options.per_second, context.screen) + "\n" +
                     FidelityFooter(FidelityLines(list.info, verdict), context.screen);
      break;
  }
  return verdict.exit_code();
}

}  // namespace hotlatch::collector

#include <fmt/format.h>

#include "collector/cli/command.h"
#include "collector/cli/fidelity.h"
#include "collector/cli/format.h"
#include "collector/cli/hosts_output.h"
#include "collector/cli/json_output.h"
#include "collector/cli/selection.h"
#include "collector/cli/text_table.h"

namespace hotlatch::collector {
namespace {

std::string StoreText(const v1::StatusResponse& status, bool recording) {
  std::string out = fmt::format("store   {}, {}\n", Escaped(status.store_path()),
                                HumanBytes(status.store_bytes()));
  if (recording) return out;
  return out +
         fmt::format("collector {}, since start {} windows stored, {} duplicates, {} refused\n",
                     Escaped(status.collector_version()), HumanCount(status.ingested()),
                     HumanCount(status.duplicates()), HumanCount(status.refused()));
}

std::string ProbesText(const v1::Fidelity& fidelity, const Screen& screen) {
  if (fidelity.probes().empty()) return "";
  TextTable table({{"probe"}, {"state"}, {"hook"}, {"reason"}});
  for (const v1::ProbeState& probe : fidelity.probes()) {
    table.AddRow({Escaped(probe.probe()), Escaped(probe.state()), Escaped(probe.hook()),
                  Escaped(probe.reason())});
  }
  return table.Render(screen) + "\n";
}

std::string CountersText(const v1::AnswerInfo& info, const Screen& screen) {
  if (info.fidelity().counters().empty()) return "";
  TextTable table({{"counter"}, {"value", true}, {"note"}});
  for (const v1::Counter& counter : info.fidelity().counters()) {
    // Time that somebody spent is best read as a share of the time covered.
    const bool cost = counter.unit() == "ns" && info.covered_ns() != 0;
    // Bytes are a level, not a flow: their sum says nothing, their mean does.
    const bool level = counter.unit() == "bytes" && info.windows() != 0;
    const uint64_t value = level ? counter.value() / info.windows() : counter.value();
    table.AddRow({Escaped(counter.name()), HumanValue(value, counter.unit()),
                  cost    ? HumanPercent(counter.value(), info.covered_ns()) + " of a CPU"
                  : level ? "mean of a window"
                          : ""});
  }
  return table.Render(screen) + "\n";
}

Json StatusJson(const CliOptions& options, const v1::StatusResponse& status,
                const Verdict& verdict) {
  Json json = Envelope(options, status.info(), verdict);
  json["store"] = {{"collector_version", status.collector_version()},
                   {"path", status.store_path()},
                   {"store_bytes", status.store_bytes()},
                   {"windows_count", status.windows()},
                   {"ingested_count", status.ingested()},
                   {"duplicates_count", status.duplicates()},
                   {"refused_count", status.refused()}};
  json["rows"] = HostsJson(status.hosts());
  return json;
}

}  // namespace

CommandResult RunStatus(const CommandContext& context) {
  const CliOptions& options = *context.options;
  ASSIGN_OR_RETURN(const Asked asked, AskedRange(context));
  v1::StatusRequest request;
  *request.mutable_selection() = asked.selection;
  ASSIGN_OR_RETURN(const v1::StatusResponse status, context.answerer->Status(request));
  const v1::AnswerInfo& info = status.info();
  const Verdict verdict = Judge(info, asked, options.max_loss_percent);
  if (options.format == OutputFormat::kJson) {
    *context.out = Dump(StatusJson(options, status, verdict));
    return verdict.exit_code();
  }
  std::string out = StoreText(status, context.answerer->is_recording());
  out += RangeLine(info, asked);
  if (info.covered_ns() != 0) out += "covered " + HumanDuration(info.covered_ns()) + "\n";
  out += "\n";
  if (!status.hosts().empty()) out += HostsText(status.hosts(), context.screen) + "\n";
  out += ProbesText(info.fidelity(), context.screen);
  out += CountersText(info, context.screen);
  out += FidelityFooter(FidelityLines(info, verdict), context.screen);
  *context.out = out;
  return verdict.exit_code();
}

}  // namespace hotlatch::collector

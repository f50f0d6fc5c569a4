#include <fmt/format.h>

#include "collector/cli/command.h"
#include "collector/cli/fidelity.h"
#include "collector/cli/format.h"
#include "collector/cli/hosts_output.h"
#include "collector/cli/json_output.h"
#include "collector/cli/selection.h"
#include "collector/cli/text_table.h"
#include "collector/cli/time_parse.h"

namespace hotlatch::collector {
namespace {

using HostList = google::protobuf::RepeatedPtrField<v1::Host>;

std::string HostsCsv(const HostList& hosts) {
  std::string out =
      "host,host_id,windows_count,first,last,numa_nodes_count,online_cpus_count,agent_version\n";
  for (const v1::Host& host : hosts) {
    out += fmt::format("{},{},{},{},{},{},{},{}\n", CsvField(host.host_name()),
                       CsvField(host.host_id()), host.windows(), FormatTime(host.first_unix_ns()),
                       FormatTime(host.last_unix_ns()), host.topology().numa_nodes(),
                       host.topology().online_cpus(), CsvField(host.agent_version()));
  }
  return out;
}

}  // namespace

Json HostsJson(const HostList& hosts) {
  Json rows = Json::array();
  for (const v1::Host& host : hosts) {
    Json facts = Json::object();
    for (const v1::Fact& fact : host.facts()) facts[fact.name()] = fact.value();
    rows.push_back({{"host", host.host_name()},
                    {"host_id", host.host_id()},
                    {"boot_id", host.boot_id()},
                    {"session_id", host.session_id()},
                    {"agent_version", host.agent_version()},
                    {"windows_count", host.windows()},
                    {"first", FormatTime(host.first_unix_ns())},
                    {"last", FormatTime(host.last_unix_ns())},
                    {"numa_nodes_count", host.topology().numa_nodes()},
                    {"online_cpus_count", host.topology().online_cpus()},
                    {"facts", std::move(facts)}});
  }
  return rows;
}

std::string HostsText(const HostList& hosts, const Screen& screen) {
  TextTable table({{"host"},
                   {"windows", true},
                   {"first"},
                   {"last"},
                   {"nodes", true},
                   {"cpus", true},
                   {"agent"},
                   {"host id"}});
  for (const v1::Host& host : hosts) {
    table.AddRow({Escaped(host.host_name()), HumanCount(host.windows()),
                  FormatTimeMs(host.first_unix_ns()), FormatTimeMs(host.last_unix_ns()),
                  std::to_string(host.topology().numa_nodes()),
                  std::to_string(host.topology().online_cpus()), Escaped(host.agent_version()),
                  Escaped(host.host_id())});
  }
  return table.Render(screen);
}

CommandResult RunHosts(const CommandContext& context) {
  const CliOptions& options = *context.options;
  ASSIGN_OR_RETURN(Asked asked, AskedRange(context));
  // All hosts there ever were, unless a range was asked for.
  if (!asked.from_given) asked.selection.set_from_unix_ns(0);
  v1::HostsRequest request;
  *request.mutable_selection() = asked.selection;
  ASSIGN_OR_RETURN(const v1::HostsResponse response, context.answerer->Hosts(request));
  const Verdict verdict = Judge(response.info(), asked, options.max_loss_percent);
  if (options.format == OutputFormat::kJson) {
    Json json = Envelope(options, response.info(), verdict);
    json["rows"] = HostsJson(response.hosts());
    *context.out = Dump(json);
  } else if (options.format == OutputFormat::kCsv) {
    *context.out = HostsCsv(response.hosts());
    *context.talk = FidelityTalk(response.info(), verdict);
  } else if (response.hosts().empty()) {
    *context.out = "no hosts in this range; start hotlatch-agent on a host, or see --from\n";
  } else {
    *context.out = HostsText(response.hosts(), context.screen) + "\n" +
                   FidelityFooter(FidelityLines(response.info(), verdict), context.screen);
  }
  return verdict.exit_code();
}

}  // namespace hotlatch::collector

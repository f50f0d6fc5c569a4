#include "collector/cli/json_output.h"

#include "collector/cli/time_parse.h"

namespace hotlatch::collector {
namespace {

std::string MatchText(const v1::Match& match) {
  switch (match.op()) {
    case v1::Match::OP_NOT_EQUAL:
      return match.label() + "!=" + match.value();
    case v1::Match::OP_REGEX:
      return match.label() + "=~" + match.value();
    case v1::Match::OP_NOT_REGEX:
      return match.label() + "!~" + match.value();
    default:
      return match.label() + "=" + match.value();
  }
}

Json QueryJson(const CliOptions& options) {
  Json query = {{"command", options.command}};
  if (!options.file.empty()) query["file"] = options.file;
  if (!options.from_text.empty()) query["from"] = options.from_text;
  if (!options.to_text.empty()) query["to"] = options.to_text;
  Json where = Json::array();
  for (const v1::Match& match : options.where) where.push_back(MatchText(match));
  query["where"] = where;
  if (options.per_second) query["per"] = "second";
  return query;
}

Json FidelityJson(const v1::AnswerInfo& info, const Verdict& verdict) {
  Json loss = Json::array();
  for (const LossSum& sum : verdict.losses) {
    Json row = {
        {"stage", sum.stage}, {"probe", sum.probe}, {"reason", sum.reason}, {"count", sum.count}};
    if (sum.seen) row["seen_count"] = *sum.seen;
    loss.push_back(std::move(row));
  }
  Json probes = Json::array();
  for (const v1::ProbeState& probe : info.fidelity().probes()) {
    probes.push_back({{"probe", probe.probe()},
                      {"state", probe.state()},
                      {"hook", probe.hook()},
                      {"reason", probe.reason()}});
  }
  Json counters = Json::array();
  for (const v1::Counter& counter : info.fidelity().counters()) {
    counters.push_back(
        {{"name", counter.name()}, {"unit", counter.unit()}, {"value", counter.value()}});
  }
  return {{"windows", info.windows()},
          {"windows_missing", info.windows_missing()},
          {"covered_ns", info.covered_ns()},
          {"hosts", info.hosts()},
          {"events", info.events()},
          {"loss", std::move(loss)},
          {"loss_above_threshold", verdict.lossy},
          {"partial", verdict.partial},
          {"probes", std::move(probes)},
          {"counters", std::move(counters)},
          {"warnings", info.warnings()}};
}

}  // namespace

Json Envelope(const CliOptions& options, const v1::AnswerInfo& info, const Verdict& verdict) {
  Json json;
  json["query"] = QueryJson(options);
  json["from"] = info.windows() == 0 ? Json() : Json(FormatTime(info.from_unix_ns()));
  json["to"] = info.windows() == 0 ? Json() : Json(FormatTime(info.to_unix_ns()));
  json["fidelity"] = FidelityJson(info, verdict);
  json["rows"] = Json::array();
  return json;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string UnitName(std::string_view stem, std::string_view unit) {
  return std::string(stem) + "_" + std::string(unit.empty() ? "count" : unit);
}

}  // namespace hotlatch::collector

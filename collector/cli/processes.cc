#include "collector/cli/processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "collector/cli/format.h"
#include "collector/cli/rows_view.h"

namespace hotlatch::collector {

const std::vector<std::string> kProcessSums = {
    "user_ns",         "system_ns",          "child_user_ns",
    "child_system_ns", "voluntary_switches", "involuntary_switches",
    "blocked_ns",      "runqueue_ns"};

namespace {

constexpr int64_t kTitleRangeNs = int64_t{600} * 1'000'000'000;

using Key = std::vector<std::string>;

Key KeyOf(const RowsView& rows, int row, const std::vector<std::string>& labels) {
  Key key;
  for (const std::string& label : labels) key.push_back(rows.Label(row, label));
  return key;
}

// A pid means one process only together with its host.
const std::vector<std::string>& ProcessKey() {
  static const std::vector<std::string> key = {"host", "pid"};
  return key;
}

// Titles, states and thread counts change from window to window: the newest counts. Older ones than
// the last ten minutes are not looked for, so that the answer stays small over long ranges.
Result<void> AddNewest(Answerer* answerer, const Asked& asked, ProcessList* list) {
  Asked recent = asked;
  const int64_t from = list->info.to_unix_ns() - kTitleRangeNs;
  recent.selection.set_from_unix_ns(std::max(asked.selection.from_unix_ns(), from));
  ASSIGN_OR_RETURN(
      const RowsView rows,
      AskRowsIfAny(answerer, recent, {"", "processes", {"host", "pid", "title", "state"}, true}));
  std::map<Key, std::pair<int64_t, int>> newest;
  for (int row = 0; row < rows.size(); ++row) {
    const int64_t time = std::strtoll(rows.Label(row, "time").c_str(), nullptr, 10);
    auto& best = newest[KeyOf(rows, row, ProcessKey())];
    if (time >= best.first) best = {time, row};
  }
  for (Process& process : list->processes) {
    const auto found = newest.find({process.labels[0], process.labels[1]});
    if (found == newest.end()) continue;
    const int row = found->second.second;
    process.title = rows.Label(row, "title");
    process.state = rows.Label(row, "state");
    process.threads = Unsigned(rows.Number(row, "threads"));
  }
  return {};
}

Result<void> AddResidency(Answerer* answerer, const Asked& asked, ProcessList* list) {
  // The table knows pids only; which of them are wanted is known already.
  Asked by_pid = asked;
  by_pid.selection.clear_where();
  for (const v1::Match& match : asked.selection.where()) {
    if (match.label() == "host" || match.label() == "pid") *by_pid.selection.add_where() = match;
  }
  ASSIGN_OR_RETURN(
      const RowsView rows,
      AskRowsIfAny(answerer, by_pid, {"", "residency", {"host", "pid", "node"}, false}));
  std::map<Key, std::map<std::string, uint64_t>> by_process;
  for (int row = 0; row < rows.size(); ++row) {
    const std::string& node = rows.Label(row, "node");
    by_process[KeyOf(rows, row, ProcessKey())][node == "-1" ? "unknown" : node] +=
        Unsigned(rows.Number(row, "oncpu_ns"));
  }
  for (Process& process : list->processes) {
    const auto found = by_process.find({process.labels[0], process.labels[1]});
    if (found != by_process.end()) process.oncpu_ns_by_node = found->second;
  }
  return {};
}

}  // namespace

uint64_t Process::Number(std::string_view column) const {
  if (column == "threads") return threads;
  const auto found = numbers.find(column);
  return found == numbers.end() ? 0 : found->second;
}

Result<ProcessList> AskProcesses(Answerer* answerer, const Asked& asked,
                                 const std::vector<std::string>& by) {
  ProcessList list;
  list.grouped = !by.empty();
  list.labels =
      list.grouped ? by : std::vector<std::string>{"host", "pid", "parent_pid", "service", "role"};
  ASSIGN_OR_RETURN(const RowsView rows,
                   AskRows(answerer, asked, {"", "processes", list.labels, false}));
  list.info = rows.info();
  for (int row = 0; row < rows.size(); ++row) {
    Process process;
    process.labels = KeyOf(rows, row, list.labels);
    for (const std::string& column : kProcessSums) {
      if (rows.HasColumn(column)) process.numbers[column] = Unsigned(rows.Number(row, column));
    }
    list.processes.push_back(std::move(process));
  }
  if (!list.grouped) {
    Asked same = asked;  // the windows of the first answer, though more may have come since
    same.selection.set_to_unix_ns(list.info.to_unix_ns());
    RETURN_IF_ERROR(AddNewest(answerer, same, &list));
    RETURN_IF_ERROR(AddResidency(answerer, same, &list));
  }
  RETURN_IF_ERROR(SortProcesses(&list, ""));
  return list;
}

Result<void> SortProcesses(ProcessList* list, const std::string& column) {
  std::vector<Process>& all = list->processes;
  const auto label = std::find(list->labels.begin(), list->labels.end(), column);
  if (label != list->labels.end()) {
    const auto at = static_cast<size_t>(label - list->labels.begin());
    std::stable_sort(all.begin(), all.end(), [at](const Process& a, const Process& b) {
      // Numbers by value: a shorter one is smaller.
      const std::string& x = a.labels[at];
      const std::string& y = b.labels[at];
      const bool digits = x.find_first_not_of("0123456789") == std::string::npos &&
                          y.find_first_not_of("0123456789") == std::string::npos;
      return digits && x.size() != y.size() ? x.size() < y.size() : x < y;
    });
    return {};
  }
  const bool cpu = column.empty() || column == "cpu" || column == "cpu_ns";
  if (!cpu && column != "threads" &&
      std::find(kProcessSums.begin(), kProcessSums.end(), column) == kProcessSums.end()) {
    std::string known = "cpu, threads";
    for (const std::string& name : list->labels) known += ", " + name;
    for (const std::string& name : kProcessSums) known += ", " + name;
    return MakeError(ErrorKind::kInvalid, "--sort " + column + ": use one of " + known);
  }
  std::stable_sort(all.begin(), all.end(), [&](const Process& a, const Process& b) {
    const uint64_t x = cpu ? a.cpu_ns() : a.Number(column);
    const uint64_t y = cpu ? b.cpu_ns() : b.Number(column);
    return x > y;
  });
  return {};
}

std::string ResidencyText(const std::map<std::string, uint64_t>& oncpu_ns_by_node) {
  uint64_t whole = 0;
  std::vector<std::pair<uint64_t, std::string>> nodes;
  for (const auto& [node, ns] : oncpu_ns_by_node) {
    whole += ns;
    nodes.emplace_back(ns, node);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [ns, node] : nodes) {
    if (ns == 0) continue;
    const double percent = 100.0 * static_cast<double>(ns) / static_cast<double>(whole);
    text += fmt::format("{}{}:{:.0f}%", text.empty() ? "" : " ", Escaped(node), percent);
  }
  return text;
}

}  // namespace hotlatch::collector

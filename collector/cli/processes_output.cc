#include "collector/cli/processes_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "collector/cli/format.h"
#include "collector/cli/text_table.h"

namespace hotlatch::collector {
namespace {

size_t Shown(const ProcessList& list, size_t top) {
  return top == 0 ? list.processes.size() : std::min(top, list.processes.size());
}

bool HasColumn(const ProcessList& list, const std::string& column) {
  return std::any_of(list.processes.begin(), list.processes.end(),
                     [&](const Process& process) { return process.numbers.count(column) != 0; });
}

// The host says nothing when there is one.
bool ShowLabel(const ProcessList& list, const std::string& label) {
  return list.grouped || label != "host" || list.info.hosts_size() > 1;
}

struct SumColumn {
  const char* column;
  const char* title;
  bool is_cpu;  // shown in ms
};

constexpr SumColumn kShown[] = {{"user_ns", "user ms", true},
                                {"system_ns", "system ms", true},
                                {"child_user_ns", "ended user ms", true},
                                {"child_system_ns", "ended system ms", true},
                                {"voluntary_switches", "voluntary", false},
                                {"involuntary_switches", "involuntary", false},
                                {"blocked_ns", "blocked", false},
                                {"runqueue_ns", "run queue", false}};

std::string Cell(const SumColumn& sum, uint64_t value, uint64_t per_second_of) {
  if (sum.is_cpu) return HumanCount((value + 500'000) / 1'000'000);
  const std::string name = sum.column;
  const char* unit =
      name.size() > 3 && name.compare(name.size() - 3, 3, "_ns") == 0 ? "ns" : "count";
  return per_second_of != 0 ? HumanRate(value, unit, per_second_of) : HumanValue(value, unit);
}

std::vector<TextColumn> Columns(const ProcessList& list) {
  std::vector<TextColumn> columns;
  for (const std::string& label : list.labels) {
    if (!ShowLabel(list, label)) continue;
    const bool number = label == "pid" || label == "parent_pid";
    columns.push_back({label == "parent_pid" ? "parent" : label, number});
  }
  columns.push_back({"cpu", true});
  for (const SumColumn& sum : kShown) {
    if (HasColumn(list, sum.column)) columns.push_back({sum.title, true});
  }
  if (!list.grouped) {
    columns.push_back({"threads", true});
    columns.push_back({"nodes"});
    columns.push_back({"state"});
    columns.push_back({"title"});
  }
  return columns;
}

std::vector<std::string> Cells(const ProcessList& list, const Process& process,
                               uint64_t per_second_of) {
  std::vector<std::string> cells;
  for (size_t i = 0; i < list.labels.size(); ++i) {
    if (ShowLabel(list, list.labels[i])) cells.push_back(Escaped(process.labels[i]));
  }
  cells.push_back(HumanPercent(process.cpu_ns(), list.info.covered_ns()));
  for (const SumColumn& sum : kShown) {
    if (!HasColumn(list, sum.column)) continue;
    cells.push_back(Cell(sum, process.Number(sum.column), per_second_of));
  }
  if (!list.grouped) {
    cells.push_back(process.threads == 0 ? "" : std::to_string(process.threads));
    cells.push_back(ResidencyText(process.oncpu_ns_by_node));
    cells.push_back(Escaped(process.state));
    cells.push_back(Escaped(process.title));
  }
  return cells;
}

}  // namespace

std::string ProcessesText(const ProcessList& list, size_t top, bool per_second,
                          const Screen& screen) {
  if (list.processes.empty()) return "no processes recorded for this selection\n";
  TextTable table(Columns(list));
  const size_t shown = Shown(list, top);
  for (size_t i = 0; i < shown; ++i) {
    table.AddRow(Cells(list, list.processes[i], per_second ? list.info.covered_ns() : 0));
  }
  std::string out = table.Render(screen);
  if (shown == list.processes.size()) return out;
  uint64_t cpu_ns = 0;
  for (size_t i = shown; i < list.processes.size(); ++i) cpu_ns += list.processes[i].cpu_ns();
  const std::string more =
      fmt::format("… {} more with {} of CPU time", HumanCount(list.processes.size() - shown),
                  HumanDuration(cpu_ns));
  return out + screen.Painted(more, Paint::kDim) + "\n";
}

std::string ProcessesCsv(const ProcessList& list, size_t top) {
  std::string out;
  for (const std::string& label : list.labels) out += CsvField(label) + ",";
  for (const std::string& column : kProcessSums) out += column + ",";
  out += "threads,title,state,residency\n";
  const size_t shown = Shown(list, top);
  for (size_t i = 0; i < shown; ++i) {
    const Process& process = list.processes[i];
    for (const std::string& label : process.labels) out += CsvField(label) + ",";
    for (const std::string& column : kProcessSums) {
      if (process.numbers.count(column) != 0) out += std::to_string(process.Number(column));
      out += ",";
    }
    out += fmt::format("{},{},{},{}\n", process.threads, CsvField(process.title),
                       CsvField(process.state), CsvField(ResidencyText(process.oncpu_ns_by_node)));
  }
  return out;
}

Json ProcessesJson(const ProcessList& list, size_t top) {
  Json rows = Json::array();
  const size_t shown = Shown(list, top);
  for (size_t i = 0; i < shown; ++i) {
    const Process& process = list.processes[i];
    Json row = Json::object();
    for (size_t l = 0; l < list.labels.size(); ++l) {
      const std::string& text = process.labels[l];
      const bool id = list.labels[l] == "pid" || list.labels[l] == "parent_pid";
      const bool digits = !text.empty() && text.size() < 19 &&
                          text.find_first_not_of("0123456789") == std::string::npos;
      row[list.labels[l]] = id && digits ? Json(std::stoll(text)) : Json(text);
    }
    for (const auto& [column, value] : process.numbers) row[column] = value;
    row["cpu_ns"] = process.cpu_ns();
    if (!list.grouped) {
      row["threads_count"] = process.threads;
      row["title"] = process.title;
      row["state"] = process.state;
      Json nodes = Json::array();
      for (const auto& [node, ns] : process.oncpu_ns_by_node) {
        nodes.push_back({{"node", node}, {"oncpu_ns", ns}});
      }
      row["residency"] = std::move(nodes);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hotlatch::collector

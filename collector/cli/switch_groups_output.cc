#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "collector/cli/format.h"
#include "collector/cli/switch_groups.h"
#include "collector/cli/text_table.h"

namespace hotlatch::collector {
namespace {

constexpr size_t kWakersPerGroup = 3;

size_t Shown(size_t size, size_t top) { return top == 0 ? size : std::min(top, size); }

std::string LabelText(const std::string& label) {
  return label.empty() ? "(none)" : Escaped(label);
}

std::string MeanText(uint64_t sum_ns, uint64_t count) {
  return count == 0 ? "-" : HumanDuration(sum_ns / count);
}

void AddTo(SwitchGroup* sum, const SwitchGroup& group) {
  sum->voluntary += group.voluntary;
  sum->involuntary += group.involuntary;
  sum->blocked_ns += group.blocked_ns;
  sum->waits += group.waits;
  sum->wait_ns += group.wait_ns;
}

std::vector<std::string> Numbers(const SwitchGroup& group, uint64_t covered_ns) {
  return {HumanCount(group.voluntary),
          HumanCount(group.involuntary),
          HumanRate(group.switches(), "count", covered_ns),
          HumanDuration(group.blocked_ns),
          HumanDuration(group.wait_ns),
          MeanText(group.wait_ns, group.waits)};
}

void AddSumRow(TextTable* table, const std::string& title, size_t labels, const SwitchGroup& sum,
               uint64_t covered_ns) {
  std::vector<std::string> cells(labels);
  cells.front() = title;
  for (std::string& cell : Numbers(sum, covered_ns)) cells.push_back(std::move(cell));
  table->AddRow(std::move(cells));
}

}  // namespace

std::string SwitchGroupsText(const SwitchGroups& groups, size_t top, const Screen& screen) {
  std::vector<TextColumn> columns;
  for (const std::string& label : groups.by) columns.push_back({Escaped(label)});
  if (groups.by.empty()) columns.push_back({""});
  for (const char* title :
       {"voluntary", "involuntary", "switches", "blocked", "run-queue wait", "mean wait"}) {
    columns.push_back({title, true});
  }
  const size_t labels = std::max<size_t>(groups.by.size(), 1);
  const uint64_t covered = groups.info.covered_ns();
  TextTable table(columns);
  SwitchGroup total;
  SwitchGroup rest;
  const size_t shown = Shown(groups.groups.size(), top);
  for (size_t i = 0; i < groups.groups.size(); ++i) {
    const SwitchGroup& group = groups.groups[i];
    AddTo(&total, group);
    if (i >= shown) AddTo(&rest, group);
    if (i >= shown || groups.by.empty()) continue;
    std::vector<std::string> cells;
    for (const std::string& label : group.labels) cells.push_back(LabelText(label));
    for (std::string& cell : Numbers(group, covered)) cells.push_back(std::move(cell));
    table.AddRow(std::move(cells));
  }
  if (shown < groups.groups.size()) {
    const std::string title = "… " + HumanCount(groups.groups.size() - shown) + " more";
    AddSumRow(&table, title, labels, rest, covered);
  }
  AddSumRow(&table, "total", labels, total, covered);
  return table.Render(screen);
}

std::string WakersText(const SwitchGroups& groups, size_t top, const Screen& screen) {
  if (groups.wakers.empty()) return "no wake-ups recorded\n";
  std::vector<TextColumn> columns;
  for (const std::string& label : groups.waker_by) columns.push_back({Escaped(label)});
  columns.push_back({"wake-ups", true});
  columns.push_back({"share", true});
  columns.push_back({"woken by"});
  std::map<std::vector<std::string>, uint64_t> woken;
  for (const Waker& waker : groups.wakers) woken[waker.labels] += waker.wakeups;
  TextTable table(columns);
  std::map<std::vector<std::string>, size_t> lines;
  for (const Waker& waker : groups.wakers) {
    if (lines.count(waker.labels) == 0 && top != 0 && lines.size() >= top) continue;
    if (++lines[waker.labels] > kWakersPerGroup) continue;
    std::vector<std::string> cells;
    for (const std::string& label : waker.labels) cells.push_back(LabelText(label));
    cells.push_back(HumanCount(waker.wakeups));
    cells.push_back(HumanPercent(waker.wakeups, woken[waker.labels]));
    std::string who = Escaped(waker.service);
    if (!waker.role.empty() && waker.role != waker.service) who += " " + Escaped(waker.role);
    // The kind says something where it is no task, unless the name says it already: [softirq].
    if (who.find(waker.kind) == std::string::npos && (waker.kind != "task" || who.empty())) {
      who += (who.empty() ? "" : " ") + Escaped(waker.kind);
    }
    cells.push_back(who);
    table.AddRow(std::move(cells));
  }
  return table.Render(screen);
}

std::string SwitchGroupsCsv(const SwitchGroups& groups, size_t top) {
  std::string out;
  for (const std::string& label : groups.by) out += CsvField(label) + ",";
  out += "voluntary_switches,involuntary_switches,blocked_ns,waits,wait_ns\n";
  const size_t shown = Shown(groups.groups.size(), top);
  for (size_t i = 0; i < shown; ++i) {
    const SwitchGroup& group = groups.groups[i];
    for (const std::string& label : group.labels) out += CsvField(label) + ",";
    out += fmt::format("{},{},{},{},{}\n", group.voluntary, group.involuntary, group.blocked_ns,
                       group.waits, group.wait_ns);
  }
  return out;
}

Json SwitchGroupsJson(const SwitchGroups& groups, size_t top) {
  Json rows = Json::array();
  const uint64_t covered = groups.info.covered_ns();
  const size_t shown = Shown(groups.groups.size(), top);
  for (size_t i = 0; i < shown; ++i) {
    const SwitchGroup& group = groups.groups[i];
    Json row = Json::object();
    for (size_t l = 0; l < groups.by.size(); ++l) row[groups.by[l]] = group.labels[l];
    row["voluntary_switches"] = group.voluntary;
    row["involuntary_switches"] = group.involuntary;
    row["blocked_ns"] = group.blocked_ns;
    row["waits"] = group.waits;
    row["wait_ns"] = group.wait_ns;
    if (covered != 0) {
      row["switches_per_second"] =
          static_cast<double>(group.switches()) * 1e9 / static_cast<double>(covered);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Json WakersJson(const SwitchGroups& groups) {
  Json rows = Json::array();
  for (const Waker& waker : groups.wakers) {
    Json row = Json::object();
    for (size_t l = 0; l < groups.waker_by.size(); ++l) row[groups.waker_by[l]] = waker.labels[l];
    row["waker_service"] = waker.service;
    row["waker_role"] = waker.role;
    row["waker_kind"] = waker.kind;
    row["wakeups"] = waker.wakeups;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hotlatch::collector

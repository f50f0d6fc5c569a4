#include "collector/cli/switch_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace hotlatch::collector {
namespace {

using Key = std::vector<std::string>;

Key KeyOf(const RowsView& rows, int row, const std::vector<std::string>& labels) {
  Key key;
  for (const std::string& label : labels) key.push_back(rows.Label(row, label));
  return key;
}

bool InWakers(const std::string& label) {
  return label == "host" || label == "service" || label == "role";
}

Result<void> AddWakers(Answerer* answerer, const Asked& asked, SwitchGroups* groups) {
  std::vector<std::string> by;
  for (const std::string& label : groups->by) {
    if (InWakers(label)) by.push_back(label);
  }
  groups->waker_by = by;
  for (const char* label : {"waker_service", "waker_role", "waker_kind"}) by.emplace_back(label);
  ASSIGN_OR_RETURN(const RowsView rows, AskRowsIfAny(answerer, asked, {"", "wakers", by, false}));
  std::map<Key, uint64_t> woken;
  for (int row = 0; row < rows.size(); ++row) {
    Waker waker;
    waker.labels = KeyOf(rows, row, groups->waker_by);
    waker.service = rows.Label(row, "waker_service");
    waker.role = rows.Label(row, "waker_role");
    waker.kind = rows.Label(row, "waker_kind");
    waker.wakeups = Unsigned(rows.Number(row, "wakeups"));
    woken[waker.labels] += waker.wakeups;
    groups->wakers.push_back(std::move(waker));
  }
  std::stable_sort(groups->wakers.begin(), groups->wakers.end(),
                   [&](const Waker& a, const Waker& b) {
                     if (a.labels != b.labels) {
                       const uint64_t x = woken[a.labels];
                       const uint64_t y = woken[b.labels];
                       return x != y ? x > y : a.labels < b.labels;
                     }
                     return a.wakeups > b.wakeups;
                   });
  return {};
}

}  // namespace

Result<SwitchGroups> AskSwitchGroups(Answerer* answerer, const Asked& asked,
                                     const std::vector<std::string>& by) {
  SwitchGroups groups;
  groups.by = by;
  ASSIGN_OR_RETURN(const RowsView offcpu, AskRows(answerer, asked, {"offcpu", "", by, false}));
  groups.info = offcpu.info();
  Asked same = asked;  // the windows of the first answer, though more may have come since
  same.selection.set_to_unix_ns(groups.info.to_unix_ns());
  ASSIGN_OR_RETURN(const RowsView runqueue,
                   AskRowsIfAny(answerer, same, {"runqueue", "", by, false}));
  std::map<Key, SwitchGroup> found;
  for (int row = 0; row < offcpu.size(); ++row) {
    SwitchGroup& group = found[KeyOf(offcpu, row, by)];
    group.voluntary += Unsigned(offcpu.Number(row, "voluntary_switches"));
    group.involuntary += Unsigned(offcpu.Number(row, "involuntary_switches"));
    group.blocked_ns += Unsigned(offcpu.Number(row, "blocked_ns"));
  }
  for (int row = 0; row < runqueue.size(); ++row) {
    SwitchGroup& group = found[KeyOf(runqueue, row, by)];
    group.waits += Unsigned(runqueue.Number(row, "waits"));
    group.wait_ns += Unsigned(runqueue.Number(row, "wait_ns"));
  }
  for (auto& [key, group] : found) {
    group.labels = key;
    groups.groups.push_back(std::move(group));
  }
  std::stable_sort(
      groups.groups.begin(), groups.groups.end(),
      [](const SwitchGroup& a, const SwitchGroup& b) { return a.switches() > b.switches(); });
  RETURN_IF_ERROR(AddWakers(answerer, same, &groups));
  return groups;
}

}  // namespace hotlatch::collector

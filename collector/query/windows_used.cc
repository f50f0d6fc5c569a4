#include "collector/query/windows_used.h"

#include <algorithm>
#include <set>
#include <vector>

#include "collector/query/saturate.h"
#include "collector/query/text.h"

namespace hotlatch::collector {
namespace {

// Why a selection holds no window: the range, the host, or an empty store.
Error NothingThere(Store& store, const v1::Selection& selection) {
  bool any_in_range = false;
  std::set<std::string> hosts;
  int64_t first = 0;
  int64_t last = 0;
  const auto visit = [&](const WindowHeader& header) -> Result<void> {
    const v1::TimeRange& range = header.range();
    if (last == 0 || range.start_unix_ns() < first) first = range.start_unix_ns();
    last = std::max(last, range.end_unix_ns());
    const bool after_from =
        selection.from_unix_ns() == 0 || range.end_unix_ns() > selection.from_unix_ns();
    const bool before_to =
        selection.to_unix_ns() == 0 || range.start_unix_ns() < selection.to_unix_ns();
    any_in_range = any_in_range || (after_from && before_to);
    hosts.insert(HostLabel(header));
    return {};
  };
  if (const auto scanned = store.ScanWindows({}, visit); !scanned) return scanned.error();
  if (hosts.empty()) {
    return MakeError(ErrorKind::kNotFound,
                     store.path() + ": no windows yet; is an agent sending to it?");
  }
  if (any_in_range) {
    return MakeError(ErrorKind::kNotFound, "no windows of that host; the store has " +
                                               ListText({hosts.begin(), hosts.end()}));
  }
  const std::string from =
      selection.from_unix_ns() == 0 ? "the start" : TimeText(selection.from_unix_ns());
  const std::string to = selection.to_unix_ns() == 0 ? "now" : TimeText(selection.to_unix_ns());
  return MakeError(ErrorKind::kNotFound, "no windows between " + from + " and " + to +
                                             "; the store holds " + TimeText(first) + " to " +
                                             TimeText(last));
}

}  // namespace

Result<WindowsUsed> WindowsUsed::CollectOrNone(Store& store, const v1::Selection& selection,
                                               const Matcher& matcher) {
  WindowsUsed used;
  ScanRange range;
  range.from_unix_ns = selection.from_unix_ns();
  range.to_unix_ns = selection.to_unix_ns();
  range.want_window = [&](const WindowHeader& header) { return matcher.WantsWindow(header); };
  RETURN_IF_ERROR(store.ScanWindows(range, [&](const WindowHeader& header) -> Result<void> {
    used.Add(header);
    return {};
  }));
  return used;
}

Result<WindowsUsed> WindowsUsed::Collect(Store& store, const v1::Selection& selection,
                                         const Matcher& matcher) {
  ASSIGN_OR_RETURN(WindowsUsed used, CollectOrNone(store, selection, matcher));
  if (used.windows_ == 0) return NothingThere(store, selection);
  return used;
}

ScanRange WindowsUsed::Range(const v1::Selection& selection, const Matcher& matcher) const {
  ScanRange range;
  range.from_unix_ns = selection.from_unix_ns();
  range.to_unix_ns = selection.to_unix_ns();
  range.want_window = [this, &matcher](const WindowHeader& header) {
    const auto it = sessions_.find(header.identity().session_id());
    return it != sessions_.end() && header.identity().sequence() <= it->second.last &&
           matcher.WantsWindow(header);
  };
  return range;
}

void WindowsUsed::Add(const WindowHeader& header) {
  const v1::TimeRange& range = header.range();
  from_ = windows_ == 0 ? range.start_unix_ns() : std::min(from_, range.start_unix_ns());
  to_ = windows_ == 0 ? range.end_unix_ns() : std::max(to_, range.end_unix_ns());
  ++windows_;
  const uint64_t sequence = header.identity().sequence();
  Session& session = sessions_[header.identity().session_id()];
  session.first = session.windows == 0 ? sequence : std::min(session.first, sequence);
  session.last = std::max(session.last, sequence);
  ++session.windows;
  AddHost(header);
  AddFidelity(header.fidelity());
}

void WindowsUsed::AddHost(const WindowHeader& header) {
  const v1::TimeRange& range = header.range();
  const uint64_t length = LengthNs(range.start_unix_ns(), range.end_unix_ns());
  PerHost& sums = per_host_[header.identity().host_id()];
  sums.covered_ns = SaturatingAdd(sums.covered_ns, length);
  v1::Host& host = hosts_[header.identity().host_id()];
  host.set_windows(host.windows() + 1);
  if (host.windows() == 1 || range.start_unix_ns() < host.first_unix_ns()) {
    host.set_first_unix_ns(range.start_unix_ns());
  }
  if (host.windows() > 1 && range.end_unix_ns() < sums.newest_end_ns) return;
  sums.newest_end_ns = range.end_unix_ns();
  sums.newest_fidelity = header.fidelity();
  host.set_host_id(header.identity().host_id());
  host.set_host_name(header.identity().host_name());
  host.set_boot_id(header.identity().boot_id());
  host.set_session_id(header.identity().session_id());
  host.set_agent_version(header.identity().agent_version());
  host.set_last_unix_ns(range.end_unix_ns());
  *host.mutable_topology() = header.topology();
  *host.mutable_facts() = header.facts();
}

void WindowsUsed::AddFidelity(const v1::Fidelity& fidelity) {
  for (const v1::Loss& loss : fidelity.losses()) {
    uint64_t& sum = losses_[{loss.stage(), loss.probe(), loss.reason()}];
    sum = SaturatingAdd(sum, loss.count());
  }
  for (const v1::Counter& counter : fidelity.counters()) {
    uint64_t& sum = counters_[{counter.name(), counter.unit()}];
    sum = SaturatingAdd(sum, counter.value());
  }
}

v1::AnswerInfo WindowsUsed::Info() const {
  v1::AnswerInfo info;
  info.set_from_unix_ns(from_);
  info.set_to_unix_ns(to_);
  info.set_windows(windows_);
  uint64_t missing = 0;
  for (const auto& [id, session] : sessions_) {
    const uint64_t span = session.last - session.first + 1;
    if (span > session.windows) missing = SaturatingAdd(missing, span - session.windows);
  }
  info.set_windows_missing(missing);
  if (missing > 0) {
    info.add_warnings(std::to_string(missing) + " windows of this range never arrived");
  }
  std::set<std::string> probes;
  for (const auto& [id, host] : hosts_) {
    info.add_hosts(host.host_name().empty() ? id : host.host_name());
    const PerHost& sums = per_host_.at(id);
    info.set_covered_ns(std::max(info.covered_ns(), sums.covered_ns));
    for (const v1::ProbeState& probe : sums.newest_fidelity.probes()) {
      if (!probes.insert(probe.SerializeAsString()).second) continue;
      *info.mutable_fidelity()->add_probes() = probe;
    }
  }
  for (const auto& [key, count] : losses_) {
    v1::Loss* loss = info.mutable_fidelity()->add_losses();
    std::tie(*loss->mutable_stage(), *loss->mutable_probe(), *loss->mutable_reason()) = key;
    loss->set_count(count);
  }
  for (const auto& [key, value] : counters_) {
    v1::Counter* counter = info.mutable_fidelity()->add_counters();
    std::tie(*counter->mutable_name(), *counter->mutable_unit()) = key;
    counter->set_value(value);
  }
  return info;
}

}  // namespace hotlatch::collector

#include "collector/cli/fidelity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "collector/cli/format.h"
#include "collector/cli/time_parse.h"

namespace hotlatch::collector {
namespace {

constexpr int64_t kPrintedNs = 1'000'000;

std::optional<uint64_t> SeenBy(const v1::Fidelity& fidelity, const std::string& probe) {
  for (const v1::Counter& counter : fidelity.counters()) {
    if (counter.name() == probe + ".seen") return counter.value();
  }
  return std::nullopt;
}

std::vector<LossSum> SumLosses(const v1::Fidelity& fidelity) {
  std::map<std::tuple<std::string, std::string, std::string>, uint64_t> sums;
  for (const v1::Loss& loss : fidelity.losses()) {
    if (loss.count() != 0) sums[{loss.stage(), loss.probe(), loss.reason()}] += loss.count();
  }
  std::vector<LossSum> losses;
  for (const auto& [key, count] : sums) {
    const auto& [stage, probe, reason] = key;
    losses.push_back({stage, probe, reason, count, SeenBy(fidelity, probe)});
  }
  return losses;
}

// The least that any probe saw; 0 when none says.
uint64_t LeastSeen(const v1::Fidelity& fidelity) {
  constexpr std::string_view kSuffix = ".seen";
  uint64_t least = 0;
  for (const v1::Counter& counter : fidelity.counters()) {
    const std::string_view name = counter.name();
    if (name.size() <= kSuffix.size() || name.substr(name.size() - kSuffix.size()) != kSuffix) {
      continue;
    }
    if (counter.value() != 0 && (least == 0 || counter.value() < least)) least = counter.value();
  }
  return least;
}

bool AboveThreshold(const std::vector<LossSum>& losses, uint64_t least_seen, double max_percent) {
  std::map<std::string, uint64_t> lost_by_probe;
  for (const LossSum& loss : losses) lost_by_probe[loss.probe] += loss.count;
  for (const LossSum& loss : losses) {
    // What no probe lost are whole windows: their extent is not known in events.
    const uint64_t seen = loss.probe.empty() ? 0 : loss.seen.value_or(least_seen);
    if (seen == 0) {
      if (max_percent < 100) return true;
      continue;
    }
    const double percent =
        100.0 * static_cast<double>(lost_by_probe[loss.probe]) / static_cast<double>(seen);
    if (percent > max_percent) return true;
  }
  return false;
}

void JudgeRange(const v1::AnswerInfo& info, const Asked& asked, Verdict* verdict) {
  if (info.windows() == 0) return;
  const int64_t from = asked.selection.from_unix_ns();
  // Times that we printed ourselves, cut to milliseconds, must not come out as partial.
  if (asked.from_given && info.from_unix_ns() >= from + kPrintedNs) {
    verdict->partial = true;
    verdict->partial_text = fmt::format("asked from {}, the data starts at {}", FormatTimeMs(from),
                                        FormatTimeMs(info.from_unix_ns()));
  }
  if (!asked.to_given) return;
  // Nobody can have seen the future; what ends there is asked up to now.
  int64_t to = asked.selection.to_unix_ns();
  if (asked.slack_ns != 0) to = std::min(to, asked.now_unix_ns);
  if (info.to_unix_ns() + asked.slack_ns < to) {
    verdict->partial = true;
    if (!verdict->partial_text.empty()) verdict->partial_text += "; ";
    verdict->partial_text += fmt::format("asked to {}, the data ends at {}", FormatTimeMs(to),
                                         FormatTimeMs(info.to_unix_ns()));
  }
}

std::string HostsText(const v1::AnswerInfo& info) {
  if (info.hosts_size() > 4) return HumanCount(static_cast<uint64_t>(info.hosts_size())) + " hosts";
  std::string text = info.hosts_size() == 1 ? "host " : "hosts ";
  for (int i = 0; i < info.hosts_size(); ++i) {
    text += (i == 0 ? "" : ", ") + Escaped(info.hosts(i));
  }
  return info.hosts_size() == 0 ? "no host" : text;
}

std::string LossLine(const LossSum& loss) {
  std::string line = fmt::format("LOSS: {} {} {} {}", Escaped(loss.stage), Escaped(loss.probe),
                                 Escaped(loss.reason), HumanCount(loss.count));
  if (loss.probe.empty())
    line = fmt::format("LOSS: {} {} {}", Escaped(loss.stage), Escaped(loss.reason),
                       HumanCount(loss.count));
  if (loss.seen && *loss.seen != 0) {
    line += fmt::format(" ({} of {} seen)", HumanPercent(loss.count, *loss.seen),
                        HumanCount(*loss.seen));
  }
  return line;
}

// The answer's own words for windows_missing, which has its line.
bool IsAboutMissing(const std::string& warning) {
  return warning.find(" windows of this range never arrived") != std::string::npos;
}

// What is wrong, without the statement that nothing was lost.
std::vector<std::string> TroubleLines(const v1::AnswerInfo& info, const Verdict& verdict) {
  std::vector<std::string> lines;
  for (const LossSum& loss : verdict.losses) lines.push_back(LossLine(loss));
  if (verdict.missing) {
    lines.push_back("MISSING: " + HumanCount(info.windows_missing()) +
                    (info.windows_missing() == 1 ? " window" : " windows") + " inside the range");
  }
  if (verdict.partial) lines.push_back("PARTIAL: " + verdict.partial_text);
  for (const v1::ProbeState& probe : info.fidelity().probes()) {
    if (probe.state() != "failed") continue;
    lines.push_back(fmt::format("PROBE: {} {}: {}", Escaped(probe.probe()), Escaped(probe.state()),
                                Escaped(probe.reason())));
  }
  for (const std::string& warning : info.warnings()) {
    if (IsAboutMissing(warning)) continue;
    lines.push_back("WARNING: " + Escaped(warning));
  }
  return lines;
}

}  // namespace

Verdict Judge(const v1::AnswerInfo& info, const Asked& asked, double max_loss_percent) {
  Verdict verdict;
  verdict.losses = SumLosses(info.fidelity());
  verdict.lossy = AboveThreshold(verdict.losses, LeastSeen(info.fidelity()), max_loss_percent);
  verdict.missing = info.windows_missing() != 0;
  JudgeRange(info, asked, &verdict);
  return verdict;
}

std::string RangeLine(const v1::AnswerInfo& info, const Asked& asked) {
  if (info.windows() == 0) {
    const int64_t from = asked.selection.from_unix_ns();
    return from == 0 ? "range   no windows\n"
                     : "range   no windows since " + FormatTimeMs(from) + "\n";
  }
  const int64_t length = info.to_unix_ns() - info.from_unix_ns();
  return fmt::format("range   {} to {} ({}), {} {}, {}\n", FormatTimeMs(info.from_unix_ns()),
                     FormatTimeMs(info.to_unix_ns()),
                     HumanDuration(static_cast<uint64_t>(std::max<int64_t>(length, 0))),
                     HumanCount(info.windows()), info.windows() == 1 ? "window" : "windows",
                     HostsText(info));
}

Result<void> RequireWindows(const v1::AnswerInfo& info, const Asked& asked, Answerer* answerer) {
  if (info.windows() != 0) return {};
  ASSIGN_OR_RETURN(const v1::HostsResponse hosts, answerer->Hosts({}));
  int64_t first = INT64_MAX;
  int64_t last = 0;
  for (const v1::Host& host : hosts.hosts()) {
    first = std::min(first, host.first_unix_ns());
    last = std::max(last, host.last_unix_ns());
  }
  if (last == 0) {
    return MakeError(ErrorKind::kNotFound, answerer->is_recording()
                                               ? "the recording holds no windows; record again"
                                               : "the collector holds no windows yet; start "
                                                 "hotlatch-agent on a host");
  }
  const bool filtered = asked.selection.where_size() != 0;
  return MakeError(ErrorKind::kNotFound,
                   fmt::format("no windows in the range asked for{}; there are some from {} to {}: "
                               "use --from and --to, see hotlatch hosts",
                               filtered ? " of the hosts asked for" : "", FormatTimeMs(first),
                               FormatTimeMs(last)));
}

std::vector<std::string> FidelityLines(const v1::AnswerInfo& info, const Verdict& verdict) {
  std::vector<std::string> lines = TroubleLines(info, verdict);
  if (verdict.losses.empty() && info.windows() != 0) {
    lines.insert(lines.begin(), "no loss recorded");
  }
  return lines;
}

std::string FidelityFooter(const std::vector<std::string>& lines, const Screen& screen) {
  std::string out;
  for (const std::string& line : lines) {
    const bool trouble =
        !line.empty() && line.find(": ") != std::string::npos && line[0] >= 'A' && line[0] <= 'Z';
    out += screen.Painted(line, trouble ? Paint::kWarning : Paint::kDim) + "\n";
  }
  return out;
}

std::string FidelityTalk(const v1::AnswerInfo& info, const Verdict& verdict) {
  std::string out;
  for (const std::string& line : TroubleLines(info, verdict)) out += "hotlatch: " + line + "\n";
  return out;
}

}  // namespace hotlatch::collector

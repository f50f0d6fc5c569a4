#include "collector/cli/record_loop.h"

#include <fmt/format.h>

#include <algorithm>

#include "collector/cli/format.h"

namespace hotlatch::collector {
namespace {

void Count(const v1::Window& window, RecordSummary* summary) {
  for (const v1::Counter& counter : window.fidelity().counters()) {
    if (counter.name() == "switch.seen") summary->switches += counter.value();
    if (counter.name() == "cpu.seen") summary->samples += counter.value();
  }
  for (const v1::Loss& loss : window.fidelity().losses()) summary->lost += loss.count();
}

Result<void> StoreWindow(const v1::Identity& identity, uint64_t sequence, agent::Pipeline* pipeline,
                         Store* store, RecordSummary* summary) {
  ASSIGN_OR_RETURN(v1::Window window, pipeline->CloseWindow());
  *window.mutable_identity() = identity;
  window.mutable_identity()->set_sequence(sequence);
  ASSIGN_OR_RETURN(const PutOutcome outcome, store->Put(window));
  if (outcome == PutOutcome::kDuplicate) {
    return MakeError(ErrorKind::kInternal,
                     "window " + std::to_string(sequence) + " is there already");
  }
  ++summary->windows;
  Count(window, summary);
  return {};
}

}  // namespace

RecordSummary RecordWindows(const RecordPlan& plan, agent::Pipeline* pipeline, Store* store,
                            RecordEvents* events) {
  RecordSummary summary;
  const uint64_t start = events->NowNs();
  const uint64_t end = plan.duration_ns == 0 ? UINT64_MAX : start + plan.duration_ns;
  uint64_t window_end = start;
  for (uint64_t sequence = 1;; ++sequence) {
    // From the plan, not from the clock after closing: windows do not drift.
    window_end = std::max(window_end, events->NowNs() - std::min(events->NowNs(), plan.window_ns));
    window_end = std::min(window_end + plan.window_ns, end);
    const RecordEvents::Event event = events->WaitUntil(window_end);
    const auto stored = StoreWindow(plan.identity, sequence, pipeline, store, &summary);
    summary.elapsed_ns = events->NowNs() - start;
    if (!stored) {
      summary.error = stored.error();
      return summary;
    }
    if (event == RecordEvents::Event::kStop || window_end >= end) return summary;
  }
}

std::string SummaryLine(const RecordSummary& summary, const std::string& file) {
  return fmt::format(
      "recorded {:.1f} s, {} {}, {} switches, {} lost to {}; now: hotlatch tree {}\n",
      static_cast<double>(summary.elapsed_ns) / 1e9, HumanCount(summary.windows),
      summary.windows == 1 ? "window" : "windows", HumanCount(summary.switches),
      HumanCount(summary.lost), Escaped(file), Escaped(file));
}

}  // namespace hotlatch::collector

#include "collector/cli/record_loop.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "agent/base/file.h"
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

void AddCounter(const char* name, const char* unit, uint64_t value, v1::Window* window) {
  v1::Counter* counter = window->mutable_fidelity()->add_counters();
  counter->set_name(name);
  counter->set_unit(unit);
  counter->set_value(value);
}

// CPU time of this process, not of the command.
uint64_t OwnCpuNs() {
  timespec cpu{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) != 0) return 0;
  return static_cast<uint64_t>(cpu.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(cpu.tv_nsec);
}

uint64_t OwnRssBytes() {
  const auto statm = ReadFirstLine("/proc/self/statm");
  if (!statm) return 0;
  const size_t space = statm->find(' ');
  if (space == std::string::npos) return 0;
  return std::strtoull(statm->c_str() + space, nullptr, 10) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// What the capture side does not know: who records, on what, at what cost.
void Stamp(const RecordPlan& plan, uint64_t sequence, uint64_t own_cpu_ns, v1::Window* window) {
  *window->mutable_identity() = plan.identity;
  window->mutable_identity()->set_sequence(sequence);
  if (!window->has_topology()) *window->mutable_topology() = plan.topology;
  for (const v1::Fact& fact : plan.facts) *window->add_facts() = fact;
  AddCounter("agent.cpu_ns", "ns", own_cpu_ns, window);
  AddCounter("agent.rss_bytes", "bytes", OwnRssBytes(), window);
}

Result<void> StoreWindow(const RecordPlan& plan, uint64_t sequence, uint64_t* own_cpu_ns,
                         agent::Pipeline* pipeline, Store* store, RecordSummary* summary) {
  ASSIGN_OR_RETURN(v1::Window window, pipeline->CloseWindow());
  const uint64_t cpu_ns = OwnCpuNs();
  Stamp(plan, sequence, cpu_ns - *own_cpu_ns, &window);
  *own_cpu_ns = cpu_ns;
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
  uint64_t own_cpu_ns = OwnCpuNs();
  for (uint64_t sequence = 1;; ++sequence) {
    // From the plan, not from the clock after closing, so that windows do not drift; what was missed
    // while the machine slept is not made up for.
    window_end = std::min(std::max(window_end + plan.window_ns, events->NowNs()), end);
    const RecordEvents::Event event = events->WaitUntil(window_end);
    const auto stored = StoreWindow(plan, sequence, &own_cpu_ns, pipeline, store, &summary);
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

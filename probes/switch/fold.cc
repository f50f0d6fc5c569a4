#include "probes/switch/fold.h"

#include <algorithm>
#include <array>

namespace hotlatch::agent {
namespace {

constexpr std::array kOffcpuValues = {
    ValueDescriptor{"voluntary_switches", "count",
                    "the task gave the CPU up, as the kernel counts"},
    ValueDescriptor{"involuntary_switches", "count", "the task was pre-empted"},
    ValueDescriptor{"blocked_ns", "ns", "from leaving the CPU to the wake-up"},
};
constexpr std::array kRunqueueValues = {
    ValueDescriptor{"waits", "count", "how often a runnable task got its CPU"},
    ValueDescriptor{"wait_ns", "ns", "from wake-up or pre-emption to running"},
};

}  // namespace

const ProfileDescriptor kOffcpuProfile = {
    "offcpu", "context switches and blocked time by the stack that left the CPU", kOffcpuValues};
const ProfileDescriptor kRunqueueProfile = {
    "runqueue", "time between wake-up and running by the stack that had left the CPU",
    kRunqueueValues};

void SwitchFold::AddRow(const hl_key& key, const switch_row& row) { rows_.At(key) = row; }

// Each thread is in one state at the window's end: the one that began before it, or, when that has ended
// since, the one kept as span. What began in the running generation belongs to the next window.
bool SwitchFold::AddTask(const switch_task& task) {
  if (task.span_seq == ended_.running_seq) {
    Charge(task.span);
    // The part after the window's end was charged in the running generation, to the same stack.
    live_keys_.push_back(task.span.key);
  } else if (task.now.state != SWITCH_STATE_DEAD) {
    Charge(task.now);
  }
  if (task.now.state == SWITCH_STATE_DEAD) return true;
  live_keys_.push_back(task.now.key);
  return false;
}

void SwitchFold::Charge(const switch_interval& interval) {
  const uint64_t from_ns = std::max<uint64_t>(interval.since_ns, ended_.start_ns);
  if (from_ns >= ended_.end_ns) return;
  const uint64_t ns = ended_.end_ns - from_ns;
  switch (interval.state) {
    case SWITCH_STATE_RUNNING:
      running_ns_[{interval.key.tgid, interval.key.node}] += ns;
      break;
    case SWITCH_STATE_BLOCKED:
      rows_.At(interval.key).blocked_ns += ns;
      break;
    case SWITCH_STATE_RUNNABLE:
      // The wait is counted when it ends.
      rows_.At(interval.key).runnable_ns += ns;
      break;
    default:
      break;
  }
}

void SwitchFold::Emit(RawWindow& out) const {
  RawProfile offcpu{&kOffcpuProfile, "sched_switch", 0, {}};
  RawProfile runqueue{&kRunqueueProfile, "sched_switch", 0, {}};
  for (const auto& [key, row] : rows_) {
    RawSwitches& process = out.switches[key.tgid];
    process.voluntary += row.voluntary;
    process.involuntary += row.involuntary;
    process.blocked_ns += row.blocked_ns;
    process.runnable_ns += row.runnable_ns;
    if (row.oncpu_ns > 0) out.oncpu_ns[{key.tgid, key.node}] += row.oncpu_ns;
    if (row.voluntary + row.involuntary + row.blocked_ns > 0) {
      offcpu.rows.push_back({key, {row.voluntary, row.involuntary, row.blocked_ns}});
    }
    if (row.waits + row.runnable_ns > 0) {
      runqueue.rows.push_back({key, {row.waits, row.runnable_ns}});
    }
  }
  for (const auto& [where, ns] : running_ns_) out.oncpu_ns[where] += ns;
  out.profiles.push_back(std::move(offcpu));
  out.profiles.push_back(std::move(runqueue));
}

}  // namespace hotlatch::agent

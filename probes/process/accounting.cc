#include "probes/process/accounting.h"

#include <cstring>

namespace hotlatch::agent {
namespace {

uint64_t Difference(uint64_t now, uint64_t before) { return now > before ? now - before : 0; }

std::string CommOf(const process_thread& thread) {
  return {thread.comm, strnlen(thread.comm, sizeof thread.comm)};
}

}  // namespace

RawProcess& ProcessAccounting::ProcessOf(const process_thread& thread) {
  RawProcess& process = processes_[thread.tgid];
  const bool leader = thread.tid == thread.tgid;
  // Of two processes that had this pid in the window, the later names the row.
  if (process.pid == 0 || (leader && thread.start_time_ns >= process.start_time_ns)) {
    process.pid = thread.tgid;
    process.parent_pid = thread.parent_tgid;
    process.flags = thread.flags & HL_KEY_KERNEL_THREAD;
    process.start_time_ns = thread.start_time_ns;
    process.comm = CommOf(thread);
  }
  return process;
}

// The split follows the kernel's own for /proc/PID/stat (cputime_adjust): the run time is exact, ticks only
// say how it divides.
void ProcessAccounting::Add(const process_thread& thread, Totals& last) {
  RawProcess& process = ProcessOf(thread);
  const uint64_t user = Difference(thread.utime_ns, last.user_ns);
  const uint64_t system = Difference(thread.stime_ns, last.system_ns);
  const uint64_t exec = Difference(thread.sum_exec_runtime_ns, last.exec_ns);
  const double system_share =
      user + system > 0 ? static_cast<double>(system) / static_cast<double>(user + system) : 0;
  const auto system_ns = static_cast<uint64_t>(static_cast<double>(exec) * system_share);
  process.system_ns += system_ns;
  process.user_ns += exec - system_ns;
  // A process's children are in every thread's record; count them by the leader's. A final record may have none.
  if (thread.child_utime_ns + thread.child_stime_ns > 0) {
    if (thread.tid == thread.tgid) {
      process.child_user_ns += Difference(thread.child_utime_ns, last.child_user_ns);
      process.child_system_ns += Difference(thread.child_stime_ns, last.child_system_ns);
    }
    last.child_user_ns = thread.child_utime_ns;
    last.child_system_ns = thread.child_stime_ns;
  }
  last.user_ns = thread.utime_ns;
  last.system_ns = thread.stime_ns;
  last.exec_ns = thread.sum_exec_runtime_ns;
}

void ProcessAccounting::AddAlive(const process_thread& thread) {
  Totals& last = last_[thread.task];
  // Another thread in memory that was used before, whose final record found no room.
  if (last.exec_ns > thread.sum_exec_runtime_ns) last = Totals{};
  last.round = round_;
  Add(thread, last);
  processes_[thread.tgid].threads++;
}

// The totals so far, and those of the children, which no later record has.
void ProcessAccounting::AddExiting(const process_thread& thread) {
  exiting_[thread.task] = {thread, round_};
  if (thread.start_time_ns < baseline_ns_ && !last_.contains(thread.task)) return;
  Totals& last = last_[thread.task];
  last.round = round_;
  Add(thread, last);
}

void ProcessAccounting::AddEnded(const process_thread& thread) {
  if ((thread.flags & PROCESS_EXITING) != 0) {
    AddExiting(thread);
    return;
  }
  exiting_.erase(thread.task);
  Totals last;
  const auto known = last_.find(thread.task);
  if (known != last_.end()) {
    last = known->second;
    last_.erase(known);
  } else if (thread.start_time_ns < baseline_ns_) {
    return;  // ended before the baseline was read: its totals are not this window's
  }
  Add(thread, last);
  if (thread.tid == thread.tgid) processes_[thread.tgid].ended = true;
}

void ProcessAccounting::AddIdentity(const process_thread& thread) {
  ProcessOf(thread);
  // Its totals so far stay until AddEnded takes the difference.
  const auto known = last_.find(thread.task);
  if (known != last_.end()) known->second.round = round_;
}

void ProcessAccounting::SetBaseline(uint64_t now_ns) {
  baseline_ns_ = now_ns;
  processes_.clear();
  round_++;
}

// Its last switches may be in the window after that of its record, its final record a grace period later.
void ProcessAccounting::NameExiting() {
  for (const auto& [task, record] : exiting_) AddIdentity(record.first);
  std::erase_if(exiting_, [&](const auto& entry) { return entry.second.second + 1 < round_; });
}

void ProcessAccounting::CloseWindow(std::map<uint32_t, RawProcess>& out) {
  NameExiting();
  // Ended without a record (that map was full and counted): its totals must not stay for ever.
  std::erase_if(last_, [&](const auto& entry) { return entry.second.round != round_; });
  out = std::move(processes_);
  processes_.clear();
  round_++;
}

}  // namespace hotlatch::agent

// Differences between life totals of threads, added up by process. Each thread's total is counted exactly once
// whether it was seen alive at window ends, ended in between, or both. Pure: no kernel.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "probes/process/process.h"
#include "probes/raw_window.h"

namespace hotlatch::agent {

class ProcessAccounting {
 public:
  // In this order, once a window: the records of the window's ended threads; all live ones; those of threads
  // that have ended since, which here only tell who they were; CloseWindow.
  void AddEnded(const process_thread& thread);
  void AddAlive(const process_thread& thread);
  void AddIdentity(const process_thread& thread);

  // What was added so far is from before the first window: totals are kept, differences dropped. now_ns is
  // CLOCK_MONOTONIC, as start times are.
  void SetBaseline(uint64_t now_ns);

  // Hands out the processes of the window, by pid.
  void CloseWindow(std::map<uint32_t, RawProcess>& out);

  size_t threads() const { return last_.size(); }

 private:
  struct Totals {
    uint64_t user_ns = 0, system_ns = 0, exec_ns = 0;
    uint64_t child_user_ns = 0, child_system_ns = 0;
    uint64_t round = 0;
  };

  void Add(const process_thread& thread, Totals& last);
  void AddExiting(const process_thread& thread);
  RawProcess& ProcessOf(const process_thread& thread);
  void NameExiting();

  std::unordered_map<uint64_t, Totals> last_;  // by task
  std::map<uint32_t, RawProcess> processes_;   // of the window, by tgid
  // About to end, final totals still to come: by task, with the round of the record.
  std::unordered_map<uint64_t, std::pair<process_thread, uint64_t>> exiting_;
  uint64_t round_ = 1;
  uint64_t baseline_ns_ = 0;
};

}  // namespace hotlatch::agent

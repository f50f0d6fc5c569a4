// What probes hand over: plain data by process id and raw address, before names are found. The pipeline
// folds it into a v1::Window.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "probes/abi/common.h"

namespace hotlatch::agent {

inline constexpr size_t kMaxValues = 4;

struct ValueDescriptor {
  std::string_view name;  // with its unit where it has one: blocked_ns
  std::string_view unit;  // ns, bytes, count
  std::string_view help;
};

struct ProfileDescriptor {
  std::string_view name;
  std::string_view help;
  std::span<const ValueDescriptor> values;  // at most kMaxValues
};

struct RawRow {
  hl_key key{};
  std::array<uint64_t, kMaxValues> values{};
};

struct RawProfile {
  const ProfileDescriptor* descriptor = nullptr;
  std::string event;
  double sample_rate_hz = 0;  // 0 = exact
  std::vector<RawRow> rows;
};

// Leaf first.
struct RawStack {
  std::vector<uint64_t> pcs;
  bool truncated = false;
};

struct RawProcess {
  uint32_t pid = 0;
  uint32_t parent_pid = 0;
  uint32_t flags = 0;          // HL_KEY_KERNEL_THREAD
  uint64_t start_time_ns = 0;  // CLOCK_MONOTONIC
  std::string comm;
  bool ended = false;
  uint32_t threads = 0;  // alive at the end, or ended in the window when the process ended
  uint64_t user_ns = 0, system_ns = 0;
  uint64_t child_user_ns = 0, child_system_ns = 0;
};

// Exact counts of one process, whether or not its stacks found room.
struct RawSwitches {
  uint64_t voluntary = 0, involuntary = 0;
  uint64_t blocked_ns = 0, runnable_ns = 0;
};

struct RawWake {
  uint32_t pid = 0, waker_pid = 0;  // waker_pid 0: an interrupt
  std::string_view waker_kind;      // task, softirq, hardirq, interrupt
  uint64_t count = 0;
};

struct RawLoss {
  std::string_view probe, reason;
  uint64_t count = 0;
};

struct RawCounter {
  std::string name;
  std::string_view unit;
  uint64_t value = 0;
};

struct RawWindow {
  uint64_t start_ns = 0, end_ns = 0;  // CLOCK_MONOTONIC
  std::vector<RawProfile> profiles;
  std::unordered_map<uint64_t, RawStack>
      stacks;                                // of this window and of earlier ones still referred to
  std::map<uint32_t, RawProcess> processes;  // by pid
  std::map<uint32_t, RawSwitches> switches;  // by pid
  std::map<std::pair<uint32_t, int32_t>, uint64_t> oncpu_ns;  // by pid and node
  std::vector<RawWake> wakes;
  std::vector<RawLoss> losses;
  std::vector<RawCounter> counters;

  void AddLoss(std::string_view probe, std::string_view reason, uint64_t count) {
    if (count > 0) losses.push_back({probe, reason, count});
  }
};

}  // namespace hotlatch::agent

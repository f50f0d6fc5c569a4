// What every probe is: a descriptor in the table of all_probes.cc and an object that attaches BPF programs
// and reads their maps once a window. Adding one: CONTRIBUTING.md.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "agent/base/result.h"
#include "agent/bpf/generation.h"
#include "probes/raw_window.h"

namespace hotlatch::agent {

struct ProbeContext {
  const Generation* generation = nullptr;  // outlives the probe
  double cpu_frequency_hz = 99;
  uint32_t row_map_entries = 65536;
  uint32_t stack_map_entries = 16384;
  uint32_t task_map_entries = 65536;
};

// Loads at open, drains once a window; destruction detaches. One thread.
class Probe {
 public:
  virtual ~Probe() = default;

  // May be called again after Detach; what happened in between is not seen and not charged.
  virtual Result<void> Attach() = 0;
  virtual void Detach() = 0;

  // Runs just before the generation is swapped, for sources that are read and not counted.
  virtual Result<void> BeforeSwap() { return {}; }

  // Moves what the ended generation holds into out. Losses are added to out, never left out.
  virtual Result<void> Drain(const EndedGeneration& ended, RawWindow& out) = 0;

  // The hooks taken, as in tp_btf/sched_switch.
  virtual std::string hook() const = 0;
  virtual uint64_t map_bytes() const = 0;
};

struct ProbeDescriptor {
  std::string_view name;
  std::string_view help;
  bool on_by_default = true;
  std::span<const ProfileDescriptor* const> profiles;
  Result<std::unique_ptr<Probe>> (*open)(const ProbeContext&) = nullptr;
};

// Every probe, in the order in which they attach and drain.
std::span<const ProbeDescriptor* const> AllProbes();

}  // namespace hotlatch::agent

// The agent's capture side: probes -> drain -> window -> symbols. One owner, one thread.
//   auto pipeline = Pipeline::Open(options);   // loads and attaches; BPF rights are needed only here
//   loop: sleep until the window's end; CloseWindow() -> deliver
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

struct PipelineOptions {
  double cpu_frequency_hz = 99;
  // Entries of one generation; the test switch that shrinks maps sets these too.
  uint32_t row_map_entries = 65536;
  uint32_t stack_map_entries = 16384;
  uint32_t task_map_entries = 65536;
  std::vector<std::string> probes;  // empty = all default probes
  bool strict = false;              // a probe that cannot attach is an error, not a state
  std::string proc_root = "/proc";
};

struct ProbeStatus {
  std::string probe, state, hook, reason;  // as v1::ProbeState
};

class Pipeline {
 public:
  virtual ~Pipeline() = default;

  static Result<std::unique_ptr<Pipeline>> Open(const PipelineOptions& options);

  // Ends the running window and starts the next; returns what was seen in the one that ended. Identity
  // (session, sequence), spool losses and facts of the agent itself are added by the caller.
  virtual Result<v1::Window> CloseWindow() = 0;

  // Detaches all probes, or attaches them again; the maps stay. For measuring what the probes cost and for
  // shedding. Windows go on and hold what was seen.
  virtual Result<void> SetAttached(bool attached) = 0;

  virtual std::vector<ProbeStatus> probes() const = 0;
};

// Names of every probe, for --list-probes and checks of the configuration.
struct ProbeInfo {
  std::string name, help;
};
std::vector<ProbeInfo> ListProbes();

}  // namespace hotlatch::agent

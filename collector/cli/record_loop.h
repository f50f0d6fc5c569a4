// Windows from a pipeline into a store until it is time to stop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "agent/pipeline/pipeline.h"
#include "collector/store/store.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::collector {

// What the loop waits on; tests have their own time.
class RecordEvents {
 public:
  enum class Event { kDeadline, kStop };
  virtual ~RecordEvents() = default;
  virtual uint64_t NowNs() = 0;
  // Until NowNs() reaches the deadline, or recording is to end: Ctrl-C, the command has ended.
  virtual Event WaitUntil(uint64_t deadline_ns) = 0;
};

struct RecordPlan {
  uint64_t window_ns = 0;
  uint64_t duration_ns = 0;  // 0 = until stopped
  v1::Identity identity;     // sequence is counted here, from 1
  v1::Topology topology;     // for windows without one
  std::vector<v1::Fact> facts;
};

struct RecordSummary {
  uint64_t elapsed_ns = 0;
  uint64_t windows = 0;        // stored
  uint64_t switches = 0;       // counter switch.seen
  uint64_t samples = 0;        // counter cpu.seen
  uint64_t lost = 0;           // losses of all stages
  std::optional<Error> error;  // why it ended early; what was stored before stays
};

// The last window is as long as what is left. A window that cannot be stored ends the recording.
RecordSummary RecordWindows(const RecordPlan& plan, agent::Pipeline* pipeline, Store* store,
                            RecordEvents* events);

// recorded 31.2 s, 4 windows, 1 234 567 switches, 0 lost to FILE; now: hotlatch tree FILE
std::string SummaryLine(const RecordSummary& summary, const std::string& file);

}  // namespace hotlatch::collector

// The daemon's life after everything is attached: close a window at each boundary, stamp it, put it
// in the spool; at the end close the last one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

#include "agent/base/result.h"
#include "agent/daemon/stamper.h"
#include "agent/pipeline/pipeline.h"
#include "agent/spool/spool.h"

namespace hotlatch::agent {

// The end of the window that begins at now: the next multiple of window on the wall clock, so that
// all hosts close together. One that is nearer than a tenth of a window (a wake-up a little early)
// is passed over. All in Unix nanoseconds.
int64_t NextBoundary(int64_t now_ns, int64_t window_ns);

struct LoopOptions {
  std::chrono::nanoseconds window = std::chrono::seconds(10);
  std::string proc_root = "/proc";
  // Waits until the Unix time or the request to stop; true = stop. See StopSignals::WaitUntil.
  std::function<bool(int64_t until_unix_ns)> wait;
};

// Runs until wait says stop, then delivers the last window. Ends with the pipeline's error when
// three windows in a row could not be closed; a window lost before that is counted ("drain",
// close_failed) and a later window carries the count. A window the spool cannot take is logged once
// until one is taken again. Uses pipeline and spool from the calling thread.
Result<void> RunLoop(Pipeline& pipeline, Spool& spool, WindowStamper& stamper,
                     const LoopOptions& options);

}  // namespace hotlatch::agent

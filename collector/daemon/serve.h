// The running collector: the store and its retention, the server and its two services.
#pragma once

#include "agent/base/result.h"
#include "collector/daemon/options.h"

namespace hotlatch::collector {

// Serves until SIGTERM or SIGINT, then stops cleanly. Both signals are blocked from then on: call it
// before any thread is started. Errors: the directory, the store, the address.
Result<void> Serve(const CollectorOptions& options);

}  // namespace hotlatch::collector

// Tells systemd that the service is ready or stopping; nothing where NOTIFY_SOCKET is not set.
#pragma once

#include <string>

#include "agent/base/result.h"

namespace hotlatch::agent {

// state: "READY=1", "STOPPING=1" ...
Result<void> NotifyServiceManager(const std::string& state);

}  // namespace hotlatch::agent

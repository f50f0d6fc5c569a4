// Rules of the dictionary; see check.h.
#pragma once

#include "agent/base/result.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::collector {

Result<void> CheckDictionary(const v1::Dictionary& dictionary);

}  // namespace hotlatch::collector

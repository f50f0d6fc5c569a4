// Hosts as a table and as JSON; shared by hosts and status.
#pragma once

#include <string>

#include "collector/cli/json_output.h"
#include "collector/cli/screen.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

std::string HostsText(const google::protobuf::RepeatedPtrField<v1::Host>& hosts,
                      const Screen& screen);
Json HostsJson(const google::protobuf::RepeatedPtrField<v1::Host>& hosts);

}  // namespace hotlatch::collector

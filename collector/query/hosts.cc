#include <string>

#include "agent/base/version.h"
#include "collector/query/match.h"
#include "collector/query/query.h"
#include "collector/query/windows_used.h"

namespace hotlatch::collector {

Result<v1::HostsResponse> AnswerHosts(Store& store, const v1::HostsRequest& request) {
  ASSIGN_OR_RETURN(const Matcher matcher, Matcher::Make(request.selection()));
  RETURN_IF_ERROR(matcher.CheckLabels({"host"}));
  ASSIGN_OR_RETURN(const WindowsUsed used,
                   WindowsUsed::Collect(store, request.selection(), matcher));
  v1::HostsResponse response;
  for (const auto& [id, host] : used.hosts()) *response.add_hosts() = host;
  *response.mutable_info() = used.Info();
  return response;
}

Result<v1::StatusResponse> AnswerStatus(Store& store, const v1::StatusRequest& request) {
  ASSIGN_OR_RETURN(const Matcher matcher, Matcher::Make(request.selection()));
  RETURN_IF_ERROR(matcher.CheckLabels({"host"}));
  ASSIGN_OR_RETURN(const WindowsUsed used,
                   WindowsUsed::CollectOrNone(store, request.selection(), matcher));
  v1::StatusResponse response;
  response.set_collector_version(std::string(kVersion));
  response.set_store_path(store.path());
  ASSIGN_OR_RETURN(const uint64_t bytes, store.SizeBytes());
  response.set_store_bytes(bytes);
  response.set_windows(used.windows());
  for (const auto& [id, host] : used.hosts()) *response.add_hosts() = host;
  *response.mutable_info() = used.Info();
  return response;
}

}  // namespace hotlatch::collector

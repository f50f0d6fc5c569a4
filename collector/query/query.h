// Answers to every question, computed over a Store. The collector's QueryService and the CLI on a
// recording call the same functions, so that both give the same answer.
#pragma once

#include "agent/base/result.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

Result<v1::HostsResponse> AnswerHosts(Store& store, const v1::HostsRequest& request);
Result<v1::TreeResponse> AnswerTree(Store& store, const v1::TreeRequest& request);
Result<v1::RowsResponse> AnswerRows(Store& store, const v1::RowsRequest& request);
Result<v1::StatusResponse> AnswerStatus(Store& store, const v1::StatusRequest& request);

}  // namespace hotlatch::collector

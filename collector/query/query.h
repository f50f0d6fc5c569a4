// Answers to every question, computed over a Store. The collector's QueryService and the CLI on a
// recording call the same functions, so that both give the same answer.
#pragma once

#include "agent/base/result.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

// Common to all: kInvalid for labels, columns and ranges that cannot be, naming those that can; kNotFound
// where the selection holds no window, naming what the store does hold. The same store and question give
// the same bytes. Sums stop at the largest number. Label values: host is the name, or the id where there
// is none; node is a decimal or "unknown".

Result<v1::HostsResponse> AnswerHosts(Store& store, const v1::HostsRequest& request);

// Frames are one node when name, module and kind agree. An unnamed frame is [module+0xoffset], an empty
// stack the marker [no stack]. In every tree a node's total is its self and its children's totals:
// inverted, self is what ends at that outermost caller. Rows of value 0 make no node.
Result<v1::TreeResponse> AnswerTree(Store& store, const v1::TreeRequest& request);

// In order of the first ns column (else the first), falling, then of the labels. per_window adds the
// label "time" as the last one and sorts by it first. Labels of a table are host and its columns; summed
// are its other number columns, never those of unit id.
Result<v1::RowsResponse> AnswerRows(Store& store, const v1::RowsRequest& request);

// An empty selection is an answer as well: 0 windows.
Result<v1::StatusResponse> AnswerStatus(Store& store, const v1::StatusRequest& request);

}  // namespace hotlatch::collector

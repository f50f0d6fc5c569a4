// Who answers: a recording opened in process, or a collector asked by gRPC. Commands see only this.
#pragma once

#include <memory>
#include <string>

#include "agent/base/result.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

class Answerer {
 public:
  virtual ~Answerer() = default;

  virtual Result<v1::HostsResponse> Hosts(const v1::HostsRequest& request) = 0;
  virtual Result<v1::TreeResponse> Tree(const v1::TreeRequest& request) = 0;
  virtual Result<v1::RowsResponse> Rows(const v1::RowsRequest& request) = 0;
  virtual Result<v1::StatusResponse> Status(const v1::StatusRequest& request) = 0;

  // A recording's data ends once and for all: "now" is its end.
  virtual bool is_recording() const = 0;
};

// Opens the recording read-only; the error names the file.
Result<std::unique_ptr<Answerer>> OpenRecording(const std::string& path);

// Answers from a store that is open already.
std::unique_ptr<Answerer> AnswererOf(std::unique_ptr<Store> store);

// Connects lazily: an unreachable collector is kUnavailable at the first question. Every question
// has a deadline of 30 s and a bounded answer.
std::unique_ptr<Answerer> AskCollector(const std::string& address);

}  // namespace hotlatch::collector

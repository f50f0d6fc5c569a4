#include "collector/daemon/query_service.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "collector/ingest/grpc_status.h"
#include "collector/query/limited_store.h"
#include "collector/query/query.h"

namespace hotlatch::collector {
namespace {

constexpr int kMaxConnections = 4;
constexpr std::chrono::seconds kLongestQuery{60};

using Clock = std::chrono::system_clock;

}  // namespace

QueryService::QueryService(std::string store_path,
                           std::function<void(v1::StatusResponse*)> add_counts)
    : store_path_(std::move(store_path)), add_counts_(std::move(add_counts)) {}

Result<std::unique_ptr<Store>> QueryService::Borrow(Clock::time_point deadline) {
  std::unique_lock<std::mutex> lock(mutex_);
  const bool free = returned_.wait_until(
      lock, deadline, [this] { return !idle_.empty() || open_ < kMaxConnections; });
  if (!free) {
    return MakeError(ErrorKind::kUnavailable,
                     "query: the collector is busy with others; try again");
  }
  if (!idle_.empty()) {
    std::unique_ptr<Store> store = std::move(idle_.back());
    idle_.pop_back();
    return store;
  }
  auto store = OpenSqliteStore(store_path_, OpenMode::kReadOnly);
  if (store) ++open_;
  return store;
}

void QueryService::GiveBack(std::unique_ptr<Store> store) {
  const std::lock_guard<std::mutex> guard(mutex_);
  idle_.push_back(std::move(store));
  returned_.notify_one();
}

template <typename Request, typename Response>
grpc::Status QueryService::Answer(grpc::ServerContext* context, const Request& request,
                                  Response* response,
                                  Result<Response> (*answer)(Store&, const Request&)) {
  const Clock::time_point deadline = std::min(context->deadline(), Clock::now() + kLongestQuery);
  auto store = Borrow(deadline);
  if (!store) return ToGrpcStatus(store.error());
  LimitedStore limited(
      **store, [context, deadline] { return context->IsCancelled() || Clock::now() >= deadline; });
  Result<Response> answered = answer(limited, request);
  GiveBack(std::move(*store));
  if (!answered) return ToGrpcStatus(answered.error());
  if (answered->ByteSizeLong() > kMaxAnswerBytes) {
    return {grpc::StatusCode::RESOURCE_EXHAUSTED,
            "query: the answer is larger than 64 MiB; narrow the range or its labels"};
  }
  *response = std::move(*answered);
  return grpc::Status::OK;
}

grpc::Status QueryService::Hosts(grpc::ServerContext* context, const v1::HostsRequest* request,
                                 v1::HostsResponse* response) {
  return Answer(context, *request, response, &AnswerHosts);
}

grpc::Status QueryService::Tree(grpc::ServerContext* context, const v1::TreeRequest* request,
                                v1::TreeResponse* response) {
  return Answer(context, *request, response, &AnswerTree);
}

grpc::Status QueryService::Rows(grpc::ServerContext* context, const v1::RowsRequest* request,
                                v1::RowsResponse* response) {
  return Answer(context, *request, response, &AnswerRows);
}

grpc::Status QueryService::Status(grpc::ServerContext* context, const v1::StatusRequest* request,
                                  v1::StatusResponse* response) {
  grpc::Status status = Answer(context, *request, response, &AnswerStatus);
  if (status.ok()) add_counts_(response);
  return status;
}

}  // namespace hotlatch::collector

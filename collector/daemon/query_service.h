// The questions of query.h over gRPC. Each query reads through a connection of its own, so that neither
// other queries nor the windows coming in wait for it. Every answer is bounded in time and size.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.grpc.pb.h"

namespace hotlatch::collector {

// Clients must be ready to receive this much.
inline constexpr size_t kMaxAnswerBytes = 64U << 20;

class QueryService final : public v1::QueryService::Service {
 public:
  // add_counts fills what the store cannot know; it is called by several threads.
  QueryService(std::string store_path, std::function<void(v1::StatusResponse*)> add_counts);

  grpc::Status Hosts(grpc::ServerContext* context, const v1::HostsRequest* request,
                     v1::HostsResponse* response) override;
  grpc::Status Tree(grpc::ServerContext* context, const v1::TreeRequest* request,
                    v1::TreeResponse* response) override;
  grpc::Status Rows(grpc::ServerContext* context, const v1::RowsRequest* request,
                    v1::RowsResponse* response) override;
  grpc::Status Status(grpc::ServerContext* context, const v1::StatusRequest* request,
                      v1::StatusResponse* response) override;

 private:
  template <typename Request, typename Response>
  grpc::Status Answer(grpc::ServerContext* context, const Request& request, Response* response,
                      Result<Response> (*answer)(Store&, const Request&));
  // kUnavailable when all connections are busy until the deadline.
  Result<std::unique_ptr<Store>> Borrow(std::chrono::system_clock::time_point deadline);
  void GiveBack(std::unique_ptr<Store> store);

  const std::string store_path_;
  const std::function<void(v1::StatusResponse*)> add_counts_;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Store>> idle_;
  int open_ = 0;
};

}  // namespace hotlatch::collector

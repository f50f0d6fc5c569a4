// An IngestService in this process whose answers a test decides.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "hotlatch/v1/ingest.grpc.pb.h"

namespace hotlatch::agent {

class FakeCollector : public v1::IngestService::Service {
 public:
  enum class Answer { kAck, kDuplicate, kSilence };
  // What to do with the window; a status that is not OK ends the stream.
  using Policy = std::function<std::pair<Answer, grpc::Status>(const v1::Window&)>;

  explicit FakeCollector(Policy policy = AckAll()) : policy_(std::move(policy)) {}
  FakeCollector(const FakeCollector&) = delete;
  FakeCollector& operator=(const FakeCollector&) = delete;
  ~FakeCollector() override { Stop(); }

  static Policy AckAll() {
    return [](const v1::Window&) { return std::pair(Answer::kAck, grpc::Status::OK); };
  }

  // port 0 = any; returns the port, 0 when it is taken.
  int Start(int port = 0, int max_message_bytes = 16 << 20) {
    grpc::ServerBuilder builder;
    int bound = 0;
    builder.AddListeningPort("127.0.0.1:" + std::to_string(port), grpc::InsecureServerCredentials(),
                             &bound);
    builder.SetMaxReceiveMessageSize(max_message_bytes);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
    return bound;
  }

  void Stop() {
    if (server_ == nullptr) return;
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_.reset();
  }

  void SetPolicy(Policy policy) {
    const std::lock_guard lock(mutex_);
    policy_ = std::move(policy);
  }

  // Sequences in the order of arrival, over all streams.
  std::vector<uint64_t> received() const {
    const std::lock_guard lock(mutex_);
    return received_;
  }

  bool WaitForReceived(size_t count) const {
    std::unique_lock lock(mutex_);
    return arrived_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return received_.size() >= count; });
  }

 private:
  grpc::Status Push(grpc::ServerContext*,
                    grpc::ServerReaderWriter<v1::PushResponse, v1::PushRequest>* stream) override {
    v1::PushRequest request;
    while (stream->Read(&request)) {
      Policy policy;
      {
        const std::lock_guard lock(mutex_);
        received_.push_back(request.window().identity().sequence());
        policy = policy_;
      }
      arrived_.notify_all();
      const auto [answer, status] = policy(request.window());
      if (!status.ok()) return status;
      if (answer == Answer::kSilence) continue;
      v1::PushResponse response;
      response.set_session_id(request.window().identity().session_id());
      response.set_sequence(request.window().identity().sequence());
      response.set_duplicate(answer == Answer::kDuplicate);
      stream->Write(response);
    }
    return grpc::Status::OK;
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  Policy policy_;                   // guarded by mutex_
  std::vector<uint64_t> received_;  // guarded by mutex_
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace hotlatch::agent

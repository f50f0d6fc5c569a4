// One open Push stream. The sender's thread writes and waits; acknowledgements and the end arrive
// on threads of gRPC, which only note them here and raise the signal. Nothing here blocks but
// Close.
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "agent/spool/signal.h"
#include "hotlatch/v1/ingest.grpc.pb.h"

namespace hotlatch::agent {

class PushStream : private grpc::ClientBidiReactor<v1::PushRequest, v1::PushResponse> {
 public:
  using OnAcknowledged = std::function<void(const v1::PushResponse&)>;

  // on_acknowledged runs on a thread of gRPC, one call at a time, none after Close returned.
  PushStream(const std::shared_ptr<grpc::Channel>& channel, OnAcknowledged on_acknowledged,
             Signal& changed);
  // Close must have been called.
  ~PushStream() override = default;
  PushStream(const PushStream&) = delete;
  PushStream& operator=(const PushStream&) = delete;

  bool ready_to_write() const;      // no write is under way and the stream is open
  void Write(v1::Window&& window);  // only when ready_to_write
  bool ended() const;               // by the peer, or cancelled
  void Cancel() { context_.TryCancel(); }

  // Waits for the end and returns why. Cancel first unless ended().
  grpc::Status Close();

 private:
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  const OnAcknowledged on_acknowledged_;
  Signal& changed_;
  const std::unique_ptr<v1::IngestService::Stub> stub_;
  grpc::ClientContext context_;
  v1::PushRequest request_;    // of the write under way
  v1::PushResponse response_;  // of the read under way

  mutable std::mutex mutex_;
  std::condition_variable closed_;
  bool writing_ = false;  // these four guarded by mutex_
  bool ended_ = false;
  bool done_ = false;
  grpc::Status status_;
};

}  // namespace hotlatch::agent

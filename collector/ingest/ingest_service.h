// Takes windows from agents: check, store, acknowledge. One thread per stream, any number of streams; the
// server bounds both threads and message sizes.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "agent/base/result.h"
#include "collector/ingest/shared_store.h"
#include "hotlatch/v1/ingest.grpc.pb.h"

namespace hotlatch::collector {

// Windows since the start. refused counts messages that ended their stream.
struct IngestCounts {
  std::atomic<uint64_t> ingested{0}, duplicates{0}, refused{0};
};

// A grpc::Service of its own rather than the generated base: that one parses messages before we see them,
// and bytes that do not parse would look like the stream's end. Here they are INVALID_ARGUMENT.
class IngestService final : public grpc::Service {
 public:
  // store must outlive it.
  explicit IngestService(SharedStore& store);

  const IngestCounts& counts() const { return counts_; }

  // One message, as it came. The response is the acknowledgement: the window is durable.
  grpc::Status Take(const grpc::ByteBuffer& message, v1::PushResponse* response);

 private:
  using Stream = grpc::ServerReaderWriter<v1::PushResponse, grpc::ByteBuffer>;
  grpc::Status Push(const grpc::ServerContext& context, Stream* stream);
  grpc::Status StoreWindow(const v1::Window& window, v1::PushResponse* response);
  void LogRefusal(const grpc::ServerContext& context, const grpc::Status& status);

  SharedStore* store_;
  IngestCounts counts_;
  std::mutex log_mutex_;
  uint64_t next_log_ns_ = 0;  // monotonic
  uint64_t not_logged_ = 0;
};

}  // namespace hotlatch::collector

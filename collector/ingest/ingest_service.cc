#include "collector/ingest/ingest_service.h"

#include <string>
#include <utility>

#include "agent/base/clock.h"
#include "agent/base/log.h"
#include "collector/ingest/check.h"
#include "collector/ingest/grpc_status.h"

namespace hotlatch::collector {
namespace {

constexpr char kPushMethod[] = "/hotlatch.v1.IngestService/Push";
constexpr uint64_t kLogEveryNs = 10'000'000'000;

grpc::Status Invalid(const std::string& text) { return {grpc::StatusCode::INVALID_ARGUMENT, text}; }

}  // namespace

IngestService::IngestService(SharedStore& store) : store_(&store) {
  using Handler =
      grpc::internal::BidiStreamingHandler<IngestService, grpc::ByteBuffer, v1::PushResponse>;
  // AddMethod takes both over, as in generated code.
  AddMethod(new grpc::internal::RpcServiceMethod(
      kPushMethod, grpc::internal::RpcMethod::BIDI_STREAMING,
      new Handler([](IngestService* service, grpc::ServerContext* context,
                     Stream* stream) { return service->Push(*context, stream); },
                  this)));
}

grpc::Status IngestService::Push(const grpc::ServerContext& context, Stream* stream) {
  grpc::ByteBuffer message;
  while (stream->Read(&message)) {
    v1::PushResponse response;
    const grpc::Status status = Take(message, &response);
    message.Clear();
    if (!status.ok()) {
      LogRefusal(context, status);
      return status;
    }
    if (!stream->Write(response)) break;
  }
  return grpc::Status::OK;
}

grpc::Status IngestService::Take(const grpc::ByteBuffer& message, v1::PushResponse* response) {
  grpc::ByteBuffer bytes(message);
  v1::PushRequest request;
  grpc::Status status = grpc::SerializationTraits<v1::PushRequest>::Deserialize(&bytes, &request);
  if (!status.ok()) {
    status = Invalid("push request: not a message of hotlatch.v1, or text that is not UTF-8");
  } else if (!request.has_window()) {
    status = Invalid("window: missing");
  } else if (const auto checked = CheckWindow(request.window()); !checked) {
    status = ToGrpcStatus(checked.error());
  } else {
    status = StoreWindow(request.window(), response);
  }
  if (!status.ok()) ++counts_.refused;
  return status;
}

grpc::Status IngestService::StoreWindow(const v1::Window& window, v1::PushResponse* response) {
  const v1::Identity& identity = window.identity();
  SharedStore::Lock store(*store_);
  const auto last = store->LastSequence(identity.session_id());
  if (!last) return ToGrpcStatus(last.error());
  bool duplicate = false;
  if (identity.sequence() <= *last) {
    const auto stored = store->Contains(identity.session_id(), identity.sequence());
    if (!stored) return ToGrpcStatus(stored.error());
    if (!*stored) {
      return {grpc::StatusCode::OUT_OF_RANGE,
              "identity.sequence: " + std::to_string(identity.sequence()) + " comes after " +
                  std::to_string(*last) + " of this session was stored"};
    }
    duplicate = true;
  } else {
    const auto put = store->Put(window);
    if (!put) return ToGrpcStatus(put.error());
    duplicate = *put == PutOutcome::kDuplicate;
  }
  ++(duplicate ? counts_.duplicates : counts_.ingested);
  response->set_session_id(identity.session_id());
  response->set_sequence(identity.sequence());
  response->set_duplicate(duplicate);
  return grpc::Status::OK;
}

void IngestService::LogRefusal(const grpc::ServerContext& context, const grpc::Status& status) {
  const std::lock_guard<std::mutex> guard(log_mutex_);
  const uint64_t now_ns = MonotonicNs();
  if (now_ns < next_log_ns_) {
    ++not_logged_;
    return;
  }
  spdlog::warn("window refused peer={} code={} reason=\"{}\" not_logged={}", context.peer(),
               static_cast<int>(status.error_code()), status.error_message(), not_logged_);
  next_log_ns_ = now_ns + kLogEveryNs;
  not_logged_ = 0;
}

}  // namespace hotlatch::collector

#include "collector/cli/answerer.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "collector/query/query.h"
#include "hotlatch/v1/query.grpc.pb.h"

namespace hotlatch::collector {
namespace {

constexpr auto kDeadline = std::chrono::seconds(30);
constexpr int kMaxAnswerBytes = 256 << 20;

class FileAnswerer final : public Answerer {
 public:
  explicit FileAnswerer(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  Result<v1::HostsResponse> Hosts(const v1::HostsRequest& request) override {
    return AnswerHosts(*store_, request);
  }
  Result<v1::TreeResponse> Tree(const v1::TreeRequest& request) override {
    return AnswerTree(*store_, request);
  }
  Result<v1::RowsResponse> Rows(const v1::RowsRequest& request) override {
    return AnswerRows(*store_, request);
  }
  Result<v1::StatusResponse> Status(const v1::StatusRequest& request) override {
    return AnswerStatus(*store_, request);
  }
  bool is_recording() const override { return true; }

 private:
  std::unique_ptr<Store> store_;
};

ErrorKind KindOf(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::OUT_OF_RANGE:
      return ErrorKind::kInvalid;
    case grpc::StatusCode::NOT_FOUND:
      return ErrorKind::kNotFound;
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
      return ErrorKind::kPermission;
    case grpc::StatusCode::UNIMPLEMENTED:
      return ErrorKind::kUnsupported;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return ErrorKind::kExhausted;
    case grpc::StatusCode::DATA_LOSS:
      return ErrorKind::kCorrupt;
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return ErrorKind::kUnavailable;
    default:
      return ErrorKind::kInternal;
  }
}

Error StatusError(const std::string& address, const grpc::Status& status) {
  const std::string collector = "collector " + address;
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
      return MakeError(ErrorKind::kUnavailable,
                       collector + " does not answer: " + status.error_message() +
                           "; start hotlatch-collector or give a recording FILE");
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return MakeError(ErrorKind::kUnavailable,
                       collector + " gave no answer within 30 s; narrow --from and --to");
    case grpc::StatusCode::UNIMPLEMENTED:
      return MakeError(ErrorKind::kUnsupported,
                       collector +
                           " does not know this question; is it a hotlatch-collector of "
                           "this version?");
    default:
      return MakeError(KindOf(status.error_code()), status.error_message());
  }
}

class ServerAnswerer final : public Answerer {
 public:
  explicit ServerAnswerer(std::string address) : address_(std::move(address)) {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(kMaxAnswerBytes);
    stub_ = v1::QueryService::NewStub(
        grpc::CreateCustomChannel(address_, grpc::InsecureChannelCredentials(), arguments));
  }

  Result<v1::HostsResponse> Hosts(const v1::HostsRequest& request) override {
    return Ask<v1::HostsResponse>(&v1::QueryService::Stub::Hosts, request);
  }
  Result<v1::TreeResponse> Tree(const v1::TreeRequest& request) override {
    return Ask<v1::TreeResponse>(&v1::QueryService::Stub::Tree, request);
  }
  Result<v1::RowsResponse> Rows(const v1::RowsRequest& request) override {
    return Ask<v1::RowsResponse>(&v1::QueryService::Stub::Rows, request);
  }
  Result<v1::StatusResponse> Status(const v1::StatusRequest& request) override {
    return Ask<v1::StatusResponse>(&v1::QueryService::Stub::Status, request);
  }
  bool is_recording() const override { return false; }

 private:
  template <typename Response, typename Request>
  Result<Response> Ask(grpc::Status (v1::QueryService::Stub::*method)(grpc::ClientContext*,
                                                                      const Request&, Response*),
                       const Request& request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    Response response;
    const grpc::Status status = ((*stub_).*method)(&context, request, &response);
    if (!status.ok()) return StatusError(address_, status);
    return response;
  }

  std::string address_;
  std::unique_ptr<v1::QueryService::Stub> stub_;
};

}  // namespace

Result<std::unique_ptr<Answerer>> OpenRecording(const std::string& path) {
  ASSIGN_OR_RETURN(auto store, OpenSqliteStore(path, OpenMode::kReadOnly));
  return AnswererOf(std::move(store));
}

std::unique_ptr<Answerer> AnswererOf(std::unique_ptr<Store> store) {
  return std::make_unique<FileAnswerer>(std::move(store));
}

std::unique_ptr<Answerer> AskCollector(const std::string& address) {
  return std::make_unique<ServerAnswerer>(address);
}

}  // namespace hotlatch::collector

// A real gRPC server in this process, and agents that behave and that do not.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collector/daemon/query_service.h"
#include "collector/ingest/grpc_status.h"
#include "collector/ingest/ingest_service.h"
#include "hotlatch/v1/ingest.grpc.pb.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/collector/window_builder.h"

namespace hotlatch::collector {
namespace {

constexpr int kMaxMessageBytes = 256 << 10;
constexpr char kPush[] = "/hotlatch.v1.IngestService/Push";

// Writes messages one after the other, each after the answer to the one before.
struct PushOutcome {
  std::vector<v1::PushResponse> responses;
  grpc::Status status;
};

class IngestTest : public testing::Test {
 protected:
  IngestTest()
      : store_(std::move(*OpenSqliteStore(path_, OpenMode::kReadWrite))),
        ingest_(store_),
        query_(path_, [this](v1::StatusResponse* response) {
          response->set_ingested(ingest_.counts().ingested);
          response->set_duplicates(ingest_.counts().duplicates);
          response->set_refused(ingest_.counts().refused);
        }) {
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(&ingest_);
    builder.RegisterService(&query_);
    server_ = builder.BuildAndStart();
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(port_),
                                         grpc::InsecureChannelCredentials(), arguments);
  }
  ~IngestTest() override { server_->Shutdown(); }
  IngestTest(const IngestTest&) = delete;
  IngestTest& operator=(const IngestTest&) = delete;
  IngestTest(IngestTest&&) = delete;
  IngestTest& operator=(IngestTest&&) = delete;

  PushOutcome Push(const std::vector<v1::Window>& windows) {
    grpc::ClientContext context;
    auto stub = v1::IngestService::NewStub(channel_);
    auto stream = stub->Push(&context);
    PushOutcome outcome;
    for (const v1::Window& window : windows) {
      v1::PushRequest request;
      *request.mutable_window() = window;
      v1::PushResponse response;
      if (!stream->Write(request) || !stream->Read(&response)) break;
      outcome.responses.push_back(response);
    }
    stream->WritesDone();
    outcome.status = stream->Finish();
    return outcome;
  }

  // Bytes that need not be a message.
  grpc::Status PushBytes(const std::string& bytes) {
    grpc::ClientContext context;
    const grpc::Slice slice(bytes);
    const grpc::ByteBuffer buffer(&slice, 1);
    const grpc::internal::RpcMethod method(kPush, grpc::internal::RpcMethod::BIDI_STREAMING);
    std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, v1::PushResponse>> stream(
        grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, v1::PushResponse>::Create(
            channel_.get(), method, &context));
    v1::PushResponse response;
    stream->Write(buffer);
    stream->Read(&response);
    stream->WritesDone();
    return stream->Finish();
  }

  v1::StatusResponse Status() {
    grpc::ClientContext context;
    v1::StatusResponse response;
    const auto stub = v1::QueryService::NewStub(channel_);
    const grpc::Status status = stub->Status(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  TempDir dir_ = std::move(*TempDir::Create());
  const std::string path_ = dir_ / "x.hotlatch";
  SharedStore store_;
  IngestService ingest_;
  QueryService query_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(IngestTest, EveryWindowIsAcknowledged) {
  const PushOutcome outcome = Push({SmallWindow(1), SmallWindow(2)});
  EXPECT_TRUE(outcome.status.ok()) << outcome.status.error_message();
  ASSERT_EQ(outcome.responses.size(), 2U);
  EXPECT_EQ(outcome.responses[1].session_id(), std::string(32, 'a'));
  EXPECT_EQ(outcome.responses[1].sequence(), 2U);
  EXPECT_FALSE(outcome.responses[1].duplicate());
  EXPECT_EQ(Status().windows(), 2U);
  EXPECT_EQ(Status().ingested(), 2U);
}

TEST_F(IngestTest, AWindowSentAgainIsAcknowledgedAndNotStoredAgain) {
  ASSERT_TRUE(Push({SmallWindow(1), SmallWindow(2)}).status.ok());
  const PushOutcome again = Push({SmallWindow(1), SmallWindow(2), SmallWindow(3)});
  ASSERT_EQ(again.responses.size(), 3U);
  EXPECT_TRUE(again.responses[0].duplicate());
  EXPECT_TRUE(again.responses[1].duplicate());
  EXPECT_FALSE(again.responses[2].duplicate());
  const v1::StatusResponse status = Status();
  EXPECT_EQ(status.windows(), 3U);
  EXPECT_EQ(status.duplicates(), 2U);
}

TEST_F(IngestTest, AWindowOutOfOrderIsOutOfRange) {
  const PushOutcome outcome = Push({SmallWindow(5), SmallWindow(3), SmallWindow(6)});
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_EQ(outcome.status.error_message().rfind("identity.sequence: 3", 0), 0U)
      << outcome.status.error_message();
  EXPECT_EQ(outcome.responses.size(), 1U);
  EXPECT_EQ(Status().windows(), 1U);
}

TEST_F(IngestTest, ARefusalNamesTheFieldAndKeepsWhatCameBefore) {
  v1::Window bad = SmallWindow(2);
  bad.mutable_dictionary()->set_frame_module(1, 99);
  const PushOutcome outcome = Push({SmallWindow(1), bad});
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(outcome.status.error_message(),
            "dictionary.frame_module[1]: 99 is beyond the 2 modules");
  EXPECT_EQ(outcome.responses.size(), 1U);
  EXPECT_EQ(Status().windows(), 1U);
  EXPECT_EQ(Status().refused(), 1U);
  EXPECT_TRUE(Push({SmallWindow(2)}).status.ok());
}

TEST_F(IngestTest, AMessageWithoutAWindowIsRefused) {
  EXPECT_EQ(PushBytes("").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(IngestTest, GarbageIsRefusedAndHarmsNothing) {
  ASSERT_TRUE(Push({SmallWindow(1)}).status.ok());
  v1::PushRequest request;
  *request.mutable_window() = SmallWindow(2);
  const std::string whole = request.SerializeAsString();
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::string noise(1 + random() % 300, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    EXPECT_EQ(PushBytes(noise).error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    const size_t cut = 1 + random() % (whole.size() - 1);
    EXPECT_EQ(PushBytes(whole.substr(0, cut)).error_code(), grpc::StatusCode::INVALID_ARGUMENT)
        << cut;
  }
  EXPECT_EQ(Status().windows(), 1U);
  EXPECT_EQ(Status().refused(), 100U);
  EXPECT_TRUE(PushBytes(whole).ok());
  EXPECT_EQ(Status().windows(), 2U);
}

TEST_F(IngestTest, AnOversizedMessageIsRefused) {
  v1::Window large = SmallWindow(1);
  for (int i = 0; i < 200; ++i) large.mutable_dictionary()->add_strings(std::string(4000, 'x'));
  const PushOutcome outcome = Push({large});
  EXPECT_EQ(outcome.status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(outcome.responses.empty());
  EXPECT_EQ(Status().windows(), 0U);
}

TEST_F(IngestTest, ManyAgentsAtOnceLoseNothing) {
  constexpr int kAgents = 8;
  constexpr uint64_t kWindows = 10;
  std::atomic<int> failures{0};
  std::vector<std::thread> agents;
  agents.reserve(kAgents);
  for (int agent = 0; agent < kAgents; ++agent) {
    agents.emplace_back([this, agent, &failures] {
      const char digit = static_cast<char>('0' + agent);
      std::vector<v1::Window> windows;
      windows.reserve(kWindows);
      for (uint64_t n = 1; n <= kWindows; ++n) {
        windows.push_back(SmallWindow(n, digit, "db" + std::to_string(agent)));
      }
      const PushOutcome outcome = Push(windows);
      if (!outcome.status.ok() || outcome.responses.size() != kWindows) ++failures;
    });
  }
  for (std::thread& agent : agents) agent.join();
  EXPECT_EQ(failures, 0);
  const v1::StatusResponse status = Status();
  EXPECT_EQ(status.windows(), kAgents * kWindows);
  EXPECT_EQ(status.hosts_size(), kAgents);
  EXPECT_EQ(status.info().windows_missing(), 0U);
}

TEST_F(IngestTest, QueriesGiveTheKindsOfErrorsTheLibraryGives) {
  const auto stub = v1::QueryService::NewStub(channel_);
  v1::TreeRequest request;
  request.set_profile("cpu");
  v1::TreeResponse response;
  {
    grpc::ClientContext context;
    EXPECT_EQ(stub->Tree(&context, request, &response).error_code(), grpc::StatusCode::NOT_FOUND);
  }
  ASSERT_TRUE(Push({SmallWindow(1)}).status.ok());
  {
    grpc::ClientContext context;
    request.add_by("nonsense");
    const grpc::Status status = stub->Tree(&context, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(FromGrpcStatus(status).kind, ErrorKind::kInvalid);
  }
  {
    grpc::ClientContext context;
    request.clear_by();
    ASSERT_TRUE(stub->Tree(&context, request, &response).ok());
    EXPECT_EQ(response.total(0), 50U);
  }
}

TEST_F(IngestTest, AQueryEndsAtItsDeadline) {
  ASSERT_TRUE(Push({SmallWindow(1)}).status.ok());
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() - std::chrono::seconds(1));
  v1::HostsResponse response;
  const auto stub = v1::QueryService::NewStub(channel_);
  EXPECT_EQ(stub->Hosts(&context, {}, &response).error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
}

}  // namespace
}  // namespace hotlatch::collector

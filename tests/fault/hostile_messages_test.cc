// Truncated, malformed and oversized messages to a real collector: refused, what is stored stays, and the
// collector does not grow.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "agent/base/file.h"
#include "hotlatch/v1/ingest.grpc.pb.h"
#include "tests/support/hotlatch.h"
#include "tests/support/proc_counts.h"
#include "tests/support/require.h"
#include "tests/support/temp_dir.h"

namespace hotlatch {
namespace {

constexpr size_t kMaxCorpusFile = 16U << 20U;

// A window's bytes, whole or not, as field 1 of a PushRequest.
std::string AsRequest(const std::string& window) {
  std::string out = "\x0a";
  for (size_t left = window.size();; left >>= 7U) {
    const auto low = static_cast<unsigned char>(left & 0x7fU);
    out += static_cast<char>(left < 0x80 ? low : low | 0x80U);
    if (left < 0x80) break;
  }
  return out + window;
}

class HostileMessages : public testing::Test {
 protected:
  grpc::Status Push(const std::string& request) {
    grpc::ClientContext context;
    const grpc::Slice slice(request);
    const grpc::ByteBuffer buffer(&slice, 1);
    const grpc::internal::RpcMethod method("/hotlatch.v1.IngestService/Push",
                                           grpc::internal::RpcMethod::BIDI_STREAMING);
    const std::unique_ptr<grpc::ClientReaderWriter<grpc::ByteBuffer, v1::PushResponse>> stream(
        grpc::internal::ClientReaderWriterFactory<grpc::ByteBuffer, v1::PushResponse>::Create(
            channel_.get(), method, &context));
    v1::PushResponse response;
    stream->Write(buffer);
    stream->Read(&response);
    stream->WritesDone();
    return stream->Finish();
  }

  // Every corpus file that must not be stored.
  static std::vector<std::string> BadWindows() {
    std::vector<std::string> out;
    const auto corpus = std::filesystem::path(HOTLATCH_SOURCE_DIR) / "tests/fuzz/corpus/window";
    for (const auto& entry : std::filesystem::directory_iterator(corpus)) {
      if (entry.path().filename().string().starts_with("stored-")) continue;
      auto bytes = ReadFile(entry.path().string(), kMaxCorpusFile);
      EXPECT_TRUE(bytes.has_value());
      if (bytes) out.push_back(*bytes);
    }
    return out;
  }

  std::shared_ptr<grpc::Channel> channel_;
};

TEST_F(HostileMessages, AreRefusedWhileStoredDataAndMemoryStayAsTheyWere) {
  HOTLATCH_REQUIRE(MissingProgram("hotlatch-collector"));
  auto folder = TempDir::Create();
  ASSERT_TRUE(folder.has_value());
  const std::string address = FreeAddress();
  auto collector = StartCollector(address, *folder / "data");
  ASSERT_TRUE(collector.has_value()) << collector.error().text;
  channel_ = grpc::CreateChannel(address, grpc::InsecureChannelCredentials());
  const auto good = ReadFile(
      std::string(HOTLATCH_SOURCE_DIR) + "/tests/fuzz/corpus/window/stored-small", kMaxCorpusFile);
  ASSERT_TRUE(good.has_value());
  ASSERT_TRUE(Push(AsRequest(*good)).ok());

  const std::vector<std::string> bad = BadWindows();
  ASSERT_GE(bad.size(), 30U);
  const std::string oversized = AsRequest(std::string(17U << 20U, 'x'));
  uint64_t early_rss_bytes = 0;
  for (int round = 0; round < 60; round++) {
    for (const std::string& window : bad) {
      const grpc::Status status = Push(AsRequest(window));
      ASSERT_TRUE(status.error_code() == grpc::StatusCode::INVALID_ARGUMENT ||
                  status.error_code() == grpc::StatusCode::OUT_OF_RANGE)
          << status.error_code() << " " << status.error_message();
    }
    ASSERT_EQ(Push(oversized).error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    if (round == 20) early_rss_bytes = ReadProcCounts(collector->pid())->rss_bytes;
  }
  const uint64_t late_rss_bytes = ReadProcCounts(collector->pid())->rss_bytes;
  EXPECT_GT(early_rss_bytes, 0U);
  // 40 rounds of 39 messages and 17 MiB: a leak of 3 KB a message would be seen.
  EXPECT_LT(late_rss_bytes, early_rss_bytes + (4U << 20U));

  auto again = Push(AsRequest(*good));
  EXPECT_TRUE(again.ok()) << again.error_message();
  auto status = AskJson({"status", "--from", "2023-01-01T00:00:00Z", "--server", address});
  ASSERT_TRUE(status.has_value()) << status.error().text;
  EXPECT_EQ((*status)["fidelity"]["windows"], 1) << status->dump();
  EXPECT_EQ((*status)["store"]["ingested_count"], 1);
  EXPECT_EQ((*status)["store"]["duplicates_count"], 1);
  EXPECT_EQ((*status)["store"]["refused_count"], 60 * bad.size());
}

}  // namespace
}  // namespace hotlatch

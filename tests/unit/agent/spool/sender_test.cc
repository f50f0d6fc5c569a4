#include "agent/spool/sender.h"

#include <chrono>

#include "tests/unit/agent/spool/fake_collector.h"
#include "tests/unit/agent/spool/spool_fixture.h"

namespace hotlatch::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Answer = FakeCollector::Answer;
using Sequences = std::vector<uint64_t>;

constexpr seconds kLong{20};

class SenderTest : public SpoolFixture {
 protected:
  void Deliver(Spool& spool, uint64_t first, uint64_t last, size_t padding = 0) {
    for (uint64_t i = first; i <= last; ++i) {
      ASSERT_TRUE(spool.Deliver(MakeWindow(kSessionA, i, padding)));
    }
  }

  SenderOptions Quick(int port) const {
    SenderOptions options;
    options.collector = "127.0.0.1:" + std::to_string(port);
    options.backoff_min = milliseconds(2);
    options.backoff_max = milliseconds(20);
    return options;
  }
};

TEST_F(SenderTest, AcknowledgedWindowsArriveInOrderAndLeaveTheSpool) {
  FakeCollector collector;
  const int port = collector.Start();
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 3);
  Sender sender(*spool, Quick(port));
  Deliver(*spool, 4, 10);
  EXPECT_TRUE(sender.Flush(kLong));
  sender.Stop();  // the last acknowledgement is counted when its thread has ended
  EXPECT_EQ(collector.received(), (Sequences{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(sender.stats().acknowledged, 10U);
  EXPECT_EQ(sender.stats().streams, 1U);
  EXPECT_TRUE(WindowFiles().empty());
  EXPECT_EQ(LossText(spool->TakeLosses()), "");
}

TEST_F(SenderTest, DuplicateIsAnAcknowledgement) {
  FakeCollector collector(
      [](const v1::Window&) { return std::pair(Answer::kDuplicate, grpc::Status::OK); });
  const int port = collector.Start();
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 2);
  Sender sender(*spool, Quick(port));
  EXPECT_TRUE(sender.Flush(kLong));
  EXPECT_EQ(LossText(spool->TakeLosses()), "");
}

TEST_F(SenderTest, RefusalDropsTheRefusedWindowOnly) {
  for (const auto code : {grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::OUT_OF_RANGE}) {
    FakeCollector collector([code](const v1::Window& window) {
      const bool bad = window.identity().sequence() == 3;
      return std::pair(Answer::kAck, bad ? grpc::Status(code, "range.end_unix_ns: before start")
                                         : grpc::Status::OK);
    });
    const int port = collector.Start();
    const auto spool = OpenSpool();
    Deliver(*spool, 1, 6);
    Sender sender(*spool, Quick(port));
    EXPECT_TRUE(sender.Flush(kLong));
    sender.Stop();  // the last acknowledgement is counted when its thread has ended
    EXPECT_EQ(sender.stats().refused, 1U);
    EXPECT_EQ(sender.stats().acknowledged, 5U);
    EXPECT_EQ(LossText(spool->TakeLosses()), "send/refused=1");
  }
}

TEST_F(SenderTest, FullStoreIsTriedAgainAndLosesNothing) {
  FakeCollector collector([](const v1::Window&) {
    return std::pair(Answer::kAck,
                     grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "store: disk full"));
  });
  const int port = collector.Start();
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 2);
  Sender sender(*spool, Quick(port));
  ASSERT_TRUE(collector.WaitForReceived(3));
  EXPECT_EQ(spool->usage().windows, 2U);
  collector.SetPolicy(FakeCollector::AckAll());
  EXPECT_TRUE(sender.Flush(kLong));
  sender.Stop();  // the last acknowledgement is counted when its thread has ended
  EXPECT_EQ(sender.stats().acknowledged, 2U);
  EXPECT_EQ(LossText(spool->TakeLosses()), "");
}

TEST_F(SenderTest, WindowAboveThePeersOwnLimitIsFoundAndDropped) {
  FakeCollector collector;
  const int port = collector.Start(0, 100'000);
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 2);
  Deliver(*spool, 3, 3, 200'000);
  Deliver(*spool, 4, 5);
  Sender sender(*spool, Quick(port));
  EXPECT_TRUE(sender.Flush(kLong));
  sender.Stop();  // the last acknowledgement is counted when its thread has ended
  EXPECT_EQ(sender.stats().acknowledged, 4U);
  EXPECT_EQ(LossText(spool->TakeLosses()), "send/too_large=1");
}

TEST_F(SenderTest, ResumesAtTheLastAcknowledgementAfterARestart) {
  auto first = std::make_unique<FakeCollector>([](const v1::Window& window) {
    return std::pair(window.identity().sequence() <= 2 ? Answer::kAck : Answer::kSilence,
                     grpc::Status::OK);
  });
  const int port = first->Start();
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 9);
  Sender sender(*spool, Quick(port));
  // Two acknowledged and four in flight: no more may come.
  ASSERT_TRUE(first->WaitForReceived(6));
  first->Stop();
  EXPECT_EQ(first->received(), (Sequences{1, 2, 3, 4, 5, 6}));
  FakeCollector second;
  ASSERT_EQ(second.Start(port), port);
  EXPECT_TRUE(sender.Flush(kLong));
  EXPECT_EQ(second.received(), (Sequences{3, 4, 5, 6, 7, 8, 9}));
  EXPECT_GE(sender.stats().streams, 2U);
}

TEST_F(SenderTest, PeerThatStoresNothingIsGivenUpAndTriedAgain) {
  FakeCollector collector(
      [](const v1::Window&) { return std::pair(Answer::kSilence, grpc::Status::OK); });
  const int port = collector.Start();
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 1);
  SenderOptions options = Quick(port);
  options.ack_timeout = milliseconds(30);
  Sender sender(*spool, options);
  ASSERT_TRUE(collector.WaitForReceived(2)) << "the window was not sent again";
  EXPECT_EQ(spool->usage().windows, 1U);
}

TEST_F(SenderTest, FlushEndsAtItsDeadlineAndKeepsWhatIsLeft) {
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 3);
  {
    FakeCollector collector;
    const int port = collector.Start();
    collector.Stop();
    Sender sender(*spool, Quick(port));
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(sender.Flush(milliseconds(50)));
    EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(50));
  }
  EXPECT_EQ(WindowFiles().size(), 3U);
  spool->ReturnInFlight();
  EXPECT_EQ(spool->TakeNext()->window.identity().sequence(), 1U);
}

TEST_F(SenderTest, FlushEndsALongWaitBetweenAttempts) {
  FakeCollector collector;
  const int port = collector.Start();
  collector.Stop();
  const auto spool = OpenSpool();
  SenderOptions options = Quick(port);
  options.backoff_min = std::chrono::hours(1);
  options.backoff_max = std::chrono::hours(1);
  Sender sender(*spool, options);
  Deliver(*spool, 1, 1);
  ASSERT_EQ(collector.Start(port), port);
  // Either the first attempt finds it, or Flush ends the wait of half an hour or more.
  EXPECT_TRUE(sender.Flush(kLong));
}

TEST_F(SenderTest, StopIsPromptWhileTheCollectorIsSilent) {
  FakeCollector collector(
      [](const v1::Window&) { return std::pair(Answer::kSilence, grpc::Status::OK); });
  const int port = collector.Start();
  const auto spool = OpenSpool();
  Deliver(*spool, 1, 2, 4 << 20);
  Sender sender(*spool, Quick(port));
  ASSERT_TRUE(collector.WaitForReceived(1));
  sender.Stop();
  sender.Stop();
  EXPECT_EQ(spool->usage().windows, 2U);
  EXPECT_EQ(spool->in_flight(), 0U);
}

TEST(Backoff, DoublesUpToItsMaximumWithinItsJitter) {
  Backoff backoff(milliseconds(250), milliseconds(10'000), 1);
  int64_t whole = 250;
  for (int i = 0; i < 20; ++i) {
    const int64_t wait = backoff.Next().count();
    EXPECT_GE(wait, whole / 2);
    EXPECT_LE(wait, whole);
    whole = std::min<int64_t>(10'000, whole * 2);
  }
  backoff.Reset();
  EXPECT_LE(backoff.Next().count(), 250);
}

}  // namespace
}  // namespace hotlatch::agent

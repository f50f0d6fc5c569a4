#include "agent/daemon/loop.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <deque>

#include "agent/base/clock.h"
#include "agent/base/file.h"
#include "agent/daemon/doctor_view.h"
#include "agent/daemon/notify.h"
#include "agent/daemon/stop_signals.h"
#include "tests/unit/agent/spool/spool_fixture.h"

namespace hotlatch::agent {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class FakePipeline : public Pipeline {
 public:
  // Answers of CloseWindow in turn: true = a window, false = an error; then windows for ever.
  explicit FakePipeline(std::deque<bool> answers = {}) : answers_(std::move(answers)) {}

  Result<v1::Window> CloseWindow() override {
    ++closed_;
    bool works = true;
    if (!answers_.empty()) {
      works = answers_.front();
      answers_.pop_front();
    }
    if (!works) return MakeError(ErrorKind::kIo, "map: cannot be read");
    return v1::Window();
  }
  std::vector<ProbeStatus> probes() const override { return {}; }
  Result<void> SetAttached(bool) override { return {}; }
  int closed() const { return closed_; }

 private:
  std::deque<bool> answers_;
  int closed_ = 0;
};

class LoopTest : public SpoolFixture {
 protected:
  // A wait that never sleeps and stops at its last call.
  static LoopOptions StopAfter(int windows) {
    LoopOptions options;
    options.wait = [left = windows](int64_t) mutable { return --left == 0; };
    return options;
  }

  WindowStamper NewStamper() const {
    SessionInfo session;
    session.identity.set_session_id(kSessionA);
    session.topology.set_numa_nodes(2);
    session.facts.emplace_back().set_name("kernel.release");
    return WindowStamper(std::move(session));
  }
};

uint64_t CounterOf(const v1::Window& window, const std::string& name) {
  for (const v1::Counter& counter : window.fidelity().counters()) {
    if (counter.name() == name) return counter.value();
  }
  ADD_FAILURE() << "no counter " << name;
  return 0;
}

std::string LossesOf(const v1::Window& window) {
  return LossText({window.fidelity().losses().begin(), window.fidelity().losses().end()});
}

TEST(NextBoundary, IsAMultipleOfTheWindowAndNeverNearerThanATenth) {
  EXPECT_EQ(NextBoundary(13 * kSecond, 10 * kSecond), 20 * kSecond);
  EXPECT_EQ(NextBoundary(20 * kSecond, 10 * kSecond), 30 * kSecond);
  EXPECT_EQ(NextBoundary(19 * kSecond, 10 * kSecond), 20 * kSecond);
  EXPECT_EQ(NextBoundary(19 * kSecond + 1, 10 * kSecond), 30 * kSecond) << "woken a little early";
}

TEST_F(LoopTest, WindowsAreStampedInSequenceAndTheLastOneIsDeliveredToo) {
  const auto spool = OpenSpool();
  FakePipeline pipeline;
  WindowStamper stamper = NewStamper();
  ASSERT_TRUE(RunLoop(pipeline, *spool, stamper, StopAfter(3)));
  for (uint64_t i = 1; i <= 3; ++i) {
    const auto taken = spool->TakeNext();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->window.identity().sequence(), i);
    EXPECT_EQ(taken->window.identity().session_id(), kSessionA);
    EXPECT_EQ(taken->window.topology().numa_nodes(), 2U);
    EXPECT_EQ(taken->window.facts(0).name(), "kernel.release");
    EXPECT_GT(CounterOf(taken->window, "agent.rss_bytes"), 1U << 20);
    EXPECT_EQ(CounterOf(taken->window, "spool.windows"), i - 1);
  }
  EXPECT_FALSE(spool->TakeNext());
}

TEST_F(LoopTest, LossesOfTheSpoolAreCarriedByTheNextWindow) {
  options_.max_windows = 1;
  const auto spool = OpenSpool();
  FakePipeline pipeline;
  WindowStamper stamper = NewStamper();
  ASSERT_TRUE(RunLoop(pipeline, *spool, stamper, StopAfter(3)));
  // The third carries the loss of the first; that of the second came when the third was stored.
  EXPECT_EQ(LossesOf(spool->TakeNext()->window), "spool/spool_full=1");
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/spool_full=1");
}

TEST_F(LoopTest, WindowThatCannotBeClosedIsCountedInTheNext) {
  const auto spool = OpenSpool();
  FakePipeline pipeline({false, false, true});
  WindowStamper stamper = NewStamper();
  ASSERT_TRUE(RunLoop(pipeline, *spool, stamper, StopAfter(3)));
  const auto taken = spool->TakeNext();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->window.identity().sequence(), 1U);
  EXPECT_EQ(LossesOf(taken->window), "drain/close_failed=2");
}

TEST_F(LoopTest, ThreeFailuresInARowEndTheLoopWithThePipelinesError) {
  const auto spool = OpenSpool();
  FakePipeline pipeline({false, true, false, false, false});
  WindowStamper stamper = NewStamper();
  const auto ran = RunLoop(pipeline, *spool, stamper, StopAfter(100));
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().text, "map: cannot be read");
  EXPECT_EQ(pipeline.closed(), 5);
}

TEST_F(LoopTest, FullDiskDoesNotEndTheLoopAndIsCounted) {
  int writes = 0;
  options_.write_file = [&](const std::string& path, const std::string& bytes) -> Result<void> {
    if (++writes <= 2) return ErrnoError(ENOSPC, path);
    return WriteFileAtomically(path, bytes);
  };
  const auto spool = OpenSpool();
  FakePipeline pipeline;
  WindowStamper stamper = NewStamper();
  ASSERT_TRUE(RunLoop(pipeline, *spool, stamper, StopAfter(3)));
  const auto taken = spool->TakeNext();
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->window.identity().sequence(), 3U);
  EXPECT_EQ(LossesOf(taken->window), "spool/disk_full=2");
}

TEST(StopSignals, SignalEndsTheWaitAndTimeEndsItToo) {
  sigset_t before;
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, nullptr, &before), 0);
  const auto signals = StopSignals::Open();
  ASSERT_TRUE(signals);
  EXPECT_FALSE(signals->WaitUntil(UnixNs() - 1));
  EXPECT_FALSE(signals->WaitUntil(UnixNs() + 1'000'000));
  ASSERT_EQ(raise(SIGTERM), 0);
  EXPECT_TRUE(signals->WaitUntil(UnixNs() + 60 * kSecond));
  // Take it out again: others in this process want to live.
  const timespec none{};
  sigset_t term;
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  EXPECT_EQ(sigtimedwait(&term, nullptr, &none), SIGTERM);
  ASSERT_EQ(pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
}

TEST_F(LoopTest, ServiceManagerIsTold) {
  const std::string path = root_ + "/notify";
  const UniqueFd fd(socket(AF_UNIX, SOCK_DGRAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(setenv("NOTIFY_SOCKET", path.c_str(), 1), 0);
  EXPECT_TRUE(NotifyServiceManager("READY=1"));
  std::string got(16, '\0');
  const ssize_t n = recv(fd.get(), got.data(), got.size(), MSG_DONTWAIT);
  EXPECT_EQ(got.substr(0, n > 0 ? static_cast<size_t>(n) : 0), "READY=1");
  ASSERT_EQ(setenv("NOTIFY_SOCKET", "relative", 1), 0);
  EXPECT_FALSE(NotifyServiceManager("READY=1"));
  ASSERT_EQ(unsetenv("NOTIFY_SOCKET"), 0);
  EXPECT_TRUE(NotifyServiceManager("READY=1"));
}

TEST(DoctorView, JsonEscapesAndTableShowsAdvice) {
  DoctorReport report;
  report.checks.push_back({"btf", CheckState::kMissing, "a \"b\"\n", "do c"});
  report.questions.push_back({"cpu profile", false, "no BTF"});
  EXPECT_NE(DoctorJson(report).find(R"("seen": "a \"b\"\n")"), std::string::npos);
  EXPECT_NE(DoctorTable(report).find("-> do c"), std::string::npos);
  EXPECT_NE(DoctorTable(report).find("cpu profile  no"), std::string::npos);
}

}  // namespace
}  // namespace hotlatch::agent

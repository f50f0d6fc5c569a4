#include "collector/cli/record_loop.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <optional>

#include "collector/cli/child_process.h"

namespace hotlatch::collector {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// Time that passes only by waiting.
class FakeEvents final : public RecordEvents {
 public:
  uint64_t NowNs() override { return now; }
  Event WaitUntil(uint64_t deadline_ns) override {
    if (stop_at != 0 && stop_at <= deadline_ns) {
      now = stop_at;
      return Event::kStop;
    }
    now = std::max(now, deadline_ns);
    return Event::kDeadline;
  }
  uint64_t now = 100 * kSecond;
  uint64_t stop_at = 0;
};

class FakePipeline final : public agent::Pipeline {
 public:
  Result<v1::Window> CloseWindow() override {
    ++closed;
    v1::Window window;
    v1::Counter* seen = window.mutable_fidelity()->add_counters();
    seen->set_name("switch.seen");
    seen->set_value(500);
    window.mutable_fidelity()->add_losses()->set_count(2);
    return window;
  }
  Result<void> SetAttached(bool) override { return {}; }
  std::vector<agent::ProbeStatus> probes() const override { return {}; }
  int closed = 0;
};

class FakeStore final : public Store {
 public:
  Result<PutOutcome> Put(const v1::Window& window) override {
    if (windows.size() >= room) return MakeError(ErrorKind::kExhausted, "disk full");
    windows.push_back(window);
    return PutOutcome::kStored;
  }
  Result<uint64_t> LastSequence(const std::string&) override { return uint64_t{0}; }
  Result<bool> Contains(const std::string&, uint64_t) override { return false; }
  Result<std::vector<std::string>> ProfileNames(const ScanRange&) override {
    return std::vector<std::string>();
  }
  Result<std::vector<std::string>> TableNames(const ScanRange&) override {
    return std::vector<std::string>();
  }
  Result<PruneReport> Prune(const RetentionOptions&, int64_t) override { return PruneReport(); }
  Result<void> ScanWindows(const ScanRange&,
                           const std::function<Result<void>(const WindowHeader&)>&) override {
    return {};
  }
  Result<void> ScanProfile(const ScanRange&, const std::string&,
                           const std::function<Result<void>(const ProfileBlock&)>&) override {
    return {};
  }
  Result<void> ScanTable(const ScanRange&, const std::string&,
                         const std::function<Result<void>(const TableBlock&)>&) override {
    return {};
  }
  Result<const StoredStack*> Stack(uint64_t) override {
    return MakeError(ErrorKind::kNotFound, "none");
  }
  Result<const StoredFrame*> Frame(uint32_t) override {
    return MakeError(ErrorKind::kNotFound, "none");
  }
  Result<uint64_t> SizeBytes() override { return uint64_t{0}; }
  std::string path() const override { return "fake"; }

  size_t room = 1000;
  std::vector<v1::Window> windows;
};

struct Recording {
  RecordPlan plan;
  FakePipeline pipeline;
  FakeStore store;
  FakeEvents events;

  RecordSummary Run() { return RecordWindows(plan, &pipeline, &store, &events); }
};

TEST(RecordLoop, TheLastWindowIsWhatIsLeftOfTheTime) {
  Recording recording;
  recording.plan.window_ns = 10 * kSecond;
  recording.plan.duration_ns = 25 * kSecond;
  recording.plan.identity.set_session_id("s");
  const RecordSummary summary = recording.Run();
  EXPECT_FALSE(summary.error);
  EXPECT_EQ(summary.windows, 3U);
  EXPECT_EQ(summary.elapsed_ns, 25 * kSecond);
  EXPECT_EQ(summary.switches, 1500U);
  EXPECT_EQ(summary.lost, 6U);
  ASSERT_EQ(recording.store.windows.size(), 3U);
  EXPECT_EQ(recording.store.windows[2].identity().sequence(), 3U);
  EXPECT_EQ(recording.store.windows[0].identity().session_id(), "s");
  EXPECT_EQ(SummaryLine(summary, "x.hotlatch"),
            "recorded 25.0 s, 3 windows, 1 500 switches, 6 lost to x.hotlatch; now: hotlatch tree "
            "x.hotlatch\n");
}

TEST(RecordLoop, AStopStoresTheWindowThatWasRunning) {
  Recording recording;
  recording.plan.window_ns = 10 * kSecond;
  recording.events.stop_at = 112 * kSecond;
  const RecordSummary summary = recording.Run();
  EXPECT_EQ(summary.windows, 2U);
  EXPECT_EQ(summary.elapsed_ns, 12 * kSecond);
}

TEST(RecordLoop, AFullDiskEndsItAndCountsWhatIsStored) {
  Recording recording;
  recording.plan.window_ns = kSecond;
  recording.plan.duration_ns = 10 * kSecond;
  recording.store.room = 4;
  const RecordSummary summary = recording.Run();
  ASSERT_TRUE(summary.error);
  EXPECT_EQ(summary.error->kind, ErrorKind::kExhausted);
  EXPECT_EQ(summary.windows, 4U);
  EXPECT_EQ(recording.pipeline.closed, 5);
}

int WaitFor(ChildProcess* child) {
  siginfo_t info{};
  EXPECT_EQ(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT), 0);
  return child->TryWait().value_or(-1);
}

TEST(ChildProcess, ItsExitStatusIsTold) {
  auto child = ChildProcess::Spawn({"sh", "-c", "exit 7"});
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->Go());
  EXPECT_EQ(child->StatusText(WaitFor(&*child)), "sh: exit 7");
}

TEST(ChildProcess, ASignalIsNamed) {
  auto child = ChildProcess::Spawn({"sleep", "1000"});
  ASSERT_TRUE(child);
  ASSERT_TRUE(child->Go());
  child->Terminate();
  EXPECT_EQ(child->StatusText(WaitFor(&*child)), "sleep: killed by signal 15 (Terminated)");
}

TEST(ChildProcess, ACommandThatIsNotThereIsAnError) {
  auto child = ChildProcess::Spawn({"/no/such/program"});
  ASSERT_TRUE(child);
  const auto started = child->Go();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().kind, ErrorKind::kNotFound);
  EXPECT_NE(started.error().text.find("/no/such/program"), std::string::npos);
}

}  // namespace
}  // namespace hotlatch::collector

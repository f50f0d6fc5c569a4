#include "collector/cli/fidelity.h"

#include <gtest/gtest.h>

#include "tests/unit/cli/answers.h"

namespace hotlatch::collector {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

v1::AnswerInfo WithLoss(uint64_t lost, uint64_t seen) {
  v1::AnswerInfo info = MadeInfo();
  v1::Loss* loss = info.mutable_fidelity()->add_losses();
  loss->set_stage("kernel");
  loss->set_probe("switch");
  loss->set_reason("stack_map_full");
  loss->set_count(lost);
  if (seen != 0) {
    v1::Counter* counter = info.mutable_fidelity()->add_counters();
    counter->set_name("switch.seen");
    counter->set_value(seen);
  }
  return info;
}

Asked Whole() {
  Asked asked;
  asked.now_unix_ns = MadeInfo().to_unix_ns();
  return asked;
}

TEST(Fidelity, NoLossIsSaidPlainly) {
  const Verdict verdict = Judge(MadeInfo(), Whole(), 1);
  EXPECT_EQ(verdict.exit_code(), 0);
  EXPECT_EQ(FidelityLines(MadeInfo(), verdict), std::vector<std::string>{"no loss recorded"});
  EXPECT_EQ(FidelityTalk(MadeInfo(), verdict), "");
}

TEST(Fidelity, LossIsShownAndCountsAboveTheThresholdOnly) {
  const v1::AnswerInfo one_percent = WithLoss(123, 12'300);
  EXPECT_EQ(Judge(one_percent, Whole(), 1).exit_code(), 0);
  EXPECT_EQ(Judge(one_percent, Whole(), 0.5).exit_code(), 3);
  EXPECT_EQ(Judge(WithLoss(124, 12'300), Whole(), 1).exit_code(), 3);
  EXPECT_EQ(
      FidelityLines(one_percent, Judge(one_percent, Whole(), 1)),
      std::vector<std::string>{"LOSS: kernel switch stack_map_full 123 (1.00% of 12 300 seen)"});
}

TEST(Fidelity, LossesOfAllReasonsOfAProbeCountTogether) {
  v1::AnswerInfo info = WithLoss(60, 10'000);
  v1::Loss* more = info.mutable_fidelity()->add_losses();
  more->set_stage("drain");
  more->set_probe("switch");
  more->set_reason("row_map_full");
  more->set_count(60);
  EXPECT_EQ(Judge(info, Whole(), 1).exit_code(), 3);
}

TEST(Fidelity, LossOfUnknownExtentIsAboveEveryThresholdButAll) {
  EXPECT_EQ(Judge(WithLoss(1, 0), Whole(), 99).exit_code(), 3);
  EXPECT_EQ(Judge(WithLoss(1, 0), Whole(), 100).exit_code(), 0);
}

TEST(Fidelity, AProbeThatCountsNoEventsIsHeldAgainstTheLeastSeen) {
  v1::AnswerInfo info = WithLoss(1, 10'000);
  info.mutable_fidelity()->mutable_losses(0)->set_probe("process");
  EXPECT_EQ(Judge(info, Whole(), 1).exit_code(), 0);
  info.mutable_fidelity()->mutable_losses(0)->set_count(101);
  EXPECT_EQ(Judge(info, Whole(), 1).exit_code(), 3);
  info.mutable_fidelity()->mutable_losses(0)->set_count(1);
  info.mutable_fidelity()->mutable_losses(0)->set_probe("");  // a window of the spool
  EXPECT_EQ(Judge(info, Whole(), 1).exit_code(), 3);
}

TEST(Fidelity, MissingWindowsAreSaidOnceAndExit3) {
  v1::AnswerInfo info = MadeInfo();
  info.set_windows_missing(2);
  info.add_warnings("2 windows of this range never arrived");
  info.add_warnings("something\x1b else");
  const Verdict verdict = Judge(info, Whole(), 1);
  EXPECT_EQ(verdict.exit_code(), 3);
  const std::vector<std::string> lines = {"no loss recorded", "MISSING: 2 windows inside the range",
                                          "WARNING: something\\x1b else"};
  EXPECT_EQ(FidelityLines(info, verdict), lines);
}

TEST(Fidelity, AFromBeforeTheDataIsPartialOnlyWhenAskedFor) {
  Asked asked = Whole();
  asked.selection.set_from_unix_ns(MadeInfo().from_unix_ns() - kSecond);
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 0);  // a default
  asked.from_given = true;
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 3);
  asked.selection.set_from_unix_ns(MadeInfo().from_unix_ns() + kSecond);
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 0);
  // A start that we printed, cut to milliseconds.
  asked.selection.set_from_unix_ns(MadeInfo().from_unix_ns() - 999'999);
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 0);
}

TEST(Fidelity, ATailOfLiveDataMayBeOnItsWay) {
  Asked asked = Whole();
  asked.to_given = true;
  asked.selection.set_to_unix_ns(MadeInfo().to_unix_ns() + 30 * kSecond);
  asked.now_unix_ns = MadeInfo().to_unix_ns() + 30 * kSecond;
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 3);  // a recording: it is not there
  asked.slack_ns = 70 * kSecond;
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 0);
  asked.selection.set_to_unix_ns(MadeInfo().to_unix_ns() + 3600 * kSecond);
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 0);  // the future is nobody's fault
  asked.now_unix_ns = MadeInfo().to_unix_ns() + 3600 * kSecond;
  EXPECT_EQ(Judge(MadeInfo(), asked, 1).exit_code(), 3);  // the agent has been silent for an hour
}

TEST(Fidelity, FailedProbesAreNamedWithTheirReason) {
  v1::AnswerInfo info = MadeInfo();
  v1::ProbeState* probe = info.mutable_fidelity()->add_probes();
  probe->set_probe("cpu");
  probe->set_state("failed");
  probe->set_reason("perf_event_open: Permission denied");
  const std::vector<std::string> lines = FidelityLines(info, Judge(info, Whole(), 1));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1], "PROBE: cpu failed: perf_event_open: Permission denied");
}

}  // namespace
}  // namespace hotlatch::collector

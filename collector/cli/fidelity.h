// What an answer stands on: loss, gaps, coverage, and the exit code that follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/cli/screen.h"
#include "collector/cli/selection.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

// Losses of one stage, probe and reason, summed; with what the probe saw in all (counter
// <probe>.seen), when it says so.
struct LossSum {
  std::string stage, probe, reason;
  uint64_t count = 0;
  std::optional<uint64_t> seen;
};

struct Verdict {
  std::vector<LossSum> losses;
  bool lossy = false;    // a probe lost more than the threshold
  bool missing = false;  // windows missing inside the range
  bool partial = false;  // data covers only part of the range asked for
  std::string partial_text;

  int exit_code() const { return lossy || missing || partial ? 3 : 0; }
};

// The threshold is on a probe's losses of all reasons together, in percent of its seen events; a probe
// that does not count them is held against the least that any probe saw. Loss of no probe (windows in
// a spool) and loss without any count of events are above every threshold but 100.
Verdict Judge(const v1::AnswerInfo& info, const Asked& asked, double max_loss_percent);

// "range …" line of a text header.
std::string RangeLine(const v1::AnswerInfo& info, const Asked& asked);

// kNotFound with what there is when no window was in the range.
Result<void> RequireWindows(const v1::AnswerInfo& info, const Asked& asked, Answerer* answerer);

// Lines below a text answer: every loss, gap, failed probe and warning, or "no loss recorded".
std::vector<std::string> FidelityLines(const v1::AnswerInfo& info, const Verdict& verdict);
std::string FidelityFooter(const std::vector<std::string>& lines, const Screen& screen);

// For formats that hold rows only: the lines that matter, for stderr; "" when all is well.
std::string FidelityTalk(const v1::AnswerInfo& info, const Verdict& verdict);

}  // namespace hotlatch::collector

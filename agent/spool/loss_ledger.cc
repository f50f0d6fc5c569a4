#include "agent/spool/loss_ledger.h"

#include <fmt/format.h>

#include <sstream>

namespace hotlatch::agent {
namespace {

constexpr int kMaxLines = 100;
constexpr size_t kMaxReason = 64;

bool IsReason(std::string_view text) {
  return !text.empty() && text.size() <= kMaxReason &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

}  // namespace

void LossLedger::Add(std::string_view stage, std::string_view reason, uint64_t count) {
  if (count != 0) counts_[{std::string(stage), std::string(reason)}] += count;
}

void LossLedger::AddCarriedBy(const v1::Window& window) {
  for (const v1::Loss& loss : window.fidelity().losses()) {
    if (loss.stage() == kStageSpool || loss.stage() == kStageSend) {
      Add(loss.stage(), loss.reason(), loss.count());
    }
  }
}

void LossLedger::AddAll(const LossLedger& other) {
  for (const auto& [key, count] : other.counts_) counts_[key] += count;
}

std::vector<v1::Loss> LossLedger::Take() {
  std::vector<v1::Loss> out;
  for (const auto& [key, count] : counts_) {
    v1::Loss& loss = out.emplace_back();
    loss.set_stage(key.first);
    loss.set_reason(key.second);
    loss.set_count(count);
  }
  counts_.clear();
  return out;
}

std::string LossLedger::Format() const {
  std::string out;
  for (const auto& [key, count] : counts_) {
    out += fmt::format("{} {} {}\n", key.first, key.second, count);
  }
  return out;
}

void LossLedger::Parse(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string stage;
  std::string reason;
  uint64_t count = 0;
  for (int i = 0; i < kMaxLines && lines >> stage >> reason >> count; ++i) {
    if ((stage == kStageSpool || stage == kStageSend) && IsReason(reason))
      Add(stage, reason, count);
  }
}

}  // namespace hotlatch::agent

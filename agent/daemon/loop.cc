#include "agent/daemon/loop.h"

#include <spdlog/spdlog.h>

#include <utility>
#include <vector>

#include "agent/base/clock.h"

namespace hotlatch::agent {
namespace {

constexpr int kMaxFailuresInARow = 3;

// Closes and delivers windows; keeps what a failure of one leaves for the next.
class WindowCloser {
 public:
  WindowCloser(Pipeline& pipeline, Spool& spool, WindowStamper& stamper, std::string proc_root)
      : pipeline_(pipeline), spool_(spool), stamper_(stamper), proc_root_(std::move(proc_root)) {}

  // An error ends the loop.
  Result<void> Close() {
    auto window = pipeline_.CloseWindow();
    if (!window) {
      ++close_failed_;
      ++failures_in_a_row_;
      spdlog::error("window lost: cannot be closed reason=\"{}\" in_a_row={}", window.error().text,
                    failures_in_a_row_);
      if (failures_in_a_row_ < kMaxFailuresInARow) return {};
      return window.error();
    }
    failures_in_a_row_ = 0;
    std::vector<v1::Loss> losses = spool_.TakeLosses();
    if (close_failed_ != 0) losses.push_back(CloseFailedLoss());
    stamper_.Stamp(*window, ReadOwnCost(proc_root_), spool_.usage(), losses);
    LogDelivery(spool_.Deliver(*window));
    return {};
  }

 private:
  v1::Loss CloseFailedLoss() {
    v1::Loss loss;
    loss.set_stage("drain");
    loss.set_reason("close_failed");
    loss.set_count(std::exchange(close_failed_, 0));
    return loss;
  }

  void LogDelivery(const Result<void>& delivered) {
    if (!delivered) {
      if (delivery_failures_++ == 0) {
        spdlog::error("window lost: not spooled reason=\"{}\"; further ones are counted",
                      delivered.error().text);
      }
    } else if (delivery_failures_ != 0) {
      spdlog::info("spool takes windows again lost={}", std::exchange(delivery_failures_, 0));
    }
  }

  Pipeline& pipeline_;
  Spool& spool_;
  WindowStamper& stamper_;
  const std::string proc_root_;
  uint64_t close_failed_ = 0;
  int failures_in_a_row_ = 0;
  uint64_t delivery_failures_ = 0;
};

}  // namespace

int64_t NextBoundary(int64_t now_ns, int64_t window_ns) {
  const int64_t next = (now_ns / window_ns + 1) * window_ns;
  return next - now_ns < window_ns / 10 ? next + window_ns : next;
}

Result<void> RunLoop(Pipeline& pipeline, Spool& spool, WindowStamper& stamper,
                     const LoopOptions& options) {
  WindowCloser closer(pipeline, spool, stamper, options.proc_root);
  for (;;) {
    const bool stop = options.wait(NextBoundary(UnixNs(), options.window.count()));
    RETURN_IF_ERROR(closer.Close());
    if (stop) return {};
  }
}

}  // namespace hotlatch::agent

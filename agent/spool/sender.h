// Takes windows from the spool to the collector: one gRPC stream, windows up in the spool's order,
// acknowledgements down. An acknowledgement is what removes a window from the spool, so after any
// failure on either side the stream resumes at the oldest window not acknowledged.
//
// What the collector answers:
//   INVALID_ARGUMENT, OUT_OF_RANGE   the oldest window in flight is refused for good: dropped,
//   counted
//                                    as send/refused, logged with the collector's words
//   RESOURCE_EXHAUSTED, "larger than max"   the peer's own message limit: windows are then sent one
//   by
//                                    one and the one that fails alone is dropped as send/too_large
//   anything else                    tried again after a wait of 250 ms to 10 s
//
// Own thread, which connects, writes and waits; acknowledgements come on threads of gRPC. Public
// functions may be called from any thread, but Flush and Stop by one only. Logs changes of state.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "agent/spool/backoff.h"
#include "agent/spool/push_stream.h"
#include "agent/spool/spool.h"

namespace hotlatch::agent {

struct SenderOptions {
  std::string collector = "127.0.0.1:7411";
  size_t max_in_flight = 4;
  std::chrono::milliseconds backoff_min{250};
  std::chrono::milliseconds backoff_max{10'000};
  std::chrono::milliseconds connect_timeout{5'000};
  std::chrono::milliseconds keepalive{10'000};
  // A peer that answers pings but stores nothing for this long is given up and tried again.
  std::chrono::milliseconds ack_timeout{60'000};
};

struct SenderStats {
  uint64_t acknowledged = 0;
  uint64_t refused = 0;
  uint64_t streams = 0;  // opened so far
};

class Sender {
 public:
  // spool must outlive the sender.
  Sender(Spool& spool, SenderOptions options);
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Waits until the spool is empty; false when the deadline passed first. Ends a running wait
  // between attempts and keeps the later ones short.
  bool Flush(std::chrono::milliseconds deadline);

  // Ends the stream and the threads; what is not acknowledged stays in the spool. Idempotent.
  void Stop();

  SenderStats stats() const;

 private:
  enum class State { kStarting, kConnected, kUnreachable, kRejected };

  void Run();
  bool Connect(grpc::Channel& channel);
  void Push(const std::shared_ptr<grpc::Channel>& channel);
  bool WriteWindows(PushStream& stream);
  void TakeAcknowledgement(const v1::PushResponse& response);
  void HandleEnd(const grpc::Status& status, bool overdue);
  bool HandleSizeLimit(const std::string& words);
  void SetState(State state, const std::string& why);
  void WaitBeforeRetry();
  bool AckOverdue() const;

  Spool& spool_;
  const SenderOptions options_;
  Signal& changed_;  // the spool's, raised here too for stop, flush and a stream's end

  std::atomic<bool> stopping_{false};
  std::atomic<bool> flushing_{false};
  std::atomic<int64_t> last_progress_ns_{0};  // steady clock: last ack, or first window in flight
  std::atomic<uint64_t> acknowledged_{0};
  std::atomic<uint64_t> refused_{0};
  std::atomic<uint64_t> streams_{0};

  std::mutex state_mutex_;
  State state_ = State::kStarting;  // guarded by state_mutex_
  std::string state_why_;           // guarded by state_mutex_

  // Of the sender's own thread alone.
  Backoff backoff_;
  bool one_by_one_ = false;
  bool distrusted_ = false;  // it let a stream end without an ack: only an ack makes it connected

  std::thread thread_;  // last: starts when everything else is there
};

}  // namespace hotlatch::agent

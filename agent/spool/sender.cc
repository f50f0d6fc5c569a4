#include "agent/spool/sender.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

namespace hotlatch::agent {
namespace {

using Clock = std::chrono::steady_clock;

// How often blocking calls of gRPC that nothing can wake look whether to stop.
constexpr std::chrono::milliseconds kSlice{100};

// The longest wait between attempts while somebody waits for the spool to be empty.
constexpr std::chrono::milliseconds kFlushRetry{100};

int64_t NowNs() { return Clock::now().time_since_epoch().count(); }

int Milliseconds(std::chrono::milliseconds value) { return static_cast<int>(value.count()); }

// A channel per attempt, not shared, so that our own waits are the only ones.
std::shared_ptr<grpc::Channel> NewChannel(const SenderOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxSendMessageSize(static_cast<int>(kMaxMessageBytes));
  arguments.SetMaxReceiveMessageSize(1 << 20);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, Milliseconds(options.keepalive));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, Milliseconds(options.keepalive) / 2);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // An agent must not be led elsewhere by http_proxy in its environment.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(options.collector, grpc::InsecureChannelCredentials(),
                                   arguments);
}

bool IsRefusal(grpc::StatusCode code) {
  return code == grpc::StatusCode::INVALID_ARGUMENT || code == grpc::StatusCode::OUT_OF_RANGE;
}

// gRPC itself has no code of its own for a message above the receiver's limit.
bool IsSizeLimit(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
         status.error_message().find("larger than max") != std::string::npos;
}

}  // namespace

Sender::Sender(Spool& spool, SenderOptions options)
    : spool_(spool),
      options_(std::move(options)),
      changed_(spool.changed()),
      backoff_(options_.backoff_min, options_.backoff_max, std::random_device{}()),
      thread_([this] { Run(); }) {}

Sender::~Sender() { Stop(); }

void Sender::Stop() {
  stopping_ = true;
  changed_.Raise();
  if (thread_.joinable()) thread_.join();
}

bool Sender::Flush(std::chrono::milliseconds deadline) {
  const auto until = Clock::now() + deadline;
  flushing_ = true;
  changed_.Raise();
  for (;;) {
    const uint64_t seen = changed_.Seen();
    if (spool_.usage().windows == 0) return true;
    if (Clock::now() >= until) return false;
    changed_.WaitUntil(seen, until);
  }
}

SenderStats Sender::stats() const { return {acknowledged_, refused_, streams_}; }

void Sender::Run() {
  while (!stopping_) {
    const auto channel = NewChannel(options_);
    if (Connect(*channel)) Push(channel);
    WaitBeforeRetry();
  }
}

bool Sender::Connect(grpc::Channel& channel) {
  const auto deadline = Clock::now() + options_.connect_timeout;
  grpc_connectivity_state state = channel.GetState(true);
  while (!stopping_ && Clock::now() < deadline) {
    if (state == GRPC_CHANNEL_READY) {
      if (!distrusted_) SetState(State::kConnected, "");
      return true;
    }
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN) break;
    channel.WaitForStateChange(state, std::chrono::system_clock::now() + kSlice);
    state = channel.GetState(true);
  }
  if (!stopping_) SetState(State::kUnreachable, "no connection");
  return false;
}

void Sender::Push(const std::shared_ptr<grpc::Channel>& channel) {
  const uint64_t before = acknowledged_;
  ++streams_;
  PushStream stream(
      channel, [this](const v1::PushResponse& response) { TakeAcknowledgement(response); },
      changed_);
  const bool overdue = WriteWindows(stream);
  if (!stream.ended()) stream.Cancel();
  const grpc::Status status = stream.Close();
  const bool progress = acknowledged_ != before;
  if (progress) backoff_.Reset();
  distrusted_ = !progress && (distrusted_ || spool_.in_flight() != 0);
  if (!stopping_) HandleEnd(status, overdue);
  spool_.ReturnInFlight();
}

// Returns when the stream is over: true when no acknowledgement came in time.
bool Sender::WriteWindows(PushStream& stream) {
  for (;;) {
    const uint64_t seen = changed_.Seen();
    if (stopping_ || stream.ended()) return false;
    if (AckOverdue()) return true;
    const size_t limit = one_by_one_ ? 1 : options_.max_in_flight;
    const size_t in_flight = spool_.in_flight();
    if (in_flight < limit && stream.ready_to_write()) {
      if (auto next = spool_.TakeNext(); next) {
        if (in_flight == 0) last_progress_ns_ = NowNs();
        stream.Write(std::move(next->window));
        continue;
      }
    }
    const auto idle = std::chrono::milliseconds(std::chrono::hours(1));
    changed_.WaitUntil(seen, Clock::now() + (in_flight == 0 ? idle : options_.ack_timeout));
  }
}

bool Sender::AckOverdue() const {
  const auto waited = std::chrono::nanoseconds(NowNs() - last_progress_ns_);
  return spool_.in_flight() != 0 && waited >= options_.ack_timeout;
}

void Sender::TakeAcknowledgement(const v1::PushResponse& response) {
  last_progress_ns_ = NowNs();
  if (spool_.Acknowledge(response.session_id(), response.sequence())) {
    ++acknowledged_;
    SetState(State::kConnected, "");
  } else {
    spdlog::debug("collector acknowledged an unknown window session={} sequence={}",
                  response.session_id(), response.sequence());
  }
}

void Sender::HandleEnd(const grpc::Status& status, bool overdue) {
  const std::string& words = status.error_message();
  if (overdue) {
    SetState(State::kRejected, "no acknowledgement in time");
    return;
  }
  if (IsRefusal(status.error_code())) {
    if (const auto name = spool_.DropOldestInFlight("refused"); name) {
      ++refused_;
      backoff_.Reset();
      spdlog::error("window refused by the collector and dropped file={} reason=\"{}\"", *name,
                    words);
      return;
    }
  }
  if (IsSizeLimit(status) && HandleSizeLimit(words)) return;
  const bool gone = status.ok() || status.error_code() == grpc::StatusCode::UNAVAILABLE ||
                    status.error_code() == grpc::StatusCode::CANCELLED;
  SetState(gone ? State::kUnreachable : State::kRejected,
           status.ok() ? "stream closed by the collector" : words);
}

// Finds the window that is too large for the peer: the one that fails alone. False: none was sent.
bool Sender::HandleSizeLimit(const std::string& words) {
  if (spool_.in_flight() == 0) return false;
  if (spool_.in_flight() > 1) {
    one_by_one_ = true;
    return true;
  }
  one_by_one_ = false;
  backoff_.Reset();
  if (const auto name = spool_.DropOldestInFlight("too_large"); name) {
    ++refused_;
    spdlog::error("window larger than the collector takes, dropped file={} reason=\"{}\"", *name,
                  words);
  }
  return true;
}

void Sender::SetState(State state, const std::string& why) {
  const std::lock_guard lock(state_mutex_);
  const bool same = state == state_ && (state != State::kRejected || why == state_why_);
  if (same) return;
  state_ = state;
  state_why_ = why;
  if (state == State::kConnected) {
    spdlog::info("connected collector={}", options_.collector);
  } else {
    spdlog::warn("collector {}, spooling collector={} reason=\"{}\"",
                 state == State::kUnreachable ? "unreachable" : "does not take windows",
                 options_.collector, why);
  }
}

void Sender::WaitBeforeRetry() {
  const bool was_flushing = flushing_;
  auto wait = backoff_.Next();
  if (was_flushing) wait = std::min(wait, kFlushRetry);
  const auto until = Clock::now() + wait;
  while (!stopping_ && Clock::now() < until) {
    const uint64_t seen = changed_.Seen();
    if (stopping_ || (flushing_ && !was_flushing)) return;
    changed_.WaitUntil(seen, until);
  }
}

}  // namespace hotlatch::agent

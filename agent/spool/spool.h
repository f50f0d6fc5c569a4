// Closed windows on disk until the collector has stored them. One file per window (window_file.h)
// in a directory of its own, mode 0700, held by one process through a lock file. Bounded in bytes
// and in windows: the oldest are dropped and counted. Nothing on disk is trusted: what does not
// hold together is removed and counted. What earlier sessions left is found at Open and comes
// first.
//
// Losses are counted in windows and handed out by TakeLosses() for the next window to carry:
//   spool: spool_full, disk_full, write_failed, too_large, corrupt      send: refused, too_large
//
// Thread safe: the capture loop delivers, the sender takes and acknowledges. Disk is touched under
// the lock, one window at a time; no window is kept in memory.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"
#include "agent/base/unique_fd.h"
#include "agent/pipeline/window_sink.h"
#include "agent/spool/loss_ledger.h"
#include "agent/spool/signal.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

// The collector refuses larger messages; 64 bytes are left for the envelope.
inline constexpr uint64_t kMaxMessageBytes = 16 << 20;
inline constexpr uint64_t kMaxWindowBytes = kMaxMessageBytes - 64;

struct SpoolOptions {
  std::string directory = "/var/lib/hotlatch/spool";
  uint64_t max_bytes = 256 << 20;
  uint64_t max_windows = 65536;  // bounds the index in memory, about 200 bytes each
  // Writes a file so that it appears whole or not at all; empty = WriteFileAtomically. For tests.
  std::function<Result<void>(const std::string& path, const std::string& bytes)> write_file;
};

struct SpoolUsage {
  uint64_t bytes = 0;
  uint64_t windows = 0;
};

struct SpooledWindow {
  std::string file_name;
  v1::Window window;
};

class Spool : public WindowSink {
 public:
  // Creates the directory where it is missing. kInvalid: other users may write to it; kUnavailable:
  // another agent holds it.
  static Result<std::unique_ptr<Spool>> Open(SpoolOptions options);
  ~Spool() override;
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Durable when it returns success. An error is already counted among the losses.
  Result<void> Deliver(const v1::Window& window) override;

  // The oldest window not in flight; it is in flight from now on. nullopt: there is none.
  std::optional<SpooledWindow> TakeNext();

  // Removes a window in flight. False when it is not there (acknowledged twice, dropped meanwhile).
  bool Acknowledge(const std::string& session_id, uint64_t sequence);

  // Removes the oldest window in flight and counts it as lost in stage "send". Returns its file
  // name.
  std::optional<std::string> DropOldestInFlight(std::string_view reason);

  // The stream is gone: what was in flight is to be sent again.
  void ReturnInFlight();

  size_t in_flight() const;
  SpoolUsage usage() const;
  std::vector<v1::Loss> TakeLosses();

  // Raised whenever windows come or go.
  Signal& changed() { return changed_; }

 private:
  struct Entry {
    std::string session_id;
    uint64_t sequence = 0;
    uint64_t bytes = 0;
    bool in_flight = false;
  };
  struct Dropped {
    std::string file_name;
    std::string session_id;
    uint64_t sequence = 0;
    LossLedger lost;
  };
  using Entries = std::map<std::string, Entry>;  // by file name: oldest first

  Spool(SpoolOptions options, UniqueFd lock)
      : options_(std::move(options)), lock_(std::move(lock)) {}

  Result<void> Scan();
  std::string PathOf(const std::string& name) const { return options_.directory + "/" + name; }
  Result<void> Store(const v1::Window& window);
  void MakeRoom(uint64_t bytes);
  Result<v1::Window> Read(const std::string& name, const Entry& entry) const;
  Entries::iterator Remove(Entries::iterator it);
  void DropOldestForRoom();

  const SpoolOptions options_;
  const UniqueFd lock_;
  Signal changed_;

  mutable std::mutex mutex_;  // guards what follows
  Entries entries_;           // those in flight are the first
  uint64_t bytes_ = 0;
  uint64_t next_ordinal_ = 1;
  LossLedger losses_;
  // Dropped for room while in flight, oldest first; all older than entries_. Lost only if no
  // acknowledgement comes.
  std::deque<Dropped> dropped_in_flight_;
};

}  // namespace hotlatch::agent

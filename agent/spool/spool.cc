#include "agent/spool/spool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "agent/base/file.h"
#include "agent/spool/spool_directory.h"
#include "agent/spool/window_file.h"

namespace hotlatch::agent {
namespace {

constexpr const char* kLossesFile = "losses";
constexpr size_t kMaxLossesBytes = 64 << 10;

bool IsDiskFull(const Error& error) {
  return error.os_errno == ENOSPC || error.os_errno == EDQUOT || error.os_errno == EFBIG;
}

}  // namespace

Result<std::unique_ptr<Spool>> Spool::Open(SpoolOptions options) {
  RETURN_IF_ERROR(PrepareSpoolDirectory(options.directory));
  ASSIGN_OR_RETURN(UniqueFd lock, LockSpoolDirectory(options.directory));
  if (!options.write_file) options.write_file = WriteFileAtomically;
  auto spool = std::unique_ptr<Spool>(new Spool(std::move(options), std::move(lock)));
  RETURN_IF_ERROR(spool->Scan());
  return spool;
}

Spool::~Spool() {
  const std::lock_guard lock(mutex_);
  for (const Dropped& dropped : dropped_in_flight_) losses_.AddAll(dropped.lost);
  // Best effort: on a full disk the counts end here, the gap in the sequence still shows.
  if (!losses_.empty()) (void)options_.write_file(PathOf(kLossesFile), losses_.Format());
}

Result<void> Spool::Scan() {
  const std::lock_guard lock(mutex_);
  if (const auto text = ReadFile(PathOf(kLossesFile), kMaxLossesBytes); text) losses_.Parse(*text);
  ::unlink(PathOf(kLossesFile).c_str());
  ASSIGN_OR_RETURN(const std::vector<FoundFile> files, ListWindowFiles(options_.directory));
  for (const FoundFile& file : files) {
    const auto name = ParseWindowName(file.name);
    const bool usable = name && file.regular && name->ordinal < UINT64_MAX &&
                        file.bytes <= kWindowHeaderBytes + kMaxWindowBytes;
    if (!usable) {
      // A directory of such a name stays: not ours to take apart.
      if (::unlink(PathOf(file.name).c_str()) == 0) losses_.Add(kStageSpool, "corrupt", 1);
      continue;
    }
    entries_[file.name] = Entry{name->session_id, name->sequence, file.bytes, false};
    bytes_ += file.bytes;
    next_ordinal_ = std::max(next_ordinal_, name->ordinal + 1);
  }
  MakeRoom(0);
  return {};
}

Result<void> Spool::Deliver(const v1::Window& window) {
  Result<void> stored;
  {
    const std::lock_guard lock(mutex_);
    stored = Store(window);
    if (!stored) losses_.AddCarriedBy(window);
  }
  changed_.Raise();
  return stored;
}

Result<void> Spool::Store(const v1::Window& window) {
  const v1::Identity& identity = window.identity();
  const std::string name =
      FormatWindowName({next_ordinal_, identity.session_id(), identity.sequence()});
  if (!ParseWindowName(name)) {
    return MakeError(ErrorKind::kInternal, "window without a session id of hexadecimal digits");
  }
  if (window.ByteSizeLong() > kMaxWindowBytes) {
    losses_.Add(kStageSpool, "too_large", 1);
    return MakeError(ErrorKind::kExhausted,
                     fmt::format("window {}: {} bytes, at most {} can be sent; shorten --window",
                                 identity.sequence(), window.ByteSizeLong(), kMaxWindowBytes));
  }
  const std::string bytes = EncodeWindowFile(window.SerializeAsString());
  if (bytes.size() > options_.max_bytes) {
    losses_.Add(kStageSpool, "spool_full", 1);
    return MakeError(ErrorKind::kExhausted,
                     fmt::format("window {}: {} bytes do not fit the spool of {}; raise "
                                 "--spool-max-bytes",
                                 identity.sequence(), bytes.size(), options_.max_bytes));
  }
  MakeRoom(bytes.size());
  if (const auto written = options_.write_file(PathOf(name), bytes); !written) {
    losses_.Add(kStageSpool, IsDiskFull(written.error()) ? "disk_full" : "write_failed", 1);
    return written;
  }
  entries_[name] = Entry{identity.session_id(), identity.sequence(), bytes.size(), false};
  bytes_ += bytes.size();
  ++next_ordinal_;
  return {};
}

// Drops the oldest until that many bytes, and one window more if there are any, fit.
void Spool::MakeRoom(uint64_t bytes) {
  const uint64_t windows = bytes == 0 ? 0 : 1;
  while (!entries_.empty() && (bytes_ + bytes > options_.max_bytes ||
                               entries_.size() + windows > options_.max_windows)) {
    DropOldestForRoom();
  }
}

void Spool::DropOldestForRoom() {
  const auto it = entries_.begin();
  LossLedger lost;
  lost.Add(kStageSpool, "spool_full", 1);
  if (const auto window = Read(it->first, it->second); window) lost.AddCarriedBy(*window);
  if (it->second.in_flight) {
    dropped_in_flight_.push_back({it->first, it->second.session_id, it->second.sequence, lost});
  } else {
    losses_.AddAll(lost);
  }
  Remove(it);
}

Spool::Entries::iterator Spool::Remove(Entries::iterator it) {
  ::unlink(PathOf(it->first).c_str());
  bytes_ -= it->second.bytes;
  return entries_.erase(it);
}

Result<v1::Window> Spool::Read(const std::string& name, const Entry& entry) const {
  ASSIGN_OR_RETURN(const std::string bytes,
                   ReadFile(PathOf(name), kWindowHeaderBytes + kMaxWindowBytes));
  ASSIGN_OR_RETURN(const std::string body, DecodeWindowFile(bytes));
  v1::Window window;
  if (!window.ParseFromString(body)) return MakeError(ErrorKind::kCorrupt, name + ": no window");
  if (window.identity().session_id() != entry.session_id ||
      window.identity().sequence() != entry.sequence) {
    return MakeError(ErrorKind::kCorrupt, name + ": holds another window");
  }
  return window;
}

std::optional<SpooledWindow> Spool::TakeNext() {
  const std::lock_guard lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->second.in_flight) {
      ++it;
      continue;
    }
    auto window = Read(it->first, it->second);
    if (window) {
      it->second.in_flight = true;
      return SpooledWindow{it->first, std::move(*window)};
    }
    losses_.Add(kStageSpool, "corrupt", 1);
    it = Remove(it);
    changed_.Raise();
  }
  return std::nullopt;
}

bool Spool::Acknowledge(const std::string& session_id, uint64_t sequence) {
  bool found = false;
  {
    const std::lock_guard lock(mutex_);
    found = std::erase_if(dropped_in_flight_, [&](const Dropped& dropped) {
              return dropped.session_id == session_id && dropped.sequence == sequence;
            }) != 0;
    for (auto it = entries_.begin(); it != entries_.end() && it->second.in_flight; ++it) {
      if (it->second.session_id == session_id && it->second.sequence == sequence) {
        Remove(it);
        found = true;
        break;
      }
    }
  }
  changed_.Raise();
  return found;
}

std::optional<std::string> Spool::DropOldestInFlight(std::string_view reason) {
  std::optional<std::string> name;
  {
    const std::lock_guard lock(mutex_);
    const auto it = entries_.begin();
    if (!dropped_in_flight_.empty()) {
      name = dropped_in_flight_.front().file_name;
      losses_.AddAll(dropped_in_flight_.front().lost);
      dropped_in_flight_.pop_front();
    } else if (it != entries_.end() && it->second.in_flight) {
      name = it->first;
      losses_.Add(kStageSend, reason, 1);
      if (const auto window = Read(it->first, it->second); window) losses_.AddCarriedBy(*window);
      Remove(it);
    }
  }
  changed_.Raise();
  return name;
}

void Spool::ReturnInFlight() {
  const std::lock_guard lock(mutex_);
  for (auto it = entries_.begin(); it != entries_.end() && it->second.in_flight; ++it) {
    it->second.in_flight = false;
  }
  for (const Dropped& dropped : dropped_in_flight_) losses_.AddAll(dropped.lost);
  dropped_in_flight_.clear();
}

size_t Spool::in_flight() const {
  const std::lock_guard lock(mutex_);
  const auto end = std::find_if(entries_.begin(), entries_.end(),
                                [](const auto& item) { return !item.second.in_flight; });
  return static_cast<size_t>(std::distance(entries_.begin(), end)) + dropped_in_flight_.size();
}

SpoolUsage Spool::usage() const {
  const std::lock_guard lock(mutex_);
  return {bytes_, entries_.size()};
}

std::vector<v1::Loss> Spool::TakeLosses() {
  const std::lock_guard lock(mutex_);
  return losses_.Take();
}

}  // namespace hotlatch::agent

// The store of windows: one interface, more than one engine. Every window is stored exactly once
// and is durable when Put returns. A Store is used by one thread at a time unless its engine says
// otherwise.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "hotlatch/v1/query.pb.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::collector {

enum class PutOutcome { kStored, kDuplicate };

// A frame as stored, names resolved. kind is v1::FrameKind.
struct StoredFrame {
  std::string name, module, build_id;
  uint64_t offset = 0;
  uint32_t kind = 0;
};

// Leaf first. flags is a bit set of v1::StackFlag.
struct StoredStack {
  std::vector<uint32_t> frames;  // ids for Store::Frame
  uint32_t flags = 0;
};

struct StoredDims {
  std::string service, role, database, wait;
  int32_t node = -1;
};

// All of a window but its rows: identity, range, topology, facts, fidelity. dictionary, profiles
// and tables are empty.
using WindowHeader = v1::Window;

// One window x profile x dimensions. stacks[i] is an id for Store::Stack; values[c][i] belongs to
// columns[c].
struct ProfileBlock {
  const WindowHeader* window = nullptr;
  std::string profile, event;
  double sample_rate_hz = 0;
  const StoredDims* dims = nullptr;
  std::vector<std::string> columns, units;
  std::vector<uint64_t> stacks;
  std::vector<std::vector<uint64_t>> values;
};

// One window x table; strings resolved through the table's own dictionary: table.columns[c].strings
// index into strings.
struct TableBlock {
  const WindowHeader* window = nullptr;
  v1::Table table;
  std::vector<std::string> strings;
};

// Unix ns, half open; 0 = unbounded. A window belongs to the range when it overlaps it. The
// filters, where set, spare the decoding of blocks nobody wants: what they refuse is not visited.
struct ScanRange {
  int64_t from_unix_ns = 0;
  int64_t to_unix_ns = 0;
  std::function<bool(const WindowHeader&)> want_window;
  std::function<bool(const StoredDims&)> want_dims;
};

// Whole windows, oldest end first, are dropped while one is older than max_age_ns before now or the
// store is larger than max_bytes. 0 = no limit.
struct RetentionOptions {
  int64_t max_age_ns = 0;
  uint64_t max_bytes = 0;
};

struct PruneReport {
  uint64_t windows = 0;             // dropped
  uint64_t dictionary_entries = 0;  // strings, frames, stacks ... no window refers to any more
  uint64_t bytes = 0;               // of the store afterwards
};

class Store {
 public:
  virtual ~Store() = default;

  // The window has been checked (ingest/check.h). kExhausted when the disk is full; nothing is then
  // stored.
  virtual Result<PutOutcome> Put(const v1::Window& window) = 0;

  // Highest stored sequence of the session, 0 when there is none.
  virtual Result<uint64_t> LastSequence(const std::string& session_id) = 0;

  // Whether this very window is stored.
  virtual Result<bool> Contains(const std::string& session_id, uint64_t sequence) = 0;

  // Visitors run in rising order of window start. A visitor's error ends the scan and is returned.
  virtual Result<void> ScanWindows(
      const ScanRange& range, const std::function<Result<void>(const WindowHeader&)>& visit) = 0;
  virtual Result<void> ScanProfile(
      const ScanRange& range, const std::string& profile,
      const std::function<Result<void>(const ProfileBlock&)>& visit) = 0;
  virtual Result<void> ScanTable(const ScanRange& range, const std::string& table,
                                 const std::function<Result<void>(const TableBlock&)>& visit) = 0;

  // Names with at least one block in the range, sorted. The filters of the range are not asked.
  virtual Result<std::vector<std::string>> ProfileNames(const ScanRange& range) = 0;
  virtual Result<std::vector<std::string>> TableNames(const ScanRange& range) = 0;

  // Dictionary look-ups through a cache of bounded memory: a pointer is valid until the next
  // look-up of its kind. Look up inside the visitor of a scan, where no Prune can take the entry
  // away.
  virtual Result<const StoredStack*> Stack(uint64_t id) = 0;
  virtual Result<const StoredFrame*> Frame(uint32_t id) = 0;

  virtual Result<PruneReport> Prune(const RetentionOptions& retention, int64_t now_unix_ns) = 0;

  // Makes the file complete by itself; the store is not used afterwards. Destruction does the same, without
  // a word when it fails.
  virtual Result<void> Close() { return {}; }

  virtual Result<uint64_t> SizeBytes() = 0;
  virtual std::string path() const = 0;
};

enum class OpenMode {
  kReadOnly,   // an existing recording or store; never created, never written
  kReadWrite,  // created when it is not there; refused when it is there and not ours
};

// An embedded store in one SQLite file; ":memory:" is a store that ends with the object. While it
// is open for writing, the file has -wal and -shm beside it; closing leaves the one file. kCorrupt
// when the file is truncated, not ours or written by a newer version.
Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path, OpenMode mode);

}  // namespace hotlatch::collector

// Retention: whole windows go, oldest first, and with the last window of an hour go the dictionary
// entries nothing newer uses.
#include <algorithm>
#include <string>

#include "collector/store/sqlite_schema.h"
#include "collector/store/sqlite_store.h"

namespace hotlatch::collector {
namespace {

// One transaction holds the writer up for about this many windows.
constexpr int kWindowsPerTransaction = 64;

}  // namespace

Result<PruneReport> SqliteStore::Prune(const RetentionOptions& retention, int64_t now_unix_ns) {
  if (writer_ == nullptr) {
    return MakeError(ErrorKind::kPermission, path() + ": opened for reading only");
  }
  PruneReport report;
  if (retention.max_age_ns > 0) {
    const std::string old = "end_ns<" + std::to_string(now_unix_ns - retention.max_age_ns);
    for (;;) {
      ASSIGN_OR_RETURN(const uint64_t dropped, DropWindows(old, &report));
      if (dropped == 0) break;
    }
  }
  if (report.windows > 0) RETURN_IF_ERROR(DropUnusedEntries(&report));
  ASSIGN_OR_RETURN(report.bytes, UsedBytes());
  while (retention.max_bytes > 0 && report.bytes > retention.max_bytes) {
    ASSIGN_OR_RETURN(const uint64_t dropped, DropWindows("1", &report));
    if (dropped == 0) break;
    RETURN_IF_ERROR(DropUnusedEntries(&report));
    ASSIGN_OR_RETURN(report.bytes, UsedBytes());
  }
  if (report.windows > 0) RETURN_IF_ERROR(db_->Execute("PRAGMA incremental_vacuum"));
  return report;
}

Result<uint64_t> SqliteStore::DropWindows(const std::string& condition, PruneReport* report) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*db_, Transaction::Kind::kWrite));
  const std::string oldest = "SELECT id FROM windows WHERE " + condition +
                             " ORDER BY end_ns, id LIMIT " + std::to_string(kWindowsPerTransaction);
  RETURN_IF_ERROR(db_->Execute("CREATE TEMP TABLE IF NOT EXISTS doomed(id INTEGER PRIMARY KEY)"));
  RETURN_IF_ERROR(db_->Execute("DELETE FROM temp.doomed"));
  RETURN_IF_ERROR(db_->Execute("INSERT INTO temp.doomed " + oldest));
  const auto dropped = static_cast<uint64_t>(db_->Changes());
  if (dropped == 0) return dropped;
  for (const char* table : {"blocks WHERE window", "tables WHERE window", "windows WHERE id"}) {
    RETURN_IF_ERROR(
        db_->Execute(std::string("DELETE FROM ") + table + " IN (SELECT id FROM temp.doomed)"));
  }
  RETURN_IF_ERROR(transaction.Commit());
  report->windows += dropped;
  return dropped;
}

// An entry's epoch is at least that of every window that uses it, so what is older than all windows
// left is used by none. The newest id stays, or SQLite would give it again to another content while
// a reader still has the old one in its cache.
Result<void> SqliteStore::DropUnusedEntries(PruneReport* report) {
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*db_, Transaction::Kind::kWrite));
  ASSIGN_OR_RETURN(const int64_t windows, db_->QueryInt("SELECT count(*) FROM windows"));
  ASSIGN_OR_RETURN(const int64_t oldest_end, db_->QueryInt("SELECT min(end_ns) FROM windows"));
  const std::string condition = windows == 0 ? "1" : "epoch<" + std::to_string(EpochOf(oldest_end));
  for (const std::string table : {"stacks", "frames", "modules", "dims", "shapes", "strings"}) {
    RETURN_IF_ERROR(db_->Execute("DELETE FROM " + table + " WHERE " + condition +
                                 " AND id<(SELECT max(id) FROM " + table + ")"));
    report->dictionary_entries += static_cast<uint64_t>(db_->Changes());
  }
  RETURN_IF_ERROR(transaction.Commit());
  ForgetCaches();
  return {};
}

Result<uint64_t> SqliteStore::UsedBytes() {
  ASSIGN_OR_RETURN(const int64_t pages, db_->QueryInt("PRAGMA page_count"));
  ASSIGN_OR_RETURN(const int64_t free_pages, db_->QueryInt("PRAGMA freelist_count"));
  ASSIGN_OR_RETURN(const int64_t page_bytes, db_->QueryInt("PRAGMA page_size"));
  return static_cast<uint64_t>(std::max<int64_t>(0, pages - free_pages) * page_bytes);
}

}  // namespace hotlatch::collector

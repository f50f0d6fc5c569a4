#include "collector/store/sqlite_store.h"

#include <sys/stat.h>

#include <utility>

#include "collector/store/sqlite_schema.h"

namespace hotlatch::collector {

Result<std::unique_ptr<Store>> OpenSqliteStore(const std::string& path, OpenMode mode) {
  return SqliteStore::Open(path, mode);
}

Result<std::unique_ptr<Store>> SqliteStore::Open(const std::string& path, OpenMode mode) {
  std::unique_ptr<SqliteStore> store(new SqliteStore(mode));  // NOLINT: private constructor
  ASSIGN_OR_RETURN(store->db_, OpenStoreFile(path, mode));
  ASSIGN_OR_RETURN(store->reader_, DictionaryReader::Open(*store->db_));
  if (mode == OpenMode::kReadWrite) {
    ASSIGN_OR_RETURN(store->writer_, WindowWriter::Open(*store->db_));
  }
  return std::unique_ptr<Store>(std::move(store));
}

// Where another connection still reads, the log stays and the next to open the file folds it.
Result<void> SqliteStore::Close() {
  writer_.reset();
  reader_.reset();
  if (db_ == nullptr || mode_ == OpenMode::kReadOnly) return {};
  const std::unique_ptr<Database> db = std::move(db_);
  return FoldWal(*db);
}

SqliteStore::~SqliteStore() { static_cast<void>(Close().has_value()); }

Result<PutOutcome> SqliteStore::Put(const v1::Window& window) {
  if (writer_ == nullptr) {
    return MakeError(ErrorKind::kPermission, path() + ": opened for reading only");
  }
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(*db_, Transaction::Kind::kWrite));
  const auto outcome = writer_->Write(window);
  if (!outcome || *outcome == PutOutcome::kDuplicate) {
    if (!outcome) writer_->ForgetCaches();
    return outcome;
  }
  if (const auto committed = transaction.Commit(); !committed) {
    writer_->ForgetCaches();
    return committed.error();
  }
  return PutOutcome::kStored;
}

Result<uint64_t> SqliteStore::LastSequence(const std::string& session_id) {
  ASSIGN_OR_RETURN(Statement statement,
                   db_->Prepare("SELECT max(sequence) FROM windows WHERE session_id=?"));
  statement.BindText(1, session_id);
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  return row ? static_cast<uint64_t>(statement.Int(0)) : 0;
}

Result<bool> SqliteStore::Contains(const std::string& session_id, uint64_t sequence) {
  ASSIGN_OR_RETURN(Statement statement,
                   db_->Prepare("SELECT 1 FROM windows WHERE session_id=? AND sequence=?"));
  statement.BindText(1, session_id);
  statement.BindInt(2, static_cast<int64_t>(sequence));
  return statement.Step();
}

Result<uint64_t> SqliteStore::SizeBytes() {
  if (path() == ":memory:") return UsedBytes();
  struct stat info {};
  if (::stat(path().c_str(), &info) != 0) return ErrnoError(errno, path());
  auto bytes = static_cast<uint64_t>(info.st_size);
  if (::stat((path() + "-wal").c_str(), &info) == 0) bytes += static_cast<uint64_t>(info.st_size);
  return bytes;
}

void SqliteStore::ForgetCaches() {
  reader_->ForgetCaches();
  if (writer_ != nullptr) writer_->ForgetCaches();
}

}  // namespace hotlatch::collector

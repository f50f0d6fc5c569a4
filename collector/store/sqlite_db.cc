#include "collector/store/sqlite_db.h"

#include <cerrno>
#include <utility>

namespace hotlatch::collector {
namespace {

struct Mapped {
  ErrorKind kind;
  const char* next_step;
};

Mapped MapCode(int code, int os_errno) {
  if (os_errno == ENOSPC || os_errno == EDQUOT) {
    return {ErrorKind::kExhausted, "free space on that file system or shorten the retention"};
  }
  switch (code & 0xff) {
    case SQLITE_FULL:
      return {ErrorKind::kExhausted, "free space on that file system or shorten the retention"};
    case SQLITE_NOMEM:
      return {ErrorKind::kExhausted, "give the process more memory"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorKind::kCorrupt, "use an intact copy of the file"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorKind::kUnavailable, "another process holds it; try again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorKind::kPermission, "check the rights of the file and its directory"};
    case SQLITE_CANTOPEN:
      return {os_errno == ENOENT ? ErrorKind::kNotFound : ErrorKind::kPermission,
              "check that the directory is there and its rights"};
    default:
      return {ErrorKind::kIo, "see the system log for errors of the device"};
  }
}

}  // namespace

Error SqliteError(sqlite3* handle, int code, const std::string& path) {
  const int system = handle == nullptr ? 0 : sqlite3_system_errno(handle);
  const bool has_errno = (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN;
  const int os_errno = has_errno ? system : 0;
  const Mapped mapped = MapCode(code, os_errno);
  std::string reason = handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle);
  return Error{mapped.kind, os_errno, path + ": " + reason + "; " + mapped.next_step};
}

void Statement::BindInt(int index, int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
}

void Statement::BindText(int index, std::string_view value) {
  // A null pointer would bind NULL; the empty text is not that.
  const char* data = value.empty() ? "" : value.data();
  sqlite3_bind_text64(statement_.get(), index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::BindBlob(int index, std::string_view value) {
  const char* data = value.empty() ? "" : value.data();
  sqlite3_bind_blob64(statement_.get(), index, data, value.size(), SQLITE_STATIC);
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  Error error = SqliteError(sqlite3_db_handle(statement_.get()),
                            sqlite3_extended_errcode(sqlite3_db_handle(statement_.get())), *path_);
  sqlite3_reset(statement_.get());
  return error;
}

Result<void> Statement::Run() {
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, Step());
    if (!row) break;
  }
  Reset();
  return {};
}

void Statement::Reset() { sqlite3_reset(statement_.get()); }

int64_t Statement::Int(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::Bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<size_t>(size)};
}

Result<std::unique_ptr<Database>> Database::Open(const std::string& path, const std::string& uri,
                                                 int flags) {
  std::unique_ptr<Database> db(new Database(path));  // NOLINT: the constructor is private
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(uri.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, nullptr);
  db->handle_.reset(handle);
  if (code != SQLITE_OK) return SqliteError(handle, code, path);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, 5000);
  // Schemas come from files of strangers: nothing in them may run.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return db;
}

Result<void> Database::Execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return SqliteError(handle_.get(), code, path_);
  return {};
}

Result<Statement> Database::Prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return SqliteError(handle_.get(), code, path_);
  return Statement(statement, &path_);
}

Result<int64_t> Database::QueryInt(std::string_view sql) {
  ASSIGN_OR_RETURN(Statement statement, Prepare(sql));
  ASSIGN_OR_RETURN(const bool row, statement.Step());
  if (!row) {
    return MakeError(ErrorKind::kCorrupt, path_ + ": no answer to " + std::string(sql) +
                                              "; use an intact copy of the file");
  }
  return statement.Int(0);
}

Result<Transaction> Transaction::Begin(Database& db, Kind kind) {
  if (kind == Kind::kRead && db.InTransaction()) return Transaction(nullptr);
  RETURN_IF_ERROR(db.Execute(kind == Kind::kRead ? "BEGIN" : "BEGIN IMMEDIATE"));
  return Transaction(&db);
}

Transaction::~Transaction() {
  if (db_ == nullptr || !db_->InTransaction()) return;
  // What failed before is the error that counts; a failed rollback ends with the connection.
  (void)db_->Execute("ROLLBACK").has_value();
}

Result<void> Transaction::Commit() {
  if (db_ == nullptr) return {};
  RETURN_IF_ERROR(db_->Execute("COMMIT"));
  db_ = nullptr;
  return {};
}

}  // namespace hotlatch::collector

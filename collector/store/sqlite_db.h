// RAII over the C interface of SQLite: one connection, its statements and transactions. Errors come
// back as Error with the file's name. Not thread safe: one thread at a time per connection.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agent/base/result.h"

namespace hotlatch::collector {

// The statement's own prepared text; finalised when destroyed, before its connection is closed.
class Statement {
 public:
  Statement() = default;
  Statement(sqlite3_stmt* statement, const std::string* path)
      : statement_(statement), path_(path) {}

  // Parameters are numbered from 1. Text and blobs must live until the next Step or Reset.
  void BindInt(int index, int64_t value);
  void BindText(int index, std::string_view value);
  void BindBlob(int index, std::string_view value);

  // True: a row is there. False: done.
  Result<bool> Step();
  // Step until done, then Reset: for statements that return no rows.
  Result<void> Run();
  void Reset();

  // Columns are numbered from 0. Views are valid until the next Step or Reset.
  int64_t Int(int column) const;
  std::string_view Bytes(int column) const;

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
  const std::string* path_ = nullptr;
};

class Database {
 public:
  // flags are SQLITE_OPEN_*. uri is what is opened, path what errors name.
  static Result<std::unique_ptr<Database>> Open(const std::string& path, const std::string& uri,
                                                int flags);

  Result<void> Execute(const std::string& sql);
  Result<Statement> Prepare(std::string_view sql);
  // The one number a query gives.
  Result<int64_t> QueryInt(std::string_view sql);

  bool InTransaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  int64_t LastInsertId() const { return sqlite3_last_insert_rowid(handle_.get()); }
  int64_t Changes() const { return sqlite3_changes64(handle_.get()); }
  const std::string& path() const { return path_; }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  explicit Database(std::string path) : path_(std::move(path)) {}

  const std::string path_;
  std::unique_ptr<sqlite3, Closer> handle_;
};

// Rolls back when destroyed without Commit. A read transaction inside a running one does nothing.
class Transaction {
 public:
  enum class Kind { kRead, kWrite };
  static Result<Transaction> Begin(Database& db, Kind kind);
  Transaction(Transaction&& other) noexcept : db_(std::exchange(other.db_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  Result<void> Commit();

 private:
  explicit Transaction(Database* db) : db_(db) {}
  Database* db_ = nullptr;
};

// The Error of a SQLite result code; the connection may be null.
Error SqliteError(sqlite3* handle, int code, const std::string& path);

}  // namespace hotlatch::collector

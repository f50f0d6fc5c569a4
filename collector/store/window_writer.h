// One window into the tables of a store, inside the caller's write transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/base/result.h"
#include "collector/store/dictionary_writer.h"
#include "collector/store/sqlite_db.h"
#include "collector/store/store.h"

namespace hotlatch::collector {

class WindowWriter {
 public:
  static Result<std::unique_ptr<WindowWriter>> Open(Database& db);

  // kDuplicate: nothing was written.
  Result<PutOutcome> Write(const v1::Window& window);
  // After a rollback or a deletion of dictionary entries.
  void ForgetCaches() { dictionary_->ForgetCaches(); }

 private:
  explicit WindowWriter(Database& db) : db_(&db) {}
  Result<bool> InsertWindow(const v1::Window& window);
  Result<void> WriteProfile(WindowIds& ids, const v1::Profile& profile);
  Result<void> WriteBlock(int64_t name, int64_t shape, int64_t dims, const std::string& columns);
  Result<void> WriteTable(WindowIds& ids, const v1::Window& window, const v1::Table& table);

  Database* db_;
  std::unique_ptr<DictionaryWriter> dictionary_;
  Statement insert_window_, insert_block_, insert_table_;
  int64_t window_id_ = 0;
};

// The hour a window's end lies in: what dictionary entries remember of their last use.
int64_t EpochOf(int64_t end_unix_ns);

}  // namespace hotlatch::collector

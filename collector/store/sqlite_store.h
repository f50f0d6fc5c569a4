// The embedded engine behind store.h: one SQLite file. One thread at a time; more than one object
// may be open on one file, of which one writes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/store/dictionary_reader.h"
#include "collector/store/sqlite_db.h"
#include "collector/store/store.h"
#include "collector/store/window_writer.h"

namespace hotlatch::collector {

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> Open(const std::string& path, OpenMode mode);
  ~SqliteStore() override;
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;
  SqliteStore(SqliteStore&&) = delete;
  SqliteStore& operator=(SqliteStore&&) = delete;

  Result<PutOutcome> Put(const v1::Window& window) override;
  Result<uint64_t> LastSequence(const std::string& session_id) override;
  Result<bool> Contains(const std::string& session_id, uint64_t sequence) override;

  Result<void> ScanWindows(const ScanRange& range,
                           const std::function<Result<void>(const WindowHeader&)>& visit) override;
  Result<void> ScanProfile(const ScanRange& range, const std::string& profile,
                           const std::function<Result<void>(const ProfileBlock&)>& visit) override;
  Result<void> ScanTable(const ScanRange& range, const std::string& table,
                         const std::function<Result<void>(const TableBlock&)>& visit) override;
  Result<std::vector<std::string>> ProfileNames(const ScanRange& range) override;
  Result<std::vector<std::string>> TableNames(const ScanRange& range) override;

  Result<const StoredStack*> Stack(uint64_t id) override { return reader_->Stack(id); }
  Result<const StoredFrame*> Frame(uint32_t id) override { return reader_->Frame(id); }

  Result<PruneReport> Prune(const RetentionOptions& retention, int64_t now_unix_ns) override;
  Result<void> Close() override;
  Result<uint64_t> SizeBytes() override;
  std::string path() const override { return db_->path(); }

 private:
  explicit SqliteStore(OpenMode mode) : mode_(mode) {}

  // sqlite_scan.cc. A visitor gets the id of the row in windows and the header.
  using VisitId = std::function<Result<void>(int64_t id, const WindowHeader&)>;
  Result<void> ScanIds(const ScanRange& range, const VisitId& visit);
  Result<std::vector<int64_t>> WindowIdsIn(const ScanRange& range);
  Result<bool> FillBlock(const ScanRange& range, Statement& row, ProfileBlock& block);
  Result<std::vector<std::string>> NamesIn(const std::string& table, const ScanRange& range);

  // sqlite_retention.cc
  Result<uint64_t> DropWindows(const std::string& condition, PruneReport* report);
  Result<void> DropUnusedEntries(PruneReport* report);
  Result<uint64_t> UsedBytes();
  void ForgetCaches();

  const OpenMode mode_;
  std::unique_ptr<Database> db_;  // outlives the statements below
  std::unique_ptr<DictionaryReader> reader_;
  std::unique_ptr<WindowWriter> writer_;  // null when read only
};

}  // namespace hotlatch::collector

// A store for one query: the same answers, but a scan ends with kUnavailable once nobody waits for it any
// more.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collector/store/store.h"

namespace hotlatch::collector {

class LimitedStore final : public Store {
 public:
  // store must outlive it. expired is asked for each window and block of a scan.
  LimitedStore(Store& store, std::function<bool()> expired)
      : store_(&store), expired_(std::move(expired)) {}

  Result<PutOutcome> Put(const v1::Window& window) override { return store_->Put(window); }
  Result<uint64_t> LastSequence(const std::string& session_id) override {
    return store_->LastSequence(session_id);
  }
  Result<bool> Contains(const std::string& session_id, uint64_t sequence) override {
    return store_->Contains(session_id, sequence);
  }
  Result<void> ScanWindows(const ScanRange& range,
                           const std::function<Result<void>(const WindowHeader&)>& visit) override;
  Result<void> ScanProfile(const ScanRange& range, const std::string& profile,
                           const std::function<Result<void>(const ProfileBlock&)>& visit) override;
  Result<void> ScanTable(const ScanRange& range, const std::string& table,
                         const std::function<Result<void>(const TableBlock&)>& visit) override;
  Result<std::vector<std::string>> ProfileNames(const ScanRange& range) override {
    return store_->ProfileNames(range);
  }
  Result<std::vector<std::string>> TableNames(const ScanRange& range) override {
    return store_->TableNames(range);
  }
  Result<const StoredStack*> Stack(uint64_t id) override { return store_->Stack(id); }
  Result<const StoredFrame*> Frame(uint32_t id) override { return store_->Frame(id); }
  Result<PruneReport> Prune(const RetentionOptions& retention, int64_t now_unix_ns) override {
    return store_->Prune(retention, now_unix_ns);
  }
  Result<uint64_t> SizeBytes() override { return store_->SizeBytes(); }
  std::string path() const override { return store_->path(); }

 private:
  Result<void> CheckTime() const;

  Store* store_;
  std::function<bool()> expired_;
};

}  // namespace hotlatch::collector

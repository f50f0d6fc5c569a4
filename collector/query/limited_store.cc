#include "collector/query/limited_store.h"

namespace hotlatch::collector {

Result<void> LimitedStore::CheckTime() const {
  if (!expired_()) return {};
  return MakeError(ErrorKind::kUnavailable,
                   "query: its time is over; ask for a shorter range or give a longer deadline");
}

Result<void> LimitedStore::ScanWindows(
    const ScanRange& range, const std::function<Result<void>(const WindowHeader&)>& visit) {
  return store_->ScanWindows(range, [&](const WindowHeader& header) -> Result<void> {
    RETURN_IF_ERROR(CheckTime());
    return visit(header);
  });
}

Result<void> LimitedStore::ScanProfile(
    const ScanRange& range, const std::string& profile,
    const std::function<Result<void>(const ProfileBlock&)>& visit) {
  return store_->ScanProfile(range, profile, [&](const ProfileBlock& block) -> Result<void> {
    RETURN_IF_ERROR(CheckTime());
    return visit(block);
  });
}

Result<void> LimitedStore::ScanTable(const ScanRange& range, const std::string& table,
                                     const std::function<Result<void>(const TableBlock&)>& visit) {
  return store_->ScanTable(range, table, [&](const TableBlock& block) -> Result<void> {
    RETURN_IF_ERROR(CheckTime());
    return visit(block);
  });
}

}  // namespace hotlatch::collector

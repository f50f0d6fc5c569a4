// The tables of a store file, and how a file is recognised as ours before SQLite touches it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "agent/base/result.h"
#include "collector/store/sqlite_db.h"
#include "collector/store/store.h"

namespace hotlatch::collector {

// "HLT1": in the file's header, so that file(1) and we know it.
inline constexpr uint32_t kApplicationId = 0x484c5431;
inline constexpr uint32_t kSchemaVersion = 1;

// windows.level of a window as it was sent. Higher levels are for roll-ups.
inline constexpr int kLevelRaw = 0;

// Opens the file and, in kReadWrite, makes the schema where the file is new or empty. kCorrupt as
// OpenSqliteStore says.
Result<std::unique_ptr<Database>> OpenStoreFile(const std::string& path, OpenMode mode);

// Leaves one file without -wal and -shm, where no other connection holds it open.
Result<void> FoldWal(Database& db);

}  // namespace hotlatch::collector

// A store file of its own for each test, and other programs' hands on it.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "collector/store/store.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/collector/window_builder.h"

namespace hotlatch::collector {

class StoreTest : public testing::Test {
 protected:
  std::string Path(const std::string& name = "x.hotlatch") const { return dir_ / name; }

  static std::unique_ptr<Store> Open(const std::string& path, OpenMode mode) {
    auto store = OpenSqliteStore(path, mode);
    EXPECT_TRUE(store) << store.error().text;
    return store ? std::move(*store) : nullptr;
  }
  std::unique_ptr<Store> OpenWriter() const { return Open(Path(), OpenMode::kReadWrite); }
  std::unique_ptr<Store> OpenReader() const { return Open(Path(), OpenMode::kReadOnly); }

  static Error OpenError(const std::string& path, OpenMode mode) {
    const auto store = OpenSqliteStore(path, mode);
    return store ? Error{} : store.error();
  }

  // Closed, with windows 1 .. count.
  void WriteStore(uint64_t count) const {
    const auto store = OpenWriter();
    for (uint64_t n = 1; n <= count; ++n) ASSERT_TRUE(store->Put(SmallWindow(n)));
  }

  // As another program would: behind the store's back.
  void Sql(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(Path().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  TempDir dir_ = std::move(*TempDir::Create());
};

inline uint64_t CountWindows(Store& store, const ScanRange& range = {}) {
  uint64_t windows = 0;
  const auto scanned = store.ScanWindows(range, [&](const WindowHeader&) -> Result<void> {
    ++windows;
    return {};
  });
  EXPECT_TRUE(scanned) << scanned.error().text;
  return windows;
}

// Every block, stack, frame and table.
inline Result<void> ReadAll(Store& store) {
  RETURN_IF_ERROR(store.ScanProfile({}, "cpu", [&](const ProfileBlock& block) -> Result<void> {
    for (const uint64_t id : block.stacks) {
      const auto stack = store.Stack(id);
      if (!stack) return stack.error();
      for (const uint32_t frame : (*stack)->frames) {
        const auto found = store.Frame(frame);
        if (!found) return found.error();
      }
    }
    return {};
  }));
  return store.ScanTable({}, "processes", [](const TableBlock&) -> Result<void> { return {}; });
}

}  // namespace hotlatch::collector

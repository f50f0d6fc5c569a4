// Full disks and retention.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "collector/store/sqlite_schema.h"
#include "collector/store/store.h"
#include "collector/store/window_writer.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/collector/window_builder.h"

namespace hotlatch::collector {
namespace {

std::unique_ptr<Store> OpenMemory() {
  auto store = OpenSqliteStore(":memory:", OpenMode::kReadWrite);
  EXPECT_TRUE(store) << store.error().text;
  return std::move(*store);
}

// A window whose stacks no other has.
v1::Window UniqueWindow(uint64_t sequence, int stacks) {
  WindowBuilder builder(sequence);
  const uint32_t dims = builder.Dims();
  v1::Profile* profile = builder.CpuProfile();
  for (int i = 0; i < stacks; ++i) {
    const std::string name = "f" + std::to_string(sequence) + "_" + std::to_string(i);
    WindowBuilder::Row(profile, dims, builder.Stack({name, "main"}), {1, 10});
  }
  return builder.window();
}

uint64_t CountRows(Store& store) {
  uint64_t rows = 0;
  const auto scanned = store.ScanProfile({}, "cpu", [&](const ProfileBlock& b) -> Result<void> {
    for (const uint64_t id : b.stacks) {
      const auto stack = store.Stack(id);
      if (!stack) return stack.error();
      const std::vector<uint32_t> frames = (*stack)->frames;
      for (const uint32_t frame : frames) {
        if (const auto found = store.Frame(frame); !found) return found.error();
      }
      ++rows;
    }
    return {};
  });
  EXPECT_TRUE(scanned) << scanned.error().text;
  return rows;
}

// The same SQLite error a full file system gives: SQLITE_FULL.
TEST(StoreLimitsTest, AFullDiskStoresNothingAndLosesNothing) {
  TempDir dir = std::move(*TempDir::Create());
  auto db = OpenStoreFile(dir / "x.hotlatch", OpenMode::kReadWrite);
  ASSERT_TRUE(db);
  auto writer = WindowWriter::Open(**db);
  ASSERT_TRUE(writer);
  const auto put = [&](const v1::Window& window) -> Result<PutOutcome> {
    ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(**db, Transaction::Kind::kWrite));
    auto outcome = (*writer)->Write(window);
    if (!outcome) {
      (*writer)->ForgetCaches();
      return outcome;
    }
    RETURN_IF_ERROR(transaction.Commit());
    return outcome;
  };
  ASSERT_TRUE(put(UniqueWindow(1, 100)));
  const int64_t pages = *(*db)->QueryInt("PRAGMA page_count");
  ASSERT_TRUE((*db)->Execute("PRAGMA max_page_count=" + std::to_string(pages + 2)));
  const auto full = put(UniqueWindow(2, 2000));
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind, ErrorKind::kExhausted) << full.error().text;

  const auto reader = OpenSqliteStore(dir / "x.hotlatch", OpenMode::kReadOnly);
  ASSERT_TRUE(reader);
  EXPECT_EQ(CountRows(**reader), 100U);
  ASSERT_TRUE((*db)->Execute("PRAGMA max_page_count=1000000"));
  ASSERT_TRUE(put(UniqueWindow(2, 2000)));
  EXPECT_EQ(CountRows(**reader), 2100U);
}

TEST(StoreLimitsTest, RetentionByAgeDropsWholeWindowsAndWhatOnlyTheyUsed) {
  const auto store = OpenMemory();
  // 10 s each: 720 windows are two hours, so that whole hours fall out of the dictionaries.
  for (uint64_t n = 1; n <= 720; n += 40) ASSERT_TRUE(store->Put(UniqueWindow(n, 10)));
  const int64_t now_ns = kTestEpochNs + 7200 * kSecondNs;
  const auto report = store->Prune({1800 * kSecondNs, 0}, now_ns);
  ASSERT_TRUE(report) << report.error().text;
  // Ends at 10 s x n; kept are those that end at 5400 s or later: 561, 601, 641, 681.
  EXPECT_EQ(report->windows, 14U);
  EXPECT_GT(report->dictionary_entries, 100U);
  EXPECT_EQ(CountRows(*store), 40U);
  EXPECT_EQ(store->Prune({1800 * kSecondNs, 0}, now_ns)->windows, 0U);
}

TEST(StoreLimitsTest, AfterRetentionTheSameStacksCanComeAgain) {
  const auto store = OpenMemory();
  ASSERT_TRUE(store->Put(SmallWindow(1)));
  ASSERT_TRUE(store->Put(UniqueWindow(2, 5)));
  ASSERT_TRUE(store->Prune({1, 0}, kTestEpochNs + 100'000 * kSecondNs));
  EXPECT_EQ(CountRows(*store), 0U);
  ASSERT_TRUE(store->Put(SmallWindow(3)));
  ASSERT_TRUE(store->Put(UniqueWindow(4, 5)));
  EXPECT_EQ(CountRows(*store), 6U);
}

TEST(StoreLimitsTest, StacksStillInUseOutliveTheWindowThatBroughtThem) {
  const auto store = OpenMemory();
  for (uint64_t n = 1; n <= 1000; n += 50) ASSERT_TRUE(store->Put(SmallWindow(n)));
  ASSERT_TRUE(store->Prune({60 * kSecondNs, 0}, kTestEpochNs + 9520 * kSecondNs));
  EXPECT_EQ(CountRows(*store), 1U);
}

TEST(StoreLimitsTest, RetentionBySizeDropsTheOldest) {
  TempDir dir = std::move(*TempDir::Create());
  auto store = OpenSqliteStore(dir / "x.hotlatch", OpenMode::kReadWrite);
  ASSERT_TRUE(store);
  for (uint64_t n = 1; n <= 300; ++n) ASSERT_TRUE((*store)->Put(UniqueWindow(n * 360, 30)));
  const uint64_t before = (*store)->Prune({}, 0)->bytes;
  const auto report = (*store)->Prune({0, before / 4}, 0);
  ASSERT_TRUE(report) << report.error().text;
  EXPECT_GT(report->windows, 100U);
  EXPECT_LT(report->windows, 300U);
  EXPECT_LE(report->bytes, before / 4);
  EXPECT_EQ(CountRows(**store), (300 - report->windows) * 30);
  EXPECT_TRUE(*(*store)->Contains(std::string(32, 'a'), 300 * 360));
  EXPECT_FALSE(*(*store)->Contains(std::string(32, 'a'), 360));
  store->reset();
  EXPECT_LE(std::filesystem::file_size(dir / "x.hotlatch"), before / 2);
}

}  // namespace
}  // namespace hotlatch::collector

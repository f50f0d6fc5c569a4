#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collector/store/store.h"
#include "tests/unit/collector/store_fixture.h"

namespace hotlatch::collector {
namespace {

namespace fs = std::filesystem;

TEST_F(StoreTest, GivesBackWhatWasPut) {
  const auto store = OpenWriter();
  ASSERT_TRUE(store->Put(SmallWindow(1)));
  int blocks = 0;
  ASSERT_TRUE(store->ScanProfile({}, "cpu", [&](const ProfileBlock& block) -> Result<void> {
    ++blocks;
    EXPECT_EQ(block.event, "cpu-clock");
    EXPECT_EQ(block.sample_rate_hz, 99);
    EXPECT_EQ(block.columns, (std::vector<std::string>{"samples", "cpu_ns"}));
    EXPECT_EQ(block.units, (std::vector<std::string>{"count", "ns"}));
    EXPECT_EQ(block.values, (std::vector<std::vector<uint64_t>>{{5}, {50}}));
    EXPECT_EQ(block.dims->role, "client backend");
    EXPECT_EQ(block.dims->node, 0);
    EXPECT_EQ(block.window->identity().host_name(), "db1");
    const auto stack = store->Stack(block.stacks.at(0));
    const std::vector<uint32_t> frames = (*stack)->frames;
    EXPECT_EQ((*store->Frame(frames.at(0)))->name, "work");
    EXPECT_EQ((*store->Frame(frames.at(1)))->name, "main");
    EXPECT_EQ((*store->Frame(frames.at(1)))->module, "/bin/db");
    EXPECT_EQ((*store->Frame(frames.at(1)))->build_id, "abc123");
    return {};
  }));
  EXPECT_EQ(blocks, 1);
}

TEST_F(StoreTest, GivesBackTablesWithTheirOwnStrings) {
  const auto store = OpenWriter();
  ASSERT_TRUE(store->Put(SmallWindow(1)));
  ASSERT_TRUE(store->ScanTable({}, "processes", [](const TableBlock& block) -> Result<void> {
    EXPECT_EQ(block.strings, std::vector<std::string>{"postgres: bench"});
    EXPECT_EQ(block.table.columns(0).numbers(0), 42);
    EXPECT_EQ(block.table.columns(1).strings(0), 0U);
    return {};
  }));
}

TEST_F(StoreTest, StoresAWindowExactlyOnce) {
  const auto store = OpenWriter();
  EXPECT_EQ(*store->Put(SmallWindow(1)), PutOutcome::kStored);
  EXPECT_EQ(*store->Put(SmallWindow(1)), PutOutcome::kDuplicate);
  EXPECT_EQ(*store->Put(SmallWindow(1, 'b')), PutOutcome::kStored);
  EXPECT_EQ(CountWindows(*store), 2U);
  int blocks = 0;
  ASSERT_TRUE(store->ScanProfile({}, "cpu", [&](const ProfileBlock&) -> Result<void> {
    ++blocks;
    return {};
  }));
  EXPECT_EQ(blocks, 2);
}

TEST_F(StoreTest, KnowsTheLastSequenceOfEachSession) {
  const auto store = OpenWriter();
  ASSERT_TRUE(store->Put(SmallWindow(7)));
  ASSERT_TRUE(store->Put(SmallWindow(3, 'b')));
  EXPECT_EQ(*store->LastSequence(std::string(32, 'a')), 7U);
  EXPECT_EQ(*store->LastSequence(std::string(32, 'b')), 3U);
  EXPECT_EQ(*store->LastSequence(std::string(32, 'c')), 0U);
  EXPECT_TRUE(*store->Contains(std::string(32, 'a'), 7));
  EXPECT_FALSE(*store->Contains(std::string(32, 'a'), 3));
}

TEST_F(StoreTest, AWindowBelongsToARangeItOverlaps) {
  const auto store = OpenWriter();
  for (uint64_t n = 1; n <= 3; ++n) ASSERT_TRUE(store->Put(SmallWindow(n)));
  ScanRange range;
  range.from_unix_ns = kTestEpochNs + 10 * kSecondNs;  // the end of the first is exclusive
  EXPECT_EQ(CountWindows(*store, range), 2U);
  range.to_unix_ns = kTestEpochNs + 20 * kSecondNs;
  EXPECT_EQ(CountWindows(*store, range), 1U);
  range.to_unix_ns = range.from_unix_ns + 10 * kSecondNs + 1;
  EXPECT_EQ(CountWindows(*store, range), 2U);
}

TEST_F(StoreTest, FramesAndStacksAreSharedByWindows) {
  const auto store = OpenWriter();
  std::vector<uint64_t> stacks;
  for (uint64_t n = 1; n <= 2; ++n) ASSERT_TRUE(store->Put(SmallWindow(n)));
  ASSERT_TRUE(store->ScanProfile({}, "cpu", [&](const ProfileBlock& block) -> Result<void> {
    stacks.push_back(block.stacks.at(0));
    return {};
  }));
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks[0], stacks[1]);
}

TEST_F(StoreTest, FieldsOfTheFutureStayInTheHeader) {
  const auto store = OpenWriter();
  v1::Window window = SmallWindow(1);
  v1::Window::GetReflection()->MutableUnknownFields(&window)->AddVarint(999, 77);
  ASSERT_TRUE(store->Put(window));
  ASSERT_TRUE(store->ScanWindows({}, [](const WindowHeader& header) -> Result<void> {
    EXPECT_EQ(v1::Window::GetReflection()->GetUnknownFields(header).field_count(), 1);
    EXPECT_EQ(header.profiles_size(), 0);
    EXPECT_FALSE(header.has_dictionary());
    return {};
  }));
}

TEST_F(StoreTest, AnEmptyProfileIsThere) {
  const auto store = OpenWriter();
  WindowBuilder builder;
  builder.CpuProfile();
  ASSERT_TRUE(store->Put(builder.window()));
  EXPECT_EQ(*store->ProfileNames({}), std::vector<std::string>{"cpu"});
  EXPECT_TRUE(store->TableNames({})->empty());
}

TEST_F(StoreTest, AnUncheckedWindowIsRefusedAndLeavesNothing) {
  const auto store = OpenWriter();
  v1::Window window = SmallWindow(1);
  window.mutable_profiles(0)->set_stack(0, 1000);
  EXPECT_EQ(store->Put(window).error().kind, ErrorKind::kInvalid);
  EXPECT_EQ(CountWindows(*store), 0U);
  EXPECT_EQ(*store->Put(SmallWindow(1)), PutOutcome::kStored);
  EXPECT_TRUE(ReadAll(*store));
}

TEST_F(StoreTest, AClosedRecordingIsOneFile) {
  WriteStore(3);
  EXPECT_FALSE(fs::exists(Path() + "-wal"));
  EXPECT_FALSE(fs::exists(Path() + "-shm"));
  {
    const auto reader = OpenReader();
    EXPECT_EQ(CountWindows(*reader), 3U);
    EXPECT_TRUE(ReadAll(*reader));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_.path()), fs::directory_iterator()), 1);
}

TEST_F(StoreTest, AReaderSeesWhatAWriterPutsMeanwhile) {
  const auto writer = OpenWriter();
  const auto reader = OpenReader();
  ASSERT_TRUE(writer->Put(SmallWindow(1)));
  EXPECT_EQ(CountWindows(*reader), 1U);
  ASSERT_TRUE(writer->Put(SmallWindow(2)));
  EXPECT_EQ(CountWindows(*reader), 2U);
  EXPECT_TRUE(ReadAll(*reader));
}

TEST_F(StoreTest, AReaderNeverWrites) {
  WriteStore(1);
  const auto reader = OpenReader();
  EXPECT_EQ(reader->Put(SmallWindow(2)).error().kind, ErrorKind::kPermission);
  EXPECT_EQ(reader->Prune({1, 1}, 0).error().kind, ErrorKind::kPermission);
}

// What kill -9 leaves is the file and its log as they are at that moment.
TEST_F(StoreTest, WindowsOfAKilledWriterAreThere) {
  const auto writer = OpenWriter();
  for (uint64_t n = 1; n <= 5; ++n) ASSERT_TRUE(writer->Put(SmallWindow(n)));
  fs::copy_file(Path(), Path("killed"));
  fs::copy_file(Path() + "-wal", Path("killed-wal"));
  EXPECT_EQ(CountWindows(*Open(Path("killed"), OpenMode::kReadOnly)), 5U);
  const auto again = Open(Path("killed"), OpenMode::kReadWrite);
  EXPECT_EQ(CountWindows(*again), 5U);
  EXPECT_EQ(*again->Put(SmallWindow(5)), PutOutcome::kDuplicate);
  EXPECT_EQ(*again->Put(SmallWindow(6)), PutOutcome::kStored);
  EXPECT_TRUE(ReadAll(*again));
}

TEST_F(StoreTest, ATornLogLosesOnlyItsTail) {
  const auto writer = OpenWriter();
  for (uint64_t n = 1; n <= 5; ++n) ASSERT_TRUE(writer->Put(SmallWindow(n)));
  fs::copy_file(Path(), Path("torn"));
  fs::copy_file(Path() + "-wal", Path("torn-wal"));
  fs::resize_file(Path("torn-wal"), fs::file_size(Path("torn-wal")) - 100);
  const auto again = Open(Path("torn"), OpenMode::kReadWrite);
  EXPECT_EQ(CountWindows(*again), 4U);
  EXPECT_TRUE(ReadAll(*again));
}

}  // namespace
}  // namespace hotlatch::collector

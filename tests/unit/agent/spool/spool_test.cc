#include "agent/spool/spool.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "agent/spool/window_file.h"
#include "tests/unit/agent/spool/spool_fixture.h"

namespace hotlatch::agent {
namespace {

uint64_t SequenceOf(const std::optional<SpooledWindow>& window) {
  return window ? window->window.identity().sequence() : 0;
}

void WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST_F(SpoolFixture, WindowsLeaveInTheOrderTheyCame) {
  const auto spool = OpenSpool();
  for (uint64_t i = 1; i <= 12; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i)));
  for (uint64_t i = 1; i <= 12; ++i) EXPECT_EQ(SequenceOf(spool->TakeNext()), i);
  EXPECT_FALSE(spool->TakeNext());
  EXPECT_EQ(spool->in_flight(), 12U);
}

TEST_F(SpoolFixture, AcknowledgedWindowsLeaveTheDisk) {
  const auto spool = OpenSpool();
  ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, 1)));
  ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, 2)));
  (void)spool->TakeNext();
  EXPECT_FALSE(spool->Acknowledge(kSessionB, 1));
  EXPECT_FALSE(spool->Acknowledge(kSessionA, 2)) << "was never sent";
  EXPECT_TRUE(spool->Acknowledge(kSessionA, 1));
  EXPECT_FALSE(spool->Acknowledge(kSessionA, 1)) << "twice";
  EXPECT_EQ(WindowFiles().size(), 1U);
  EXPECT_EQ(spool->usage().windows, 1U);
  EXPECT_EQ(spool->usage().bytes, std::filesystem::file_size(WindowFiles()[0]));
}

TEST_F(SpoolFixture, WhatWasInFlightIsTakenAgainAfterTheStreamEnded) {
  const auto spool = OpenSpool();
  for (uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i)));
  (void)spool->TakeNext();
  (void)spool->TakeNext();
  ASSERT_TRUE(spool->Acknowledge(kSessionA, 1));
  spool->ReturnInFlight();
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 2U);
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 3U);
}

TEST_F(SpoolFixture, EarlierSessionsAreFoundAndSentFirst) {
  {
    const auto spool = OpenSpool();
    ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionB, 7)));
    ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionB, 8)));
  }
  const auto spool = OpenSpool();
  // A session id that sorts before, and a lower sequence: neither may overtake.
  ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, 1)));
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 7U);
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 8U);
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 1U);
}

TEST_F(SpoolFixture, OldestAreDroppedAndCountedWhenFull) {
  const auto probe = EncodeWindowFile(MakeWindow(kSessionA, 1, 1000).SerializeAsString()).size();
  options_.max_bytes = 3 * probe;
  const auto spool = OpenSpool();
  for (uint64_t i = 1; i <= 5; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i, 1000)));
  EXPECT_EQ(spool->usage().windows, 3U);
  EXPECT_LE(spool->usage().bytes, options_.max_bytes);
  EXPECT_EQ(WindowFiles().size(), 3U);
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/spool_full=2");
  EXPECT_EQ(LossText(spool->TakeLosses()), "");
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 3U);
}

TEST_F(SpoolFixture, NumberOfWindowsIsBounded) {
  options_.max_windows = 2;
  const auto spool = OpenSpool();
  for (uint64_t i = 1; i <= 5; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i)));
  EXPECT_EQ(WindowFiles().size(), 2U);
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/spool_full=3");
}

TEST_F(SpoolFixture, LossesCarriedByADroppedWindowAreNotForgotten) {
  options_.max_windows = 1;
  const auto spool = OpenSpool();
  v1::Window window = MakeWindow(kSessionA, 1);
  v1::Loss* loss = window.mutable_fidelity()->add_losses();
  loss->set_stage("send");
  loss->set_reason("refused");
  loss->set_count(4);
  v1::Loss* other = window.mutable_fidelity()->add_losses();
  other->set_stage("kernel");
  other->set_reason("row_map_full");
  other->set_count(9);
  ASSERT_TRUE(spool->Deliver(window));
  ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, 2)));
  EXPECT_EQ(LossText(spool->TakeLosses()), "send/refused=4 spool/spool_full=1");
}

TEST_F(SpoolFixture, WindowDroppedForRoomInFlightIsLostOnlyWithoutAcknowledgement) {
  options_.max_windows = 2;
  const auto spool = OpenSpool();
  for (uint64_t i = 1; i <= 2; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i)));
  (void)spool->TakeNext();
  (void)spool->TakeNext();
  for (uint64_t i = 3; i <= 4; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i)));
  EXPECT_EQ(spool->in_flight(), 2U);
  EXPECT_TRUE(spool->Acknowledge(kSessionA, 1));
  spool->ReturnInFlight();
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/spool_full=1");
}

TEST_F(SpoolFixture, TornAndForeignFilesAreRemovedAndCounted) {
  {
    const auto spool = OpenSpool();
    for (uint64_t i = 1; i <= 4; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i, 500)));
  }
  const auto files = WindowFiles();
  std::filesystem::resize_file(files[0], 100);
  std::filesystem::resize_file(files[1], 0);
  std::filesystem::rename(files[2], options_.directory + "/what.window");
  std::filesystem::create_symlink("/etc/passwd", files[2]);
  WriteText(options_.directory + "/half.window.tmp", "half");
  WriteText(options_.directory + "/notes.txt", "not ours");
  const auto spool = OpenSpool();
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 4U);
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/corrupt=4");
  EXPECT_EQ(WindowFiles().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(options_.directory + "/half.window.tmp"));
  EXPECT_TRUE(std::filesystem::exists(options_.directory + "/notes.txt"));
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

TEST_F(SpoolFixture, WindowUnderAnotherWindowsNameIsCorrupt) {
  {
    const auto spool = OpenSpool();
    ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, 1)));
  }
  std::filesystem::rename(WindowFiles()[0],
                          options_.directory + "/" + FormatWindowName({1, kSessionB, 1}));
  const auto spool = OpenSpool();
  EXPECT_FALSE(spool->TakeNext());
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/corrupt=1");
}

TEST_F(SpoolFixture, FullDiskLosesTheWindowAndCountsIt) {
  bool full = true;
  options_.write_file = [&](const std::string& path, const std::string& bytes) -> Result<void> {
    if (full) return ErrnoError(ENOSPC, path);
    WriteText(path, bytes);
    return {};
  };
  const auto spool = OpenSpool();
  const auto stored = spool->Deliver(MakeWindow(kSessionA, 1));
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().os_errno, ENOSPC);
  EXPECT_EQ(spool->usage().bytes, 0U);
  full = false;
  EXPECT_TRUE(spool->Deliver(MakeWindow(kSessionA, 2)));
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/disk_full=1");
  EXPECT_EQ(SequenceOf(spool->TakeNext()), 2U);
}

// The same through the real file system: no half file stays.
TEST_F(SpoolFixture, FileSizeLimitLeavesNoHalfFile) {
  const auto spool = OpenSpool();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto stored = spool->Deliver(MakeWindow(kSessionA, 1, 10000));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_FALSE(stored);
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/disk_full=1");
  for (const auto& entry : std::filesystem::directory_iterator(options_.directory)) {
    EXPECT_EQ(entry.path().filename(), "lock");
  }
}

TEST_F(SpoolFixture, WindowAboveTheMessageLimitIsRefusedAndCounted) {
  const auto spool = OpenSpool();
  const auto stored = spool->Deliver(MakeWindow(kSessionA, 1, kMaxWindowBytes));
  ASSERT_FALSE(stored);
  EXPECT_NE(stored.error().text.find("--window"), std::string::npos);
  EXPECT_EQ(LossText(spool->TakeLosses()), "spool/too_large=1");
}

TEST_F(SpoolFixture, UntakenLossesOutliveTheProcess) {
  options_.max_windows = 1;
  {
    const auto spool = OpenSpool();
    for (uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(spool->Deliver(MakeWindow(kSessionA, i)));
  }
  EXPECT_EQ(LossText(OpenSpool()->TakeLosses()), "spool/spool_full=2");
  EXPECT_EQ(LossText(OpenSpool()->TakeLosses()), "") << "counted once";
}

TEST_F(SpoolFixture, SecondAgentOnTheSameDirectoryIsToldSo) {
  const auto spool = OpenSpool();
  const auto second = Spool::Open(options_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kUnavailable);
  EXPECT_NE(second.error().text.find("pid " + std::to_string(getpid())), std::string::npos)
      << second.error().text;
}

TEST_F(SpoolFixture, DirectoryIsMadeForItsOwnerAlone) {
  const auto spool = OpenSpool();
  struct stat info {};
  ASSERT_EQ(::stat(options_.directory.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
}

TEST_F(SpoolFixture, DirectoryOthersMayWriteToIsRefused) {
  std::filesystem::create_directory(options_.directory);
  ASSERT_EQ(::chmod(options_.directory.c_str(), 0777), 0);
  const auto spool = Spool::Open(options_);
  ASSERT_FALSE(spool);
  EXPECT_EQ(spool.error().kind, ErrorKind::kInvalid);
}

}  // namespace
}  // namespace hotlatch::agent

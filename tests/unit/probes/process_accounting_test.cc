#include "probes/process/accounting.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace hotlatch::agent {
namespace {

process_thread Thread(uint32_t tid, uint32_t tgid, uint64_t start_ns, uint64_t exec_ns,
                      const char* comm = "work") {
  process_thread thread{};
  thread.tid = tid;
  thread.tgid = tgid;
  thread.task = start_ns << 32U | tid;  // as the address of a task: one for each thread
  thread.parent_tgid = 1;
  thread.start_time_ns = start_ns;
  thread.sum_exec_runtime_ns = exec_ns;
  thread.utime_ns = exec_ns * 3;  // ticks only say how exec_ns divides: three quarters user
  thread.stime_ns = exec_ns;
  std::strncpy(thread.comm, comm, sizeof thread.comm);
  return thread;
}

std::map<uint32_t, RawProcess> Close(ProcessAccounting& accounting) {
  std::map<uint32_t, RawProcess> out;
  accounting.CloseWindow(out);
  return out;
}

uint64_t Cpu(const RawProcess& process) { return process.user_ns + process.system_ns; }

TEST(ProcessAccounting, OnlyWhatIsUsedAfterTheBaselineCounts) {
  ProcessAccounting accounting;
  accounting.AddAlive(Thread(10, 10, 5, 1000));
  accounting.SetBaseline(100);
  accounting.AddAlive(Thread(10, 10, 5, 1400));
  const auto window = Close(accounting);
  EXPECT_EQ(Cpu(window.at(10)), 400U);
  EXPECT_EQ(window.at(10).user_ns, 300U);
  EXPECT_EQ(window.at(10).system_ns, 100U);
  EXPECT_EQ(window.at(10).threads, 1U);
}

TEST(ProcessAccounting, AThreadSeenExitingAndThenEndedInTheSameWindowIsCountedOnce) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  process_thread exiting = Thread(10, 10, 150, 700);
  exiting.flags = PROCESS_EXITING;
  accounting.AddEnded(exiting);
  accounting.AddEnded(Thread(10, 10, 150, 800));
  const auto window = Close(accounting);
  EXPECT_EQ(Cpu(window.at(10)), 800U);
  EXPECT_TRUE(window.at(10).ended);
  EXPECT_EQ(accounting.threads(), 0U);
}

TEST(ProcessAccounting, AProcessThatLivedBetweenTwoWindowEndsIsCountedWhole) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  accounting.AddEnded(Thread(10, 10, 150, 42));
  const auto window = Close(accounting);
  EXPECT_EQ(Cpu(window.at(10)), 42U);
  EXPECT_EQ(window.at(10).comm, "work");
}

TEST(ProcessAccounting, AProcessThatEndedBeforeTheBaselineWasReadIsNoneOfOurs) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  accounting.AddEnded(Thread(10, 10, 50, 42));
  EXPECT_TRUE(Close(accounting).empty());
}

TEST(ProcessAccounting, ThreadsOfAProcessAddUpUnderItsLeadersName) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  accounting.AddAlive(Thread(11, 10, 150, 5, "worker"));
  accounting.AddAlive(Thread(10, 10, 150, 7, "leader"));
  const auto window = Close(accounting);
  EXPECT_EQ(Cpu(window.at(10)), 12U);
  EXPECT_EQ(window.at(10).threads, 2U);
  EXPECT_EQ(window.at(10).comm, "leader");
}

TEST(ProcessAccounting, AReusedTidStartsFromNothing) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  accounting.AddAlive(Thread(10, 10, 150, 900));
  Close(accounting);
  accounting.AddEnded(Thread(10, 10, 150, 950));
  accounting.AddAlive(Thread(10, 10, 180, 30));
  const auto window = Close(accounting);
  EXPECT_EQ(window.at(10).start_time_ns, 180U);
  EXPECT_EQ(Cpu(window.at(10)), 80U);
}

// exec by a thread that is not the leader: it takes over the leader's tid and start time, and the leader ends
// under the thread's.
TEST(ProcessAccounting, AThreadThatTakesOverItsLeadersPidIsNotCountedAgain) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  process_thread leader = Thread(10, 10, 150, 1000);
  process_thread worker = Thread(11, 10, 160, 400);
  leader.child_utime_ns = worker.child_utime_ns = 7;
  accounting.AddAlive(leader);
  accounting.AddAlive(worker);
  EXPECT_EQ(Cpu(Close(accounting).at(10)), 1400U);
  std::swap(leader.tid, worker.tid);
  std::swap(leader.start_time_ns, worker.start_time_ns);
  worker.sum_exec_runtime_ns = 450;
  leader.sum_exec_runtime_ns = 1001;
  leader.child_utime_ns = 0;
  accounting.AddEnded(leader);
  accounting.AddAlive(worker);
  const auto window = Close(accounting);
  EXPECT_EQ(Cpu(window.at(10)), 51U);
  EXPECT_EQ(window.at(10).child_user_ns, 0U);
  EXPECT_FALSE(window.at(10).ended);
}

TEST(ProcessAccounting, ChildrenOfAParentThatEndsAreCounted) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  process_thread parent = Thread(10, 10, 150, 20);
  parent.child_utime_ns = 500;
  parent.flags = PROCESS_EXITING;
  accounting.AddEnded(parent);
  parent.flags = 0;
  accounting.AddEnded(parent);
  const auto window = Close(accounting);
  EXPECT_EQ(window.at(10).child_user_ns, 500U);
  EXPECT_EQ(Cpu(window.at(10)), 20U);
}

TEST(ProcessAccounting, TimeOfEndedChildrenIsTheDifferenceOfTheLeadersTotals) {
  ProcessAccounting accounting;
  process_thread parent = Thread(10, 10, 5, 0);
  parent.child_utime_ns = 1000;
  accounting.AddAlive(parent);
  accounting.SetBaseline(100);
  parent.child_utime_ns = 1500;
  parent.child_stime_ns = 20;
  accounting.AddAlive(parent);
  process_thread other = Thread(11, 10, 6, 0);
  other.child_utime_ns = 1500;
  other.child_stime_ns = 20;
  accounting.AddAlive(other);
  const auto window = Close(accounting);
  EXPECT_EQ(window.at(10).child_user_ns, 500U);
  EXPECT_EQ(window.at(10).child_system_ns, 20U);
}

TEST(ProcessAccounting, AThreadThatEndedJustAfterTheWindowIsNamedInItAndCountedInTheNext) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  accounting.AddAlive(Thread(10, 10, 150, 700));
  Close(accounting);
  accounting.AddIdentity(Thread(10, 10, 150, 800));
  accounting.AddIdentity(Thread(11, 11, 160, 50));
  const auto window = Close(accounting);
  EXPECT_EQ(Cpu(window.at(10)), 0U);
  EXPECT_EQ(window.at(11).comm, "work");
  accounting.AddEnded(Thread(10, 10, 150, 800));
  accounting.AddEnded(Thread(11, 11, 160, 50));
  const auto next = Close(accounting);
  EXPECT_EQ(Cpu(next.at(10)), 100U);
  EXPECT_EQ(Cpu(next.at(11)), 50U);
}

// Between the two records a thread is neither in the iterator nor final: its switches still need its name.
TEST(ProcessAccounting, AnExitingThreadIsNamedUntilItsFinalRecordComes) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  process_thread exiting = Thread(10, 10, 150, 700);
  exiting.flags = PROCESS_EXITING;
  accounting.AddEnded(exiting);
  const auto window = Close(accounting);
  EXPECT_EQ(window.at(10).comm, "work");
  EXPECT_EQ(window.at(10).flags, 0U);
  EXPECT_EQ(Cpu(window.at(10)), 700U);
  EXPECT_FALSE(window.at(10).ended);
  EXPECT_TRUE(Close(accounting).contains(10));
  accounting.AddEnded(Thread(10, 10, 150, 720));
  const auto final_window = Close(accounting);
  EXPECT_EQ(Cpu(final_window.at(10)), 20U);
  EXPECT_TRUE(final_window.at(10).ended);
  EXPECT_TRUE(Close(accounting).empty());
}

TEST(ProcessAccounting, AThreadThatVanishesWithoutARecordIsForgotten) {
  ProcessAccounting accounting;
  accounting.SetBaseline(100);
  accounting.AddAlive(Thread(10, 10, 150, 1));
  Close(accounting);
  EXPECT_EQ(accounting.threads(), 1U);
  Close(accounting);
  EXPECT_EQ(accounting.threads(), 0U);
}

}  // namespace
}  // namespace hotlatch::agent

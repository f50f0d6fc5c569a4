#include "probes/switch/fold.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace hotlatch::agent {
namespace {

// A window of [1000, 2000) that ended when generation 7 began.
constexpr EndedGeneration kEnded{.index = 0, .start_ns = 1000, .end_ns = 2000, .running_seq = 7};

hl_key Key(uint32_t tgid, uint64_t stack = 0, int32_t node = 0) {
  hl_key key{};
  key.tgid = tgid;
  key.kernel_stack = stack;
  key.node = node;
  return key;
}

switch_task Task(uint32_t state, uint64_t since_ns, const hl_key& key) {
  switch_task task{};
  task.now.state = state;
  task.now.since_ns = since_ns;
  task.now.key = key;
  return task;
}

RawWindow Fold(const switch_task& task) {
  SwitchFold fold(kEnded);
  fold.AddTask(task);
  RawWindow out;
  fold.Emit(out);
  return out;
}

TEST(SwitchFold, ATaskBlockedSinceBeforeTheWindowIsChargedForAllOfIt) {
  EXPECT_EQ(Fold(Task(SWITCH_STATE_BLOCKED, 10, Key(5))).switches[5].blocked_ns, 1000U);
}

TEST(SwitchFold, ATaskBlockedInTheWindowIsChargedUpToItsEnd) {
  EXPECT_EQ(Fold(Task(SWITCH_STATE_BLOCKED, 1700, Key(5))).switches[5].blocked_ns, 300U);
}

TEST(SwitchFold, WhatBeganAfterTheWindowIsLeftToTheNext) {
  EXPECT_EQ(Fold(Task(SWITCH_STATE_BLOCKED, 2000, Key(5))).switches.size(), 0U);
  EXPECT_EQ(Fold(Task(SWITCH_STATE_RUNNING, 2500, Key(5))).oncpu_ns.size(), 0U);
}

TEST(SwitchFold, ARunningTaskIsChargedToTheNodeItRunsOn) {
  const RawWindow out = Fold(Task(SWITCH_STATE_RUNNING, 1900, Key(5, 0, 3)));
  EXPECT_EQ(out.oncpu_ns.at({5, 3}), 100U);
}

TEST(SwitchFold, ARunnableTaskWaitsWithoutBeingCountedYet) {
  const RawWindow out = Fold(Task(SWITCH_STATE_RUNNABLE, 1500, Key(5)));
  EXPECT_EQ(out.switches.at(5).runnable_ns, 500U);
  ASSERT_EQ(out.profiles[1].rows.size(), 1U);
  EXPECT_EQ(out.profiles[1].rows[0].values[0], 0U);
  EXPECT_EQ(out.profiles[1].rows[0].values[1], 500U);
}

// The reader came late: the interval that the window's end cut has ended and another has begun.
TEST(SwitchFold, AnIntervalThatEndedAfterTheWindowIsChargedFromTheSpan) {
  switch_task task = Task(SWITCH_STATE_RUNNING, 2100, Key(5));
  task.span = Task(SWITCH_STATE_BLOCKED, 1200, Key(5, 77)).now;
  task.span_seq = kEnded.running_seq;
  EXPECT_EQ(Fold(task).switches[5].blocked_ns, 800U);
}

TEST(SwitchFold, ASpanOfAnEarlierGenerationIsNotChargedAgain) {
  switch_task task = Task(SWITCH_STATE_BLOCKED, 1500, Key(5));
  task.span = Task(SWITCH_STATE_BLOCKED, 100, Key(5)).now;
  task.span_seq = kEnded.running_seq - 1;
  EXPECT_EQ(Fold(task).switches[5].blocked_ns, 500U);
}

TEST(SwitchFold, ADeadTaskIsChargedFromItsSpanAndCanGo) {
  switch_task task = Task(SWITCH_STATE_DEAD, 2100, Key(5));
  task.span = Task(SWITCH_STATE_RUNNING, 1900, Key(5, 0, 1)).now;
  task.span_seq = kEnded.running_seq;
  SwitchFold fold(kEnded);
  EXPECT_TRUE(fold.AddTask(task));
  RawWindow out;
  fold.Emit(out);
  EXPECT_EQ(out.oncpu_ns.at({5, 1}), 100U);
}

TEST(SwitchFold, StacksOfLiveTasksAndOfSpansAreKept) {
  switch_task task = Task(SWITCH_STATE_BLOCKED, 2100, Key(5, 88));
  task.span = Task(SWITCH_STATE_BLOCKED, 1200, Key(5, 77)).now;
  task.span_seq = kEnded.running_seq;
  SwitchFold fold(kEnded);
  EXPECT_FALSE(fold.AddTask(task));
  ASSERT_EQ(fold.live_keys().size(), 2U);
  EXPECT_EQ(fold.live_keys()[0].kernel_stack, 77U);
  EXPECT_EQ(fold.live_keys()[1].kernel_stack, 88U);
}

TEST(SwitchFold, CountsAreSummedByProcessOverStacksAndNodes) {
  SwitchFold fold(kEnded);
  fold.AddRow(Key(5, 77, 0), {.voluntary = 3,
                              .involuntary = 1,
                              .oncpu_ns = 40,
                              .blocked_ns = 10,
                              .runnable_ns = 7,
                              .waits = 2});
  fold.AddRow(Key(5, 78, 1), {.voluntary = 2,
                              .involuntary = 0,
                              .oncpu_ns = 60,
                              .blocked_ns = 5,
                              .runnable_ns = 0,
                              .waits = 0});
  RawWindow out;
  fold.Emit(out);
  EXPECT_EQ(out.switches.at(5).voluntary, 5U);
  EXPECT_EQ(out.switches.at(5).involuntary, 1U);
  EXPECT_EQ(out.switches.at(5).blocked_ns, 15U);
  EXPECT_EQ(out.oncpu_ns.at({5, 0}), 40U);
  EXPECT_EQ(out.oncpu_ns.at({5, 1}), 60U);
  EXPECT_EQ(out.profiles[0].rows.size(), 2U);
  EXPECT_EQ(out.profiles[1].rows.size(), 1U);  // the other never waited for a CPU
}

TEST(StackKeeper, SuppliesTheStackOfATaskThatHasBeenBlockedForWindows) {
  StackKeeper keeper;
  KeyedRows<switch_row> rows;
  rows.At(Key(5, 77)).blocked_ns = 1;
  const std::vector<hl_key> live = {Key(5, 77)};
  RawWindow first;
  first.stacks[77] = {{1, 2, 3}, false};
  keeper.Supply(rows, live, first);
  for (int i = 0; i < 3; i++) {
    RawWindow later;
    keeper.Supply(rows, live, later);
    ASSERT_TRUE(later.stacks.contains(77)) << "window " << i;
  }
  RawWindow gone;
  keeper.Supply(rows, {}, gone);
  EXPECT_EQ(keeper.size(), 0U) << "a stack that no live task left the CPU with is still kept";
}

}  // namespace
}  // namespace hotlatch::agent

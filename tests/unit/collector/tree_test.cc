#include <gtest/gtest.h>

#include <string>

#include "collector/query/query.h"
#include "tests/unit/collector/tree_fixture.h"

namespace hotlatch::collector {
namespace {

TEST_F(TreeTest, CallersHoldTheirCallees) {
  PutWorkload();
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(DrawTree(tree),
            "root 0/9\n"
            "  main 0/9\n"
            "    execute 2/6\n"
            "      scan 4/4\n"
            "    parse 3/3\n");
  EXPECT_EQ(tree.value(), "samples");
  EXPECT_EQ(tree.unit(), "count");
  EXPECT_EQ(tree.kind(0), v1::NODE_KIND_ROOT);
  EXPECT_EQ(tree.kind(1), v1::NODE_KIND_USER);
  EXPECT_EQ(tree.strings(static_cast<int>(tree.module(1))), "/bin/db");
  EXPECT_EQ(tree.folded_nodes(), 0U);
}

TEST_F(TreeTest, InvertedHasTheLeafOnTopAndItsCallersBelow) {
  PutWorkload();
  request_.set_inverted(true);
  EXPECT_EQ(DrawTree(Ask()),
            "root 0/9\n"
            "  scan 0/4\n"
            "    execute 0/4\n"
            "      main 4/4\n"
            "  parse 0/3\n"
            "    main 3/3\n"
            "  execute 0/2\n"
            "    main 2/2\n");
}

TEST_F(TreeTest, LabelsStandAboveTheStacks) {
  PutWorkload();
  request_.add_by("role");
  request_.add_by("node");
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(DrawTree(tree),
            "root 0/9\n"
            "  client backend 0/7\n"
            "    0 0/7\n"
            "      main 0/7\n"
            "        execute 0/4\n"
            "          scan 4/4\n"
            "        parse 3/3\n"
            "  walsender 0/2\n"
            "    unknown 0/2\n"
            "      main 0/2\n"
            "        execute 2/2\n");
  EXPECT_EQ(tree.kind(1), v1::NODE_KIND_LABEL);
}

TEST_F(TreeTest, TheDefaultValueIsTheFirstTime) {
  PutWorkload();
  request_.clear_value();
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(tree.value(), "cpu_ns");
  EXPECT_EQ(tree.unit(), "ns");
  EXPECT_EQ(tree.total(0), 60U);
}

TEST_F(TreeTest, WindowsAddUp) {
  PutWorkload();
  Put(SmallWindow(2));
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(tree.total(0), 14U);
  EXPECT_EQ(tree.info().windows(), 2U);
}

TEST_F(TreeTest, OneFunctionAtTwoOffsetsIsOneNodeButInTwoModulesItIsTwo) {
  WindowBuilder builder;
  const uint32_t dims = builder.Dims();
  v1::Profile* cpu = builder.CpuProfile();
  const auto row = [&](const char* module, uint64_t offset, v1::FrameKind kind, uint64_t value) {
    const uint32_t stack = builder.AddStack({builder.Frame("f", module, offset, kind)}, 0);
    WindowBuilder::Row(cpu, dims, stack, {value, 0});
  };
  row("/lib/a", 16, v1::FRAME_KIND_USER, 1);
  row("/lib/a", 32, v1::FRAME_KIND_USER, 2);
  row("/lib/b", 16, v1::FRAME_KIND_USER, 2);
  row("/lib/a", 16, v1::FRAME_KIND_KERNEL, 1);
  Put(builder.window());
  EXPECT_EQ(DrawTree(Ask()), "root 0/6\n  f 3/3\n  f 2/2\n  f 1/1\n");
}

TEST_F(TreeTest, AnUnnamedFrameShowsModuleAndOffset) {
  WindowBuilder builder;
  const uint32_t dims = builder.Dims();
  v1::Profile* cpu = builder.CpuProfile();
  const auto row = [&](const char* module, uint64_t offset, uint64_t value) {
    WindowBuilder::Row(cpu, dims, builder.AddStack({builder.Frame("", module, offset)}, 0),
                       {value, 0});
  };
  row("/usr/lib/libc.so.6", 0x1f2a, 3);
  row("[vdso]", 0x10, 2);
  row("", 0x20, 1);
  Put(builder.window());
  EXPECT_EQ(DrawTree(Ask()),
            "root 0/6\n  [libc.so.6+0x1f2a] 3/3\n  [vdso+0x10] 2/2\n  [unknown+0x20] 1/1\n");
}

TEST_F(TreeTest, AnEmptyStackIsSeen) {
  WindowBuilder builder;
  WindowBuilder::Row(builder.CpuProfile(), builder.Dims(), 0, {3, 0});
  Put(builder.window());
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(DrawTree(tree), "root 0/3\n  [no stack] 3/3\n");
  EXPECT_EQ(tree.kind(1), v1::NODE_KIND_MARKER);
}

TEST_F(TreeTest, EqualTotalsAreInOrderOfTheirNames) {
  WindowBuilder builder;
  const uint32_t dims = builder.Dims();
  v1::Profile* cpu = builder.CpuProfile();
  for (const char* name : {"c", "a", "b"}) {
    WindowBuilder::Row(cpu, dims, builder.Stack({name}), {1, 0});
  }
  Put(builder.window());
  EXPECT_EQ(DrawTree(Ask()), "root 0/3\n  a 1/1\n  b 1/1\n  c 1/1\n");
}

TEST_F(TreeTest, TheSmallestSubtreesAreFoldedAndCounted) {
  PutWorkload();
  request_.set_max_nodes(4);
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(DrawTree(tree),
            "root 0/9\n"
            "  main 0/9\n"
            "    [other] 9/9\n");
  EXPECT_EQ(tree.folded_nodes(), 3U);
  EXPECT_EQ(tree.kind(2), v1::NODE_KIND_OTHER);
}

TEST_F(TreeTest, FoldedTreesKeepTheLargestAndTheirSums) {
  WindowBuilder builder;
  const uint32_t dims = builder.Dims();
  v1::Profile* cpu = builder.CpuProfile();
  for (uint64_t n = 1; n <= 9; ++n) {
    const std::string name = "f" + std::to_string(n);
    WindowBuilder::Row(cpu, dims, builder.Stack({"leaf", name}), {n, 0});
  }
  Put(builder.window());
  request_.set_max_nodes(6);
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(DrawTree(tree),
            "root 0/45\n"
            "  f9 0/9\n"
            "    leaf 9/9\n"
            "  f8 0/8\n"
            "    leaf 8/8\n"
            "  [other] 28/28\n");
  EXPECT_EQ(tree.folded_nodes(), 14U);
  request_.set_max_nodes(1);
  EXPECT_EQ(DrawTree(Ask()), "root 0/45\n  [other] 45/45\n");
}

TEST_F(TreeTest, BrokenStacksAreSummedByTheirFlags) {
  WindowBuilder builder;
  const uint32_t dims = builder.Dims();
  v1::Profile* cpu = builder.CpuProfile();
  WindowBuilder::Row(cpu, dims, builder.Stack({"a"}, v1::STACK_FLAG_TRUNCATED), {1, 0});
  WindowBuilder::Row(cpu, dims,
                     builder.Stack({"b"}, v1::STACK_FLAG_TRUNCATED | v1::STACK_FLAG_USER_MISSING),
                     {2, 0});
  WindowBuilder::Row(cpu, dims, builder.Stack({"c"}, v1::STACK_FLAG_LOST), {4, 0});
  WindowBuilder::Row(cpu, dims, builder.Stack({"d"}), {8, 0});
  Put(builder.window());
  const v1::TreeResponse tree = Ask();
  EXPECT_EQ(tree.stacks_truncated(), 3U);
  EXPECT_EQ(tree.stacks_user_missing(), 2U);
  EXPECT_EQ(tree.stacks_lost(), 4U);
}

TEST_F(TreeTest, SumsStopAtTheLargestNumber) {
  WindowBuilder builder;
  const uint32_t dims = builder.Dims();
  v1::Profile* cpu = builder.CpuProfile();
  WindowBuilder::Row(cpu, dims, builder.Stack({"a"}), {UINT64_MAX, 0});
  WindowBuilder::Row(cpu, dims, builder.Stack({"b"}), {UINT64_MAX, 0});
  Put(builder.window());
  EXPECT_EQ(Ask().total(0), UINT64_MAX);
}

}  // namespace
}  // namespace hotlatch::collector

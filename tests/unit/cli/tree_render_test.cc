#include "collector/cli/tree_render.h"

#include <gtest/gtest.h>

#include "collector/cli/format.h"
#include "tests/unit/cli/answers.h"

namespace hotlatch::collector {
namespace {

constexpr uint64_t kMs = 1'000'000;

// 1 s in all: two services, a kernel frame, a chain, small siblings.
v1::TreeResponse Sample() {
  return MadeTree(
      {{"postgresql/5432",
        "",
        v1::NODE_KIND_LABEL,
        0,
        {{"_start",
          "/usr/lib/postgresql/15/bin/postgres",
          v1::NODE_KIND_USER,
          0,
          {{"main",
            "/usr/lib/postgresql/15/bin/postgres",
            v1::NODE_KIND_USER,
            100 * kMs,
            {{"do_syscall_64", "kernel", v1::NODE_KIND_KERNEL, 500 * kMs},
             {"exec", "/usr/lib/postgresql/15/bin/postgres", v1::NODE_KIND_USER, 295 * kMs},
             {"tiny1", "", v1::NODE_KIND_USER, 3 * kMs},
             {"tiny2", "", v1::NODE_KIND_USER, 2 * kMs}}}}}}},
       {"pgbouncer/6432",
        "",
        v1::NODE_KIND_LABEL,
        0,
        {{"[libc.so.6+0x12]", "libc.so.6", v1::NODE_KIND_USER, 100 * kMs}}}});
}

Tree Shown(const v1::TreeResponse& response) {
  const Result<Tree> tree = TreeFromResponse(response);
  EXPECT_TRUE(tree) << tree.error().text;
  return *tree;
}

TEST(TreeRender, ChainsStayOnOneIndentAndHiddenPartsAreSummedUp) {
  EXPECT_EQ(RenderTree(Shown(Sample()), {}, {}),
            "  total    self    value  function [module]\n"
            " 100.0%           1.00 s  all\n"
            " 90.00%           900 ms  ├─ postgresql/5432\n"
            " 90.00%           900 ms  │  _start [postgres]\n"
            " 90.00%  10.00%   900 ms  │  main [postgres]\n"
            " 50.00%  50.00%   500 ms  │  ├─ do_syscall_64 [k]\n"
            " 29.50%  29.50%   295 ms  │  ├─ exec [postgres]\n"
            "  0.50%          5.00 ms  │  └─ … 2 more below 0.5 %: 0.50%\n"
            " 10.00%           100 ms  └─ pgbouncer/6432\n"
            " 10.00%  10.00%   100 ms     [libc.so.6+0x12]\n");
}

TEST(TreeRender, DepthAndTopCutsSayWhatTheyHide) {
  TreeView view;
  view.max_depth = 2;
  EXPECT_EQ(RenderTree(Shown(Sample()), view, {}),
            "  total    self    value  function [module]\n"
            " 100.0%           1.00 s  all\n"
            " 90.00%           900 ms  ├─ postgresql/5432\n"
            " 90.00%           900 ms  │  _start [postgres]\n"
            " 90.00%           900 ms  │  └─ … 1 more deeper than 2: 90.00%\n"
            " 10.00%           100 ms  └─ pgbouncer/6432\n"
            " 10.00%  10.00%   100 ms     [libc.so.6+0x12]\n");
  view.max_depth = 0;
  view.top = 1;
  const std::string text = RenderTree(Shown(Sample()), view, {});
  // One visible child at every level: one chain, one sum.
  EXPECT_NE(text.find("└─ … 4 more of this chain below 0.5 % or after the first 1: 40.00%"),
            std::string::npos)
      << text;
}

// Self of every shown node plus every hidden line is the whole, whatever is cut.
TEST(TreeRender, ShownSelfAndHiddenSumsAddUpToTheTotal) {
  const Tree tree = Shown(Sample());
  for (const double min_percent : {0.0, 0.25, 0.5, 20.0, 60.0, 100.0}) {
    for (const uint32_t depth : {0U, 1U, 2U, 3U, 4U}) {
      TreeView view;
      view.min_percent = min_percent;
      view.max_depth = depth;
      const std::string text = RenderTree(tree, view, {});
      double sum = 0;
      size_t start = text.find('\n') + 1;
      while (start < text.size()) {
        const size_t end = text.find('\n', start);
        const std::string line = text.substr(start, end - start);
        const bool hidden = line.find("… ") != std::string::npos;
        const std::string column = hidden ? line.substr(0, 7) : line.substr(7, 8);
        if (column.find('%') != std::string::npos) sum += std::stod(column);
        start = end + 1;
      }
      EXPECT_NEAR(sum, 100.0, 0.001) << min_percent << " " << depth << "\n" << text;
    }
  }
}

TEST(TreeRender, LinesFitTheWidthAndAreWholeWithout) {
  const Tree tree = Shown(MadeTree({{std::string(300, 'f'), "m", v1::NODE_KIND_USER, kMs}}));
  const std::string cut = RenderTree(tree, {}, {false, 60});
  size_t start = 0;
  while (start < cut.size()) {
    const size_t end = cut.find('\n', start);
    EXPECT_LE(DisplayWidth(cut.substr(start, end - start)), 60U);
    start = end + 1;
  }
  EXPECT_NE(RenderTree(tree, {}, {}).find(std::string(300, 'f') + " [m]"), std::string::npos);
}

TEST(TreeRender, NamesFromDataCannotReachTheTerminal) {
  const Tree tree = Shown(MadeTree({{"evil\x1b[2J\n", "mod\x07", v1::NODE_KIND_USER, kMs}}));
  const std::string text = RenderTree(tree, {}, {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("evil\\x1b[2J\\x0a [mod\\x07]"), std::string::npos) << text;
  EXPECT_EQ(RenderFolded(tree), "evil\\x1b[2J\\x0a 1000000\n");
}

TEST(TreeRender, AnUnsetLabelAloneIsNotShown) {
  const Tree tree =
      Shown(MadeTree({{"redis",
                       "",
                       v1::NODE_KIND_LABEL,
                       0,
                       {{"", "", v1::NODE_KIND_LABEL, 0, {{"f", "", v1::NODE_KIND_USER, kMs}}}}}}));
  EXPECT_EQ(RenderTree(tree, {}, {}).find("(none)"), std::string::npos);
  EXPECT_EQ(RenderFolded(tree), "redis;(none);f 1000000\n");
}

TEST(TreeRender, KernelLinesAndLabelsAreColoured) {
  const std::string text = RenderTree(Shown(Sample()), {}, {true, 0});
  EXPECT_NE(text.find("\x1b[33mdo_syscall_64 [k]\x1b[0m"), std::string::npos);
  EXPECT_NE(text.find("\x1b[1mpostgresql/5432\x1b[0m"), std::string::npos);
}

TEST(TreeFolded, EveryNodeWithSelfIsOneLineRootFirst) {
  EXPECT_EQ(RenderFolded(Shown(Sample())),
            "postgresql/5432;_start;main 100000000\n"
            "postgresql/5432;_start;main;do_syscall_64 500000000\n"
            "postgresql/5432;_start;main;exec 295000000\n"
            "postgresql/5432;_start;main;tiny1 3000000\n"
            "postgresql/5432;_start;main;tiny2 2000000\n"
            "pgbouncer/6432;[libc.so.6+0x12] 100000000\n");
  EXPECT_EQ(RenderFolded(Shown(MadeTree({{"a;b c", "", v1::NODE_KIND_USER, 7}}))), "a:b c 7\n");
}

TEST(TreeRows, CarryDepthParentAndUnits) {
  const Json rows = TreeRows(Shown(Sample()), 0);
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[0]["total_ns"], 1000 * kMs);
  EXPECT_EQ(rows[0]["parent"], -1);
  EXPECT_EQ(rows[3]["name"], "main");
  EXPECT_EQ(rows[3]["self_ns"], 100 * kMs);
  EXPECT_EQ(rows[3]["depth"], 3);
  EXPECT_EQ(rows[3]["parent"], 2);
  EXPECT_EQ(rows[4]["kind"], "kernel");
  EXPECT_FALSE(rows[4].contains("self_ns_per_second"));
  const Json rates = TreeRows(Shown(Sample()), 2'000'000'000);
  EXPECT_DOUBLE_EQ(rates[0]["total_ns_per_second"], 500.0 * kMs);
}

TEST(TreeModel, AnswersThatDoNotHoldTogetherAreRefused) {
  v1::TreeResponse forward = Sample();
  forward.set_parent(1, 5);
  v1::TreeResponse index = Sample();
  index.set_name(1, 1'000'000);
  v1::TreeResponse lengths = Sample();
  lengths.add_self(1);
  for (const v1::TreeResponse& bad : {forward, index, lengths, v1::TreeResponse()}) {
    const auto tree = TreeFromResponse(bad);
    ASSERT_FALSE(tree);
    EXPECT_EQ(tree.error().kind, ErrorKind::kCorrupt);
  }
  v1::TreeResponse deep;
  deep.add_strings("");
  for (uint32_t i = 0; i < 100'000; ++i) {
    deep.add_parent(i == 0 ? 0 : i - 1);
    for (auto* column : {deep.mutable_name(), deep.mutable_module(), deep.mutable_kind()}) {
      column->Add(0);
    }
    deep.add_self(0);
    deep.add_total(1);
  }
  EXPECT_FALSE(TreeFromResponse(deep));
}

TEST(TreeModel, MergedTreesSumEveryNode) {
  const Tree merged = MergeTrees(Shown(Sample()), Shown(Sample()));
  EXPECT_EQ(merged.root().total, 2000 * kMs);
  EXPECT_EQ(merged.nodes.size(), Shown(Sample()).nodes.size());
  EXPECT_EQ(MergeTrees(Shown(Sample()), Shown(MadeTree({{"new", "", v1::NODE_KIND_USER, 5}})))
                .nodes.back()
                .name,
            "new");
}

}  // namespace
}  // namespace hotlatch::collector

#include "collector/cli/tree_function.h"

#include <gtest/gtest.h>

#include "collector/cli/tree_render.h"
#include "tests/unit/cli/answers.h"

namespace hotlatch::collector {
namespace {

// f calls lock directly and by g; lock recurses; another role calls it as well.
Tree Sample() {
  const MadeNode leaf = {"futex", "kernel", v1::NODE_KIND_KERNEL, 10};
  const MadeNode lock = {
      "lock", "m", v1::NODE_KIND_USER, 5, {leaf, {"lock", "m", v1::NODE_KIND_USER, 7}}};
  const Result<Tree> tree = TreeFromResponse(MadeTree(
      {{"backend",
        "",
        v1::NODE_KIND_LABEL,
        0,
        {{"f", "m", v1::NODE_KIND_USER, 1, {lock, {"g", "m", v1::NODE_KIND_USER, 2, {lock}}}}}},
       {"writer", "", v1::NODE_KIND_LABEL, 0, {{"h", "m", v1::NODE_KIND_USER, 100, {lock}}}}}));
  EXPECT_TRUE(tree);
  return *tree;
}

TEST(TreeFunction, CallersComeNearestFirstAndEveryStackOnce) {
  const auto tree = FocusOnFunction(Sample(), "lock", Direction::kCallers);
  ASSERT_TRUE(tree) << tree.error().text;
  // Three outermost calls of 22 each; the recursion is inside them.
  EXPECT_EQ(tree->root().total, 66U);
  EXPECT_EQ(RenderFolded(*tree),
            "backend;lock;f 22\n"
            "backend;lock;g;f 22\n"
            "writer;lock;h 22\n");
}

TEST(TreeFunction, CalleesAreTheMergedSubtrees) {
  const auto tree = FocusOnFunction(Sample(), "lock", Direction::kCallees);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->root().total, 66U);
  EXPECT_EQ(RenderFolded(*tree),
            "backend;lock 10\n"
            "backend;lock;futex 20\n"
            "backend;lock;lock 14\n"
            "writer;lock 5\n"
            "writer;lock;futex 10\n"
            "writer;lock;lock 7\n");
}

TEST(TreeFunction, ARegexMatchesWholeNames) {
  EXPECT_EQ(FocusOnFunction(Sample(), "lo.k|futex", Direction::kCallers)->root().total, 66U);
  EXPECT_FALSE(FocusOnFunction(Sample(), "loc", Direction::kCallers));
  EXPECT_FALSE(FocusOnFunction(Sample(), "backend", Direction::kCallers));  // a label
}

TEST(TreeFunction, AnUnknownNameIsAnsweredWithNearOnes) {
  const auto typo = FocusOnFunction(Sample(), "lokc", Direction::kCallers);
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(ExitCode(typo.error()), 1);
  EXPECT_NE(typo.error().text.find("near: lock"), std::string::npos) << typo.error().text;
  EXPECT_NE(FocusOnFunction(Sample(), "FUT", Direction::kCallers).error().text.find("near: futex"),
            std::string::npos);
  EXPECT_NE(
      FocusOnFunction(Sample(), "zzzzzzzz", Direction::kCallers).error().text.find("--profile"),
      std::string::npos);
}

TEST(TreeFunction, ANameThatIsNoRegexIsTakenLiterally) {
  const Result<Tree> tree =
      TreeFromResponse(MadeTree({{"operator()(", "m", v1::NODE_KIND_USER, 3}}));
  ASSERT_TRUE(tree);
  EXPECT_TRUE(FocusOnFunction(*tree, "operator()(", Direction::kCallers));
}

}  // namespace
}  // namespace hotlatch::collector

// Which rows a tree is made of, and errors that name what there is.
#include <gtest/gtest.h>

#include <string>

#include "collector/query/query.h"
#include "tests/unit/collector/tree_fixture.h"

namespace hotlatch::collector {
namespace {

class TreeSelectionTest : public TreeTest {};

TEST_F(TreeSelectionTest, ConditionsSelectRows) {
  PutWorkload();
  Where("role", v1::Match::OP_EQUAL, "walsender");
  EXPECT_EQ(Ask().total(0), 2U);
  request_.mutable_selection()->clear_where();
  Where("role", v1::Match::OP_NOT_EQUAL, "walsender");
  EXPECT_EQ(Ask().total(0), 7U);
  request_.mutable_selection()->clear_where();
  Where("role", v1::Match::OP_REGEX, "wal.*");
  EXPECT_EQ(Ask().total(0), 2U);
  request_.mutable_selection()->clear_where();
  Where("role", v1::Match::OP_REGEX, "wal");  // the whole value, not a part
  EXPECT_EQ(DrawTree(Ask()), "root 0/0\n");
  request_.mutable_selection()->clear_where();
  Where("role", v1::Match::OP_NOT_REGEX, "wal.*");
  Where("node", v1::Match::OP_EQUAL, "0");
  EXPECT_EQ(Ask().total(0), 7U);
}

TEST_F(TreeSelectionTest, AnUnknownLabelNamesTheKnownOnes) {
  PutWorkload();
  Where("colour", v1::Match::OP_EQUAL, "red");
  Error error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kInvalid);
  EXPECT_NE(error.text.find("host, service, role, database, wait, node"), std::string::npos)
      << error.text;
  request_.mutable_selection()->clear_where();
  request_.add_by("pid");
  error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kInvalid);
  EXPECT_NE(error.text.find("by 'pid'"), std::string::npos) << error.text;
}

TEST_F(TreeSelectionTest, ABadPatternSaysWhy) {
  PutWorkload();
  Where("role", v1::Match::OP_REGEX, "(");
  EXPECT_EQ(AskError().kind, ErrorKind::kInvalid);
}

TEST_F(TreeSelectionTest, AnUnknownProfileOrColumnNamesThoseThatExist) {
  PutWorkload();
  request_.set_profile("gpu");
  Error error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kNotFound);
  EXPECT_NE(error.text.find("which has cpu"), std::string::npos) << error.text;
  request_.set_profile("cpu");
  request_.set_value("bytes");
  error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kInvalid);
  EXPECT_NE(error.text.find("samples, cpu_ns"), std::string::npos) << error.text;
}

TEST_F(TreeSelectionTest, AnAnswerIsTheSameTwice) {
  PutWorkload();
  EXPECT_EQ(Ask().SerializeAsString(), Ask().SerializeAsString());
}

}  // namespace
}  // namespace hotlatch::collector

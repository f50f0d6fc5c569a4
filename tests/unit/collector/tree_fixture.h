// A store in memory with a small workload, and trees as text.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "collector/query/query.h"
#include "tests/unit/collector/window_builder.h"

namespace hotlatch::collector {

// "  name self/total" a node, two spaces a level.
inline std::string DrawTree(const v1::TreeResponse& tree) {
  std::string out;
  std::vector<size_t> depth;
  for (int i = 0; i < tree.parent_size(); ++i) {
    const size_t above = i == 0 ? 0 : depth[tree.parent(i)] + 1;
    depth.push_back(above);
    const std::string name = i == 0 ? "root" : tree.strings(static_cast<int>(tree.name(i)));
    out += std::string(2 * above, ' ') + name + " " + std::to_string(tree.self(i)) + "/" +
           std::to_string(tree.total(i)) + "\n";
  }
  return out;
}

class TreeTest : public testing::Test {
 protected:
  TreeTest() : store_(std::move(*OpenSqliteStore(":memory:", OpenMode::kReadWrite))) {
    request_.set_profile("cpu");
    request_.set_value("samples");
  }

  void Put(const v1::Window& window) { ASSERT_TRUE(store_->Put(window)); }

  // main -> parse: 3, main -> execute -> scan: 4, main -> execute: 2 (walsender)
  void PutWorkload() {
    WindowBuilder builder;
    const uint32_t client = builder.Dims();
    const uint32_t sender = builder.Dims({"postgresql/5432", "walsender", "", "", -1});
    v1::Profile* cpu = builder.CpuProfile();
    WindowBuilder::Row(cpu, client, builder.Stack({"parse", "main"}), {3, 30});
    WindowBuilder::Row(cpu, client, builder.Stack({"scan", "execute", "main"}), {4, 10});
    WindowBuilder::Row(cpu, sender, builder.Stack({"execute", "main"}), {2, 20});
    Put(builder.window());
  }

  v1::TreeResponse Ask() {
    auto answer = AnswerTree(*store_, request_);
    EXPECT_TRUE(answer) << answer.error().text;
    return answer ? *answer : v1::TreeResponse();
  }
  Error AskError() {
    const auto answer = AnswerTree(*store_, request_);
    EXPECT_FALSE(answer);
    return answer ? Error{} : answer.error();
  }
  void Where(const std::string& label, v1::Match::Op op, const std::string& value) {
    v1::Match* match = request_.mutable_selection()->add_where();
    match->set_label(label);
    match->set_op(op);
    match->set_value(value);
  }

  std::unique_ptr<Store> store_;
  v1::TreeRequest request_;
};

}  // namespace hotlatch::collector

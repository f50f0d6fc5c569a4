// Answers made by hand, for tests of what is shown of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "collector/cli/answerer.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

struct MadeNode {
  std::string name, module;
  v1::NodeKind kind = v1::NODE_KIND_USER;
  uint64_t self = 0;
  std::vector<MadeNode> children{};
};

// Adds node and what is below it in pre-order; returns its total.
inline uint64_t AddMade(const MadeNode& node, uint32_t parent, v1::TreeResponse* out) {
  const int at = out->parent_size();
  const auto string = [out](const std::string& text) {
    out->add_strings(text);
    return static_cast<uint32_t>(out->strings_size() - 1);
  };
  out->add_parent(parent);
  out->add_name(string(node.name));
  out->add_module(string(node.module));
  out->add_kind(static_cast<uint32_t>(node.kind));
  out->add_self(node.self);
  out->add_total(0);
  uint64_t total = node.self;
  for (const MadeNode& child : node.children) {
    total += AddMade(child, static_cast<uint32_t>(at), out);
  }
  out->set_total(at, total);
  return total;
}

inline v1::AnswerInfo MadeInfo() {
  v1::AnswerInfo info;
  info.set_from_unix_ns(1'700'000'000'000'000'000);
  info.set_to_unix_ns(1'700'000'010'000'000'000);
  info.set_windows(1);
  info.add_hosts("db1");
  info.set_covered_ns(10'000'000'000);
  return info;
}

inline v1::TreeResponse MadeTree(const std::vector<MadeNode>& below_root,
                                 const std::string& unit = "ns") {
  v1::TreeResponse response;
  AddMade({"", "", v1::NODE_KIND_ROOT, 0, below_root}, 0, &response);
  response.set_value(unit == "ns" ? "cpu_ns" : "voluntary_switches");
  response.set_unit(unit);
  *response.mutable_info() = MadeInfo();
  response.mutable_info()->add_events("cpu-clock@99");
  return response;
}

struct MadeRow {
  std::vector<std::string> labels;
  std::vector<int64_t> numbers;
};

inline v1::RowsResponse MadeRows(const std::vector<std::string>& labels,
                                 const std::vector<std::string>& columns,
                                 const std::vector<MadeRow>& rows) {
  v1::RowsResponse response;
  for (const std::string& label : labels) response.add_labels(label);
  for (const std::string& column : columns) response.add_columns()->set_name(column);
  for (const MadeRow& row : rows) {
    v1::Row* out = response.add_rows();
    for (const std::string& label : row.labels) out->add_labels(label);
    for (const int64_t number : row.numbers) out->add_numbers(number);
  }
  *response.mutable_info() = MadeInfo();
  return response;
}

// Gives what it was told to give and remembers what it was asked. Rows are found by the name of the
// profile or table, with "+" for a series; trees by profile and value.
class FakeAnswerer final : public Answerer {
 public:
  Result<v1::HostsResponse> Hosts(const v1::HostsRequest&) override { return hosts; }
  Result<v1::TreeResponse> Tree(const v1::TreeRequest& request) override {
    asked_trees.push_back(request);
    const auto found = trees.find(request.profile() + "/" + request.value());
    if (found != trees.end()) return found->second;
    return MakeError(ErrorKind::kNotFound, "no profile " + request.profile());
  }
  Result<v1::RowsResponse> Rows(const v1::RowsRequest& request) override {
    asked_rows.push_back(request);
    const std::string source = request.profile() + request.table();
    const auto found = rows.find(source + (request.per_window() ? "+" : ""));
    if (found != rows.end()) return found->second;
    return MakeError(ErrorKind::kNotFound, "no rows " + source);
  }
  Result<v1::StatusResponse> Status(const v1::StatusRequest&) override { return status; }
  bool is_recording() const override { return recording; }

  bool recording = true;
  v1::HostsResponse hosts;
  v1::StatusResponse status;
  std::map<std::string, v1::TreeResponse> trees;
  std::map<std::string, v1::RowsResponse> rows;
  std::vector<v1::TreeRequest> asked_trees;
  std::vector<v1::RowsRequest> asked_rows;
};

}  // namespace hotlatch::collector

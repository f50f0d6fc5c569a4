#include "collector/store/window_writer.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collector/store/block_codec.h"
#include "collector/store/sqlite_schema.h"

namespace hotlatch::collector {
namespace {

Error Unchecked(const std::string& what) {
  return MakeError(ErrorKind::kInvalid, what + "; the window was not checked");
}

// A window without its rows. Fields this build does not know travel along.
std::string EncodeHeader(const v1::Window& window) {
  WindowHeader header;
  *header.mutable_identity() = window.identity();
  *header.mutable_range() = window.range();
  *header.mutable_topology() = window.topology();
  *header.mutable_facts() = window.facts();
  *header.mutable_fidelity() = window.fidelity();
  const auto* reflection = v1::Window::GetReflection();
  reflection->MutableUnknownFields(&header)->MergeFrom(reflection->GetUnknownFields(window));
  return header.SerializeAsString();
}

struct RowKey {
  uint32_t dims = 0;
  uint64_t stack = 0;
  int row = 0;
};

Result<std::vector<RowKey>> SortedRows(WindowIds& ids, const v1::Profile& profile) {
  std::vector<RowKey> rows;
  rows.reserve(static_cast<size_t>(profile.dims_size()));
  for (int row = 0; row < profile.dims_size(); ++row) {
    ASSIGN_OR_RETURN(const int64_t stack, ids.Stack(profile.stack(row)));
    rows.push_back({profile.dims(row), static_cast<uint64_t>(stack), row});
  }
  std::sort(rows.begin(), rows.end(), [](const RowKey& a, const RowKey& b) {
    return std::tie(a.dims, a.stack, a.row) < std::tie(b.dims, b.stack, b.row);
  });
  return rows;
}

Result<void> CheckColumns(const v1::Profile& profile) {
  bool equal = profile.stack_size() == profile.dims_size();
  for (const auto& column : profile.values()) {
    equal = equal && column.values_size() == profile.dims_size();
  }
  if (!equal) return Unchecked("profile " + profile.name() + ": columns of unequal length");
  return {};
}

// A table with only the strings it uses.
Result<std::string> EncodeTable(const v1::Window& window, const v1::Table& table) {
  v1::Window out;
  v1::Table* copy = out.add_tables();
  *copy = table;
  std::unordered_map<uint32_t, uint32_t> own_index;
  auto* strings = out.mutable_dictionary()->mutable_strings();
  for (v1::Column& column : *copy->mutable_columns()) {
    for (uint32_t& index : *column.mutable_strings()) {
      if (index >= static_cast<uint32_t>(window.dictionary().strings_size())) {
        return Unchecked("table " + table.name() + ": no string " + std::to_string(index));
      }
      const auto next = static_cast<uint32_t>(strings->size());
      const auto [it, is_new] = own_index.emplace(index, next);
      if (is_new) *strings->Add() = window.dictionary().strings(static_cast<int>(index));
      index = it->second;
    }
  }
  return out.SerializeAsString();
}

}  // namespace

int64_t EpochOf(int64_t end_unix_ns) { return end_unix_ns / 3'600'000'000'000; }

Result<std::unique_ptr<WindowWriter>> WindowWriter::Open(Database& db) {
  std::unique_ptr<WindowWriter> out(new WindowWriter(db));  // NOLINT: private constructor
  ASSIGN_OR_RETURN(out->dictionary_, DictionaryWriter::Open(db));
  ASSIGN_OR_RETURN(out->insert_window_,
                   db.Prepare("INSERT INTO windows(level, session_id, sequence, start_ns, end_ns, "
                              "header) VALUES(?,?,?,?,?,?) ON CONFLICT DO NOTHING"));
  ASSIGN_OR_RETURN(
      out->insert_block_,
      db.Prepare("INSERT INTO blocks(window, name, shape, dims, data) VALUES(?,?,?,?,?)"));
  ASSIGN_OR_RETURN(out->insert_table_,
                   db.Prepare("INSERT INTO tables(window, name, data) VALUES(?,?,?)"));
  return out;
}

Result<PutOutcome> WindowWriter::Write(const v1::Window& window) {
  ASSIGN_OR_RETURN(const bool is_new, InsertWindow(window));
  if (!is_new) return PutOutcome::kDuplicate;
  ASSIGN_OR_RETURN(WindowIds ids,
                   WindowIds::Make(*dictionary_, window, EpochOf(window.range().end_unix_ns())));
  for (const v1::Profile& profile : window.profiles()) {
    RETURN_IF_ERROR(WriteProfile(ids, profile));
  }
  for (const v1::Table& table : window.tables()) {
    RETURN_IF_ERROR(WriteTable(ids, window, table));
  }
  return PutOutcome::kStored;
}

Result<bool> WindowWriter::InsertWindow(const v1::Window& window) {
  ASSIGN_OR_RETURN(const std::string header, Pack(EncodeHeader(window)));
  insert_window_.BindInt(1, kLevelRaw);
  insert_window_.BindText(2, window.identity().session_id());
  insert_window_.BindInt(3, static_cast<int64_t>(window.identity().sequence()));
  insert_window_.BindInt(4, window.range().start_unix_ns());
  insert_window_.BindInt(5, window.range().end_unix_ns());
  insert_window_.BindBlob(6, header);
  RETURN_IF_ERROR(insert_window_.Run());
  if (db_->Changes() == 0) return false;
  window_id_ = db_->LastInsertId();
  return true;
}

Result<void> WindowWriter::WriteProfile(WindowIds& ids, const v1::Profile& profile) {
  RETURN_IF_ERROR(CheckColumns(profile));
  ASSIGN_OR_RETURN(const int64_t name, ids.Text(profile.name()));
  ASSIGN_OR_RETURN(const int64_t shape, ids.Shape(profile));
  ASSIGN_OR_RETURN(const std::vector<RowKey> rows, SortedRows(ids, profile));
  ColumnBlock block;
  block.values.resize(static_cast<size_t>(profile.values_size()));
  if (rows.empty()) {  // that the profile was taken and saw nothing is an answer as well
    ASSIGN_OR_RETURN(const int64_t no_dims, ids.NoDims());
    return WriteBlock(name, shape, no_dims, EncodeColumns(block));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    block.stacks.push_back(rows[i].stack);
    for (size_t c = 0; c < block.values.size(); ++c) {
      block.values[c].push_back(profile.values(static_cast<int>(c)).values(rows[i].row));
    }
    if (i + 1 < rows.size() && rows[i + 1].dims == rows[i].dims) continue;
    ASSIGN_OR_RETURN(const int64_t dims, ids.Dims(rows[i].dims));
    RETURN_IF_ERROR(WriteBlock(name, shape, dims, EncodeColumns(block)));
    block.stacks.clear();
    for (auto& column : block.values) column.clear();
  }
  return {};
}

Result<void> WindowWriter::WriteBlock(int64_t name, int64_t shape, int64_t dims,
                                      const std::string& columns) {
  ASSIGN_OR_RETURN(const std::string data, Pack(columns));
  insert_block_.BindInt(1, window_id_);
  insert_block_.BindInt(2, name);
  insert_block_.BindInt(3, shape);
  insert_block_.BindInt(4, dims);
  insert_block_.BindBlob(5, data);
  return insert_block_.Run();
}

Result<void> WindowWriter::WriteTable(WindowIds& ids, const v1::Window& window,
                                      const v1::Table& table) {
  ASSIGN_OR_RETURN(const int64_t name, ids.Text(table.name()));
  ASSIGN_OR_RETURN(const std::string bytes, EncodeTable(window, table));
  ASSIGN_OR_RETURN(const std::string data, Pack(bytes));
  insert_table_.BindInt(1, window_id_);
  insert_table_.BindInt(2, name);
  insert_table_.BindBlob(3, data);
  return insert_table_.Run();
}

}  // namespace hotlatch::collector

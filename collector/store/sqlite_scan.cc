// Reading: every scan is one snapshot, and every blob is checked before it is believed.
#include <limits>
#include <utility>

#include "collector/store/block_codec.h"
#include "collector/store/sqlite_schema.h"
#include "collector/store/sqlite_store.h"

namespace hotlatch::collector {
namespace {

constexpr char kInRange[] = "level=?1 AND end_ns>?2 AND start_ns<?3";

void BindRange(Statement& statement, const ScanRange& range) {
  statement.BindInt(1, kLevelRaw);
  statement.BindInt(
      2, range.from_unix_ns == 0 ? std::numeric_limits<int64_t>::min() : range.from_unix_ns);
  statement.BindInt(3,
                    range.to_unix_ns == 0 ? std::numeric_limits<int64_t>::max() : range.to_unix_ns);
}

Error Damaged(const std::string& what, const std::string& reason) {
  return MakeError(ErrorKind::kCorrupt,
                   what + ": damaged (" + reason + "); use an intact copy of the file");
}

template <typename Message>
Result<Message> ParseBlob(std::string_view packed, const std::string& what) {
  ASSIGN_OR_RETURN(const std::string bytes, Unpack(packed, what));
  Message message;
  if (!message.ParseFromString(bytes)) return Damaged(what, "not a message");
  return message;
}

Result<void> CheckTable(const v1::Table& table, int strings, const std::string& what) {
  int rows = -1;
  for (const v1::Column& column : table.columns()) {
    const bool text = column.unit() == "text";
    const int length = text ? column.strings_size() : column.numbers_size();
    if (rows >= 0 && length != rows) return Damaged(what, "columns of unequal length");
    rows = length;
    for (const uint32_t index : column.strings()) {
      if (index >= static_cast<uint32_t>(strings)) return Damaged(what, "string out of range");
    }
  }
  return {};
}

}  // namespace

Result<std::vector<int64_t>> SqliteStore::WindowIdsIn(const ScanRange& range) {
  ASSIGN_OR_RETURN(Statement statement,
                   db_->Prepare(std::string("SELECT id FROM windows WHERE ") + kInRange +
                                " ORDER BY start_ns, session_id, sequence"));
  BindRange(statement, range);
  std::vector<int64_t> ids;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return ids;
    ids.push_back(statement.Int(0));
  }
}

Result<void> SqliteStore::ScanIds(const ScanRange& range, const VisitId& visit) {
  ASSIGN_OR_RETURN(Transaction snapshot, Transaction::Begin(*db_, Transaction::Kind::kRead));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, WindowIdsIn(range));
  ASSIGN_OR_RETURN(Statement statement, db_->Prepare("SELECT header FROM windows WHERE id=?"));
  for (const int64_t id : ids) {
    statement.Reset();
    statement.BindInt(1, id);
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    const std::string what = path() + ": window " + std::to_string(id);
    if (!row) return Damaged(what, "not in its table");
    ASSIGN_OR_RETURN(const WindowHeader header, ParseBlob<WindowHeader>(statement.Bytes(0), what));
    if (range.want_window && !range.want_window(header)) continue;
    RETURN_IF_ERROR(visit(id, header));
  }
  return snapshot.Commit();
}

Result<void> SqliteStore::ScanWindows(
    const ScanRange& range, const std::function<Result<void>(const WindowHeader&)>& visit) {
  return ScanIds(range, [&](int64_t, const WindowHeader& header) { return visit(header); });
}

Result<void> SqliteStore::ScanProfile(
    const ScanRange& range, const std::string& profile,
    const std::function<Result<void>(const ProfileBlock&)>& visit) {
  ASSIGN_OR_RETURN(Transaction snapshot, Transaction::Begin(*db_, Transaction::Kind::kRead));
  ASSIGN_OR_RETURN(const int64_t name, reader_->FindString(profile));
  if (name == 0) return snapshot.Commit();
  ASSIGN_OR_RETURN(Statement blocks, db_->Prepare("SELECT shape, dims, data, id FROM blocks "
                                                  "WHERE window=? AND name=? ORDER BY id"));
  const auto visit_window = [&](int64_t id, const WindowHeader& header) -> Result<void> {
    blocks.Reset();
    blocks.BindInt(1, id);
    blocks.BindInt(2, name);
    ProfileBlock block;
    block.window = &header;
    for (;;) {
      ASSIGN_OR_RETURN(const bool row, blocks.Step());
      if (!row) return {};
      ASSIGN_OR_RETURN(const bool wanted, FillBlock(range, blocks, block));
      if (wanted) RETURN_IF_ERROR(visit(block));
    }
  };
  RETURN_IF_ERROR(ScanIds(range, visit_window));
  return snapshot.Commit();
}

Result<bool> SqliteStore::FillBlock(const ScanRange& range, Statement& row, ProfileBlock& block) {
  ASSIGN_OR_RETURN(block.dims, reader_->Dims(row.Int(1)));
  if (range.want_dims && !range.want_dims(*block.dims)) return false;
  ASSIGN_OR_RETURN(const v1::Profile* shape, reader_->Shape(row.Int(0)));
  block.profile = shape->name();
  block.event = shape->event();
  block.sample_rate_hz = shape->sample_rate_hz();
  block.columns.clear();
  block.units.clear();
  for (const v1::ValueColumn& column : shape->values()) {
    block.columns.push_back(column.name());
    block.units.push_back(column.unit());
  }
  const std::string what = path() + ": block " + std::to_string(row.Int(3));
  ASSIGN_OR_RETURN(const std::string bytes, Unpack(row.Bytes(2), what));
  ASSIGN_OR_RETURN(ColumnBlock columns, DecodeColumns(bytes, block.columns.size(), what));
  block.stacks = std::move(columns.stacks);
  block.values = std::move(columns.values);
  return true;
}

Result<void> SqliteStore::ScanTable(const ScanRange& range, const std::string& table,
                                    const std::function<Result<void>(const TableBlock&)>& visit) {
  ASSIGN_OR_RETURN(Transaction snapshot, Transaction::Begin(*db_, Transaction::Kind::kRead));
  ASSIGN_OR_RETURN(const int64_t name, reader_->FindString(table));
  if (name == 0) return snapshot.Commit();
  ASSIGN_OR_RETURN(Statement rows, db_->Prepare("SELECT data, id FROM tables "
                                                "WHERE window=? AND name=? ORDER BY id"));
  const auto visit_window = [&](int64_t id, const WindowHeader& header) -> Result<void> {
    rows.Reset();
    rows.BindInt(1, id);
    rows.BindInt(2, name);
    for (;;) {
      ASSIGN_OR_RETURN(const bool row, rows.Step());
      if (!row) return {};
      const std::string what = path() + ": table " + std::to_string(rows.Int(1));
      ASSIGN_OR_RETURN(v1::Window stored, ParseBlob<v1::Window>(rows.Bytes(0), what));
      if (stored.tables_size() != 1) return Damaged(what, "not one table");
      RETURN_IF_ERROR(CheckTable(stored.tables(0), stored.dictionary().strings_size(), what));
      TableBlock block;
      block.window = &header;
      block.table.Swap(stored.mutable_tables(0));
      block.strings.assign(stored.dictionary().strings().begin(),
                           stored.dictionary().strings().end());
      RETURN_IF_ERROR(visit(block));
    }
  };
  RETURN_IF_ERROR(ScanIds(range, visit_window));
  return snapshot.Commit();
}

Result<std::vector<std::string>> SqliteStore::NamesIn(const std::string& table,
                                                      const ScanRange& range) {
  ASSIGN_OR_RETURN(
      Statement statement,
      db_->Prepare("SELECT value FROM strings WHERE id IN (SELECT DISTINCT name FROM " + table +
                   " WHERE window IN (SELECT id FROM windows WHERE " + kInRange +
                   ")) ORDER BY value"));
  BindRange(statement, range);
  std::vector<std::string> names;
  for (;;) {
    ASSIGN_OR_RETURN(const bool row, statement.Step());
    if (!row) return names;
    names.emplace_back(statement.Bytes(0));
  }
}

Result<std::vector<std::string>> SqliteStore::ProfileNames(const ScanRange& range) {
  return NamesIn("blocks", range);
}

Result<std::vector<std::string>> SqliteStore::TableNames(const ScanRange& range) {
  return NamesIn("tables", range);
}

}  // namespace hotlatch::collector

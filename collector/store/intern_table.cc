#include "collector/store/intern_table.h"

namespace hotlatch::collector {
namespace {

constexpr size_t kMaxCacheBytes = 24U << 20;
constexpr size_t kEntryOverheadBytes = 96;

void Bind(Statement& statement, std::initializer_list<SqlValue> content) {
  int index = 1;
  for (const SqlValue& value : content) {
    switch (value.type) {
      case SqlValue::Type::kInt:
        statement.BindInt(index, value.number);
        break;
      case SqlValue::Type::kText:
        statement.BindText(index, value.bytes);
        break;
      case SqlValue::Type::kBlob:
        statement.BindBlob(index, value.bytes);
        break;
    }
    ++index;
  }
}

// Injective for one table: the number of columns and their types never change.
std::string CacheKey(std::initializer_list<SqlValue> content) {
  std::string key;
  for (const SqlValue& value : content) {
    const auto size = value.type == SqlValue::Type::kInt ? value.number
                                                         : static_cast<int64_t>(value.bytes.size());
    key.append(reinterpret_cast<const char*>(&size), sizeof size);
    key.append(value.bytes);
  }
  return key;
}

std::string Join(const std::vector<std::string>& columns, const char* before, const char* between) {
  std::string out;
  for (const std::string& column : columns) {
    if (!out.empty()) out += between;
    out += column + before;
  }
  return out;
}

}  // namespace

Result<InternTable> InternTable::Open(Database& db, const std::string& table,
                                      const std::vector<std::string>& columns) {
  std::string marks;
  for (size_t i = 0; i < columns.size(); ++i) marks += "?,";
  InternTable out;
  out.db_ = &db;
  ASSIGN_OR_RETURN(out.find_, db.Prepare("SELECT id, epoch FROM " + table + " WHERE " +
                                         Join(columns, "=?", " AND ")));
  ASSIGN_OR_RETURN(out.insert_, db.Prepare("INSERT INTO " + table + "(" + Join(columns, "", ",") +
                                           ",epoch) VALUES(" + marks + "?)"));
  ASSIGN_OR_RETURN(out.touch_, db.Prepare("UPDATE " + table + " SET epoch=?2 WHERE id=?1"));
  return out;
}

Result<int64_t> InternTable::Intern(std::initializer_list<SqlValue> content, int64_t epoch) {
  std::string key = CacheKey(content);
  const auto cached = cache_.find(key);
  if (cached != cache_.end()) {
    if (cached->second.epoch < epoch) {
      RETURN_IF_ERROR(Touch(cached->second.id, epoch));
      cached->second.epoch = epoch;
    }
    return cached->second.id;
  }
  ASSIGN_OR_RETURN(const Entry entry, FindOrInsert(content, epoch));
  if (cache_bytes_ > kMaxCacheBytes) ForgetCache();
  cache_bytes_ += key.size() + kEntryOverheadBytes;
  cache_.emplace(std::move(key), entry);
  return entry.id;
}

Result<InternTable::Entry> InternTable::FindOrInsert(std::initializer_list<SqlValue> content,
                                                     int64_t epoch) {
  Bind(find_, content);
  ASSIGN_OR_RETURN(const bool found, find_.Step());
  if (found) {
    Entry entry{find_.Int(0), find_.Int(1)};
    find_.Reset();
    if (entry.epoch < epoch) {
      RETURN_IF_ERROR(Touch(entry.id, epoch));
      entry.epoch = epoch;
    }
    return entry;
  }
  find_.Reset();
  Bind(insert_, content);
  insert_.BindInt(static_cast<int>(content.size()) + 1, epoch);
  RETURN_IF_ERROR(insert_.Run());
  return Entry{db_->LastInsertId(), epoch};
}

Result<void> InternTable::Touch(int64_t id, int64_t epoch) {
  touch_.BindInt(1, id);
  touch_.BindInt(2, epoch);
  return touch_.Run();
}

void InternTable::ForgetCache() {
  cache_.clear();
  cache_bytes_ = 0;
}

}  // namespace hotlatch::collector

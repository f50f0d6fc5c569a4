// One dictionary table of the store: content -> id, each content once. A cache of bounded memory
// spares the look-up of what recent windows used as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/base/result.h"
#include "collector/store/sqlite_db.h"

namespace hotlatch::collector {

struct SqlValue {
  enum class Type { kInt, kText, kBlob };
  SqlValue(int64_t value) : number(value) {}  // NOLINT(google-explicit-constructor)
  SqlValue(Type bytes_type, std::string_view value) : type(bytes_type), bytes(value) {}

  Type type = Type::kInt;
  int64_t number = 0;
  std::string_view bytes;
};

class InternTable {
 public:
  // The named columns together are the content.
  static Result<InternTable> Open(Database& db, const std::string& table,
                                  const std::vector<std::string>& columns);

  // The id of the content, stored when it is new. epoch: the hour of the window that uses it; the
  // row keeps the newest. Inside a write transaction only.
  Result<int64_t> Intern(std::initializer_list<SqlValue> content, int64_t epoch);

  // After a rollback or a deletion: what is cached may not be stored.
  void ForgetCache();

 private:
  struct Entry {
    int64_t id = 0;
    int64_t epoch = 0;
  };

  Result<Entry> FindOrInsert(std::initializer_list<SqlValue> content, int64_t epoch);
  Result<void> Touch(int64_t id, int64_t epoch);

  Database* db_ = nullptr;
  Statement find_, insert_, touch_;
  std::unordered_map<std::string, Entry> cache_;
  size_t cache_bytes_ = 0;
};

}  // namespace hotlatch::collector

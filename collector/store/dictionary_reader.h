// From the ids of the store to content, through caches of bounded memory. An id that leads nowhere
// is kCorrupt. Pointers are valid until the next look-up of the same kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "agent/base/result.h"
#include "collector/store/sqlite_db.h"
#include "collector/store/store.h"

namespace hotlatch::collector {

class DictionaryReader {
 public:
  static Result<std::unique_ptr<DictionaryReader>> Open(Database& db);

  Result<const StoredStack*> Stack(uint64_t id);
  Result<const StoredFrame*> Frame(uint32_t id);
  Result<const StoredDims*> Dims(int64_t id);
  // A v1::Profile without rows: name, event, rate, columns with units.
  Result<const v1::Profile*> Shape(int64_t id);
  // 0 when no window ever used the text.
  Result<int64_t> FindString(const std::string& text);
  Result<std::string> String(int64_t id);

  void ForgetCaches();

 private:
  template <typename T>
  struct Cache {
    std::unordered_map<int64_t, T> entries;
    size_t bytes = 0;
  };
  template <typename T>
  static const T* Keep(Cache<T>& cache, int64_t id, T value, size_t bytes);
  Result<void> Find(Statement& statement, int64_t id, const char* what);

  explicit DictionaryReader(Database& db) : db_(&db) {}

  Database* db_;
  Statement stack_, frame_, dims_, shape_, find_string_, string_;
  Cache<StoredStack> stacks_;
  Cache<StoredFrame> frames_;
  Cache<StoredDims> dims_cache_;
  Cache<v1::Profile> shapes_;
};

}  // namespace hotlatch::collector

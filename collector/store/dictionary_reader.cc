#include "collector/store/dictionary_reader.h"

#include <utility>

#include "collector/store/block_codec.h"

namespace hotlatch::collector {
namespace {

constexpr size_t kMaxCacheBytes = 32U << 20;
constexpr size_t kEntryOverheadBytes = 64;

constexpr char kStackSql[] = "SELECT flags, frames FROM stacks WHERE id=?";
constexpr char kFrameSql[] =
    "SELECT n.value, p.value, b.value, f.file_offset, f.kind FROM frames f "
    "JOIN strings n ON n.id=f.name JOIN modules m ON m.id=f.module "
    "JOIN strings p ON p.id=m.path JOIN strings b ON b.id=m.build_id WHERE f.id=?";
constexpr char kDimsSql[] =
    "SELECT s.value, r.value, d.value, w.value, x.node FROM dims x "
    "JOIN strings s ON s.id=x.service JOIN strings r ON r.id=x.role "
    "JOIN strings d ON d.id=x.database JOIN strings w ON w.id=x.wait WHERE x.id=?";
constexpr char kShapeSql[] = "SELECT shape FROM shapes WHERE id=?";

}  // namespace

Result<std::unique_ptr<DictionaryReader>> DictionaryReader::Open(Database& db) {
  std::unique_ptr<DictionaryReader> out(new DictionaryReader(db));  // NOLINT: private constructor
  ASSIGN_OR_RETURN(out->stack_, db.Prepare(kStackSql));
  ASSIGN_OR_RETURN(out->frame_, db.Prepare(kFrameSql));
  ASSIGN_OR_RETURN(out->dims_, db.Prepare(kDimsSql));
  ASSIGN_OR_RETURN(out->shape_, db.Prepare(kShapeSql));
  ASSIGN_OR_RETURN(out->find_string_, db.Prepare("SELECT id FROM strings WHERE value=?"));
  ASSIGN_OR_RETURN(out->string_, db.Prepare("SELECT value FROM strings WHERE id=?"));
  return out;
}

template <typename T>
const T* DictionaryReader::Keep(Cache<T>& cache, int64_t id, T value, size_t bytes) {
  if (cache.bytes > kMaxCacheBytes) cache = {};
  cache.bytes += bytes + sizeof(T) + kEntryOverheadBytes;
  return &cache.entries.insert_or_assign(id, std::move(value)).first->second;
}

Result<void> DictionaryReader::Find(Statement& statement, int64_t id, const char* what) {
  statement.Reset();
  statement.BindInt(1, id);
  ASSIGN_OR_RETURN(const bool found, statement.Step());
  if (found) return {};
  return MakeError(ErrorKind::kCorrupt, db_->path() + ": no " + what + " " + std::to_string(id) +
                                            "; use an intact copy of the file");
}

Result<const StoredStack*> DictionaryReader::Stack(uint64_t id) {
  const auto key = static_cast<int64_t>(id);
  if (const auto it = stacks_.entries.find(key); it != stacks_.entries.end()) return &it->second;
  RETURN_IF_ERROR(Find(stack_, key, "stack"));
  StoredStack stack;
  stack.flags = static_cast<uint32_t>(stack_.Int(0));
  ASSIGN_OR_RETURN(stack.frames,
                   DecodeFrameIds(stack_.Bytes(1), db_->path() + ": stack " + std::to_string(id)));
  stack_.Reset();
  const size_t bytes = stack.frames.size() * sizeof(uint32_t);
  return Keep(stacks_, key, std::move(stack), bytes);
}

Result<const StoredFrame*> DictionaryReader::Frame(uint32_t id) {
  if (const auto it = frames_.entries.find(id); it != frames_.entries.end()) return &it->second;
  RETURN_IF_ERROR(Find(frame_, id, "frame"));
  StoredFrame frame;
  frame.name = frame_.Bytes(0);
  frame.module = frame_.Bytes(1);
  frame.build_id = frame_.Bytes(2);
  frame.offset = static_cast<uint64_t>(frame_.Int(3));
  frame.kind = static_cast<uint32_t>(frame_.Int(4));
  frame_.Reset();
  const size_t bytes = frame.name.size() + frame.module.size() + frame.build_id.size();
  return Keep(frames_, id, std::move(frame), bytes);
}

Result<const StoredDims*> DictionaryReader::Dims(int64_t id) {
  const auto it = dims_cache_.entries.find(id);
  if (it != dims_cache_.entries.end()) return &it->second;
  RETURN_IF_ERROR(Find(dims_, id, "dimension set"));
  StoredDims dims;
  dims.service = dims_.Bytes(0);
  dims.role = dims_.Bytes(1);
  dims.database = dims_.Bytes(2);
  dims.wait = dims_.Bytes(3);
  dims.node = static_cast<int32_t>(dims_.Int(4));
  dims_.Reset();
  const size_t bytes =
      dims.service.size() + dims.role.size() + dims.database.size() + dims.wait.size();
  return Keep(dims_cache_, id, std::move(dims), bytes);
}

Result<const v1::Profile*> DictionaryReader::Shape(int64_t id) {
  if (const auto it = shapes_.entries.find(id); it != shapes_.entries.end()) return &it->second;
  RETURN_IF_ERROR(Find(shape_, id, "profile shape"));
  v1::Profile shape;
  const std::string_view bytes = shape_.Bytes(0);
  const size_t size = bytes.size();
  const bool parsed = shape.ParseFromArray(bytes.data(), static_cast<int>(size));
  shape_.Reset();
  if (!parsed) {
    return MakeError(ErrorKind::kCorrupt, db_->path() + ": profile shape " + std::to_string(id) +
                                              ": damaged; use an intact copy of the file");
  }
  return Keep(shapes_, id, std::move(shape), size);
}

Result<int64_t> DictionaryReader::FindString(const std::string& text) {
  find_string_.BindText(1, text);
  ASSIGN_OR_RETURN(const bool found, find_string_.Step());
  const int64_t id = found ? find_string_.Int(0) : 0;
  find_string_.Reset();
  return id;
}

Result<std::string> DictionaryReader::String(int64_t id) {
  RETURN_IF_ERROR(Find(string_, id, "string"));
  std::string text(string_.Bytes(0));
  string_.Reset();
  return text;
}

void DictionaryReader::ForgetCaches() {
  stacks_ = {};
  frames_ = {};
  dims_cache_ = {};
  shapes_ = {};
}

}  // namespace hotlatch::collector

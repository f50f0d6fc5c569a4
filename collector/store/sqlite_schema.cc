#include "collector/store/sqlite_schema.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>

#include "agent/base/unique_fd.h"

namespace hotlatch::collector {
namespace {

// Dictionary rows carry the hour of the newest window end that used them (epoch); retention drops
// those older than every window left. Blocks and tables go with their window.
constexpr char kSchema[] = R"(
CREATE TABLE windows(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  level INTEGER NOT NULL,
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  header BLOB NOT NULL,
  UNIQUE(session_id, sequence, level));
CREATE INDEX windows_by_end ON windows(level, end_ns);
CREATE TABLE strings(id INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL);
CREATE TABLE modules(id INTEGER PRIMARY KEY, path INTEGER NOT NULL, build_id INTEGER NOT NULL,
  epoch INTEGER NOT NULL, UNIQUE(path, build_id));
CREATE TABLE frames(id INTEGER PRIMARY KEY, name INTEGER NOT NULL, module INTEGER NOT NULL,
  file_offset INTEGER NOT NULL, kind INTEGER NOT NULL, epoch INTEGER NOT NULL,
  UNIQUE(name, module, file_offset, kind));
CREATE TABLE stacks(id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, flags INTEGER NOT NULL,
  frames BLOB NOT NULL, epoch INTEGER NOT NULL);
CREATE INDEX stacks_by_hash ON stacks(hash);
CREATE TABLE dims(id INTEGER PRIMARY KEY, service INTEGER NOT NULL, role INTEGER NOT NULL,
  database INTEGER NOT NULL, wait INTEGER NOT NULL, node INTEGER NOT NULL, epoch INTEGER NOT NULL,
  UNIQUE(service, role, database, wait, node));
CREATE TABLE shapes(id INTEGER PRIMARY KEY, name INTEGER NOT NULL, shape BLOB NOT NULL,
  epoch INTEGER NOT NULL, UNIQUE(name, shape));
CREATE TABLE blocks(
  id INTEGER PRIMARY KEY,
  window INTEGER NOT NULL,
  name INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  dims INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE INDEX blocks_by_window ON blocks(window, name);
CREATE TABLE tables(
  id INTEGER PRIMARY KEY,
  window INTEGER NOT NULL,
  name INTEGER NOT NULL,
  data BLOB NOT NULL);
CREATE INDEX tables_by_window ON tables(window, name);
)";

constexpr size_t kHeaderBytes = 100;
constexpr char kMagic[] = "SQLite format 3";  // with its terminating zero: 16 bytes

uint32_t BigEndian32(const unsigned char* at) {
  return (static_cast<uint32_t>(at[0]) << 24) | (static_cast<uint32_t>(at[1]) << 16) |
         (static_cast<uint32_t>(at[2]) << 8) | static_cast<uint32_t>(at[3]);
}

Error NotOurs(const std::string& path, const std::string& reason) {
  return MakeError(ErrorKind::kCorrupt,
                   path + ": " + reason + "; name a recording or store written by hotlatch");
}

enum class FileState { kNew, kOurs, kOursWithoutWal };

// Whoever writes has a log, empty at first; one who was killed leaves it.
bool HasWal(const std::string& path) { return ::access((path + "-wal").c_str(), F_OK) == 0; }

Result<FileState> CheckHeader(const std::string& path, const unsigned char* header,
                              uint64_t file_bytes) {
  if (std::memcmp(header, kMagic, sizeof kMagic) != 0 ||
      BigEndian32(header + 68) != kApplicationId) {
    return NotOurs(path, "not a Hotlatch recording");
  }
  if (const uint32_t version = BigEndian32(header + 60); version > kSchemaVersion) {
    return MakeError(ErrorKind::kCorrupt, path + ": written by a newer Hotlatch (schema " +
                                              std::to_string(version) + ", this one knows " +
                                              std::to_string(kSchemaVersion) +
                                              "); use that version");
  }
  if (HasWal(path)) return FileState::kOurs;
  const uint32_t raw_page = (static_cast<uint32_t>(header[16]) << 8) | header[17];
  const uint64_t page_bytes = raw_page == 1 ? 65536 : raw_page;
  const uint64_t want_bytes = page_bytes * BigEndian32(header + 28);
  // Two fields of the header are equal when its page count holds.
  if (BigEndian32(header + 24) == BigEndian32(header + 92) && file_bytes < want_bytes) {
    return NotOurs(path, "truncated: " + std::to_string(file_bytes) + " of " +
                             std::to_string(want_bytes) + " bytes are there");
  }
  return FileState::kOursWithoutWal;
}

Result<FileState> InspectFile(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    if (errno == ENOENT) return FileState::kNew;
    return ErrnoError(errno, path);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return ErrnoError(errno, path);
  if (!S_ISREG(info.st_mode)) return NotOurs(path, "not a file");
  if (info.st_size == 0) return FileState::kNew;
  std::array<unsigned char, kHeaderBytes> header{};
  const ssize_t n = ::pread(fd.get(), header.data(), header.size(), 0);
  if (n < 0) return ErrnoError(errno, path);
  if (static_cast<size_t>(n) < header.size()) return NotOurs(path, "not a Hotlatch recording");
  return CheckHeader(path, header.data(), static_cast<uint64_t>(info.st_size));
}

std::string Uri(const std::string& path, bool immutable) {
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::strchr("/._-", c) != nullptr) {
      uri += c;
    } else {
      constexpr char kHex[] = "0123456789abcdef";
      uri += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return immutable ? uri + "?immutable=1" : uri;
}

Result<void> MakeSchema(Database& db) {
  // Before the first table: what retention frees can then be given back.
  RETURN_IF_ERROR(db.Execute("PRAGMA auto_vacuum=INCREMENTAL; PRAGMA synchronous=FULL"));
  ASSIGN_OR_RETURN(Transaction transaction, Transaction::Begin(db, Transaction::Kind::kWrite));
  // Another process may have been faster.
  ASSIGN_OR_RETURN(const int64_t tables, db.QueryInt("SELECT count(*) FROM sqlite_schema"));
  if (tables > 0) return {};
  RETURN_IF_ERROR(db.Execute(kSchema));
  RETURN_IF_ERROR(db.Execute("PRAGMA application_id=" + std::to_string(kApplicationId)));
  RETURN_IF_ERROR(db.Execute("PRAGMA user_version=" + std::to_string(kSchemaVersion)));
  return transaction.Commit();
}

Result<std::unique_ptr<Database>> OpenForWriting(const std::string& path, FileState state) {
  const bool memory = path == ":memory:";
  ASSIGN_OR_RETURN(std::unique_ptr<Database> db,
                   Database::Open(path, memory ? path : Uri(path, false),
                                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  if (state == FileState::kNew) RETURN_IF_ERROR(MakeSchema(*db));
  if (memory) return db;
  // FULL: a commit has reached the disk when it returns, which is what an ack promises.
  RETURN_IF_ERROR(
      db->Execute("PRAGMA temp_store=MEMORY; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; "
                  "PRAGMA journal_size_limit=67108864"));
  // The first read makes the log, by which readers know that somebody writes.
  RETURN_IF_ERROR(db->QueryInt("SELECT count(*) FROM sqlite_schema"));
  return db;
}

}  // namespace

Result<std::unique_ptr<Database>> OpenStoreFile(const std::string& path, OpenMode mode) {
  if (path == ":memory:") {
    if (mode == OpenMode::kReadWrite) return OpenForWriting(path, FileState::kNew);
    return MakeError(ErrorKind::kNotFound, path + ": an empty store; name a recording");
  }
  ASSIGN_OR_RETURN(const FileState state, InspectFile(path));
  if (mode == OpenMode::kReadWrite) return OpenForWriting(path, state);
  if (state == FileState::kNew) {
    if (::access(path.c_str(), F_OK) != 0) return ErrnoError(errno, path);
    return NotOurs(path, "an empty file");
  }
  // Without a log nobody writes: the file alone is all, and reading it needs no right to write
  // beside it.
  const bool immutable = state == FileState::kOursWithoutWal;
  ASSIGN_OR_RETURN(std::unique_ptr<Database> db,
                   Database::Open(path, Uri(path, immutable), SQLITE_OPEN_READONLY));
  RETURN_IF_ERROR(db->QueryInt("SELECT count(*) FROM sqlite_schema WHERE name = 'windows'"));
  return db;
}

Result<void> FoldWal(Database& db) { return db.Execute("PRAGMA journal_mode=DELETE"); }

}  // namespace hotlatch::collector

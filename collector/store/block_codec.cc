#include "collector/store/block_codec.h"

#include <zstd.h>

#include <limits>
#include <memory>

namespace hotlatch::collector {
namespace {

constexpr int kLevel = 3;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Contexts are dear to make and blocks are small: one of each per thread.
ZSTD_CCtx* Compressor() {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}

ZSTD_DCtx* Decompressor() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

Error Corrupt(const std::string& what, const std::string& reason) {
  return MakeError(ErrorKind::kCorrupt,
                   what + ": damaged (" + reason + "); use an intact copy of the file");
}

uint64_t ZigZag(uint64_t difference) {
  const auto number = static_cast<int64_t>(difference);
  return (difference << 1) ^ static_cast<uint64_t>(number >> 63);
}

uint64_t UnZigZag(uint64_t value) { return (value >> 1) ^ (~(value & 1) + 1); }

}  // namespace

Result<std::string> Pack(std::string_view bytes) {
  ZSTD_CCtx* const context = Compressor();
  if (context == nullptr || bytes.size() > kMaxUnpackedBytes) {
    return MakeError(ErrorKind::kExhausted,
                     "block of " + std::to_string(bytes.size()) + " bytes: too large to pack");
  }
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress2(context, out.data(), out.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0) {
    return MakeError(ErrorKind::kInternal, std::string("zstd: ") + ZSTD_getErrorName(size));
  }
  out.resize(size);
  return out;
}

Result<std::string> Unpack(std::string_view packed, const std::string& what) {
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    return Corrupt(what, "no zstd frame");
  }
  if (size > kMaxUnpackedBytes) return Corrupt(what, std::to_string(size) + " bytes unpacked");
  ZSTD_DCtx* const context = Decompressor();
  if (context == nullptr) return MakeError(ErrorKind::kExhausted, what + ": no memory to unpack");
  std::string out(size, '\0');
  const size_t got =
      ZSTD_decompressDCtx(context, out.data(), out.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0) return Corrupt(what, ZSTD_getErrorName(got));
  if (got != out.size()) return Corrupt(what, "shorter than it says");
  return out;
}

void AppendVarint(uint64_t value, std::string* out) {
  while (value >= 0x80) {
    out->push_back(static_cast<char>((value & 0x7f) | 0x80));
    value >>= 7;
  }
  out->push_back(static_cast<char>(value));
}

bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes->front());
    bytes->remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

std::string EncodeColumns(const ColumnBlock& block) {
  std::string out;
  AppendVarint(block.stacks.size(), &out);
  AppendVarint(block.values.size(), &out);
  uint64_t last = 0;
  for (const uint64_t stack : block.stacks) {
    AppendVarint(ZigZag(stack - last), &out);
    last = stack;
  }
  for (const auto& column : block.values) {
    for (const uint64_t value : column) AppendVarint(value, &out);
  }
  return out;
}

Result<ColumnBlock> DecodeColumns(std::string_view bytes, size_t columns, const std::string& what) {
  uint64_t rows = 0;
  uint64_t stored_columns = 0;
  if (!TakeVarint(&bytes, &rows) || !TakeVarint(&bytes, &stored_columns)) {
    return Corrupt(what, "no row count");
  }
  if (stored_columns != columns) return Corrupt(what, "other columns than its profile");
  // Each number takes a byte at least, so this bounds the memory by the bytes at hand.
  if (rows > bytes.size() / (columns + 1)) return Corrupt(what, "more rows than bytes");
  ColumnBlock block;
  block.stacks.resize(rows);
  block.values.assign(columns, std::vector<uint64_t>(rows));
  uint64_t last = 0;
  for (uint64_t& stack : block.stacks) {
    uint64_t difference = 0;
    if (!TakeVarint(&bytes, &difference)) return Corrupt(what, "ends early");
    last += UnZigZag(difference);
    stack = last;
  }
  for (auto& column : block.values) {
    for (uint64_t& value : column) {
      if (!TakeVarint(&bytes, &value)) return Corrupt(what, "ends early");
    }
  }
  if (!bytes.empty()) return Corrupt(what, "longer than it says");
  return block;
}

std::string EncodeFrameIds(const std::vector<uint32_t>& ids) {
  std::string out;
  for (const uint32_t id : ids) AppendVarint(id, &out);
  return out;
}

Result<std::vector<uint32_t>> DecodeFrameIds(std::string_view bytes, const std::string& what) {
  std::vector<uint32_t> ids;
  while (!bytes.empty()) {
    uint64_t id = 0;
    if (!TakeVarint(&bytes, &id) || id > std::numeric_limits<uint32_t>::max()) {
      return Corrupt(what, "not a list of frames");
    }
    ids.push_back(static_cast<uint32_t>(id));
  }
  return ids;
}

}  // namespace hotlatch::collector

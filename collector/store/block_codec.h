// Bytes of a store's blobs. Everything read is checked: a flipped bit is an error, never a wild
// index or a huge allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"

namespace hotlatch::collector {

// No blob unpacks to more: the largest message a collector can be told to take.
inline constexpr size_t kMaxUnpackedBytes = 64U << 20;

// zstd with a checksum of the content. kCorrupt errors of Unpack name what was read.
Result<std::string> Pack(std::string_view bytes);
Result<std::string> Unpack(std::string_view packed, const std::string& what);

void AppendVarint(uint64_t value, std::string* out);
// Takes one number off the front. False when bytes ends inside it or it is longer than 64 bits.
bool TakeVarint(std::string_view* bytes, uint64_t* value);

// The rows of one window x profile x dimensions: values[c][i] belongs to stacks[i].
struct ColumnBlock {
  std::vector<uint64_t> stacks;
  std::vector<std::vector<uint64_t>> values;
};

// Rows, columns, then the stacks as differences, then column by column, all as varints.
std::string EncodeColumns(const ColumnBlock& block);
// kCorrupt when the bytes do not hold exactly a block of this many columns.
Result<ColumnBlock> DecodeColumns(std::string_view bytes, size_t columns, const std::string& what);

// Frame ids, leaf first.
std::string EncodeFrameIds(const std::vector<uint32_t>& ids);
Result<std::vector<uint32_t>> DecodeFrameIds(std::string_view bytes, const std::string& what);

}  // namespace hotlatch::collector

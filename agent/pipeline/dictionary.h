// Builds the dictionary of one window: each string, module, frame, stack and dimension set once. Indices are
// those of v1::Dictionary.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

struct DimensionSet {
  std::string_view service, role, database, wait;
  int32_t node = -1;
};

class DictionaryBuilder {
 public:
  // dictionary: empty, outlives this.
  explicit DictionaryBuilder(v1::Dictionary* dictionary);

  // Control characters and bytes that are no UTF-8 are written as \xNN: what a process calls itself is not
  // to be trusted. Longer than the wire allows: cut.
  uint32_t String(std::string_view text);
  uint32_t Module(std::string_view path, std::string_view build_id);
  uint32_t Frame(std::string_view name, uint32_t module, uint64_t offset, v1::FrameKind kind);
  // Leaf first. No frames and no flags is stack 0.
  uint32_t Stack(std::span<const uint32_t> frames, uint32_t flags);
  uint32_t Dimensions(const DimensionSet& dimensions);

 private:
  v1::Dictionary* dictionary_;
  std::map<std::string, uint32_t, std::less<>> strings_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> modules_;
  std::map<std::tuple<uint32_t, uint32_t, uint64_t, uint32_t>, uint32_t> frames_;
  std::map<std::vector<uint32_t>, uint32_t> stacks_;  // flags, then frames
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, int32_t>, uint32_t> dimensions_;
};

// As String stores it.
std::string CleanText(std::string_view text, size_t max_bytes);

}  // namespace hotlatch::agent

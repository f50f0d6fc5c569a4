// Stacks and rows of one generation, in user space.
#pragma once

#include <cstring>
#include <span>
#include <unordered_map>
#include <vector>

#include "agent/base/result.h"
#include "probes/raw_window.h"

namespace hotlatch::agent {

struct KeyHash {
  size_t operator()(const hl_key& key) const {
    uint64_t hash = key.kernel_stack * 0x9e3779b97f4a7c15U;
    hash = (hash ^ key.user_stack) * 0x9e3779b97f4a7c15U;
    hash = (hash ^ key.tgid ^ (static_cast<uint64_t>(static_cast<uint32_t>(key.node)) << 32U)) *
           0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 29U);
  }
};

struct KeyEqual {
  bool operator()(const hl_key& a, const hl_key& b) const {
    return a.kernel_stack == b.kernel_stack && a.user_stack == b.user_stack && a.tgid == b.tgid &&
           a.node == b.node && a.flags == b.flags;
  }
};

// Rows by key; At makes an empty one.
template <typename Row>
class KeyedRows {
 public:
  Row& At(const hl_key& key) { return rows_[key]; }
  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }
  size_t size() const { return rows_.size(); }

 private:
  std::unordered_map<hl_key, Row, KeyHash, KeyEqual> rows_;
};

// Moves all stacks of the map (hash -> hl_stack) into out.
Result<void> DrainStacks(int map_fd, RawWindow& out);

// A thread may stay blocked for hours: the stack with which it left the CPU was in the maps of an old window.
// Keeps the stacks of live threads from window to window and supplies them where rows refer to them.
class StackKeeper {
 public:
  // live: where live threads left the CPU. Adds to out.stacks what rows need.
  template <typename Row>
  void Supply(const KeyedRows<Row>& rows, std::span<const hl_key> live, RawWindow& out) {
    for (const auto& [key, row] : rows) {
      SupplyOne(key.kernel_stack, out);
      SupplyOne(key.user_stack, out);
    }
    Keep(live, out);
  }

  size_t size() const { return kept_.size(); }

 private:
  void SupplyOne(uint64_t id, RawWindow& out) const;
  void Keep(std::span<const hl_key> live, const RawWindow& out);

  std::unordered_map<uint64_t, RawStack> kept_;
};

}  // namespace hotlatch::agent

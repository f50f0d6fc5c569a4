// Texts numbered from 0 in the order they came; 0 is "".
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace hotlatch::collector {

class StringPool {
 public:
  StringPool() { Index(""); }

  uint32_t Index(const std::string& text) {
    const auto [it, is_new] = index_.emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return it->second;
  }
  const std::string& Text(uint32_t index) const { return texts_[index]; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, uint32_t> index_;
};

}  // namespace hotlatch::collector

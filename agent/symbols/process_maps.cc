#include "agent/symbols/process_maps.h"

#include <algorithm>
#include <charconv>

#include "agent/base/file.h"

namespace hotlatch::agent {
namespace {

constexpr size_t kMaxMapsBytes = 32U << 20U;
constexpr std::string_view kDeleted = " (deleted)";

// Takes a hexadecimal or decimal number and the character after it off the front.
bool TakeNumber(std::string_view& line, int base, char after, uint64_t& out) {
  const auto [end, err] = std::from_chars(line.data(), line.data() + line.size(), out, base);
  if (err != std::errc() || end == line.data() + line.size() || *end != after) return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()) + 1);
  return true;
}

// start-end perms offset major:minor inode   path
bool ParseLine(std::string_view line, Mapping& out) {
  uint64_t major = 0;
  uint64_t minor = 0;
  if (!TakeNumber(line, 16, '-', out.start) || !TakeNumber(line, 16, ' ', out.end)) return false;
  if (line.size() < 5 || line[2] != 'x' || out.end <= out.start) return false;
  line.remove_prefix(5);
  if (!TakeNumber(line, 16, ' ', out.file_offset) || !TakeNumber(line, 16, ':', major) ||
      !TakeNumber(line, 16, ' ', minor)) {
    return false;
  }
  const auto [end, err] = std::from_chars(line.data(), line.data() + line.size(), out.inode);
  if (err != std::errc()) return false;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  out.device = major << 32U | minor;
  out.deleted = line.ends_with(kDeleted);
  if (out.deleted) line.remove_suffix(kDeleted.size());
  out.path = line;
  return true;
}

}  // namespace

std::vector<Mapping> ParseMaps(std::string_view text) {
  std::vector<Mapping> maps;
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size());
    Mapping mapping;
    if (ParseLine(text.substr(0, length), mapping)) maps.push_back(std::move(mapping));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  std::sort(maps.begin(), maps.end(),
            [](const Mapping& a, const Mapping& b) { return a.start < b.start; });
  return maps;
}

Result<std::vector<Mapping>> ReadMaps(const std::string& proc_root, uint32_t pid) {
  ASSIGN_OR_RETURN(const std::string text,
                   ReadFile(proc_root + "/" + std::to_string(pid) + "/maps", kMaxMapsBytes));
  return ParseMaps(text);
}

const Mapping* FindMapping(const std::vector<Mapping>& maps, uint64_t address) {
  auto it =
      std::upper_bound(maps.begin(), maps.end(), address,
                       [](uint64_t at, const Mapping& mapping) { return at < mapping.start; });
  if (it == maps.begin()) return nullptr;
  --it;
  return address < it->end ? &*it : nullptr;
}

}  // namespace hotlatch::agent

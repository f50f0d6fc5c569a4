#include "agent/symbols/kernel_symbols.h"

#include <algorithm>
#include <charconv>

#include "agent/base/file.h"

namespace hotlatch::agent {
namespace {

constexpr size_t kMaxKallsymsBytes = 256U << 20U;
// A function without a successor nearby is not believed to be this long.
constexpr uint64_t kLongestFunctionBytes = 1U << 20U;
constexpr uint64_t kKernelHalf = 1ULL << 63U;

}  // namespace

Result<void> KernelSymbols::Read(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxKallsymsBytes));
  return Parse(text);
}

Result<void> KernelSymbols::Parse(std::string_view text) {
  symbols_.clear();
  modules_.clear();
  names_.clear();
  while (!text.empty()) {
    const size_t length = std::min(text.find('\n'), text.size());
    AddLine(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  if (symbols_.empty()) {
    return MakeError(
        ErrorKind::kPermission,
        "/proc/kallsyms shows no addresses; set kernel.kptr_restrict to 0 or 1 and run with "
        "CAP_SYSLOG");
  }
  return {};
}

// address type name [module], separated by blanks and a tab
void KernelSymbols::AddLine(std::string_view line) {
  uint64_t address = 0;
  const auto [end, err] = std::from_chars(line.data(), line.data() + line.size(), address, 16);
  if (err != std::errc() || address < kKernelHalf) return;
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  if (line.size() < 4 || std::string_view("tTwW").find(line[1]) == std::string_view::npos) return;
  line.remove_prefix(3);
  std::string_view module = "kernel";
  const size_t tab = line.find('\t');
  if (tab != std::string_view::npos) {
    module = line.substr(tab + 1);
    line = line.substr(0, tab);
    if (module.starts_with('[') && module.ends_with(']')) {
      module = module.substr(1, module.size() - 2);
    }
  }
  symbols_.push_back({address, static_cast<uint32_t>(names_.size()), ModuleIndex(module, address)});
  names_.append(line);
  names_ += '\0';
}

uint32_t KernelSymbols::ModuleIndex(std::string_view name, uint64_t address) {
  // kallsyms lists a module's symbols together.
  for (size_t i = modules_.size(); i-- > 0;) {
    if (modules_[i].name == name) {
      modules_[i].start = std::min(modules_[i].start, address);
      return static_cast<uint32_t>(i);
    }
  }
  modules_.push_back({std::string(name), address});
  return static_cast<uint32_t>(modules_.size() - 1);
}

KernelSymbols::Function KernelSymbols::At(uint64_t address) const {
  auto next =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](uint64_t at, const Symbol& symbol) { return at < symbol.address; });
  if (next == symbols_.begin()) return {{}, "kernel", address};
  // Of aliases the first in the file's order.
  auto it = std::lower_bound(symbols_.begin(), next, std::prev(next)->address,
                             [](const Symbol& symbol, uint64_t at) { return symbol.address < at; });
  const Module& module = modules_[it->module];
  if (address - it->address > kLongestFunctionBytes) return {{}, "kernel", address};
  return {names_.c_str() + it->name, module.name, address - module.start};
}

}  // namespace hotlatch::agent

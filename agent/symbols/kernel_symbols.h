// Names of kernel addresses, from /proc/kallsyms: the kernel, its modules and BPF programs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"

namespace hotlatch::agent {

class KernelSymbols {
 public:
  struct Function {
    std::string_view name;    // "" = unknown; valid as long as this object is not read again
    std::string_view module;  // "kernel", "nf_tables", "bpf"
    uint64_t offset = 0;      // from the first function of the module
  };

  // kPermission when the addresses are hidden (kernel.kptr_restrict).
  Result<void> Read(const std::string& path);
  Result<void> Parse(std::string_view text);

  Function At(uint64_t address) const;
  size_t size() const { return symbols_.size(); }

 private:
  struct Symbol {
    uint64_t address;
    uint32_t name;  // offset in names_
    uint32_t module;
  };
  struct Module {
    std::string name;
    uint64_t start = 0;
  };

  void AddLine(std::string_view line);
  uint32_t ModuleIndex(std::string_view name, uint64_t address);

  std::vector<Symbol> symbols_;  // by address
  std::vector<Module> modules_;
  std::string names_;
};

}  // namespace hotlatch::agent

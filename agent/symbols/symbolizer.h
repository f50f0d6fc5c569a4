// Addresses to frames, on the host that has the binaries. One thread; used between windows, never in the hot
// path. Memory is bounded: mappings of processes not seen lately and the least used binaries are dropped.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/symbols/elf_file.h"
#include "agent/symbols/kernel_symbols.h"
#include "agent/symbols/process_maps.h"

namespace hotlatch::agent {

struct ResolvedFrame {
  std::string name;      // "" = unknown
  std::string module;    // path, [vdso], [anon], or the kernel module's name
  std::string build_id;  // "" = unknown
  uint64_t offset = 0;   // in the module's own address space
  bool mapped = true;    // false: no code of the process is there, the address is no caller
};

class Symbolizer {
 public:
  explicit Symbolizer(std::string proc_root);

  // Once a window, before its frames are resolved.
  void BeginWindow();

  // A process is its pid and start time. parent_pid helps for one that has ended: a forked child has its
  // parent's mappings. return_address: the pc is that of a caller, one past its call.
  ResolvedFrame User(uint32_t pid, uint64_t start_time_ns, uint32_t parent_pid, uint64_t pc,
                     bool return_address);
  ResolvedFrame Kernel(uint64_t pc, bool return_address);

  // Since BeginWindow.
  uint64_t unknown_mappings() const { return unknown_mappings_; }

 private:
  using MappingList = std::shared_ptr<const std::vector<Mapping>>;
  struct ProcessEntry {
    uint64_t start_time_ns = 0;
    uint64_t window = 0;       // when last used
    uint64_t read_window = 0;  // when last read: at most once a window
    // Shared with the process it was forked from where they are equal: hundreds of backends have one list.
    MappingList maps;
  };
  using ElfKey = std::tuple<uint64_t, uint64_t, std::string>;  // device, inode, path
  struct ElfEntry {
    std::unique_ptr<ElfFile> file;  // null: it cannot be read
    uint64_t window = 0;
  };

  const Mapping* FindUserMapping(uint32_t pid, uint64_t start_time_ns, uint32_t parent_pid,
                                 uint64_t pc);
  MappingList MapsOfParent(uint32_t pid);
  ProcessEntry& EntryOf(uint32_t pid, uint64_t start_time_ns, uint32_t parent_pid);
  void ReadEntry(uint32_t pid, uint32_t parent_pid, ProcessEntry& entry);
  const ElfFile* FileOf(uint32_t pid, const Mapping& mapping);
  void DropUnused();

  std::string proc_root_;
  KernelSymbols kernel_;
  uint64_t kernel_read_window_ = 0;
  std::unordered_map<uint32_t, ProcessEntry> processes_;
  std::map<ElfKey, ElfEntry> files_;
  uint64_t window_ = 1;
  uint64_t unknown_mappings_ = 0;
};

}  // namespace hotlatch::agent

#include "agent/symbols/symbolizer.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>

#include "agent/base/log.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::agent {
namespace {

constexpr uint64_t kKeepWindows = 30;           // binaries unused for so long go
constexpr uint64_t kKeepProcessWindows = 2;     // mappings likewise: they are cheap to read again
constexpr size_t kMaxSymbolBytes = 96U << 20U;  // of all binaries
constexpr size_t kMaxProcesses = 8192;

// The mapping's own file, whatever path leads to it now: replaced by an upgrade, in a container, deleted.
UniqueFd OpenMapped(const std::string& proc_root, uint32_t pid, const Mapping& mapping) {
  char range[64];
  std::snprintf(range, sizeof range, "%lx-%lx", mapping.start, mapping.end);
  const std::string process = proc_root + "/" + std::to_string(pid);
  UniqueFd fd(::open((process + "/map_files/" + range).c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.valid() || mapping.deleted) return fd;
  return UniqueFd(::open((process + "/root" + mapping.path).c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

Symbolizer::Symbolizer(std::string proc_root) : proc_root_(std::move(proc_root)) {}

void Symbolizer::BeginWindow() {
  window_++;
  unknown_mappings_ = 0;
  DropUnused();
}

void Symbolizer::DropUnused() {
  std::erase_if(processes_, [&](const auto& entry) {
    return entry.second.window + kKeepProcessWindows < window_;
  });
  if (processes_.size() > kMaxProcesses) {
    std::erase_if(processes_, [&](const auto& entry) { return entry.second.window + 1 < window_; });
  }
  std::erase_if(files_,
                [&](const auto& entry) { return entry.second.window + kKeepWindows < window_; });
  size_t bytes = 0;
  for (const auto& [key, entry] : files_) bytes += entry.file ? entry.file->memory_bytes() : 0;
  while (bytes > kMaxSymbolBytes && files_.size() > 1) {
    auto oldest = std::min_element(files_.begin(), files_.end(), [](const auto& a, const auto& b) {
      return a.second.window < b.second.window;
    });
    bytes -= oldest->second.file ? oldest->second.file->memory_bytes() : 0;
    files_.erase(oldest);
  }
}

Symbolizer::MappingList Symbolizer::MapsOfParent(uint32_t pid) {
  const auto [it, is_new] = processes_.try_emplace(pid);
  ProcessEntry& parent = it->second;
  parent.window = window_;
  if (is_new) {
    if (auto maps = ReadMaps(proc_root_, pid)) {
      parent.maps = std::make_shared<const std::vector<Mapping>>(std::move(*maps));
    }
  }
  return parent.maps;
}

Symbolizer::ProcessEntry& Symbolizer::EntryOf(uint32_t pid, uint64_t start_time_ns,
                                              uint32_t parent_pid) {
  ProcessEntry& entry = processes_[pid];
  if (entry.start_time_ns != start_time_ns) {
    entry = ProcessEntry{};
    entry.start_time_ns = start_time_ns;
    ReadEntry(pid, parent_pid, entry);
  }
  entry.window = window_;
  return entry;
}

void Symbolizer::ReadEntry(uint32_t pid, uint32_t parent_pid, ProcessEntry& entry) {
  entry.read_window = window_;
  MappingList parents;
  if (parent_pid != 0 && parent_pid != pid) parents = MapsOfParent(parent_pid);
  auto maps = ReadMaps(proc_root_, pid);
  if (!maps || maps->empty()) {
    // It has ended: what is known of it, else what it was forked from.
    if (!entry.maps) entry.maps = parents;
  } else if (parents && *parents == *maps) {
    entry.maps = parents;
  } else {
    entry.maps = std::make_shared<const std::vector<Mapping>>(std::move(*maps));
  }
}

const Mapping* Symbolizer::FindUserMapping(uint32_t pid, uint64_t start_time_ns,
                                           uint32_t parent_pid, uint64_t pc) {
  ProcessEntry& entry = EntryOf(pid, start_time_ns, parent_pid);
  const Mapping* mapping = entry.maps ? FindMapping(*entry.maps, pc) : nullptr;
  if (mapping == nullptr && entry.read_window != window_) {
    ReadEntry(pid, parent_pid, entry);
    mapping = entry.maps ? FindMapping(*entry.maps, pc) : nullptr;
  }
  return mapping;
}

const ElfFile* Symbolizer::FileOf(uint32_t pid, const Mapping& mapping) {
  const ElfKey key{mapping.device, mapping.inode, mapping.path};
  auto [it, is_new] = files_.try_emplace(key);
  it->second.window = window_;
  if (is_new) {
    const UniqueFd fd = OpenMapped(proc_root_, pid, mapping);
    if (fd.valid()) {
      auto file = ElfFile::Read(fd.get(), mapping.path);
      if (file) it->second.file = std::move(*file);
    } else {
      // Perhaps only this process has ended: another one may open it.
      files_.erase(it);
      return nullptr;
    }
  }
  return it->second.file.get();
}

ResolvedFrame Symbolizer::User(uint32_t pid, uint64_t start_time_ns, uint32_t parent_pid,
                               uint64_t pc, bool return_address) {
  const uint64_t address = return_address && pc > 0 ? pc - 1 : pc;
  const Mapping* mapping = FindUserMapping(pid, start_time_ns, parent_pid, address);
  if (mapping == nullptr) {
    unknown_mappings_++;
    return {"", "[unmapped]", "", 0, false};
  }
  if (mapping->inode == 0) {
    return {"", mapping->path.empty() ? "[anon]" : mapping->path, "", pc - mapping->start};
  }
  const uint64_t file_offset = address - mapping->start + mapping->file_offset;
  const ElfFile* file = FileOf(pid, *mapping);
  if (file == nullptr && parent_pid != 0) file = FileOf(parent_pid, *mapping);
  if (file == nullptr) return {"", mapping->path, "", file_offset};
  const std::optional<uint64_t> elf_address = file->AddressOfFileOffset(file_offset);
  if (!elf_address) return {"", mapping->path, file->build_id(), file_offset};
  return {std::string(file->FunctionAt(*elf_address)), mapping->path, file->build_id(),
          *elf_address};
}

ResolvedFrame Symbolizer::Kernel(uint64_t pc, bool return_address) {
  const uint64_t address = return_address && pc > 0 ? pc - 1 : pc;
  if (kernel_.size() == 0 && kernel_read_window_ != window_) {
    kernel_read_window_ = window_;
    if (auto read = kernel_.Read(proc_root_ + "/kallsyms"); !read) {
      spdlog::warn("kernel_symbols=none reason=\"{}\"", read.error().text);
    }
  }
  KernelSymbols::Function function = kernel_.At(address);
  // Modules and BPF programs come and go: look again, at most once in kKeepWindows.
  if (function.name.empty() && kernel_read_window_ + kKeepWindows < window_) {
    kernel_read_window_ = window_;
    if (kernel_.Read(proc_root_ + "/kallsyms")) function = kernel_.At(address);
  }
  return {std::string(function.name), std::string(function.module), "", function.offset};
}

}  // namespace hotlatch::agent

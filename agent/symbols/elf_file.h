// Symbols and segments of one ELF file, read once and kept without the file. Immutable after Read: any
// thread may look up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"

namespace hotlatch::agent {

class ElfFile {
 public:
  // Reads from an open descriptor (left open, at an unspecified position). what names the file in errors.
  // .symtab where there is one, else .dynsym; functions only.
  static Result<std::unique_ptr<ElfFile>> Read(int fd, const std::string& what);

  // The ELF virtual address of a byte of the file that an executable segment maps.
  std::optional<uint64_t> AddressOfFileOffset(uint64_t offset) const;

  // The function that contains the address by its own size; "" when none does. Never the nearest one.
  std::string_view FunctionAt(uint64_t address) const;

  const std::string& build_id() const { return build_id_; }  // lower-case hexadecimal, or ""
  size_t memory_bytes() const;

 private:
  struct Segment {
    uint64_t offset, file_bytes, address;
  };
  struct Symbol {
    uint64_t address, size;
    uint32_t name;       // offset in names_
    uint8_t preference;  // among aliases, the smaller wins
  };
  struct Loader;

  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;  // by address, one per address and size
  std::string names_;            // NUL-terminated names
  std::string build_id_;
};

}  // namespace hotlatch::agent

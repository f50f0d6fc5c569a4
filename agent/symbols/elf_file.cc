#include "agent/symbols/elf_file.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace hotlatch::agent {
namespace {

constexpr size_t kMaxSymbols = 4'000'000;
constexpr size_t kMaxNameBytes = 1024;
// Aliases and nested functions that start before the one looked for; deeper nesting does not occur.
constexpr int kMaxLookBack = 16;

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};

// Of aliases at one address people know the one with fewer underscores: poll, not __poll or __GI___poll.
uint8_t Preference(std::string_view name, unsigned char binding) {
  size_t underscores = 0;
  while (underscores < name.size() && name[underscores] == '_') underscores++;
  const size_t local = binding == STB_LOCAL ? 1 : 0;
  return static_cast<uint8_t>(std::min<size_t>(underscores * 2 + local, 255));
}

std::string Hex(const unsigned char* bytes, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < size; i++) {
    out += kDigits[bytes[i] >> 4U];
    out += kDigits[bytes[i] & 15U];
  }
  return out;
}

}  // namespace

struct ElfFile::Loader {
  Elf* elf;
  ElfFile* out;

  void ReadSegments() const {
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return;
    for (size_t i = 0; i < count && i <= std::numeric_limits<uint16_t>::max(); i++) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) {
        out->segments_.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
      } else if (header.p_type == PT_NOTE && out->build_id_.empty()) {
        ReadBuildId(elf_getdata_rawchunk(elf, static_cast<int64_t>(header.p_offset),
                                         header.p_filesz,
                                         header.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
      }
    }
  }

  void ReadBuildId(Elf_Data* notes) const {
    if (notes == nullptr) return;
    size_t at = 0;
    GElf_Nhdr note;
    size_t name = 0;
    size_t content = 0;
    while ((at = gelf_getnote(notes, at, &note, &name, &content)) != 0) {
      const auto* bytes = static_cast<const unsigned char*>(notes->d_buf);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 64 &&
          std::memcmp(bytes + name, "GNU", 4) == 0) {
        out->build_id_ = Hex(bytes + content, note.n_descsz);
        return;
      }
    }
  }

  void ReadSymbols() const {
    Elf_Scn* chosen = nullptr;
    GElf_Shdr chosen_header{};
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr) continue;
      if (header.sh_type == SHT_SYMTAB || (header.sh_type == SHT_DYNSYM && chosen == nullptr)) {
        chosen = section;
        chosen_header = header;
      }
    }
    if (chosen == nullptr || chosen_header.sh_entsize == 0) return;
    Elf_Data* data = elf_getdata(chosen, nullptr);
    const size_t count =
        std::min<size_t>(chosen_header.sh_size / chosen_header.sh_entsize, kMaxSymbols);
    for (size_t i = 0; i < count && data != nullptr; i++) {
      GElf_Sym symbol;
      if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr) break;
      AddSymbol(symbol, elf_strptr(elf, chosen_header.sh_link, symbol.st_name));
    }
  }

  void AddSymbol(const GElf_Sym& symbol, const char* name) const {
    const unsigned char type = GELF_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) return;
    if (symbol.st_size == 0 || name == nullptr || *name == '\0') return;
    const std::string_view text(name, strnlen(name, kMaxNameBytes));
    if (out->names_.size() + text.size() >= std::numeric_limits<uint32_t>::max()) return;
    out->symbols_.push_back({symbol.st_value, symbol.st_size,
                             static_cast<uint32_t>(out->names_.size()),
                             Preference(text, GELF_ST_BIND(symbol.st_info))});
    out->names_.append(text);
    out->names_ += '\0';
  }
};

Result<std::unique_ptr<ElfFile>> ElfFile::Read(int fd, const std::string& what) {
  elf_version(EV_CURRENT);
  // Read, not mapped: a file that shrinks under a mapping would kill the agent.
  const std::unique_ptr<Elf, ElfCloser> elf(elf_begin(fd, ELF_C_READ, nullptr));
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) {
    return MakeError(ErrorKind::kCorrupt, what + ": not an ELF file");
  }
  auto file = std::make_unique<ElfFile>();
  const Loader loader{elf.get(), file.get()};
  loader.ReadSegments();
  loader.ReadSymbols();
  auto& symbols = file->symbols_;
  const char* names = file->names_.c_str();
  std::sort(symbols.begin(), symbols.end(), [names](const Symbol& a, const Symbol& b) {
    if (a.address != b.address) return a.address < b.address;
    if (a.size != b.size) return a.size > b.size;
    if (a.preference != b.preference) return a.preference < b.preference;
    return std::strcmp(names + a.name, names + b.name) < 0;
  });
  const auto same = [](const Symbol& a, const Symbol& b) {
    return a.address == b.address && a.size == b.size;
  };
  symbols.erase(std::unique(symbols.begin(), symbols.end(), same), symbols.end());
  symbols.shrink_to_fit();
  file->names_.shrink_to_fit();
  return file;
}

std::optional<uint64_t> ElfFile::AddressOfFileOffset(uint64_t offset) const {
  for (const Segment& segment : segments_) {
    if (offset >= segment.offset && offset - segment.offset < segment.file_bytes) {
      return segment.address + (offset - segment.offset);
    }
  }
  return std::nullopt;
}

std::string_view ElfFile::FunctionAt(uint64_t address) const {
  auto it = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                             [](uint64_t at, const Symbol& symbol) { return at < symbol.address; });
  for (int i = 0; i < kMaxLookBack && it != symbols_.begin(); i++) {
    --it;
    if (address - it->address < it->size) return names_.c_str() + it->name;
  }
  return {};
}

size_t ElfFile::memory_bytes() const {
  return names_.capacity() + symbols_.capacity() * sizeof(Symbol) + sizeof *this;
}

}  // namespace hotlatch::agent

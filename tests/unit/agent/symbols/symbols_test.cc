#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "agent/base/unique_fd.h"
#include "agent/symbols/elf_file.h"
#include "agent/symbols/kernel_symbols.h"
#include "agent/symbols/process_maps.h"
#include "agent/symbols/symbolizer.h"

extern "C" __attribute__((noinline)) int hotlatch_symbol_probe(int value) {  // NOLINT
  return value * 3 + getpid();
}

namespace hotlatch::agent {
namespace {

UniqueFd FileWith(const std::string& bytes) {
  UniqueFd fd(memfd_create("elf", MFD_CLOEXEC));
  EXPECT_EQ(write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

TEST(ParseMaps, KeepsExecutableMappingsWithTheirFiles) {
  const auto maps = ParseMaps(
      "55d0c0a00000-55d0c0a10000 r--p 00000000 fe:01 131 /usr/bin/x\n"
      "55d0c0b00000-55d0c0b10000 r-xp 00010000 fe:01 131                        /usr/bin/x y\n"
      "7f0000000000-7f0000001000 r-xp 00000000 fe:01 132 /usr/lib/old.so (deleted)\n"
      "7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]\n"
      "7f1000000000-7f1000001000 rwxp 00000000 00:00 0 \n"
      "not a line\n"
      "ff-00 r-xp 0 0:0 0 backwards\n");
  ASSERT_EQ(maps.size(), 4U);
  EXPECT_EQ(maps[0].path, "/usr/bin/x y");
  EXPECT_EQ(maps[0].file_offset, 0x10000U);
  EXPECT_EQ(maps[0].inode, 131U);
  EXPECT_TRUE(maps[1].deleted);
  EXPECT_EQ(maps[1].path, "/usr/lib/old.so");
  EXPECT_EQ(FindMapping(maps, 0x55d0c0b0ffff), &maps[0]);
  EXPECT_EQ(FindMapping(maps, 0x55d0c0b10000), nullptr);
  EXPECT_EQ(FindMapping(maps, 0), nullptr);
}

TEST(KernelSymbols, NamesFunctionsOfTheKernelAndItsModules) {
  KernelSymbols symbols;
  ASSERT_TRUE(symbols
                  .Parse("ffffffff81000000 T _stext\n"
                         "ffffffff81000100 t schedule\n"
                         "ffffffff81000100 T schedule_alias\n"
                         "ffffffff81000200 D a_variable\n"
                         "ffffffffa0000000 t nft_do_chain\t[nf_tables]\n"
                         "garbage\n")
                  .has_value());
  EXPECT_EQ(symbols.At(0xffffffff81000150).name, "schedule");
  EXPECT_EQ(symbols.At(0xffffffff81000150).module, "kernel");
  EXPECT_EQ(symbols.At(0xffffffff81000150).offset, 0x150U);
  EXPECT_EQ(symbols.At(0xffffffffa0000010).module, "nf_tables");
  EXPECT_EQ(symbols.At(0xffffffff80000000).name, "");
  EXPECT_EQ(symbols.At(0xffffffffb0000000).name, "") << "far beyond the last function";
}

TEST(KernelSymbols, HiddenAddressesAreSaidToBeHidden) {
  KernelSymbols symbols;
  const auto parsed = symbols.Parse("0000000000000000 T _stext\n0000000000000000 T schedule\n");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().kind, ErrorKind::kPermission);
  EXPECT_NE(parsed.error().text.find("kptr_restrict"), std::string::npos);
}

TEST(ElfFile, FilesThatAreNoElfOrCutShortAreRefusedOrEmpty) {
  EXPECT_FALSE(ElfFile::Read(FileWith("hello").get(), "hello").has_value());
  EXPECT_FALSE(ElfFile::Read(FileWith("").get(), "empty").has_value());
  const UniqueFd self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  std::string head(4096, '\0');
  ASSERT_EQ(pread(self.get(), head.data(), head.size(), 0), 4096);
  for (const size_t size : {20, 63, 64, 100, 1000, 4096}) {
    auto file = ElfFile::Read(FileWith(head.substr(0, size)).get(), "cut");
    if (file) {
      EXPECT_EQ((*file)->FunctionAt(0x1000), "") << size;
    }
  }
}

TEST(ElfFile, AFunctionIsFoundByItsOwnSizeOnly) {
  const UniqueFd self(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  auto file = ElfFile::Read(self.get(), "self");
  ASSERT_TRUE(file.has_value()) << file.error().text;
  EXPECT_EQ((*file)->FunctionAt(0), "");
  EXPECT_EQ((*file)->FunctionAt(UINT64_MAX), "");
}

TEST(Symbolizer, NamesAFunctionOfThisProgramAndOneOfLibc) {
  Symbolizer symbolizer("/proc");
  symbolizer.BeginWindow();
  const auto self = static_cast<uint32_t>(getpid());
  const auto own = reinterpret_cast<uint64_t>(&hotlatch_symbol_probe);
  EXPECT_EQ(symbolizer.User(self, 1, 0, own, false).name, "hotlatch_symbol_probe");
  EXPECT_NE(symbolizer.User(self, 1, 0, own, true).name, "hotlatch_symbol_probe")
      << "a return address belongs to the call before it";
  const ResolvedFrame libc =
      symbolizer.User(self, 1, 0, reinterpret_cast<uint64_t>(&strtoul), false);
  EXPECT_NE(libc.module.find("libc"), std::string::npos);
  EXPECT_EQ(libc.build_id.size(), 40U);
  EXPECT_EQ(symbolizer.unknown_mappings(), 0U);
  EXPECT_FALSE(symbolizer.User(self, 1, 0, 1, false).mapped);
  EXPECT_EQ(symbolizer.unknown_mappings(), 1U);
}

TEST(Symbolizer, AProcessThatHasEndedIsReadByItsParentsMappings) {
  Symbolizer symbolizer("/proc");
  symbolizer.BeginWindow();
  const auto own = reinterpret_cast<uint64_t>(&hotlatch_symbol_probe);
  constexpr uint32_t kEnded = 2'000'000'000;
  EXPECT_EQ(symbolizer.User(kEnded, 1, static_cast<uint32_t>(getpid()), own, false).name,
            "hotlatch_symbol_probe");
}

}  // namespace
}  // namespace hotlatch::agent

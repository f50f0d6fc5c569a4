// One window on disk: a header of 24 bytes, then the serialised Window.
//   magic "HLWIN\r\n\0" (8) | version u32 | CRC32 of the body u32 | body length u64, little endian
// The name is ORDINAL-SESSION-SEQUENCE.window, numbers zero-padded to 20 digits, so that the order
// of names is the order of creation whatever the wall clock did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/base/result.h"

namespace hotlatch::agent {

inline constexpr size_t kWindowHeaderBytes = 24;

struct WindowName {
  uint64_t ordinal = 0;
  std::string session_id;  // 1..64 of [0-9a-f]
  uint64_t sequence = 0;
};

std::string FormatWindowName(const WindowName& name);

// nullopt: not a name made by FormatWindowName.
std::optional<WindowName> ParseWindowName(std::string_view file_name);

std::string EncodeWindowFile(std::string_view body);

// The body. kCorrupt with what is wrong when the bytes are torn, altered or not ours.
Result<std::string> DecodeWindowFile(std::string_view bytes);

}  // namespace hotlatch::agent

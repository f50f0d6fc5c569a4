#include "agent/self/identity.h"

#include <sys/random.h>
#include <sys/utsname.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "agent/base/file.h"
#include "agent/base/version.h"

namespace hotlatch::agent {
namespace {

constexpr size_t kIdDigits = 32;

bool IsMachineId(std::string_view text) {
  return text.size() == kIdDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// FNV-1a; two seeds give the two halves. Not for security, only to get a stable id out of a name.
uint64_t Fnv1a(std::string_view text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

std::string IdFromName(std::string_view name) {
  std::array<char, kIdDigits + 1> out{};
  std::snprintf(out.data(), out.size(), "%016llx%016llx",
                static_cast<unsigned long long>(Fnv1a(name, 0)),
                static_cast<unsigned long long>(Fnv1a(name, 0x9e3779b97f4a7c15U)));
  return std::string(out.data(), kIdDigits);
}

std::string HostName() {
  utsname names{};
  if (uname(&names) != 0) return "unknown";
  return static_cast<const char*>(names.nodename);
}

}  // namespace

Result<std::string> RandomHex128() {
  std::array<uint8_t, kIdDigits / 2> bytes{};
  // Requests up to 256 bytes are never cut short once the kernel's pool is ready.
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return ErrnoError(errno, "random session id");
  }
  std::string out;
  for (const uint8_t byte : bytes) {
    out += "0123456789abcdef"[byte >> 4];
    out += "0123456789abcdef"[byte & 15];
  }
  return out;
}

Result<v1::Identity> NewIdentity(const std::string& proc_root, const std::string& machine_id_path) {
  v1::Identity identity;
  identity.set_host_name(HostName());
  const auto machine_id = ReadFirstLine(machine_id_path);
  const bool usable = machine_id && IsMachineId(*machine_id);
  identity.set_host_id(usable ? *machine_id : IdFromName(identity.host_name()));
  if (auto boot_id = ReadFirstLine(proc_root + "/sys/kernel/random/boot_id"); boot_id) {
    identity.set_boot_id(*boot_id);
  }
  ASSIGN_OR_RETURN(*identity.mutable_session_id(), RandomHex128());
  identity.set_agent_version(std::string(kVersion));
  return identity;
}

Result<v1::Identity> NewIdentity(const std::string& proc_root) {
  return NewIdentity(proc_root, "/etc/machine-id");
}

}  // namespace hotlatch::agent

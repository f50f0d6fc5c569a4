#include "agent/daemon/notify.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "agent/base/unique_fd.h"

namespace hotlatch::agent {

Result<void> NotifyServiceManager(const std::string& state) {
  const char* path = std::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe)
  if (path == nullptr) return {};
  const std::string_view name(path);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.empty() || name.size() >= sizeof address.sun_path ||
      (name[0] != '/' && name[0] != '@')) {
    return MakeError(ErrorKind::kInvalid, "NOTIFY_SOCKET: is no socket path");
  }
  std::memcpy(static_cast<char*>(address.sun_path), name.data(), name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return ErrnoError(errno, "NOTIFY_SOCKET");
  if (::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), length) < 0) {
    return ErrnoError(errno, "NOTIFY_SOCKET " + std::string(name));
  }
  return {};
}

}  // namespace hotlatch::agent

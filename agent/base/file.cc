#include "agent/base/file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "agent/base/unique_fd.h"

namespace hotlatch {

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return ErrnoError(errno, path);
  std::string out;
  char buffer[16384];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0) {
      if (errno == EINTR) continue;
      return ErrnoError(errno, path);
    }
    if (n == 0) return out;
    if (out.size() + static_cast<size_t>(n) > max_bytes) {
      return MakeError(ErrorKind::kExhausted,
                       path + ": longer than " + std::to_string(max_bytes) + " bytes");
    }
    out.append(buffer, static_cast<size_t>(n));
  }
}

Result<std::string> ReadFirstLine(const std::string& path) {
  ASSIGN_OR_RETURN(std::string text, ReadFile(path, 1 << 16));
  return text.substr(0, text.find('\n'));
}

Result<void> WriteFileAtomically(const std::string& path, const std::string& bytes) {
  const std::string tmp = path + ".tmp";
  {
    UniqueFd fd(::open(tmp.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640));
    if (!fd.valid()) return ErrnoError(errno, tmp);
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t n = ::write(fd.get(), bytes.data() + done, bytes.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) {
        const int os_errno = errno;
        ::unlink(tmp.c_str());
        return ErrnoError(os_errno, tmp);
      }
      done += static_cast<size_t>(n);
    }
    if (::fdatasync(fd.get()) != 0) {
      const int os_errno = errno;
      ::unlink(tmp.c_str());
      return ErrnoError(os_errno, tmp);
    }
  }
  if (::rename(tmp.c_str(), path.c_str()) != 0) {
    const int os_errno = errno;
    ::unlink(tmp.c_str());
    return ErrnoError(os_errno, path);
  }
  return {};
}

}  // namespace hotlatch

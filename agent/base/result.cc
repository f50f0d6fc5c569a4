#include "agent/base/result.h"

#include <system_error>

namespace hotlatch {

Error ErrnoError(int os_errno, std::string what) {
  ErrorKind kind = ErrorKind::kIo;
  switch (os_errno) {
    case EPERM:
    case EACCES:
      kind = ErrorKind::kPermission;
      break;
    case ENOENT:
    case ESRCH:
      kind = ErrorKind::kNotFound;
      break;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      kind = ErrorKind::kExhausted;
      break;
    case ENOSYS:
    case EOPNOTSUPP:
      kind = ErrorKind::kUnsupported;
      break;
    default:
      break;
  }
  return Error{kind, os_errno, std::move(what) + ": " + std::generic_category().message(os_errno)};
}

int ExitCode(const Error& error) { return error.kind == ErrorKind::kInvalid ? 2 : 1; }

}  // namespace hotlatch

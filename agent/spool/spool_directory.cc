#include "agent/spool/spool_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "agent/base/file.h"

namespace hotlatch::agent {

Result<void> PrepareSpoolDirectory(const std::string& directory) {
  const std::filesystem::path parent = std::filesystem::path(directory).parent_path();
  std::error_code error;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) return ErrnoError(error.value(), "spool directory " + parent.string());
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, "spool directory " + directory);
  }
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) {
    return ErrnoError(errno, "spool directory " + directory);
  }
  if (!S_ISDIR(info.st_mode)) {
    return MakeError(ErrorKind::kInvalid,
                     fmt::format("spool directory {}: is not a directory; give "
                                 "another --spool-dir",
                                 directory));
  }
  if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 || info.st_uid != ::geteuid()) {
    return MakeError(
        ErrorKind::kInvalid,
        fmt::format("spool directory {}: owned by uid {} with mode {:04o}, so that others "
                    "may write to it; give --spool-dir a directory of its own",
                    directory, info.st_uid, info.st_mode & 07777));
  }
  return {};
}

Result<UniqueFd> LockSpoolDirectory(const std::string& directory) {
  const std::string path = directory + "/lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return ErrnoError(errno, path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    const int os_errno = errno;
    if (os_errno != EWOULDBLOCK) return ErrnoError(os_errno, path);
    const auto pid = ReadFirstLine(path);
    return MakeError(
        ErrorKind::kUnavailable,
        fmt::format("spool directory {}: in use by another hotlatch-agent (pid {}); stop "
                    "it or give another --spool-dir",
                    directory, pid && !pid->empty() ? *pid : "unknown"));
  }
  // Only for the message above: a lock without a pid in it holds as well.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) == 0 && ::write(fd.get(), pid.data(), pid.size()) < 0) errno = 0;
  return fd;
}

Result<std::vector<FoundFile>> ListWindowFiles(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(directory.c_str()), &::closedir);
  if (dir == nullptr) return ErrnoError(errno, "spool directory " + directory);
  std::vector<FoundFile> out;
  // The stream is ours alone, so readdir is safe here.
  while (const dirent* entry = ::readdir(dir.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string name(static_cast<const char*>(entry->d_name));
    if (name.ends_with(".window.tmp")) {
      ::unlinkat(::dirfd(dir.get()), name.c_str(), 0);
      continue;
    }
    if (!name.ends_with(".window")) continue;
    struct stat info {};
    if (::fstatat(::dirfd(dir.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    out.push_back({name, static_cast<uint64_t>(info.st_size), S_ISREG(info.st_mode)});
  }
  std::sort(out.begin(), out.end(),
            [](const FoundFile& a, const FoundFile& b) { return a.name < b.name; });
  return out;
}

}  // namespace hotlatch::agent

#include "tests/support/process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace hotlatch {
namespace {

// All a child needs, made before fork: between fork and exec only async-signal-safe calls are
// allowed.
struct ChildPlan {
  std::vector<char*> argv, envp;
  std::vector<std::string> environment;
  const ProcessOptions* options = nullptr;
  int out_fd = -1, err_fd = -1;
};

ChildPlan MakePlan(const ProcessOptions& options, int out_fd, int err_fd) {
  ChildPlan plan;
  plan.options = &options;
  plan.out_fd = out_fd;
  plan.err_fd = err_fd;
  for (const std::string& argument : options.argv) {
    plan.argv.push_back(
        const_cast<char*>(argument.c_str()));  // exec takes char* and does not write
  }
  plan.argv.push_back(nullptr);
  for (const auto& [name, value] : options.environment) {
    plan.environment.push_back(name + "=" + value);
  }
  for (char** entry = environ; *entry != nullptr; ++entry) plan.environment.emplace_back(*entry);
  for (std::string& entry : plan.environment) plan.envp.push_back(entry.data());
  plan.envp.push_back(nullptr);
  return plan;
}

bool BecomeUser(uid_t uid, gid_t gid) {
  if (uid == 0) return true;
  return ::setgroups(0, nullptr) == 0 && ::setresgid(gid, gid, gid) == 0 &&
         ::setresuid(uid, uid, uid) == 0;
}

[[noreturn]] void RunChild(const ChildPlan& plan, pid_t parent) {
  const ProcessOptions& options = *plan.options;
  ::setpgid(0, 0);
  ::dup2(plan.out_fd, STDOUT_FILENO);
  ::dup2(plan.err_fd, STDERR_FILENO);
  const int null_fd = ::open("/dev/null", O_RDONLY);
  if (null_fd >= 0) ::dup2(null_fd, STDIN_FILENO);
  if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
  if (!BecomeUser(options.uid, options.gid)) ::_exit(126);
  // After the change of user, which clears it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(126);
  ::execvpe(plan.argv[0], plan.argv.data(), plan.envp.data());
  ::_exit(127);
}

std::string ReadAll(int fd) {
  std::string text;
  std::array<char, 65536> buffer;
  off_t offset = 0;
  while (true) {
    // pread: the offset of the file is the child's.
    const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), offset);
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<size_t>(count));
    offset += count;
  }
}

}  // namespace

Result<Process> Process::Start(const ProcessOptions& options) {
  if (options.argv.empty()) return MakeError(ErrorKind::kInvalid, "process: no program named");
  Process process;
  process.out_ = UniqueFd(::memfd_create("stdout", MFD_CLOEXEC));
  process.err_ = UniqueFd(::memfd_create("stderr", MFD_CLOEXEC));
  if (!process.out_.valid() || !process.err_.valid()) return ErrnoError(errno, "memfd_create");
  // Append, so that two writers (a server's children) do not overwrite each other.
  ::fcntl(process.out_.get(), F_SETFL, O_APPEND);
  ::fcntl(process.err_.get(), F_SETFL, O_APPEND);
  const ChildPlan plan = MakePlan(options, process.out_.get(), process.err_.get());
  const pid_t parent = ::getpid();
  process.pid_ = ::fork();
  if (process.pid_ < 0) return ErrnoError(errno, "fork");
  if (process.pid_ == 0) RunChild(plan, parent);
  ::setpgid(process.pid_, process.pid_);  // in both, so that Kill right after Start finds the group
  process.pidfd_ = UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, process.pid_, 0)));
  if (!process.pidfd_.valid()) return ErrnoError(errno, "pidfd_open");
  return process;
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      out_(std::move(other.out_)),
      err_(std::move(other.err_)),
      reaped_(other.reaped_),
      exit_code_(other.exit_code_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    Kill();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    out_ = std::move(other.out_);
    err_ = std::move(other.err_);
    reaped_ = other.reaped_;
    exit_code_ = other.exit_code_;
  }
  return *this;
}

Process::~Process() { Kill(); }

std::string Process::Out() const { return ReadAll(out_.get()); }
std::string Process::Err() const { return ReadAll(err_.get()); }

void Process::Reap(int status) {
  reaped_ = true;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool Process::Running() {
  if (pid_ <= 0 || reaped_) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) Reap(status);
  return !reaped_;
}

Result<int> Process::Wait(std::chrono::milliseconds at_most) {
  if (Running()) {
    pollfd ended{pidfd_.get(), POLLIN, 0};
    ::poll(&ended, 1, static_cast<int>(at_most.count()));
    if (Running()) {
      return MakeError(ErrorKind::kUnavailable,
                       "process " + std::to_string(pid_) + ": still runs; stderr: " + Err());
    }
  }
  return exit_code_;
}

void Process::Signal(int signal) const {
  if (pid_ > 0 && !reaped_) ::kill(pid_, signal);
}

Result<int> Process::Stop(std::chrono::milliseconds at_most) {
  if (Running()) Signal(SIGTERM);
  return Wait(at_most);
}

void Process::Kill() {
  // The child is still a zombie or alive, so its group id cannot have been given to anyone else.
  if (pid_ <= 0 || reaped_) return;
  ::kill(-pid_, SIGKILL);
  int status = 0;
  if (::waitpid(pid_, &status, 0) == pid_) Reap(status);
}

Result<Outcome> RunProcess(const ProcessOptions& options, std::chrono::milliseconds at_most) {
  ASSIGN_OR_RETURN(Process process, Process::Start(options));
  ASSIGN_OR_RETURN(const int exit_code, process.Wait(at_most));
  return Outcome{exit_code, process.Out(), process.Err()};
}

}  // namespace hotlatch

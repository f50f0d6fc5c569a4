#include "collector/cli/child_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <utility>

namespace hotlatch::collector {
namespace {

struct Pipe {
  UniqueFd read, write;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> fds{};
  if (pipe2(fds.data(), O_CLOEXEC) != 0) return ErrnoError(errno, "pipe");
  Pipe made;
  made.read.reset(fds[0]);
  made.write.reset(fds[1]);
  return made;
}

// Between fork and exec: async-signal-safe calls only.
[[noreturn]] void RunChild(int go, int failed, char* const* argv) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = read(go, &byte, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);  // the parent gave up
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvp(argv[0], argv);
  const int error = errno;
  // What cannot be told by the pipe is told by the exit status.
  if (write(failed, &error, sizeof(error)) != static_cast<ssize_t>(sizeof(error))) _exit(126);
  _exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::Spawn(const std::vector<std::string>& command) {
  ASSIGN_OR_RETURN(Pipe go, MakePipe());
  ASSIGN_OR_RETURN(Pipe failed, MakePipe());
  std::vector<std::string> words = command;
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid < 0) return ErrnoError(errno, "fork for " + command.front());
  if (pid == 0) {
    go.write.reset();
    RunChild(go.read.get(), failed.write.get(), argv.data());
  }
  ChildProcess child;
  child.name_ = command.front();
  child.pid_ = pid;
  child.go_ = std::move(go.write);
  child.failed_ = std::move(failed.read);
  return child;
}

Result<void> ChildProcess::Go() {
  const char byte = 1;
  if (write(go_.get(), &byte, 1) != 1) return ErrnoError(errno, name_ + ": cannot start");
  go_.reset();
  int error = 0;
  ssize_t got = 0;
  do {
    got = read(failed_.get(), &error, sizeof(error));  // ends when exec closes the other end
  } while (got < 0 && errno == EINTR);
  failed_.reset();
  if (got != static_cast<ssize_t>(sizeof(error))) return {};
  int status = 0;
  waitpid(pid_, &status, 0);
  status_ = status;
  return ErrnoError(error, name_ + ": cannot run");
}

std::optional<int> ChildProcess::TryWait() {
  int status = 0;
  if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

void ChildProcess::Terminate() const {
  if (!status_) kill(pid_, SIGTERM);
}

std::string ChildProcess::StatusText(int wait_status) const {
  if (WIFSIGNALED(wait_status)) {
    const int number = WTERMSIG(wait_status);
    const char* description = sigdescr_np(number);
    return name_ + ": killed by signal " + std::to_string(number) +
           (description == nullptr ? "" : " (" + std::string(description) + ")");
  }
  return name_ + ": exit " + std::to_string(WEXITSTATUS(wait_status));
}

}  // namespace hotlatch::collector

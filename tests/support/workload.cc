#include "tests/support/workload.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>

// Not static and never inlined: the tests look for it by name.
extern "C" __attribute__((noinline)) uint64_t hotlatch_test_spin(uint64_t rounds) {  // NOLINT
  volatile uint64_t value = rounds;
  for (uint64_t i = 0; i < rounds; i++) value = value * 6364136223846793005ULL + 1;
  return value;
}

namespace hotlatch {
namespace {

long ProcessCpuMs() {
  timespec ts{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
  return ts.tv_sec * 1000 + ts.tv_nsec / 1'000'000;
}

void Bounce(int from, int to, int count, bool first) {
  char byte = 'x';
  for (int i = 0; i < count; i++) {
    if (first && write(to, &byte, 1) != 1) _exit(1);
    if (read(from, &byte, 1) != 1) _exit(1);
    if (!first && write(to, &byte, 1) != 1) _exit(1);
  }
}

}  // namespace

Workload::~Workload() {
  for (const pid_t pid : pids_) kill(pid, SIGKILL);
  Reap();
}

pid_t Workload::Start(const std::string& comm, const std::function<void()>& run) {
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, comm.c_str());
    run();
    _exit(0);
  }
  if (pid > 0) pids_.push_back(pid);
  return pid;
}

bool Workload::AllEnded() const {
  for (const pid_t pid : pids_) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != pid) {
      return false;
    }
  }
  return true;
}

std::map<pid_t, rusage> Workload::Reap() {
  std::map<pid_t, rusage> usage;
  for (const pid_t pid : pids_) {
    int status = 0;
    rusage used{};
    if (wait4(pid, &status, 0, &used) == pid) usage.emplace(pid, used);
  }
  pids_.clear();
  return usage;
}

void StartPingPong(Workload& workload, int count) {
  std::array<int, 2> there{};
  std::array<int, 2> back{};
  if (pipe2(there.data(), O_CLOEXEC) != 0 || pipe2(back.data(), O_CLOEXEC) != 0) std::abort();
  workload.Start("hl-ping", [&] { Bounce(back[0], there[1], count, true); });
  workload.Start("hl-pong", [&] { Bounce(there[0], back[1], count, false); });
  for (const int fd : {there[0], there[1], back[0], back[1]}) close(fd);
}

void SleepRepeatedly(int count, long ns) {
  const timespec pause{0, ns};
  for (int i = 0; i < count; i++) nanosleep(&pause, nullptr);
}

void SpinUserCpu(long cpu_ms) {
  while (ProcessCpuMs() < cpu_ms) hotlatch_test_spin(200'000);
}

void SpinSystemCpu(long cpu_ms) {
  const int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  std::array<char, 65536> buffer{};
  while (ProcessCpuMs() < cpu_ms) {
    for (int i = 0; i < 20; i++) {
      if (read(fd, buffer.data(), buffer.size()) != static_cast<ssize_t>(buffer.size())) _exit(1);
    }
  }
}

void YieldRepeatedly(int count) {
  for (int i = 0; i < count; i++) sched_yield();
}

void PinToCpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace hotlatch

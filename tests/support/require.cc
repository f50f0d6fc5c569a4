#include "tests/support/require.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tests/support/hotlatch.h"
#include "tests/support/postgres_cluster.h"

namespace hotlatch {

bool RunsInCi() {
  const char* value = std::getenv("CI");
  return value != nullptr && std::string(value) == "true";
}

std::string MissingRoot() { return ::geteuid() == 0 ? "" : "needs root: run the tests as root"; }

std::string MissingBpf() {
  if (::access("/sys/kernel/btf/vmlinux", R_OK) != 0) {
    return "needs a kernel with BTF: /sys/kernel/btf/vmlinux cannot be read";
  }
  // r0 = 0; exit: the smallest program there is. Asking the kernel is surer than reading
  // capabilities.
  std::array<bpf_insn, 2> program{};
  program[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
  program[1].code = BPF_JMP | BPF_EXIT;
  const std::string licence = "GPL";
  bpf_attr attributes{};
  attributes.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
  attributes.insns = reinterpret_cast<uint64_t>(program.data());
  attributes.insn_cnt = program.size();
  attributes.license = reinterpret_cast<uint64_t>(licence.c_str());
  const long fd = ::syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes));
  if (fd < 0) {
    const int os_errno = errno;
    return std::string("needs the right to load BPF programs: ") + std::strerror(os_errno) +
           "; run the tests as root";
  }
  ::close(static_cast<int>(fd));
  return "";
}

std::string MissingPostgres() {
  if (::access(PostgresProgram("postgres").c_str(), X_OK) == 0) return "";
  return "needs PostgreSQL 15: " + PostgresProgram("postgres") +
         " cannot be run; packaging/dependencies install postgres";
}

std::string MissingProgram(const std::string& name) {
  if (::access(ProgramPath(name).c_str(), X_OK) == 0) return "";
  return "needs " + ProgramPath(name) + ": build it first";
}

}  // namespace hotlatch

#include "agent/self/rights.h"

#include <sys/capability.h>
#include <sys/prctl.h>

#include <array>
#include <memory>
#include <type_traits>

namespace hotlatch::agent {
namespace {

struct FreeCap {
  void operator()(cap_t caps) const { cap_free(caps); }
};
using UniqueCap = std::unique_ptr<std::remove_pointer_t<cap_t>, FreeCap>;

struct KeptRight {
  cap_value_t value;
  const char* name;
};
constexpr std::array<KeptRight, 5> kKept{{{CAP_BPF, "CAP_BPF"},
                                          {CAP_PERFMON, "CAP_PERFMON"},
                                          {CAP_SYS_PTRACE, "CAP_SYS_PTRACE"},
                                          {CAP_DAC_READ_SEARCH, "CAP_DAC_READ_SEARCH"},
                                          {CAP_SYSLOG, "CAP_SYSLOG"}}};

}  // namespace

Result<std::vector<std::string>> DropRights() {
  const UniqueCap now(cap_get_proc());
  if (now == nullptr) return ErrnoError(errno, "reading own capabilities");
  const UniqueCap kept(cap_init());
  if (kept == nullptr) return ErrnoError(errno, "capabilities");
  std::vector<std::string> names;
  for (const KeptRight& right : kKept) {
    cap_flag_value_t held = CAP_CLEAR;
    if (cap_get_flag(now.get(), right.value, CAP_PERMITTED, &held) != 0 || held != CAP_SET)
      continue;
    for (const cap_flag_t flag : {CAP_PERMITTED, CAP_EFFECTIVE}) {
      if (cap_set_flag(kept.get(), flag, 1, &right.value, CAP_SET) != 0) {
        return ErrnoError(errno, right.name);
      }
    }
    names.emplace_back(right.name);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return ErrnoError(errno, "no_new_privs");
  if (cap_set_proc(kept.get()) != 0) return ErrnoError(errno, "dropping capabilities");
  return names;
}

}  // namespace hotlatch::agent

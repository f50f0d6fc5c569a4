#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "agent/self/doctor.h"

namespace hotlatch::agent {
namespace {

// The kernel's own code for "not supported", which user space has no name for.
constexpr int kNotSupported = 524;

std::string ErrorText(int os_errno) {
  if (os_errno == kNotSupported) return "ENOTSUPP";
  return std::generic_category().message(os_errno);
}

bool Has(const HostEvidence& host, const std::string& capability) {
  return host.capabilities.contains(capability) || host.capabilities.contains("CAP_SYS_ADMIN");
}

bool IsRefusal(int os_errno) { return os_errno == EPERM || os_errno == EACCES; }

}  // namespace

Cause WhyRefused(const HostEvidence& host, const Trials& trials, const Trial& trial,
                 const std::string& need) {
  const std::string what = fmt::format("{}: {}", trial.step, ErrorText(trial.os_errno));
  if (!IsRefusal(trial.os_errno)) return {what, ""};
  if (!Has(host, need)) {
    return {fmt::format("{} ({} is missing)", what, need),
            fmt::format("run as root or with {}", need)};
  }
  // The same call with nothing to say against it tells a filter of calls from a refusal of this one.
  const bool all_bpf_refused = IsRefusal(trials.small_map.os_errno) && !trials.small_map.works;
  if (!host.initial_user_namespace) {
    return {what + " (rights of a user namespace do not count)",
            "run outside of the user namespace (rootless container)"};
  }
  if (host.seccomp_mode == 2 && (all_bpf_refused || need == "CAP_PERFMON")) {
    return {what + " (a seccomp filter is in force)",
            "allow bpf and perf_event_open in the container's seccomp profile"};
  }
  if (host.lockdown == "confidentiality") {
    return {
        what + " (kernel lockdown is 'confidentiality')",
        "boot with lockdown=integrity or none: tracing programs may not read kernel memory now"};
  }
  if (trials.small_map.works && !trials.large_map.works && &trial == &trials.large_map) {
    return {fmt::format("{} (memlock limit {})", what, host.memlock_soft),
            "raise it: ulimit -l unlimited, LimitMEMLOCK=infinity, or give CAP_SYS_RESOURCE"};
  }
  return {what + " (although every right is there: this kernel refuses it)", ""};
}

std::string CheckStateName(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kDegraded:
      return "degraded";
    case CheckState::kMissing:
      break;
  }
  return "missing";
}

}  // namespace hotlatch::agent

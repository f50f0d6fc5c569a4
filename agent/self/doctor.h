// Judges what a host can answer, before anything is attached, from what it says (HostEvidence) and what
// was tried (Trials). A pure function, so that recorded hosts test it.
#pragma once

#include <string>
#include <vector>

#include "agent/self/host_evidence.h"
#include "agent/self/trials.h"

namespace hotlatch::agent {

enum class CheckState { kOk, kDegraded, kMissing };

struct Check {
  std::string name;
  CheckState state = CheckState::kOk;
  std::string seen;
  std::string advice;  // "" where there is nothing to do
};

struct Question {
  std::string name;  // cpu profile, context switches, processes
  bool works = false;
  std::string why;
};

struct DoctorReport {
  std::vector<Check> checks;
  std::vector<Question> questions;
  bool usable = false;  // the CPU profile and the context switches would work
};

DoctorReport Judge(const HostEvidence& host, const Trials& trials);

// Why the kernel refused a trial, most specific first: a missing capability, a user namespace, a seccomp
// filter, lockdown, the memlock limit, or the kernel itself. need: the capability that the trial takes.
struct Cause {
  std::string text;
  std::string advice;
};
Cause WhyRefused(const HostEvidence& host, const Trials& trials, const Trial& trial,
                 const std::string& need);

// "ok", "degraded", "missing"
std::string CheckStateName(CheckState state);

}  // namespace hotlatch::agent

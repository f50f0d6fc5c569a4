#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "agent/base/clock.h"
#include "agent/base/file.h"
#include "agent/pipeline/pipeline.h"
#include "agent/self/facts.h"
#include "agent/self/identity.h"
#include "collector/cli/child_process.h"
#include "collector/cli/command.h"
#include "collector/cli/format.h"
#include "collector/cli/record_loop.h"

namespace hotlatch::collector {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;

// Blocked before any thread starts, taken one by one with sigtimedwait.
sigset_t BlockSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return set;
}

class SignalEvents final : public RecordEvents {
 public:
  SignalEvents(const sigset_t& set, ChildProcess* child) : set_(set), child_(child) {}

  uint64_t NowNs() override { return MonotonicNs(); }

  Event WaitUntil(uint64_t deadline_ns) override {
    while (true) {
      if (child_ != nullptr && child_->TryWait()) {
        // The kernel lets go of an ended process, and tells its final account, an RCU grace period later.
        usleep(200'000);
        return Event::kStop;
      }
      const uint64_t now = MonotonicNs();
      if (now >= deadline_ns) return Event::kDeadline;
      // At most a minute at once, which is as long as a window gets.
      const uint64_t left = std::min(deadline_ns - now, 60 * kSecondNs);
      const timespec wait = {static_cast<time_t>(left / kSecondNs),
                             static_cast<long>(left % kSecondNs)};  // NOLINT(google-runtime-int)
      const int signal = sigtimedwait(&set_, nullptr, &wait);
      if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) {
        stopped_ = true;
        return Event::kStop;
      }
    }
  }

  // The command is told to end when we are; else it runs to its end on its own time.
  std::optional<int> WaitForChild() {
    if (stopped_) child_->Terminate();
    const uint64_t end = stopped_ ? MonotonicNs() + 5 * kSecondNs : UINT64_MAX;
    while (!child_->TryWait()) {
      if (WaitUntil(end) == Event::kDeadline) break;
      if (stopped_ && !child_->TryWait()) child_->Terminate();
    }
    return child_->TryWait();
  }

 private:
  sigset_t set_;
  ChildProcess* child_;
  bool stopped_ = false;
};

// The rights that loading and attaching need.
bool MayProfile() {
  constexpr uint64_t kSysAdmin = uint64_t{1} << 21U;
  constexpr uint64_t kPerfmonAndBpf = (uint64_t{1} << 38U) | (uint64_t{1} << 39U);
  const auto status = ReadFile("/proc/self/status", 1U << 16U);
  if (!status) return geteuid() == 0;
  const size_t at = status->find("CapEff:");
  if (at == std::string::npos) return geteuid() == 0;
  const uint64_t effective = std::strtoull(status->c_str() + at + 7, nullptr, 16);
  return (effective & kSysAdmin) != 0 || (effective & kPerfmonAndBpf) == kPerfmonAndBpf;
}

Result<void> PrepareFile(const RecordOptions& options) {
  struct stat info {};
  if (lstat(options.output.c_str(), &info) != 0) {
    if (errno == ENOENT) return {};
    return ErrnoError(errno, options.output);
  }
  if (!options.force) {
    return MakeError(ErrorKind::kIo, options.output +
                                         ": is there already; use --force to overwrite "
                                         "it, or another name");
  }
  if (!S_ISREG(info.st_mode)) {
    return MakeError(ErrorKind::kIo, options.output + ": not a regular file; use another name");
  }
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const std::string path = options.output + suffix;
    if (unlink(path.c_str()) != 0 && errno != ENOENT) return ErrnoError(errno, path);
  }
  return {};
}

agent::PipelineOptions PipelineOptionsOf(const RecordOptions& options) {
  agent::PipelineOptions out;
  out.cpu_frequency_hz = options.frequency_hz;
  if (options.row_map_entries != 0) out.row_map_entries = options.row_map_entries;
  if (options.stack_map_entries != 0) out.stack_map_entries = options.stack_map_entries;
  if (options.task_map_entries != 0) out.task_map_entries = options.task_map_entries;
  out.probes = options.probes;
  out.strict = options.strict;
  return out;
}

// Removes a file of ours that holds nothing.
void RemoveEmpty(const RecordOptions& options) {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(options.output + suffix, ignored);
  }
}

Error StoreError(const RecordOptions& options, const RecordSummary& summary) {
  Error error = *summary.error;
  if (error.kind == ErrorKind::kExhausted) error.text += "; free space or record to another disk";
  error.text += "; the " + HumanCount(summary.windows) + " windows stored in " + options.output +
                " stay readable";
  // Exit 1, whatever made it fail.
  if (error.kind == ErrorKind::kInvalid) error.kind = ErrorKind::kInternal;
  return error;
}

void TalkOfProbes(const agent::Pipeline& pipeline, std::string* talk) {
  for (const agent::ProbeStatus& probe : pipeline.probes()) {
    if (probe.state != "failed") continue;
    *talk += "hotlatch: probe " + Escaped(probe.probe) + " failed: " + Escaped(probe.reason) + "\n";
  }
}

Result<RecordSummary> Record(const RecordOptions& options, const sigset_t& signals,
                             std::string* talk) {
  ASSIGN_OR_RETURN(auto pipeline, agent::Pipeline::Open(PipelineOptionsOf(options)));
  TalkOfProbes(*pipeline, talk);
  ASSIGN_OR_RETURN(auto store, OpenSqliteStore(options.output, OpenMode::kReadWrite));
  RecordPlan plan;
  plan.window_ns = options.window_ns;
  plan.duration_ns = static_cast<uint64_t>(options.duration_s * 1e9);
  ASSIGN_OR_RETURN(plan.identity, agent::NewIdentity("/proc"));
  plan.topology = agent::HostTopology("/sys");
  plan.facts = agent::HostFacts("/proc");
  std::optional<ChildProcess> child;
  if (!options.command.empty()) {
    ASSIGN_OR_RETURN(child, ChildProcess::Spawn(options.command));
    if (const auto started = child->Go(); !started) {
      store.reset();
      RemoveEmpty(options);
      return started.error();
    }
  }
  SignalEvents events(signals, child ? &*child : nullptr);
  RecordSummary summary = RecordWindows(plan, pipeline.get(), store.get(), &events);
  // All is in FILE, and in no other file, before it is announced.
  if (const auto closed = store->Close(); !closed && !summary.error) {
    summary.error =
        MakeError(closed.error().kind, closed.error().text + "; keep " + options.output +
                                           "-wal beside it, or free space and record again");
  }
  store.reset();
  pipeline.reset();
  if (child) {
    const std::optional<int> status = events.WaitForChild();
    *talk += "hotlatch: " +
             Escaped(status ? child->StatusText(*status)
                            : options.command.front() + ": still running, left alone") +
             "\n";
  }
  return summary;
}

}  // namespace

CommandResult RunRecord(const RecordOptions& options, std::string* talk) {
  if (!MayProfile()) {
    return MakeError(ErrorKind::kPermission,
                     "record: needs root, or CAP_BPF and CAP_PERFMON; run: sudo hotlatch record …");
  }
  const sigset_t signals = BlockSignals();
  RETURN_IF_ERROR(PrepareFile(options));
  ASSIGN_OR_RETURN(const RecordSummary summary, Record(options, signals, talk));
  if (summary.error) return StoreError(options, summary);
  *talk += SummaryLine(summary, options.output);
  return 0;
}

}  // namespace hotlatch::collector

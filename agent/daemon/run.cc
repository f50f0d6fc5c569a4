#include "agent/daemon/run.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "agent/base/log.h"
#include "agent/base/version.h"
#include "agent/daemon/doctor_view.h"
#include "agent/daemon/loop.h"
#include "agent/daemon/notify.h"
#include "agent/daemon/stop_signals.h"
#include "agent/self/facts.h"
#include "agent/self/identity.h"
#include "agent/self/rights.h"
#include "agent/spool/sender.h"

namespace hotlatch::agent {
namespace {

constexpr std::chrono::seconds kFlushDeadline{5};
constexpr const char* kSysRoot = "/sys";

void Print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int Fail(const Error& error) {
  spdlog::error("{}", error.text);
  return ExitCode(error);
}

// One line with the next step, which the capture side's own words mostly have.
Error ExplainOpen(Error error) {
  if (error.kind == ErrorKind::kPermission && error.text.find("CAP_BPF") == std::string::npos) {
    error.text += "; run as root or with CAP_BPF and CAP_PERFMON; see hotlatch-agent doctor";
  }
  return error;
}

int Doctor(const Command& command) {
  const DoctorReport report =
      Judge(ReadHost(command.options.pipeline.proc_root, kSysRoot), TryEverything(kSysRoot));
  Print(command.json ? DoctorJson(report) : DoctorTable(report));
  return report.usable ? 0 : 1;
}

int CheckProbes(const Options& options) {
  const auto pipeline = Pipeline::Open(options.pipeline);
  if (!pipeline) return Fail(ExplainOpen(pipeline.error()));
  bool failed = false;
  for (const ProbeStatus& probe : (*pipeline)->probes()) {
    failed = failed || probe.state == "failed";
    Print(fmt::format("{} {} {}{}{}\n", probe.probe, probe.state, probe.hook,
                      probe.reason.empty() ? "" : ": ", probe.reason));
  }
  return failed ? 1 : 0;
}

int ListAll() {
  for (const ProbeInfo& probe : ListProbes())
    Print(fmt::format("{:16} {}\n", probe.name, probe.help));
  return 0;
}

int Version() {
  Print(fmt::format("hotlatch-agent {}\nlibbpf {}\nkernel {}\n", kVersion, LibbpfVersion(),
                    KernelRelease()));
  return 0;
}

Result<SessionInfo> NewSession(const Options& options) {
  const std::string& proc_root = options.pipeline.proc_root;
  SessionInfo session;
  ASSIGN_OR_RETURN(session.identity, NewIdentity(proc_root));
  session.topology = HostTopology(kSysRoot);
  session.facts = HostFacts(proc_root);
  return session;
}

void LogStart(const Options& options, const SessionInfo& session, const Pipeline& pipeline) {
  for (const ProbeStatus& probe : pipeline.probes()) {
    if (probe.state == "failed") {
      spdlog::warn("probe not attached probe={} reason=\"{}\"", probe.probe, probe.reason);
    } else {
      spdlog::info("probe {} probe={} hook={}", probe.state, probe.probe, probe.hook);
    }
  }
  spdlog::info("running version={} session={} window_ms={} spool={}", kVersion,
               session.identity.session_id(), options.window.count() / 1'000'000,
               options.spool_dir);
}

void Notify(const std::string& state) {
  if (const auto done = NotifyServiceManager(state); !done) {
    spdlog::warn("service manager not told: {}", done.error().text);
  }
}

// Threads are started only after the rights are dropped, so that none keeps them.
Result<void> RunDaemon(const Options& options) {
  ASSIGN_OR_RETURN(const StopSignals signals, StopSignals::Open());
  ASSIGN_OR_RETURN(SessionInfo session, NewSession(options));
  SpoolOptions spool_options;
  spool_options.directory = options.spool_dir;
  spool_options.max_bytes = options.spool_max_bytes;
  // Probes first: who may not attach them is told so before anything is written to disk.
  auto opened = Pipeline::Open(options.pipeline);
  if (!opened) return ExplainOpen(opened.error());
  const std::unique_ptr<Pipeline> pipeline = std::move(*opened);
  ASSIGN_OR_RETURN(const std::unique_ptr<Spool> spool, Spool::Open(std::move(spool_options)));
  RETURN_IF_ERROR(DropRights());
  LogStart(options, session, *pipeline);
  SenderOptions sender_options;
  sender_options.collector = options.collector;
  Sender sender(*spool, sender_options);
  Notify("READY=1");
  LoopOptions loop;
  loop.window = options.window;
  loop.proc_root = options.pipeline.proc_root;
  loop.wait = [&signals](int64_t until) { return signals.WaitUntil(until); };
  WindowStamper stamper(std::move(session));
  const Result<void> ran = RunLoop(*pipeline, *spool, stamper, loop);
  Notify("STOPPING=1");
  sender.Flush(kFlushDeadline);
  sender.Stop();
  spdlog::info("stopped windows={} acknowledged={} left_in_spool={}", stamper.sequence(),
               sender.stats().acknowledged, spool->usage().windows);
  return ran;
}

}  // namespace

int RunCommand(const Command& command) {
  if (const auto done = SetUpLog("hotlatch-agent", command.options.log_level); !done) {
    return Fail(done.error());
  }
  switch (command.action) {
    case Action::kPrint:
      Print(command.text);
      return 0;
    case Action::kVersion:
      return Version();
    case Action::kListProbes:
      return ListAll();
    case Action::kDoctor:
      return Doctor(command);
    case Action::kCheck:
      return CheckProbes(command.options);
    case Action::kRun:
      break;
  }
  const auto ran = RunDaemon(command.options);
  return ran ? 0 : Fail(ran.error());
}

}  // namespace hotlatch::agent

#include "agent/pipeline/pipeline.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "agent/base/clock.h"
#include "agent/base/log.h"
#include "agent/bpf/generation.h"
#include "agent/bpf/object.h"
#include "agent/engine/generic.h"
#include "agent/pipeline/fold.h"
#include "agent/symbols/symbolizer.h"
#include "probes/probe.h"

namespace hotlatch::agent {
namespace {

// Wall and monotonic clock may part by this much in a window without a step: adjtime slews 0.5 ms a second.
constexpr int64_t kLargestSlewNs = 100'000'000;

class ProbePipeline : public Pipeline {
 public:
  ProbePipeline(std::unique_ptr<Generation> generation, const PipelineOptions& options)
      : generation_(std::move(generation)),
        options_(options),
        symbolizer_(options.proc_root),
        engine_(options.proc_root),
        start_unix_ns_(UnixNs()) {}

  Result<void> OpenProbes();
  Result<v1::Window> CloseWindow() override;
  Result<void> SetAttached(bool attached) override;
  std::vector<ProbeStatus> probes() const override { return states_; }

 private:
  struct Running {
    const ProbeDescriptor* descriptor;
    std::unique_ptr<Probe> probe;
  };

  Result<std::unique_ptr<Probe>> OpenProbe(const ProbeDescriptor& descriptor) const;
  void AddProbeStates(v1::Fidelity& fidelity) const;

  std::unique_ptr<Generation> generation_;
  PipelineOptions options_;
  Symbolizer symbolizer_;
  GenericEngine engine_;
  std::vector<Running> running_;
  std::vector<ProbeStatus> states_;
  int64_t start_unix_ns_;
};

bool IsWanted(const ProbeDescriptor& descriptor, const std::vector<std::string>& names) {
  if (names.empty()) return descriptor.on_by_default;
  return std::find(names.begin(), names.end(), descriptor.name) != names.end();
}

Result<void> CheckNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto all = ListProbes();
    if (std::any_of(all.begin(), all.end(), [&](const ProbeInfo& p) { return p.name == name; }))
      continue;
    std::string known;
    for (const ProbeInfo& probe : all) known += (known.empty() ? "" : ", ") + probe.name;
    return MakeError(ErrorKind::kInvalid, "probe '" + name + "' is not known; there are " + known);
  }
  return {};
}

Result<std::unique_ptr<Probe>> ProbePipeline::OpenProbe(const ProbeDescriptor& descriptor) const {
  const ProbeContext context{generation_.get(), options_.cpu_frequency_hz, options_.row_map_entries,
                             options_.stack_map_entries, options_.task_map_entries};
  ASSIGN_OR_RETURN(std::unique_ptr<Probe> probe, descriptor.open(context));
  RETURN_IF_ERROR(probe->Attach());
  return probe;
}

// A probe that cannot attach is a state that every window carries; the others run on.
Result<void> ProbePipeline::OpenProbes() {
  Error first_error;
  for (const ProbeDescriptor* descriptor : AllProbes()) {
    ProbeStatus status{std::string(descriptor->name), "off", "", ""};
    if (IsWanted(*descriptor, options_.probes)) {
      auto probe = OpenProbe(*descriptor);
      if (probe) {
        status.state = "attached";
        status.hook = (*probe)->hook();
        running_.push_back({descriptor, std::move(*probe)});
      } else {
        if (options_.strict) return probe.error();
        if (first_error.text.empty()) first_error = probe.error();
        status.state = "failed";
        status.reason = probe.error().text;
      }
    }
    states_.push_back(std::move(status));
  }
  if (running_.empty()) {
    if (first_error.text.empty()) return MakeError(ErrorKind::kInvalid, "no probe is switched on");
    return first_error;
  }
  return {};
}

Result<void> ProbePipeline::SetAttached(bool attached) {
  for (const Running& running : running_) {
    running.probe->Detach();
    if (attached) RETURN_IF_ERROR(running.probe->Attach());
  }
  return {};
}

void ProbePipeline::AddProbeStates(v1::Fidelity& fidelity) const {
  uint64_t map_bytes = 0;
  for (const Running& running : running_) map_bytes += running.probe->map_bytes();
  v1::Counter& counter = *fidelity.add_counters();
  counter.set_name("agent.bpf_map_bytes");
  counter.set_unit("bytes");
  counter.set_value(map_bytes);
  for (const ProbeStatus& status : states_) {
    v1::ProbeState& state = *fidelity.add_probes();
    state.set_probe(status.probe);
    state.set_state(status.state);
    state.set_hook(status.hook);
    state.set_reason(status.reason);
  }
}

Result<v1::Window> ProbePipeline::CloseWindow() {
  RawWindow raw;
  for (const Running& running : running_) {
    if (auto done = running.probe->BeforeSwap(); !done) {
      spdlog::warn("probe={} error=\"{}\"", running.descriptor->name, done.error().text);
      raw.AddLoss(running.descriptor->name, "snapshot_failed", 1);
    }
  }
  ASSIGN_OR_RETURN(const EndedGeneration ended, generation_->Swap());
  const int64_t now_unix_ns = UnixNs();
  const auto since_end_ns = static_cast<int64_t>(MonotonicNs() - ended.end_ns);
  raw.start_ns = ended.start_ns;
  raw.end_ns = ended.end_ns;
  for (const Running& running : running_) {
    if (auto drained = running.probe->Drain(ended, raw); !drained) {
      spdlog::warn("probe={} error=\"{}\"", running.descriptor->name, drained.error().text);
      raw.AddLoss(running.descriptor->name, "drain_failed", 1);
    }
  }
  v1::Window window;
  v1::TimeRange& range = *window.mutable_range();
  range.set_start_unix_ns(start_unix_ns_);
  range.set_end_unix_ns(now_unix_ns - since_end_ns);
  range.set_start_monotonic_ns(ended.start_ns);
  range.set_end_monotonic_ns(ended.end_ns);
  // Windows join, but not over a step of the wall clock: a window is as long as the monotonic clock says.
  const auto length_ns = static_cast<int64_t>(ended.end_ns - ended.start_ns);
  const int64_t by_length_ns = range.end_unix_ns() - length_ns;
  if (std::abs(by_length_ns - start_unix_ns_) > kLargestSlewNs)
    range.set_start_unix_ns(by_length_ns);
  start_unix_ns_ = range.end_unix_ns();
  WindowFold(raw, symbolizer_, engine_, window).Run();
  AddProbeStates(*window.mutable_fidelity());
  return window;
}

}  // namespace

Result<std::unique_ptr<Pipeline>> Pipeline::Open(const PipelineOptions& options) {
  SetUpLibbpf();
  RETURN_IF_ERROR(CheckNames(options.probes));
  auto generation = Generation::Create();
  if (!generation) {
    Error error = generation.error();
    if (error.kind == ErrorKind::kPermission) return BpfError(-error.os_errno, "creating BPF maps");
    return error;
  }
  auto pipeline = std::make_unique<ProbePipeline>(std::move(*generation), options);
  RETURN_IF_ERROR(pipeline->OpenProbes());
  return std::unique_ptr<Pipeline>(std::move(pipeline));
}

std::vector<ProbeInfo> ListProbes() {
  std::vector<ProbeInfo> out;
  for (const ProbeDescriptor* descriptor : AllProbes()) {
    out.push_back({std::string(descriptor->name), std::string(descriptor->help)});
  }
  return out;
}

}  // namespace hotlatch::agent

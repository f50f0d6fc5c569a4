#include "probes/cpu/cpu.h"

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "agent/base/log.h"
#include "agent/bpf/counters.h"
#include "agent/bpf/map_reader.h"
#include "agent/bpf/object.h"
#include "agent/bpf/perf_event.h"
#include "cpu.skel.h"
#include "probes/probe.h"
#include "probes/stacks.h"

namespace hotlatch::agent {
namespace {

constexpr std::array kCpuValues = {
    ValueDescriptor{"samples", "count", "samples that found the task on a CPU"},
    ValueDescriptor{"cpu_ns", "ns", "samples times the sampling interval"},
};
constexpr ProfileDescriptor kCpuProfile = {"cpu", "where CPU time goes, sampled", kCpuValues};

class CpuProbe : public Probe {
 public:
  static Result<std::unique_ptr<Probe>> Open(const ProbeContext& context) {
    auto self = std::make_unique<CpuProbe>();
    self->frequency_hz_ = context.cpu_frequency_hz;
    ASSIGN_OR_RETURN(self->skeleton_, OpenSkeleton<cpu_bpf>("cpu"));
    const auto& maps = self->skeleton_->maps;
    RETURN_IF_ERROR(context.generation->ShareWith(self->skeleton_->obj));
    for (bpf_map* map : {maps.samples_0, maps.samples_1}) {
      RETURN_IF_ERROR(SetMaxEntries(map, context.row_map_entries));
    }
    for (bpf_map* map : {maps.stacks_0, maps.stacks_1}) {
      RETURN_IF_ERROR(SetMaxEntries(map, context.stack_map_entries));
    }
    const int err = cpu_bpf::load(self->skeleton_.get());
    if (err != 0) return BpfError(err, "loading BPF program of probe cpu");
    return std::unique_ptr<Probe>(std::move(self));
  }

  Result<void> Attach() override {
    ASSIGN_OR_RETURN(event_, ChooseCpuEvent(frequency_hz_));
    RETURN_IF_ERROR(FollowOnlineCpus());
    if (links_.empty()) {
      return MakeError(ErrorKind::kUnsupported,
                       "probe cpu: no CPU takes a " + event_.name + " event");
    }
    return {};
  }

  void Detach() override { links_.clear(); }

  // CPUs come and go: an event lives as long as its CPU is online.
  Result<void> BeforeSwap() override {
    if (links_.empty()) return {};  // detached
    return FollowOnlineCpus();
  }

  Result<void> Drain(const EndedGeneration& ended, RawWindow& out) override {
    const auto& maps = skeleton_->maps;
    RETURN_IF_ERROR(
        DrainStacks(bpf_map__fd(ended.index != 0 ? maps.stacks_1 : maps.stacks_0), out));
    RawProfile profile{&kCpuProfile, event_.name, frequency_hz_, {}};
    const double ns_per_sample = 1e9 / frequency_hz_;
    RETURN_IF_ERROR((DrainHash<hl_key, uint64_t>(
        bpf_map__fd(ended.index != 0 ? maps.samples_1 : maps.samples_0), "reading CPU samples",
        [&](const hl_key& key, uint64_t samples) {
          const auto ns = std::llround(static_cast<double>(samples) * ns_per_sample);
          profile.rows.push_back({key, {samples, static_cast<uint64_t>(ns)}});
        })));
    out.profiles.push_back(std::move(profile));
    return TakeLosses(ended, out);
  }

  std::string hook() const override {
    return "perf_event/" + event_.name + " on " + std::to_string(links_.size()) + " CPUs";
  }
  uint64_t map_bytes() const override { return MapBytes(skeleton_->obj); }

 private:
  Result<void> FollowOnlineCpus() {
    ASSIGN_OR_RETURN(const std::set<int> online, OnlineCpus());
    std::erase_if(links_, [&](const auto& entry) { return !online.contains(entry.first); });
    for (const int cpu : online) {
      if (links_.contains(cpu)) continue;
      auto fd = OpenCpuEvent(event_, cpu);
      // It may have gone offline since, or be one that takes no events: the others are worth having.
      if (!fd) {
        spdlog::debug("probe=cpu cpu={} error=\"{}\"", cpu, fd.error().text);
        continue;
      }
      bpf_link* link = bpf_program__attach_perf_event(skeleton_->progs.on_cpu_sample, fd->get());
      if (link == nullptr) return BpfError(-errno, "attaching BPF program on_cpu_sample");
      fd->release();  // the link owns it now
      links_.emplace(cpu, link);
    }
    return {};
  }

  Result<void> TakeLosses(const EndedGeneration& ended, RawWindow& out) {
    ASSIGN_OR_RETURN(
        const std::vector<uint64_t> counts,
        TakeCounters(bpf_map__fd(skeleton_->maps.counters), ended.index, CPU_COUNTERS));
    const double seconds = static_cast<double>(ended.end_ns - ended.start_ns) / 1e9;
    const double expected = seconds * frequency_hz_ * static_cast<double>(links_.size());
    out.counters.push_back({"cpu.seen", "count", counts[CPU_SEEN]});
    out.counters.push_back({"cpu.idle", "count", counts[CPU_IDLE]});
    out.counters.push_back(
        {"cpu.expected", "count", static_cast<uint64_t>(std::llround(expected))});
    out.AddLoss("cpu", "row_map_full", counts[CPU_ROW_LOST]);
    out.AddLoss("cpu", "row_map_full_stack_lost", counts[CPU_STACK_FOLDED]);
    out.AddLoss("cpu", "kernel_stack_map_full", counts[CPU_KERNEL_STACK_LOST]);
    out.AddLoss("cpu", "user_stack_map_full", counts[CPU_USER_STACK_LOST]);
    out.AddLoss("cpu", "no_user_stack", counts[CPU_NO_USER_STACK]);
    return {};
  }

  double frequency_hz_ = 99;
  CpuEvent event_;
  UniqueSkeleton<cpu_bpf> skeleton_;
  std::map<int, UniqueLink> links_;  // by CPU; after skeleton_: detached first
};

}  // namespace

const ProfileDescriptor* const kCpuProfiles[] = {&kCpuProfile};

extern const ProbeDescriptor cpu_probe;
const ProbeDescriptor cpu_probe = {
    .name = "cpu",
    .help = "CPU samples by stack: hardware cycles where there is a PMU, else cpu-clock",
    .profiles = kCpuProfiles,
    .open = &CpuProbe::Open,
};

}  // namespace hotlatch::agent

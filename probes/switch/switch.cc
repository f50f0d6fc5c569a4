#include "probes/switch/switch.h"

#include <memory>
#include <string>
#include <utility>

#include "agent/bpf/counters.h"
#include "agent/bpf/map_reader.h"
#include "agent/bpf/object.h"
#include "probes/probe.h"
#include "probes/stacks.h"
#include "probes/switch/fold.h"
#include "switch.skel.h"

namespace hotlatch::agent {
namespace {

class SwitchProbe : public Probe {
 public:
  static Result<std::unique_ptr<Probe>> Open(const ProbeContext& context) {
    auto self = std::make_unique<SwitchProbe>();
    auto loaded = self->Load(context, /*by_preempt_count=*/true);
    if (!loaded) loaded = self->Load(context, /*by_preempt_count=*/false);
    if (!loaded) return loaded.error();
    return std::unique_ptr<Probe>(std::move(self));
  }

  Result<void> Attach() override {
    // States from before a pause are no longer true.
    RETURN_IF_ERROR((DrainHash<uint32_t, switch_task>(bpf_map__fd(skeleton_->maps.tasks),
                                                      "emptying tasks", [](auto&&...) {})));
    bpf_program* waking =
        by_preempt_count_ ? skeleton_->progs.on_waking_count : skeleton_->progs.on_waking_stack;
    for (bpf_program* program :
         {skeleton_->progs.on_sched_switch, waking, skeleton_->progs.on_wakeup,
          skeleton_->progs.on_wakeup_new, skeleton_->progs.on_exec}) {
      ASSIGN_OR_RETURN(UniqueLink link, hotlatch::agent::Attach(program));
      links_.push_back(std::move(link));
    }
    ASSIGN_OR_RETURN(UniqueLink seed, hotlatch::agent::Attach(skeleton_->progs.on_each_task));
    ASSIGN_OR_RETURN(std::string ignored, RunIterator(seed.get(), 1 << 20));
    return {};
  }

  void Detach() override { links_.clear(); }

  Result<void> Drain(const EndedGeneration& ended, RawWindow& out) override {
    const auto& maps = skeleton_->maps;
    SwitchFold fold(ended);
    RETURN_IF_ERROR(
        DrainStacks(bpf_map__fd(ended.index != 0 ? maps.stacks_1 : maps.stacks_0), out));
    RETURN_IF_ERROR((DrainHash<hl_key, switch_row>(
        bpf_map__fd(ended.index != 0 ? maps.rows_1 : maps.rows_0), "reading switch rows",
        [&](const hl_key& key, const switch_row& row) { fold.AddRow(key, row); })));
    RETURN_IF_ERROR(ReadTasks(fold, out));
    RETURN_IF_ERROR((DrainHash<switch_wake_key, uint64_t>(
        bpf_map__fd(ended.index != 0 ? maps.wakes_1 : maps.wakes_0), "reading wake-ups",
        [&](const switch_wake_key& key, uint64_t count) {
          out.wakes.push_back({key.tgid, key.waker_tgid, WakerKindName(key.waker_kind), count});
        })));
    stacks_.Supply(fold.rows(), fold.live_keys(), out);
    fold.Emit(out);
    return TakeLosses(ended, out);
  }

  std::string hook() const override {
    return std::string("tp_btf/sched_switch,waking,wakeup,wakeup_new,process_exec; waker by ") +
           (by_preempt_count_ ? "preempt count" : "stack");
  }
  uint64_t map_bytes() const override { return MapBytes(skeleton_->obj); }

 private:
  Result<void> Load(const ProbeContext& context, bool by_preempt_count) {
    ASSIGN_OR_RETURN(skeleton_, OpenSkeleton<switch_bpf>("switch"));
    by_preempt_count_ = by_preempt_count;
    bpf_program__set_autoload(skeleton_->progs.on_waking_count, by_preempt_count);
    bpf_program__set_autoload(skeleton_->progs.on_waking_stack, !by_preempt_count);
    RETURN_IF_ERROR(context.generation->ShareWith(skeleton_->obj));
    for (bpf_map* map : {skeleton_->maps.rows_0, skeleton_->maps.rows_1}) {
      RETURN_IF_ERROR(SetMaxEntries(map, context.row_map_entries));
    }
    for (bpf_map* map : {skeleton_->maps.stacks_0, skeleton_->maps.stacks_1}) {
      RETURN_IF_ERROR(SetMaxEntries(map, context.stack_map_entries));
    }
    RETURN_IF_ERROR(SetMaxEntries(skeleton_->maps.tasks, context.task_map_entries));
    const int err = switch_bpf::load(skeleton_.get());
    if (err != 0) return BpfError(err, "loading BPF programs of probe switch");
    return {};
  }

  // The map goes on changing while it is read: a torn entry is read again.
  Result<void> ReadTasks(SwitchFold& fold, RawWindow& out) {
    constexpr int kTries = 8;
    const int fd = bpf_map__fd(skeleton_->maps.tasks);
    std::vector<uint32_t> dead;
    uint64_t torn = 0;
    RETURN_IF_ERROR(
        (ReadHash<uint32_t, switch_task>(fd, "reading tasks", [&](uint32_t tid, switch_task task) {
          for (int i = 0; i < kTries && task.version_front != task.version_back; i++) {
            if (bpf_map_lookup_elem(fd, &tid, &task) != 0) return;
          }
          if (task.version_front != task.version_back) {
            torn++;
            return;
          }
          if (fold.AddTask(task)) dead.push_back(tid);
        })));
    for (const uint32_t tid : dead) bpf_map_delete_elem(fd, &tid);
    out.AddLoss("switch", "task_torn", torn);
    return {};
  }

  Result<void> TakeLosses(const EndedGeneration& ended, RawWindow& out) {
    ASSIGN_OR_RETURN(
        const std::vector<uint64_t> counts,
        TakeCounters(bpf_map__fd(skeleton_->maps.counters), ended.index, SWITCH_COUNTERS));
    out.counters.push_back({"switch.seen", "count", counts[SWITCH_SEEN]});
    out.counters.push_back({"switch.idle", "count", counts[SWITCH_IDLE]});
    out.AddLoss("switch", "row_map_full", counts[SWITCH_ROW_LOST]);
    out.AddLoss("switch", "interval_without_row", counts[SWITCH_TIME_LOST]);
    out.AddLoss("switch", "kernel_stack_map_full", counts[SWITCH_KERNEL_STACK_LOST]);
    out.AddLoss("switch", "user_stack_map_full", counts[SWITCH_USER_STACK_LOST]);
    out.AddLoss("switch", "no_kernel_stack", counts[SWITCH_NO_KERNEL_STACK]);
    out.AddLoss("switch", "no_user_stack", counts[SWITCH_NO_USER_STACK]);
    out.AddLoss("switch", "task_map_full", counts[SWITCH_TASK_LOST]);
    out.AddLoss("switch", "wake_map_full", counts[SWITCH_WAKER_LOST]);
    out.AddLoss("switch", "clock_back", counts[SWITCH_CLOCK_BACK]);
    out.AddLoss("switch", "switch_missed", counts[SWITCH_MISSED]);
    out.AddLoss("switch", "row_map_full_stack_lost", counts[SWITCH_STACK_FOLDED]);
    return {};
  }

  static std::string_view WakerKindName(uint32_t kind) {
    switch (kind) {
      case SWITCH_WAKER_TASK:
        return "task";
      case SWITCH_WAKER_SOFTIRQ:
        return "softirq";
      case SWITCH_WAKER_HARDIRQ:
        return "hardirq";
      default:
        return "interrupt";
    }
  }

  UniqueSkeleton<switch_bpf> skeleton_;
  std::vector<UniqueLink> links_;  // after skeleton_: detached first
  bool by_preempt_count_ = true;
  StackKeeper stacks_;
};

}  // namespace

const ProfileDescriptor* const kSwitchProfiles[] = {&kOffcpuProfile, &kRunqueueProfile};

extern const ProbeDescriptor switch_probe;
const ProbeDescriptor switch_probe = {
    .name = "switch",
    .help = "exact context switches, off-CPU time, run-queue wait and wakers, by stack",
    .profiles = kSwitchProfiles,
    .open = &SwitchProbe::Open,
};

}  // namespace hotlatch::agent

#include "probes/process/process.h"

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "agent/base/clock.h"
#include "agent/bpf/counters.h"
#include "agent/bpf/map_reader.h"
#include "agent/bpf/object.h"
#include "probes/probe.h"
#include "probes/process/accounting.h"
#include "process.skel.h"

namespace hotlatch::agent {
namespace {

// A record is 88 bytes: room for 760 000 threads.
constexpr size_t kMaxIteratorBytes = 64U << 20U;

class ProcessProbe : public Probe {
 public:
  static Result<std::unique_ptr<Probe>> Open(const ProbeContext& context) {
    auto self = std::make_unique<ProcessProbe>();
    ASSIGN_OR_RETURN(self->skeleton_, OpenSkeleton<process_bpf>("process"));
    RETURN_IF_ERROR(context.generation->ShareWith(self->skeleton_->obj));
    for (bpf_map* map : {self->skeleton_->maps.ended_0, self->skeleton_->maps.ended_1}) {
      RETURN_IF_ERROR(SetMaxEntries(map, context.task_map_entries / 2 + 1));
    }
    const int err = process_bpf::load(self->skeleton_.get());
    if (err != 0) return BpfError(err, "loading BPF programs of probe process");
    return std::unique_ptr<Probe>(std::move(self));
  }

  Result<void> Attach() override {
    ASSIGN_OR_RETURN(free_link_, hotlatch::agent::Attach(skeleton_->progs.on_process_free));
    ASSIGN_OR_RETURN(exit_link_, hotlatch::agent::Attach(skeleton_->progs.on_process_exit));
    ASSIGN_OR_RETURN(iterator_link_, hotlatch::agent::Attach(skeleton_->progs.on_each_thread));
    RETURN_IF_ERROR(Snapshot());
    accounting_.SetBaseline(MonotonicNs());
    return {};
  }

  void Detach() override {
    exit_link_.reset();
    free_link_.reset();
    iterator_link_.reset();
  }

  Result<void> Drain(const EndedGeneration& ended, RawWindow& out) override {
    const auto& maps = skeleton_->maps;
    // The map's key is (start time, task); the record has both again.
    using EndedKey = std::array<uint64_t, 2>;
    RETURN_IF_ERROR((DrainHash<EndedKey, process_thread>(
        bpf_map__fd(ended.index != 0 ? maps.ended_1 : maps.ended_0), "reading ended threads",
        [&](const EndedKey&, const process_thread& thread) { accounting_.AddEnded(thread); })));
    // A thread that was there at the window's end is alive now or has ended since. The latter's record belongs
    // to the running window; here it only tells whose the switches of this window were.
    if (iterator_link_) RETURN_IF_ERROR(Snapshot());
    RETURN_IF_ERROR((ReadHash<EndedKey, process_thread>(
        bpf_map__fd(ended.index != 0 ? maps.ended_0 : maps.ended_1), "reading threads just ended",
        [&](const EndedKey&, const process_thread& thread) { accounting_.AddIdentity(thread); })));
    accounting_.CloseWindow(out.processes);
    ASSIGN_OR_RETURN(const std::vector<uint64_t> counts,
                     TakeCounters(bpf_map__fd(maps.counters), ended.index, PROCESS_COUNTERS));
    out.counters.push_back({"process.ended_threads", "count", counts[PROCESS_ENDED]});
    out.AddLoss("process", "ended_map_full", counts[PROCESS_ENDED_LOST]);
    return {};
  }

  std::string hook() const override { return "iter/task, tp_btf/sched_process_exit,free"; }
  uint64_t map_bytes() const override { return MapBytes(skeleton_->obj); }

 private:
  Result<void> Snapshot() {
    ASSIGN_OR_RETURN(const std::string bytes, RunIterator(iterator_link_.get(), kMaxIteratorBytes));
    if (bytes.size() % sizeof(process_thread) != 0) {
      return MakeError(ErrorKind::kInternal, "BPF iterator on_each_thread wrote part of a record");
    }
    process_thread thread{};
    for (size_t at = 0; at < bytes.size(); at += sizeof thread) {
      std::memcpy(&thread, bytes.data() + at, sizeof thread);
      accounting_.AddAlive(thread);
    }
    return {};
  }

  UniqueSkeleton<process_bpf> skeleton_;
  UniqueLink exit_link_;
  UniqueLink free_link_;
  UniqueLink iterator_link_;
  ProcessAccounting accounting_;
};

}  // namespace

extern const ProbeDescriptor process_probe;
const ProbeDescriptor process_probe = {
    .name = "process",
    .help = "the kernel's CPU accounting of every process, ended ones and children included",
    .profiles = {},
    .open = &ProcessProbe::Open,
};

}  // namespace hotlatch::agent

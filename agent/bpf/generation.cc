#include "agent/bpf/generation.h"

#include <bpf/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "agent/base/clock.h"

namespace hotlatch::agent {

Result<std::unique_ptr<Generation>> Generation::Create() {
  std::unique_ptr<Generation> self(new Generation);  // NOLINT: private constructor
  LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
  self->map_ = UniqueFd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "generation", sizeof(uint32_t),
                                       sizeof(hl_generation), 1, &opts));
  if (!self->map_.valid()) return ErrnoError(errno, "creating BPF map generation");
  const auto page_bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, self->map_.get(), 0);
  if (page == MAP_FAILED) return ErrnoError(errno, "mapping BPF map generation");
  self->page_ = static_cast<hl_generation*>(page);
  // Number 0 would equal the span_seq of a fresh entry.
  self->page_->seq = 1;
  self->page_->start_ns[1] = MonotonicNs();
  RETURN_IF_ERROR(self->CreateFence());
  return self;
}

Generation::~Generation() {
  if (page_ != nullptr) munmap(page_, static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

Result<void> Generation::ShareWith(bpf_object* object) const {
  bpf_map* map = bpf_object__find_map_by_name(object, "generation");
  if (map == nullptr) return MakeError(ErrorKind::kInternal, "BPF object has no map generation");
  const int err = bpf_map__reuse_fd(map, map_.get());
  if (err != 0) return ErrnoError(-err, "sharing BPF map generation");
  return {};
}

Result<void> Generation::CreateFence() {
  fence_inner_ = UniqueFd(bpf_map_create(BPF_MAP_TYPE_ARRAY, "fence_inner", sizeof(uint32_t),
                                         sizeof(uint32_t), 1, nullptr));
  if (!fence_inner_.valid()) return ErrnoError(errno, "creating BPF map fence_inner");
  LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = static_cast<uint32_t>(fence_inner_.get()));
  fence_ = UniqueFd(bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "fence", sizeof(uint32_t),
                                   sizeof(uint32_t), 1, &opts));
  if (!fence_.valid()) return ErrnoError(errno, "creating BPF map fence");
  return {};
}

// An update of a map of maps returns after an RCU grace period (maybe_wait_bpf_programs in the kernel's
// syscall.c, 4.20 and later). No program reads the fence. membarrier() would do the same, but refuses
// kernels with nohz_full CPUs and does nothing on one CPU.
Result<void> Generation::WaitForRunningPrograms() {
  const uint32_t zero = 0;
  const int inner = fence_inner_.get();
  if (bpf_map_update_elem(fence_.get(), &zero, &inner, BPF_ANY) != 0) {
    return ErrnoError(errno, "waiting for running BPF programs");
  }
  return {};
}

Result<EndedGeneration> Generation::Swap() {
  const uint64_t seq = page_->seq;
  EndedGeneration ended;
  ended.index = static_cast<uint32_t>(seq & 1);
  ended.start_ns = page_->start_ns[seq & 1];
  ended.end_ns = MonotonicNs();
  ended.running_seq = seq + 1;
  // The start must be seen by every program that sees the new number.
  std::atomic_ref<__u64>(page_->start_ns[(seq + 1) & 1])
      .store(ended.end_ns, std::memory_order_release);
  std::atomic_ref<__u64>(page_->seq).store(seq + 1, std::memory_order_release);
  RETURN_IF_ERROR(WaitForRunningPrograms());
  return ended;
}

}  // namespace hotlatch::agent

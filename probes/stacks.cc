#include "probes/stacks.h"

#include <algorithm>
#include <utility>

#include "agent/bpf/map_reader.h"

namespace hotlatch::agent {

Result<void> DrainStacks(int map_fd, RawWindow& out) {
  return DrainHash<uint64_t, hl_stack>(
      map_fd, "reading stacks", [&](uint64_t id, const hl_stack& stack) {
        const size_t depth = std::min<size_t>(stack.depth, HL_MAX_FRAMES);
        out.stacks.try_emplace(id, RawStack{{stack.pc, stack.pc + depth}, stack.truncated != 0});
      });
}

void StackKeeper::SupplyOne(uint64_t id, RawWindow& out) const {
  if (id == HL_STACK_NONE || id == HL_STACK_LOST || out.stacks.contains(id)) return;
  const auto kept = kept_.find(id);
  if (kept != kept_.end()) out.stacks.emplace(id, kept->second);
}

void StackKeeper::Keep(std::span<const hl_key> live, const RawWindow& out) {
  std::unordered_map<uint64_t, RawStack> keep;
  for (const hl_key& key : live) {
    for (const uint64_t id : {uint64_t{key.kernel_stack}, uint64_t{key.user_stack}}) {
      if (keep.contains(id)) continue;
      if (const auto fresh = out.stacks.find(id); fresh != out.stacks.end()) {
        keep.emplace(id, fresh->second);
      } else if (const auto kept = kept_.find(id); kept != kept_.end()) {
        keep.emplace(id, kept->second);
      }
    }
  }
  kept_ = std::move(keep);
}

}  // namespace hotlatch::agent

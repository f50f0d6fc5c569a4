#include "tests/bench/bpf_stats.h"

#include <bpf/bpf.h>

#include <algorithm>
#include <cerrno>

namespace hotlatch {

std::map<uint32_t, BpfStats::Totals> BpfStats::ReadAll() {
  std::map<uint32_t, Totals> out;
  for (uint32_t id = 0; bpf_prog_get_next_id(id, &id) == 0;) {
    const UniqueFd fd(bpf_prog_get_fd_by_id(id));
    bpf_prog_info info{};
    uint32_t size = sizeof info;
    if (fd.valid() && bpf_obj_get_info_by_fd(fd.get(), &info, &size) == 0) {
      out[id] = {info.name, info.run_cnt, info.run_time_ns};
    }
  }
  return out;
}

Result<BpfStats> BpfStats::Enable() {
  BpfStats stats;
  stats.switch_ = UniqueFd(bpf_enable_stats(BPF_STATS_RUN_TIME));
  if (!stats.switch_.valid()) return ErrnoError(errno, "switching BPF statistics on");
  stats.before_ = ReadAll();
  stats.start_ = std::chrono::steady_clock::now();
  return stats;
}

Result<std::vector<ProgramCost>> BpfStats::Take() const {
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  std::vector<std::pair<uint64_t, ProgramCost>> ranked;
  for (const auto& [id, now] : ReadAll()) {
    const auto known = before_.find(id);
    const Totals before = known == before_.end() ? Totals{} : known->second;
    const uint64_t runs = now.runs - before.runs;
    const uint64_t run_ns = now.run_ns - before.run_ns;
    if (runs == 0) continue;
    ranked.push_back({run_ns,
                      {now.name, static_cast<double>(runs) / seconds,
                       static_cast<double>(run_ns) / static_cast<double>(runs)}});
  }
  std::sort(ranked.begin(), ranked.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<ProgramCost> out;
  out.reserve(ranked.size());
  for (auto& [run_ns, cost] : ranked) out.push_back(std::move(cost));
  return out;
}

}  // namespace hotlatch

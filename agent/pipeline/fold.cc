#include "agent/pipeline/fold.h"

#include <array>

#include "agent/pipeline/tables.h"

namespace hotlatch::agent {
namespace {

const ProcessNames kNobody = {"unknown", "", "unknown"};

}  // namespace

// From the hook to our program: raw tracepoint glue, the program itself, the helper that takes the stack.
bool IsProbeFrame(std::string_view function) {
  static constexpr std::array<std::string_view, 6> kPrefixes = {"bpf_prog_",     "bpf_trace_run",
                                                                "__bpf_trace_",  "__traceiter_",
                                                                "bpf_get_stack", "bpf_trampoline_"};
  for (const std::string_view prefix : kPrefixes) {
    if (function.starts_with(prefix)) return true;
  }
  return false;
}

WindowFold::WindowFold(const RawWindow& raw, Symbolizer& symbolizer, GenericEngine& engine,
                       v1::Window& out)
    : raw_(raw),
      symbolizer_(symbolizer),
      engine_(engine),
      out_(out),
      dictionary_(out.mutable_dictionary()) {}

void WindowFold::Run() {
  symbolizer_.BeginWindow();
  // Parents first: an ended child takes its parent's service.
  for (const auto& [pid, process] : raw_.processes) OwnerOf(pid);
  for (const RawProfile& profile : raw_.profiles) FoldProfile(profile);
  FoldProcesses();
  FoldResidency();
  FoldWakes();
  FoldFidelity();
  engine_.ForgetUnused();
}

const WindowFold::Owner& WindowFold::OwnerOf(uint32_t pid) {
  const auto known = owners_.find(pid);
  if (known != owners_.end()) return known->second;
  Owner owner{0, 0, &kNobody};
  const auto process = raw_.processes.find(pid);
  if (process != raw_.processes.end()) {
    const RawProcess& raw = process->second;
    owner.start_time_ns = raw.start_time_ns;
    owner.parent_pid = raw.parent_pid;
    owner.names = &engine_.Describe({raw.pid, raw.parent_pid, raw.start_time_ns,
                                     (raw.flags & HL_KEY_KERNEL_THREAD) != 0, raw.comm});
  } else {
    owners_unknown_++;
  }
  return owners_.emplace(pid, owner).first->second;
}

uint32_t WindowFold::Marker(std::string_view text) {
  return dictionary_.Frame(text, 0, 0, v1::FRAME_KIND_MARKER);
}

uint32_t WindowFold::KernelFrame(uint64_t pc, bool leaf) {
  const uint64_t cache_key = pc << 1U | static_cast<uint64_t>(leaf);
  if (const auto known = kernel_frames_.find(cache_key); known != kernel_frames_.end()) {
    return known->second;
  }
  const ResolvedFrame frame = symbolizer_.Kernel(pc, !leaf);
  frames_++;
  if (frame.name.empty()) frames_unknown_++;
  const uint32_t index =
      dictionary_.Frame(frame.name, dictionary_.Module(frame.module, frame.build_id), frame.offset,
                        v1::FRAME_KIND_KERNEL);
  kernel_frames_.emplace(cache_key, index);
  return index;
}

uint32_t WindowFold::UserFrame(uint32_t pid, uint64_t pc, bool leaf) {
  FrameCache& cache = user_frames_[pid];
  const uint64_t cache_key = pc << 1U | static_cast<uint64_t>(leaf);
  if (const auto known = cache.find(cache_key); known != cache.end()) return known->second;
  const Owner& owner = OwnerOf(pid);
  const ResolvedFrame frame =
      symbolizer_.User(pid, owner.start_time_ns, owner.parent_pid, pc, !leaf);
  frames_++;
  if (frame.name.empty()) frames_unknown_++;
  const uint32_t index =
      frame.mapped ? dictionary_.Frame(frame.name, dictionary_.Module(frame.module, frame.build_id),
                                       frame.offset, v1::FRAME_KIND_USER)
                   : kNoFrame;
  cache.emplace(cache_key, index);
  return index;
}

uint32_t WindowFold::AppendKernel(uint64_t id, std::vector<uint32_t>& frames) {
  if (id == HL_STACK_NONE) return v1::STACK_FLAG_NONE;
  const auto stack = raw_.stacks.find(id);
  if (id == HL_STACK_LOST || stack == raw_.stacks.end()) {
    if (id != HL_STACK_LOST) stacks_unknown_++;
    frames.push_back(Marker("[kernel stack lost]"));
    return v1::STACK_FLAG_LOST;
  }
  bool leaf = true;
  bool probe_part = true;
  for (const uint64_t pc : stack->second.pcs) {
    const uint32_t frame = KernelFrame(pc, leaf);
    const auto& name = out_.dictionary().strings(
        static_cast<int>(out_.dictionary().frame_name(static_cast<int>(frame))));
    leaf = false;
    probe_part = probe_part && IsProbeFrame(name);
    if (!probe_part) frames.push_back(frame);
  }
  return stack->second.truncated ? v1::STACK_FLAG_TRUNCATED : v1::STACK_FLAG_NONE;
}

uint32_t WindowFold::AppendUser(const hl_key& key, std::vector<uint32_t>& frames) {
  if ((key.flags & HL_KEY_KERNEL_THREAD) != 0) return v1::STACK_FLAG_NONE;
  if (key.user_stack == HL_STACK_NONE) return v1::STACK_FLAG_USER_MISSING;
  const auto stack = raw_.stacks.find(key.user_stack);
  if (key.user_stack == HL_STACK_LOST || stack == raw_.stacks.end()) {
    if (key.user_stack != HL_STACK_LOST) stacks_unknown_++;
    frames.push_back(Marker("[user stack lost]"));
    return v1::STACK_FLAG_LOST;
  }
  bool leaf = true;
  for (const uint64_t pc : stack->second.pcs) {
    const uint32_t frame = UserFrame(key.tgid, pc, leaf);
    // A chain of frame pointers that left the code was broken before: what follows is no caller either.
    if (frame == kNoFrame) {
      // The leaf is no guess: there the mappings are not known, of a process that ended before it was read.
      frames.push_back(Marker(leaf ? "[unknown mapping]" : "[unknown caller]"));
      return v1::STACK_FLAG_NO_ROOT;
    }
    frames.push_back(frame);
    leaf = false;
  }
  return stack->second.truncated ? v1::STACK_FLAG_TRUNCATED : v1::STACK_FLAG_NONE;
}

uint32_t WindowFold::StackOf(const hl_key& key) {
  const std::tuple cache_key{uint64_t{key.kernel_stack}, uint64_t{key.user_stack},
                             uint32_t{key.tgid}};
  if (const auto known = stacks_.find(cache_key); known != stacks_.end()) return known->second;
  std::vector<uint32_t> frames;
  uint32_t flags = AppendKernel(key.kernel_stack, frames);
  flags |= AppendUser(key, frames);
  const uint32_t index = dictionary_.Stack(frames, flags);
  stacks_.emplace(cache_key, index);
  return index;
}

void WindowFold::FoldProfile(const RawProfile& raw) {
  const auto columns = raw.descriptor->values;
  std::map<std::pair<uint32_t, uint32_t>, std::array<uint64_t, kMaxValues>> rows;
  for (const RawRow& row : raw.rows) {
    const ProcessNames& names = *OwnerOf(row.key.tgid).names;
    const uint32_t dims = dictionary_.Dimensions(
        {names.service, names.role, "", "", static_cast<int32_t>(row.key.node)});
    auto& sums = rows[{dims, StackOf(row.key)}];
    for (size_t i = 0; i < columns.size(); i++) sums[i] += row.values[i];
  }
  v1::Profile& profile = *out_.add_profiles();
  profile.set_name(std::string(raw.descriptor->name));
  profile.set_event(raw.event);
  profile.set_sample_rate_hz(raw.sample_rate_hz);
  for (const ValueDescriptor& column : columns) {
    v1::ValueColumn& values = *profile.add_values();
    values.set_name(std::string(column.name));
    values.set_unit(std::string(column.unit));
  }
  for (const auto& [where, sums] : rows) {
    profile.add_dims(where.first);
    profile.add_stack(where.second);
    for (size_t i = 0; i < columns.size(); i++) {
      profile.mutable_values(static_cast<int>(i))->add_values(sums[i]);
    }
  }
}

void WindowFold::FoldProcesses() {
  ProcessTable table(dictionary_, *out_.add_tables());
  for (const auto& [pid, process] : raw_.processes) {
    const auto switches = raw_.switches.find(pid);
    table.Add(process, *OwnerOf(pid).names,
              switches == raw_.switches.end() ? RawSwitches{} : switches->second);
  }
  // Switched, but known neither alive nor ended: it still counts.
  for (const auto& [pid, switches] : raw_.switches) {
    if (raw_.processes.contains(pid)) continue;
    RawProcess process;
    process.pid = pid;
    table.Add(process, *OwnerOf(pid).names, switches);
  }
}

void WindowFold::FoldResidency() {
  ResidencyTable table(*out_.add_tables());
  for (const auto& [where, ns] : raw_.oncpu_ns) table.Add(where.first, where.second, ns);
}

void WindowFold::FoldWakes() {
  WakerTable table(dictionary_, *out_.add_tables());
  for (const RawWake& wake : raw_.wakes) {
    const ProcessNames& woken = *OwnerOf(wake.pid).names;
    static const ProcessNames interrupt = {"[interrupt]", "", ""};
    const ProcessNames& waker =
        wake.waker_kind == "task" ? *OwnerOf(wake.waker_pid).names : interrupt;
    table.Add(woken, waker, wake.waker_kind, wake.count);
  }
  table.Finish();
}

void WindowFold::FoldFidelity() {
  v1::Fidelity& fidelity = *out_.mutable_fidelity();
  const auto add_loss = [&](std::string_view stage, std::string_view probe, std::string_view reason,
                            uint64_t count) {
    if (count == 0) return;
    v1::Loss& loss = *fidelity.add_losses();
    loss.set_stage(std::string(stage));
    loss.set_probe(std::string(probe));
    loss.set_reason(std::string(reason));
    loss.set_count(count);
  };
  for (const RawLoss& loss : raw_.losses) add_loss("kernel", loss.probe, loss.reason, loss.count);
  add_loss("drain", "process", "owner_unknown", owners_unknown_);
  add_loss("drain", "switch", "stack_unknown", stacks_unknown_);
  const auto add_counter = [&](std::string_view name, std::string_view unit, uint64_t value) {
    v1::Counter& counter = *fidelity.add_counters();
    counter.set_name(std::string(name));
    counter.set_unit(std::string(unit));
    counter.set_value(value);
  };
  for (const RawCounter& counter : raw_.counters) {
    add_counter(counter.name, counter.unit, counter.value);
  }
  add_counter("symbols.frames", "count", frames_);
  add_counter("symbols.frames_unknown", "count", frames_unknown_);
  add_counter("symbols.unmapped", "count", symbolizer_.unknown_mappings());
}

}  // namespace hotlatch::agent

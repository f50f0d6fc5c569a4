// Folds a RawWindow (process ids, raw addresses) into a v1::Window (services, named frames). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/engine/generic.h"
#include "agent/pipeline/dictionary.h"
#include "agent/symbols/symbolizer.h"
#include "hotlatch/v1/window.pb.h"
#include "probes/raw_window.h"

namespace hotlatch::agent {

class WindowFold {
 public:
  // All outlive this; out is empty.
  WindowFold(const RawWindow& raw, Symbolizer& symbolizer, GenericEngine& engine, v1::Window& out);

  // Fills profiles, tables, dictionary and fidelity of the window.
  void Run();

 private:
  struct Owner {  // a process's identity for its rows
    uint64_t start_time_ns = 0;
    uint32_t parent_pid = 0;
    const ProcessNames* names = nullptr;
  };
  static constexpr uint32_t kNoFrame = UINT32_MAX;
  using FrameCache = std::unordered_map<uint64_t, uint32_t>;  // pc -> frame, leaf and callers apart

  const Owner& OwnerOf(uint32_t pid);
  uint32_t StackOf(const hl_key& key);
  uint32_t AppendKernel(uint64_t id, std::vector<uint32_t>& frames);
  uint32_t AppendUser(const hl_key& key, std::vector<uint32_t>& frames);
  uint32_t KernelFrame(uint64_t pc, bool leaf);
  uint32_t UserFrame(uint32_t pid, uint64_t pc, bool leaf);  // kNoFrame: no code is there
  uint32_t Marker(std::string_view text);

  void FoldProfile(const RawProfile& raw);
  void FoldProcesses();
  void FoldResidency();
  void FoldWakes();
  void FoldFidelity();

  const RawWindow& raw_;
  Symbolizer& symbolizer_;
  GenericEngine& engine_;
  v1::Window& out_;
  DictionaryBuilder dictionary_;
  std::unordered_map<uint32_t, Owner> owners_;
  FrameCache kernel_frames_;
  std::unordered_map<uint32_t, FrameCache> user_frames_;                 // by pid
  std::map<std::tuple<uint64_t, uint64_t, uint32_t>, uint32_t> stacks_;  // kernel, user, pid
  uint64_t frames_ = 0, frames_unknown_ = 0, owners_unknown_ = 0, stacks_unknown_ = 0;
};

// True for the frames that our own programs put on top of a kernel stack.
bool IsProbeFrame(std::string_view function);

}  // namespace hotlatch::agent

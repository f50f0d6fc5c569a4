// From the index spaces of one window to the ids of the store. Shared by all windows of a store;
// the memos of one window live in a WindowIds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/store/intern_table.h"
#include "collector/store/sqlite_db.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::collector {

// The store's tables of strings, modules, frames, stacks, dimension sets and profile shapes.
struct DictionaryWriter {
  static Result<std::unique_ptr<DictionaryWriter>> Open(Database& db);
  void ForgetCaches();

  InternTable strings, modules, frames, stacks, dims, shapes;
};

// Ids of one window's entries, interned when first asked for: what no row uses is not stored. An
// index that is out of range is kInvalid, whatever checked the window before. window must outlive
// it.
class WindowIds {
 public:
  // epoch: hour of the window's end.
  static Result<WindowIds> Make(DictionaryWriter& writer, const v1::Window& window, int64_t epoch);

  Result<int64_t> String(uint32_t index);
  Result<int64_t> Stack(uint32_t index);
  Result<int64_t> Dims(uint32_t index);
  // The set with no labels, for a profile without rows.
  Result<int64_t> NoDims();
  // Name, event, rate and columns of a profile.
  Result<int64_t> Shape(const v1::Profile& profile);
  Result<int64_t> Text(const std::string& text);

 private:
  WindowIds(DictionaryWriter& writer, const v1::Window& window, int64_t epoch);
  Result<int64_t> Module(uint32_t index);
  Result<int64_t> Frame(uint32_t index);
  Result<std::string> StackFrames(uint32_t index);

  DictionaryWriter* writer_;
  const v1::Dictionary* dictionary_;
  int64_t epoch_;
  std::vector<size_t> stack_begin_;  // in stack_frames; one more than there are stacks
  std::vector<int64_t> strings_, modules_, frames_, stacks_, dims_;  // 0 = not asked for yet
};

}  // namespace hotlatch::collector

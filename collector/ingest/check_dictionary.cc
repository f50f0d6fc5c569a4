#include "collector/ingest/check_dictionary.h"

#include <string>

#include "collector/ingest/check.h"
#include "collector/ingest/check_text.h"

namespace hotlatch::collector {
namespace {

template <typename Column>
Result<void> CheckLength(const Column& column, int length, const char* field, const char* like) {
  if (column.size() == length) return {};
  return FieldError(
      field, -1,
      std::to_string(column.size()) + " entries, " + like + " has " + std::to_string(length));
}

template <typename Column>
Result<void> CheckIndices(const Column& column, int size, const char* field, const char* what) {
  for (int i = 0; i < column.size(); ++i) {
    if (column[i] < static_cast<uint32_t>(size)) continue;
    return FieldError(
        field, i,
        std::to_string(column[i]) + " is beyond the " + std::to_string(size) + " " + what);
  }
  return {};
}

Result<void> CheckStrings(const v1::Dictionary& d) {
  RETURN_IF_ERROR(CheckCount(d.strings_size(), kMaxStrings, "dictionary.strings"));
  if (d.strings_size() > 0 && !d.strings(0).empty()) {
    return FieldError("dictionary.strings", 0, "must be empty");
  }
  for (int i = 0; i < d.strings_size(); ++i) {
    RETURN_IF_ERROR(CheckText(d.strings(i), kMaxStringBytes, "dictionary.strings", i));
  }
  return {};
}

Result<void> CheckModules(const v1::Dictionary& d) {
  const int modules = d.module_path_size();
  RETURN_IF_ERROR(CheckCount(modules, kMaxModules, "dictionary.module_path"));
  RETURN_IF_ERROR(
      CheckLength(d.module_build_id(), modules, "dictionary.module_build_id", "module_path"));
  const int strings = d.strings_size();
  RETURN_IF_ERROR(CheckIndices(d.module_path(), strings, "dictionary.module_path", "strings"));
  RETURN_IF_ERROR(
      CheckIndices(d.module_build_id(), strings, "dictionary.module_build_id", "strings"));
  for (int i = 0; i < modules; ++i) {
    const std::string& id = d.strings(static_cast<int>(d.module_build_id(i)));
    if (id.size() > 128 || id.find_first_not_of("0123456789abcdef") != std::string::npos) {
      return FieldError("dictionary.module_build_id", i, "not lower-case hexadecimal");
    }
  }
  return {};
}

Result<void> CheckFrames(const v1::Dictionary& d) {
  const int frames = d.frame_name_size();
  RETURN_IF_ERROR(CheckCount(frames, kMaxFrames, "dictionary.frame_name"));
  RETURN_IF_ERROR(CheckLength(d.frame_module(), frames, "dictionary.frame_module", "frame_name"));
  RETURN_IF_ERROR(CheckLength(d.frame_offset(), frames, "dictionary.frame_offset", "frame_name"));
  RETURN_IF_ERROR(CheckLength(d.frame_kind(), frames, "dictionary.frame_kind", "frame_name"));
  RETURN_IF_ERROR(
      CheckIndices(d.frame_name(), d.strings_size(), "dictionary.frame_name", "strings"));
  return CheckIndices(d.frame_module(), d.module_path_size(), "dictionary.frame_module", "modules");
}

Result<void> CheckStacks(const v1::Dictionary& d) {
  const int stacks = d.stack_depth_size();
  RETURN_IF_ERROR(CheckCount(stacks, kMaxStacks, "dictionary.stack_depth"));
  RETURN_IF_ERROR(CheckLength(d.stack_flags(), stacks, "dictionary.stack_flags", "stack_depth"));
  uint64_t sum = 0;
  for (int i = 0; i < stacks; ++i) {
    if (d.stack_depth(i) > kMaxStackDepth) {
      return FieldError("dictionary.stack_depth", i,
                        std::to_string(d.stack_depth(i)) + " frames, more than " +
                            std::to_string(kMaxStackDepth));
    }
    sum += d.stack_depth(i);
  }
  if (stacks > 0 && d.stack_depth(0) != 0) {
    return FieldError("dictionary.stack_depth", 0, "stack 0 must be empty");
  }
  if (sum != static_cast<uint64_t>(d.stack_frames_size())) {
    return FieldError("dictionary.stack_depth", -1,
                      "sum " + std::to_string(sum) + ", stack_frames has " +
                          std::to_string(d.stack_frames_size()));
  }
  return CheckIndices(d.stack_frames(), d.frame_name_size(), "dictionary.stack_frames", "frames");
}

Result<void> CheckDimLabel(const v1::Dictionary& d,
                           const google::protobuf::RepeatedField<uint32_t>& column,
                           const char* field) {
  RETURN_IF_ERROR(CheckLength(column, d.dim_service_size(), field, "dim_service"));
  RETURN_IF_ERROR(CheckIndices(column, d.strings_size(), field, "strings"));
  for (int i = 0; i < column.size(); ++i) {
    const std::string& label = d.strings(static_cast<int>(column[i]));
    if (label.size() <= kMaxNameBytes) continue;
    return FieldError(
        field, i,
        std::to_string(label.size()) + " bytes, more than " + std::to_string(kMaxNameBytes));
  }
  return {};
}

Result<void> CheckDims(const v1::Dictionary& d) {
  RETURN_IF_ERROR(CheckCount(d.dim_service_size(), kMaxDims, "dictionary.dim_service"));
  RETURN_IF_ERROR(CheckDimLabel(d, d.dim_service(), "dictionary.dim_service"));
  RETURN_IF_ERROR(CheckDimLabel(d, d.dim_role(), "dictionary.dim_role"));
  RETURN_IF_ERROR(CheckDimLabel(d, d.dim_database(), "dictionary.dim_database"));
  RETURN_IF_ERROR(CheckDimLabel(d, d.dim_wait(), "dictionary.dim_wait"));
  RETURN_IF_ERROR(
      CheckLength(d.dim_node(), d.dim_service_size(), "dictionary.dim_node", "dim_service"));
  for (int i = 0; i < d.dim_node_size(); ++i) {
    if (d.dim_node(i) >= -1 && d.dim_node(i) <= kMaxNode) continue;
    return FieldError("dictionary.dim_node", i, std::to_string(d.dim_node(i)) + " is no NUMA node");
  }
  return {};
}

}  // namespace

Result<void> CheckDictionary(const v1::Dictionary& dictionary) {
  RETURN_IF_ERROR(CheckStrings(dictionary));
  RETURN_IF_ERROR(CheckModules(dictionary));
  RETURN_IF_ERROR(CheckFrames(dictionary));
  RETURN_IF_ERROR(CheckStacks(dictionary));
  return CheckDims(dictionary);
}

}  // namespace hotlatch::collector

#include "collector/store/dictionary_writer.h"

#include <limits>

#include "collector/store/block_codec.h"

namespace hotlatch::collector {
namespace {

Error OutOfRange(const char* what, uint32_t index) {
  return MakeError(ErrorKind::kInvalid, std::string("dictionary: no ") + what + " " +
                                            std::to_string(index) + "; the window was not checked");
}

// FNV-1a. Only finds candidates: the content is compared as well.
int64_t Hash(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return static_cast<int64_t>(hash);
}

size_t Size(int n) { return static_cast<size_t>(n); }

}  // namespace

Result<std::unique_ptr<DictionaryWriter>> DictionaryWriter::Open(Database& db) {
  auto out = std::make_unique<DictionaryWriter>();
  ASSIGN_OR_RETURN(out->strings, InternTable::Open(db, "strings", {"value"}));
  ASSIGN_OR_RETURN(out->modules, InternTable::Open(db, "modules", {"path", "build_id"}));
  ASSIGN_OR_RETURN(out->frames,
                   InternTable::Open(db, "frames", {"name", "module", "file_offset", "kind"}));
  ASSIGN_OR_RETURN(out->stacks, InternTable::Open(db, "stacks", {"hash", "flags", "frames"}));
  ASSIGN_OR_RETURN(out->dims,
                   InternTable::Open(db, "dims", {"service", "role", "database", "wait", "node"}));
  ASSIGN_OR_RETURN(out->shapes, InternTable::Open(db, "shapes", {"name", "shape"}));
  return out;
}

void DictionaryWriter::ForgetCaches() {
  for (InternTable* table : {&strings, &modules, &frames, &stacks, &dims, &shapes}) {
    table->ForgetCache();
  }
}

WindowIds::WindowIds(DictionaryWriter& writer, const v1::Window& window, int64_t epoch)
    : writer_(&writer), dictionary_(&window.dictionary()), epoch_(epoch) {}

Result<WindowIds> WindowIds::Make(DictionaryWriter& writer, const v1::Window& window,
                                  int64_t epoch) {
  WindowIds ids(writer, window, epoch);
  const v1::Dictionary& d = window.dictionary();
  if (d.module_build_id_size() != d.module_path_size() ||
      d.frame_module_size() != d.frame_name_size() ||
      d.frame_offset_size() != d.frame_name_size() || d.frame_kind_size() != d.frame_name_size() ||
      d.stack_flags_size() != d.stack_depth_size() || d.dim_role_size() != d.dim_service_size() ||
      d.dim_database_size() != d.dim_service_size() || d.dim_wait_size() != d.dim_service_size() ||
      d.dim_node_size() != d.dim_service_size()) {
    return MakeError(ErrorKind::kInvalid,
                     "dictionary: columns of unequal length; the window was not checked");
  }
  ids.stack_begin_.push_back(0);
  for (const uint32_t depth : d.stack_depth()) {
    ids.stack_begin_.push_back(ids.stack_begin_.back() + depth);
  }
  if (ids.stack_begin_.back() != Size(d.stack_frames_size())) {
    return MakeError(
        ErrorKind::kInvalid,
        "dictionary.stack_depth: not the sum of stack_frames; the window was not checked");
  }
  ids.strings_.resize(Size(d.strings_size()));
  ids.modules_.resize(Size(d.module_path_size()));
  ids.frames_.resize(Size(d.frame_name_size()));
  ids.stacks_.resize(Size(d.stack_depth_size()));
  ids.dims_.resize(Size(d.dim_service_size()));
  return ids;
}

Result<int64_t> WindowIds::String(uint32_t index) {
  if (index >= strings_.size()) return OutOfRange("string", index);
  if (strings_[index] == 0) {
    ASSIGN_OR_RETURN(strings_[index], Text(dictionary_->strings(static_cast<int>(index))));
  }
  return strings_[index];
}

Result<int64_t> WindowIds::Text(const std::string& text) {
  return writer_->strings.Intern({{SqlValue::Type::kText, text}}, epoch_);
}

Result<int64_t> WindowIds::Module(uint32_t index) {
  if (index >= modules_.size()) return OutOfRange("module", index);
  if (modules_[index] == 0) {
    const int i = static_cast<int>(index);
    ASSIGN_OR_RETURN(const int64_t path, String(dictionary_->module_path(i)));
    ASSIGN_OR_RETURN(const int64_t build_id, String(dictionary_->module_build_id(i)));
    ASSIGN_OR_RETURN(modules_[index], writer_->modules.Intern({path, build_id}, epoch_));
  }
  return modules_[index];
}

Result<int64_t> WindowIds::Frame(uint32_t index) {
  if (index >= frames_.size()) return OutOfRange("frame", index);
  if (frames_[index] == 0) {
    const int i = static_cast<int>(index);
    ASSIGN_OR_RETURN(const int64_t name, String(dictionary_->frame_name(i)));
    ASSIGN_OR_RETURN(const int64_t module, Module(dictionary_->frame_module(i)));
    const auto offset = static_cast<int64_t>(dictionary_->frame_offset(i));
    ASSIGN_OR_RETURN(frames_[index],
                     writer_->frames.Intern(
                         {name, module, offset, int64_t{dictionary_->frame_kind(i)}}, epoch_));
    if (frames_[index] > std::numeric_limits<uint32_t>::max()) {
      return MakeError(ErrorKind::kExhausted,
                       "store: more than 2^32 frames; shorten the retention");
    }
  }
  return frames_[index];
}

Result<std::string> WindowIds::StackFrames(uint32_t index) {
  std::vector<uint32_t> frames;
  for (size_t at = stack_begin_[index]; at < stack_begin_[index + 1]; ++at) {
    ASSIGN_OR_RETURN(const int64_t id, Frame(dictionary_->stack_frames(static_cast<int>(at))));
    frames.push_back(static_cast<uint32_t>(id));
  }
  return EncodeFrameIds(frames);
}

Result<int64_t> WindowIds::Stack(uint32_t index) {
  if (index >= stacks_.size()) return OutOfRange("stack", index);
  if (stacks_[index] == 0) {
    ASSIGN_OR_RETURN(const std::string frames, StackFrames(index));
    const int64_t flags = dictionary_->stack_flags(static_cast<int>(index));
    ASSIGN_OR_RETURN(
        stacks_[index],
        writer_->stacks.Intern({Hash(frames), flags, {SqlValue::Type::kBlob, frames}}, epoch_));
  }
  return stacks_[index];
}

Result<int64_t> WindowIds::Dims(uint32_t index) {
  if (index >= dims_.size()) return OutOfRange("dimension set", index);
  if (dims_[index] == 0) {
    const int i = static_cast<int>(index);
    ASSIGN_OR_RETURN(const int64_t service, String(dictionary_->dim_service(i)));
    ASSIGN_OR_RETURN(const int64_t role, String(dictionary_->dim_role(i)));
    ASSIGN_OR_RETURN(const int64_t database, String(dictionary_->dim_database(i)));
    ASSIGN_OR_RETURN(const int64_t wait, String(dictionary_->dim_wait(i)));
    ASSIGN_OR_RETURN(dims_[index], writer_->dims.Intern({service, role, database, wait,
                                                         int64_t{dictionary_->dim_node(i)}},
                                                        epoch_));
  }
  return dims_[index];
}

Result<int64_t> WindowIds::NoDims() {
  ASSIGN_OR_RETURN(const int64_t empty, Text(""));
  return writer_->dims.Intern({empty, empty, empty, empty, int64_t{-1}}, epoch_);
}

Result<int64_t> WindowIds::Shape(const v1::Profile& profile) {
  v1::Profile shape;
  shape.set_name(profile.name());
  shape.set_event(profile.event());
  shape.set_sample_rate_hz(profile.sample_rate_hz());
  for (const v1::ValueColumn& column : profile.values()) {
    v1::ValueColumn* out = shape.add_values();
    out->set_name(column.name());
    out->set_unit(column.unit());
  }
  ASSIGN_OR_RETURN(const int64_t name, Text(profile.name()));
  const std::string bytes = shape.SerializeAsString();
  return writer_->shapes.Intern({name, {SqlValue::Type::kBlob, bytes}}, epoch_);
}

}  // namespace hotlatch::collector

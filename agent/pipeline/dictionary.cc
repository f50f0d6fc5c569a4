#include "agent/pipeline/dictionary.h"

namespace hotlatch::agent {
namespace {

constexpr size_t kMaxStringBytes = 1024;

// Length of the well-formed UTF-8 sequence at the front, 0 when there is none (RFC 3629; overlong forms and
// surrogates are refused).
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

void AppendEscaped(std::string& out, unsigned char byte) {
  static constexpr char kDigits[] = "0123456789abcdef";
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

}  // namespace

std::string CleanText(std::string_view text, size_t max_bytes) {
  std::string out;
  while (!text.empty() && out.size() + 4 <= max_bytes) {
    const size_t length = SequenceLength(text);
    const auto first = static_cast<unsigned char>(text[0]);
    // C0, DEL, and C1 (U+0080 to U+009F, encoded C2 80 to C2 9F).
    const bool control =
        first < 0x20 || first == 0x7F ||
        (first == 0xC2 && length == 2 && static_cast<unsigned char>(text[1]) < 0xA0);
    if (length == 0 || control) {
      AppendEscaped(out, first);
      text.remove_prefix(1);
      if (control && length == 2) {
        AppendEscaped(out, static_cast<unsigned char>(text[0]));
        text.remove_prefix(1);
      }
      continue;
    }
    out.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

DictionaryBuilder::DictionaryBuilder(v1::Dictionary* dictionary) : dictionary_(dictionary) {
  String("");
  Module("", "");
  Stack({}, v1::STACK_FLAG_NONE);
}

uint32_t DictionaryBuilder::String(std::string_view text) {
  if (const auto known = strings_.find(text); known != strings_.end()) return known->second;
  const std::string clean = CleanText(text, kMaxStringBytes);
  const auto next = static_cast<uint32_t>(dictionary_->strings_size());
  const auto [it, is_new] = strings_.try_emplace(clean, next);
  if (is_new) dictionary_->add_strings(clean);
  return it->second;
}

uint32_t DictionaryBuilder::Module(std::string_view path, std::string_view build_id) {
  const std::pair key{String(path), String(build_id)};
  const auto next = static_cast<uint32_t>(dictionary_->module_path_size());
  const auto [it, is_new] = modules_.try_emplace(key, next);
  if (is_new) {
    dictionary_->add_module_path(key.first);
    dictionary_->add_module_build_id(key.second);
  }
  return it->second;
}

uint32_t DictionaryBuilder::Frame(std::string_view name, uint32_t module, uint64_t offset,
                                  v1::FrameKind kind) {
  const std::tuple key{String(name), module, offset, static_cast<uint32_t>(kind)};
  const auto next = static_cast<uint32_t>(dictionary_->frame_name_size());
  const auto [it, is_new] = frames_.try_emplace(key, next);
  if (is_new) {
    dictionary_->add_frame_name(std::get<0>(key));
    dictionary_->add_frame_module(module);
    dictionary_->add_frame_offset(offset);
    dictionary_->add_frame_kind(static_cast<uint32_t>(kind));
  }
  return it->second;
}

uint32_t DictionaryBuilder::Stack(std::span<const uint32_t> frames, uint32_t flags) {
  std::vector<uint32_t> key;
  key.reserve(frames.size() + 1);
  key.push_back(flags);
  key.insert(key.end(), frames.begin(), frames.end());
  const auto next = static_cast<uint32_t>(dictionary_->stack_depth_size());
  const auto [it, is_new] = stacks_.try_emplace(std::move(key), next);
  if (is_new) {
    dictionary_->add_stack_depth(static_cast<uint32_t>(frames.size()));
    dictionary_->add_stack_flags(flags);
    for (const uint32_t frame : frames) dictionary_->add_stack_frames(frame);
  }
  return it->second;
}

uint32_t DictionaryBuilder::Dimensions(const DimensionSet& dimensions) {
  const std::tuple key{String(dimensions.service), String(dimensions.role),
                       String(dimensions.database), String(dimensions.wait), dimensions.node};
  const auto next = static_cast<uint32_t>(dictionary_->dim_service_size());
  const auto [it, is_new] = dimensions_.try_emplace(key, next);
  if (is_new) {
    dictionary_->add_dim_service(std::get<0>(key));
    dictionary_->add_dim_role(std::get<1>(key));
    dictionary_->add_dim_database(std::get<2>(key));
    dictionary_->add_dim_wait(std::get<3>(key));
    dictionary_->add_dim_node(dimensions.node);
  }
  return it->second;
}

}  // namespace hotlatch::agent

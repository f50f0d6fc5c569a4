#include "collector/query/tree_builder.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "collector/query/saturate.h"

namespace hotlatch::collector {
namespace {

// About 250 MB with its look-up tables.
constexpr size_t kMaxNodes = 2'000'000;
constexpr size_t kMaxPlaces = 4'000'000;

size_t Mix(uint64_t a, uint64_t b) {
  uint64_t hash = (a ^ (b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccd;
  hash ^= hash >> 33;
  return static_cast<size_t>(hash);
}

Error TooLarge() {
  return MakeError(
      ErrorKind::kExhausted,
      "tree: too many different stacks for one answer; narrow the range or its labels");
}

// [module+0xoffset] with the last part of the module's path.
std::string UnnamedFrame(const StoredFrame& frame) {
  std::string module = frame.module.substr(frame.module.rfind('/') + 1);
  if (module.size() > 2 && module.front() == '[' && module.back() == ']') {
    module = module.substr(1, module.size() - 2);
  }
  if (module.empty()) module = "unknown";
  std::array<char, 24> offset{};
  std::snprintf(offset.data(), offset.size(), "+0x%llx]",
                static_cast<unsigned long long>(frame.offset));
  return "[" + module + offset.data();
}

v1::NodeKind KindOf(uint32_t frame_kind) {
  switch (frame_kind) {
    case v1::FRAME_KIND_KERNEL:
      return v1::NODE_KIND_KERNEL;
    case v1::FRAME_KIND_MARKER:
      return v1::NODE_KIND_MARKER;
    default:
      return v1::NODE_KIND_USER;
  }
}

}  // namespace

size_t TreeBuilder::Hash::operator()(const ChildKey& key) const {
  return Mix((uint64_t{key.parent} << 32) | key.name, (uint64_t{key.module} << 32) | key.kind);
}

size_t TreeBuilder::Hash::operator()(const StackKey& key) const {
  return Mix(key.label_node, key.stack);
}

TreeBuilder::TreeBuilder(Store& store, bool inverted)
    : store_(&store), inverted_(inverted), nodes_(1) {}

Result<uint32_t> TreeBuilder::Child(uint32_t parent, const FrameName& frame) {
  const ChildKey key{parent, frame.name, frame.module, static_cast<uint32_t>(frame.kind)};
  const auto [it, is_new] = children_.emplace(key, static_cast<uint32_t>(nodes_.size()));
  if (!is_new) return it->second;
  if (nodes_.size() >= kMaxNodes) return TooLarge();
  nodes_.push_back({parent, frame.name, frame.module, frame.kind, 0, 0});
  return it->second;
}

Result<uint32_t> TreeBuilder::LabelNode(const std::vector<std::string>& labels) {
  uint32_t node = 0;
  for (const std::string& label : labels) {
    ASSIGN_OR_RETURN(node, Child(node, {strings_.Index(label), 0, v1::NODE_KIND_LABEL}));
  }
  return node;
}

Result<TreeBuilder::FrameName> TreeBuilder::Name(uint32_t frame_id) {
  if (const auto it = names_.find(frame_id); it != names_.end()) return it->second;
  ASSIGN_OR_RETURN(const StoredFrame* frame, store_->Frame(frame_id));
  FrameName name;
  name.name = strings_.Index(frame->name.empty() ? UnnamedFrame(*frame) : frame->name);
  name.module = strings_.Index(frame->module);
  name.kind = KindOf(frame->kind);
  names_.emplace(frame_id, name);
  return name;
}

Result<TreeBuilder::Place> TreeBuilder::PlaceOf(uint32_t label_node, uint64_t stack) {
  const StackKey key{label_node, stack};
  if (const auto it = places_.find(key); it != places_.end()) return it->second;
  if (places_.size() >= kMaxPlaces) return TooLarge();
  ASSIGN_OR_RETURN(const StoredStack* stored, store_->Stack(stack));
  std::vector<uint32_t> frames = stored->frames;
  Place place{label_node, stored->flags};
  if (!inverted_) std::reverse(frames.begin(), frames.end());
  for (const uint32_t frame : frames) {
    ASSIGN_OR_RETURN(const FrameName name, Name(frame));
    ASSIGN_OR_RETURN(place.node, Child(place.node, name));
  }
  if (frames.empty()) {  // the value is there, so its place must be seen
    ASSIGN_OR_RETURN(place.node,
                     Child(label_node, {strings_.Index("[no stack]"), 0, v1::NODE_KIND_MARKER}));
  }
  places_.emplace(key, place);
  return place;
}

Result<void> TreeBuilder::Add(uint32_t label_node, uint64_t stack, uint64_t value) {
  if (value == 0) return {};
  ASSIGN_OR_RETURN(const Place place, PlaceOf(label_node, stack));
  uint64_t& self = nodes_[place.node].self;
  self = SaturatingAdd(self, value);
  const auto add_if = [&](v1::StackFlag flag, uint64_t& sum) {
    if ((place.flags & static_cast<uint32_t>(flag)) != 0) sum = SaturatingAdd(sum, value);
  };
  add_if(v1::STACK_FLAG_TRUNCATED, defects_.truncated);
  add_if(v1::STACK_FLAG_USER_MISSING, defects_.user_missing);
  add_if(v1::STACK_FLAG_LOST, defects_.lost);
  return {};
}

void TreeBuilder::Finish() {
  for (TreeNode& node : nodes_) node.total = node.self;
  for (size_t i = nodes_.size() - 1; i > 0; --i) {
    uint64_t& total = nodes_[nodes_[i].parent].total;
    total = SaturatingAdd(total, nodes_[i].total);
  }
}

}  // namespace hotlatch::collector

#include "collector/cli/tree_render.h"

#include <fmt/format.h>

#include <algorithm>

#include "collector/cli/format.h"

namespace hotlatch::collector {
namespace {

constexpr size_t kPercentWidth = 7;
constexpr size_t kMinNameWidth = 24;  // of a cut line: deep indents give way first

// What a chain does not show.
struct Hidden {
  uint64_t nodes = 0;
  uint64_t total = 0;
  bool of_chain = false;  // some of it is beside nodes of the chain above, not below the last
  bool by_depth = false, by_top = false, by_percent = false;
};

// "0.5" for 0.50, "0.25" for 0.25.
std::string ShortNumber(double value) { return fmt::format("{:g}", value); }

class Renderer {
 public:
  Renderer(const Tree& tree, const TreeView& view, const Screen& screen)
      : tree_(tree), view_(view), screen_(screen) {
    whole_ = view.whole != 0 ? view.whole : tree.root().total;
    for (const ShownNode& node : tree.nodes) {
      value_width_ = std::max(value_width_, DisplayWidth(Value(node.total)));
    }
  }

  std::string Run() {
    std::string title = PadLeft("total", kPercentWidth);
    if (view_.show_self) title += PadLeft("self", kPercentWidth + 1);
    title += "  " + PadLeft("value", value_width_) + "  function [module]";
    out_ = screen_.Painted(Fitted(title, screen_.width), Paint::kBold) + "\n";
    Chain(0, 0, "", "");
    return std::move(out_);
  }

 private:
  std::string Value(uint64_t value) const {
    return view_.per_second_of != 0 ? HumanRate(value, tree_.unit, view_.per_second_of)
                                    : HumanValue(value, tree_.unit);
  }

  bool Visible(const ShownNode& node) const {
    const double percent = 100.0 * static_cast<double>(node.total) /
                           static_cast<double>(std::max<uint64_t>(whole_, 1));
    return node.total != 0 && percent >= view_.min_percent;
  }

  // The children to show; the others go to *hidden. depth is the children's.
  std::vector<uint32_t> Split(const ShownNode& node, uint32_t depth, Hidden* hidden) const {
    std::vector<uint32_t> visible;
    for (const uint32_t child : node.children) {
      const ShownNode& next = tree_.nodes[child];
      const bool too_deep = view_.max_depth != 0 && depth > view_.max_depth;
      const bool too_many = view_.top != 0 && visible.size() >= view_.top;
      if (!too_deep && !too_many && Visible(next)) {
        visible.push_back(child);
        continue;
      }
      ++hidden->nodes;
      hidden->total += next.total;
      hidden->by_depth = hidden->by_depth || too_deep;
      hidden->by_top = hidden->by_top || (!too_deep && Visible(next));
      hidden->by_percent = hidden->by_percent || (!too_deep && !Visible(next));
    }
    return visible;
  }

  // A node, then its only visible child, and so on; then the branches. Depth is bounded by the
  // tree's.
  void Chain(uint32_t index, uint32_t depth, const std::string& first, const std::string& rest) {
    Hidden hidden;
    Node(tree_.nodes[index], first);
    std::vector<uint32_t> visible = Split(tree_.nodes[index], depth + 1, &hidden);
    while (visible.size() == 1) {
      const ShownNode& node = tree_.nodes[visible.front()];
      if (!IsSilent(node)) Node(node, rest);
      // What is hidden so far is beside this node, not below it.
      hidden.of_chain = hidden.nodes != 0;
      ++depth;
      visible = Split(node, depth + 1, &hidden);
    }
    for (size_t i = 0; i < visible.size(); ++i) {
      const bool last = i + 1 == visible.size() && hidden.nodes == 0;
      Chain(visible[i], depth + 1, rest + (last ? "└─ " : "├─ "), rest + (last ? "   " : "│  "));
    }
    if (hidden.nodes != 0) HiddenLine(hidden, rest + "└─ ");
  }

  // A label nobody set, with nothing beside it, needs no line to say so.
  bool IsSilent(const ShownNode& node) const {
    return node.kind == v1::NODE_KIND_LABEL && node.name.empty() &&
           node.total == tree_.nodes[node.parent].total;
  }

  std::string Numbers(uint64_t total, uint64_t self) const {
    std::string text = PadLeft(HumanPercent(total, whole_), kPercentWidth);
    if (view_.show_self) {
      text += PadLeft(self == 0 ? "" : HumanPercent(self, whole_), kPercentWidth + 1);
    }
    return text + "  " + PadLeft(Value(total), value_width_) + "  ";
  }

  void Line(const std::string& numbers, std::string indent, const std::string& text, Paint paint) {
    if (screen_.width != 0) {
      const size_t used = DisplayWidth(numbers);
      const size_t room = screen_.width > used ? screen_.width - used : 1;
      if (DisplayWidth(indent) + kMinNameWidth > room && DisplayWidth(indent) > 3) {
        indent = "…  ";  // deeper than the screen is wide
      }
      const size_t left = room > DisplayWidth(indent) ? room - DisplayWidth(indent) : 1;
      out_ += Fitted(numbers, screen_.width) + indent + screen_.Painted(Fitted(text, left), paint);
    } else {
      out_ += numbers + indent + screen_.Painted(text, paint);
    }
    out_ += "\n";
  }

  void Node(const ShownNode& node, const std::string& indent) {
    std::string text = Escaped(node.name);
    Paint paint = Paint::kPlain;
    switch (node.kind) {
      case v1::NODE_KIND_ROOT:
        text = "all";
        paint = Paint::kBold;
        break;
      case v1::NODE_KIND_LABEL:
        if (text.empty()) text = "(none)";
        paint = Paint::kBold;
        break;
      case v1::NODE_KIND_KERNEL:
        text += " [k]";
        if (node.module.size() > 2 && node.module != "[kernel]" && node.module != "kernel" &&
            node.module != "vmlinux" && node.module != "[kernel.kallsyms]") {
          text += " [" + Escaped(ModuleName(node.module)) + "]";
        }
        paint = Paint::kKernel;
        break;
      case v1::NODE_KIND_USER:
        // An unknown function is named after its module already: [libc.so.6+0x1234].
        if (!node.module.empty() && text.rfind('[', 0) != 0) {
          text += " [" + Escaped(ModuleName(node.module)) + "]";
        }
        break;
      default:
        paint = Paint::kDim;
        break;
    }
    Line(Numbers(node.total, node.self), indent, text, paint);
  }

  // The file name of a path; brackets around a name of the kernel's are ours to print.
  static std::string_view ModuleName(std::string_view module) {
    if (const size_t slash = module.rfind('/'); slash != std::string_view::npos) {
      module.remove_prefix(slash + 1);
    }
    if (module.size() > 2 && module.front() == '[' && module.back() == ']') {
      module = module.substr(1, module.size() - 2);
    }
    return module;
  }

  void HiddenLine(const Hidden& hidden, const std::string& indent) {
    std::string why = hidden.of_chain ? " of this chain" : "";
    const size_t none = why.size();
    if (hidden.by_percent) why += " below " + ShortNumber(view_.min_percent) + " %";
    if (hidden.by_top)
      why += std::string(why.size() == none ? "" : " or") + " after the first " +
             std::to_string(view_.top);
    if (hidden.by_depth)
      why += std::string(why.size() == none ? "" : " or") + " deeper than " +
             std::to_string(view_.max_depth);
    Line(
        Numbers(hidden.total, 0), indent,
        "… " + HumanCount(hidden.nodes) + " more" + why + ": " + HumanPercent(hidden.total, whole_),
        Paint::kDim);
  }

  const Tree& tree_;
  const TreeView& view_;
  const Screen& screen_;
  uint64_t whole_ = 0;
  size_t value_width_ = 5;
  std::string out_;
};

}  // namespace

std::string RenderTree(const Tree& tree, const TreeView& view, const Screen& screen) {
  return Renderer(tree, view, screen).Run();
}

}  // namespace hotlatch::collector

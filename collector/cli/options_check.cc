#include "collector/cli/options_check.h"

#include <re2/re2.h>

#include <algorithm>

namespace hotlatch::collector {
namespace {

Error Bad(std::string text) { return MakeError(ErrorKind::kInvalid, std::move(text)); }

Result<void> CheckRange(CliOptions* o) {
  if (!o->from_text.empty()) {
    ASSIGN_OR_RETURN(o->from, ParseTime(o->from_text));
  }
  if (!o->to_text.empty()) {
    ASSIGN_OR_RETURN(o->to, ParseTime(o->to_text));
  }
  if (o->from && o->to && o->from->relative == o->to->relative && o->from->ns >= o->to->ns) {
    return Bad("--from " + o->from_text + " --to " + o->to_text + ": the range is empty");
  }
  return {};
}

Result<void> CheckBy(CliOptions* o) {
  if (o->by.size() == 1 && (o->by.front() == "none" || o->by.front().empty())) o->by.clear();
  if (o->by.size() > 16) return Bad("--by: at most 16 labels");
  for (const std::string& label : o->by) {
    if (label.empty()) return Bad("--by: an empty label; use none for no groups");
    if (std::count(o->by.begin(), o->by.end(), label) > 1) return Bad("--by: " + label + " twice");
  }
  return {};
}

Result<void> CheckPer(CliOptions* o) {
  if (o->per.empty()) return {};
  if (o->per == "transaction" || o->per == "call") {
    return Bad("--per " + o->per + ": not available yet; use --per second");
  }
  if (o->per != "second") return Bad("--per " + o->per + ": use second");
  o->per_second = true;
  return {};
}

Result<void> CheckRecord(RecordOptions* r) {
  const auto window = ParseTime("-" + r->window);
  constexpr int64_t kSecond = 1'000'000'000;
  if (!window || -window->ns < kSecond || -window->ns > 60 * kSecond) {
    return Bad("--window " + r->window + ": use 1s to 60s");
  }
  r->window_ns = static_cast<uint64_t>(-window->ns);
  return {};
}

}  // namespace

Result<v1::Match> ParseMatch(const std::string& text) {
  const size_t at = text.find_first_of("=!");
  const std::string help =
      "--where " + text + ": use label=value, label!=value, label=~regex or label!~regex";
  if (at == std::string::npos || at == 0) return Bad(help);
  v1::Match match;
  match.set_label(text.substr(0, at));
  const std::string op = text.substr(at, 2);
  size_t skip = 2;
  if (op == "=~") {
    match.set_op(v1::Match::OP_REGEX);
  } else if (op == "!~") {
    match.set_op(v1::Match::OP_NOT_REGEX);
  } else if (op == "!=") {
    match.set_op(v1::Match::OP_NOT_EQUAL);
  } else if (text[at] == '=') {
    match.set_op(v1::Match::OP_EQUAL);
    skip = 1;
  } else {
    return Bad(help);
  }
  match.set_value(text.substr(at + skip));
  if (match.op() == v1::Match::OP_REGEX || match.op() == v1::Match::OP_NOT_REGEX) {
    const re2::RE2 regex(match.value(), re2::RE2::Quiet);
    if (!regex.ok()) return Bad("--where " + text + ": " + regex.error());
  }
  return match;
}

Result<void> CheckOptions(CliOptions* o) {
  RETURN_IF_ERROR(CheckRange(o));
  RETURN_IF_ERROR(CheckBy(o));
  RETURN_IF_ERROR(CheckPer(o));
  if (o->command == "record") return CheckRecord(&o->record);
  if (o->command == "top" && !o->file.empty()) {
    return Bad("top " + o->file + ": a recording does not change; use hotlatch ps or tree with it");
  }
  if (o->function.size() > 4096) return Bad("--function: longer than 4096 bytes");
  return {};
}

}  // namespace hotlatch::collector

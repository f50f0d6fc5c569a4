#include "collector/cli/selection.h"

#include <algorithm>

namespace hotlatch::collector {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kDefaultRangeNs = 300 * kSecondNs;
constexpr int64_t kSlackNs = 70 * kSecondNs;  // the longest window, 60 s, and its way here

Result<int64_t> Anchor(const CommandContext& context) {
  if (!context.answerer->is_recording()) return context.now_unix_ns;
  ASSIGN_OR_RETURN(const v1::HostsResponse hosts, context.answerer->Hosts({}));
  int64_t end = 0;
  for (const v1::Host& host : hosts.hosts()) end = std::max(end, host.last_unix_ns());
  return end;
}

}  // namespace

Result<Asked> AskedRange(const CommandContext& context) {
  const CliOptions& options = *context.options;
  Asked asked;
  asked.now_unix_ns = context.now_unix_ns;
  asked.from_given = options.from.has_value();
  asked.to_given = options.to.has_value();
  const bool recording = context.answerer->is_recording();
  asked.slack_ns = recording ? 0 : kSlackNs;
  int64_t anchor = context.now_unix_ns;
  if ((options.from && options.from->relative) || (options.to && options.to->relative)) {
    ASSIGN_OR_RETURN(anchor, Anchor(context));
  }
  int64_t from = options.from ? options.from->Resolve(anchor) : 0;
  const int64_t to = options.to ? options.to->Resolve(anchor) : 0;
  if (!options.from && !recording) from = (to != 0 ? to : anchor) - kDefaultRangeNs;
  if (from != 0 && to != 0 && from >= to) {
    return MakeError(ErrorKind::kInvalid, "--from " + FormatTime(from) + " --to " + FormatTime(to) +
                                              ": the range is empty");
  }
  asked.selection.set_from_unix_ns(std::max<int64_t>(from, 0));
  asked.selection.set_to_unix_ns(std::max<int64_t>(to, 0));
  for (const v1::Match& match : options.where) *asked.selection.add_where() = match;
  return asked;
}

}  // namespace hotlatch::collector

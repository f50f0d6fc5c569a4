#include "collector/query/profile_shape.h"

#include <spdlog/fmt/fmt.h>

#include "collector/query/text.h"

namespace hotlatch::collector {

Result<ProfileShape> FirstShape(Store& store, const ScanRange& range, const std::string& profile) {
  ProfileShape shape;
  bool found = false;
  // The error that ends the scan early; it is not the caller's.
  const auto scanned =
      store.ScanProfile(range, profile, [&](const ProfileBlock& block) -> Result<void> {
        shape = {block.columns, block.units};
        found = true;
        return MakeError(ErrorKind::kInternal, "seen enough");
      });
  if (found) return shape;
  if (!scanned) return scanned.error();
  ASSIGN_OR_RETURN(const std::vector<std::string> names, store.ProfileNames(range));
  return MakeError(ErrorKind::kNotFound,
                   "profile '" + profile + "': not in this range, which has " + ListText(names));
}

Result<size_t> ChooseColumn(const ProfileShape& shape, const std::string& profile,
                            const std::string& value) {
  for (size_t c = 0; c < shape.columns.size(); ++c) {
    if (value.empty() ? shape.units[c] == "ns" : shape.columns[c] == value) return c;
  }
  if (value.empty() && !shape.columns.empty()) return size_t{0};
  return MakeError(ErrorKind::kInvalid,
                   "value '" + value + "': profile " + profile + " has " + ListText(shape.columns));
}

int FindColumn(const ProfileBlock& block, const std::string& name, const std::string& unit) {
  for (size_t c = 0; c < block.columns.size(); ++c) {
    if (block.columns[c] == name && block.units[c] == unit) return static_cast<int>(c);
  }
  return -1;
}

std::string EventText(const ProfileBlock& block) {
  if (block.sample_rate_hz == 0) return block.event;
  return fmt::format("{}@{:g}", block.event, block.sample_rate_hz);
}

void SetEvents(const std::set<std::string>& events, v1::AnswerInfo* info) {
  for (const std::string& event : events) info->add_events(event);
  if (events.size() > 1) {
    info->add_warnings("different events are added up: " +
                       ListText({events.begin(), events.end()}));
  }
}

}  // namespace hotlatch::collector

// What a profile's columns are, before its rows are read.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

struct ProfileShape {
  std::vector<std::string> columns, units;
};

// Of the profile's first block in the range. kNotFound naming the profiles the range has.
Result<ProfileShape> FirstShape(Store& store, const ScanRange& range, const std::string& profile);

// The column named, or the first with unit ns, else the first. kInvalid naming the columns there
// are.
Result<size_t> ChooseColumn(const ProfileShape& shape, const std::string& profile,
                            const std::string& value);

// Index of the column, -1 when the block does not have it in that unit.
int FindColumn(const ProfileBlock& block, const std::string& name, const std::string& unit);

// cpu-clock@99; sched_switch when nothing is sampled.
std::string EventText(const ProfileBlock& block);

// Adds the events and, where there is more than one, a warning.
void SetEvents(const std::set<std::string>& events, v1::AnswerInfo* info);

}  // namespace hotlatch::collector

// Everything a user can set, in one table: flag, configuration key and help come from the same row.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "agent/base/result.h"
#include "agent/pipeline/pipeline.h"

namespace hotlatch::agent {

struct Options {
  PipelineOptions pipeline;
  std::string collector;
  bool insecure = false;
  std::chrono::nanoseconds window{};
  std::string spool_dir;
  uint64_t spool_max_bytes = 0;
  std::string log_level;
};

enum class OptionShape { kText, kList, kFlag };

struct OptionRow {
  std::string_view name;           // flag without "--" and key in the configuration file
  OptionShape shape;               // kList: comma separated, or an array in the file
  std::string_view default_value;  // "" for flags and for an empty list
  std::string_view group;
  std::string_view help;
  // Checks the text and puts it in its place. kFlag: "true" or "false"; kList: joined by commas.
  Result<void> (*set)(Options& options, const std::string& text);
};

std::span<const OptionRow> OptionTable();

// All rows set to their defaults.
Options DefaultOptions();

// What no row can see alone: a collector beyond this host needs --insecure.
Result<void> CheckTogether(const Options& options);

}  // namespace hotlatch::agent

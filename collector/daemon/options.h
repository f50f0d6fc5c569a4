// What a user can set on a collector, in one table: flag, configuration key and help come from the same
// row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"
#include "agent/base/units.h"
#include "collector/store/store.h"

namespace hotlatch::collector {

struct CollectorOptions {
  Address listen;  // a literal; port 0 = any free one
  std::string data_dir;
  RetentionOptions retention;
  uint64_t max_message_bytes = 0;
  std::string log_level;
  std::string port_file;  // "" = none
};

struct CollectorOptionRow {
  std::string_view name;  // flag without "--" and key in the configuration file
  std::string_view default_value;
  std::string_view help;
  Result<void> (*set)(CollectorOptions& options, const std::string& text);
};

std::span<const CollectorOptionRow> CollectorOptionTable();

struct CollectorCommand {
  bool run = false;  // else text is for stdout
  CollectorOptions options;
  std::string text;
};

// arguments without the program's name. Flags win over the file of --config. Errors are kInvalid.
Result<CollectorCommand> ParseCollectorCommand(const std::vector<std::string>& arguments);

}  // namespace hotlatch::collector

// What a user can set on a collector, in one table: flag, configuration key and help come from the same
// row.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/result.h"
#include "collector/store/store.h"

namespace hotlatch::collector {

struct ListenAddress {
  std::string host;   // a literal without brackets
  uint16_t port = 0;  // 0 = any free one
  bool loopback = false;

  // As gRPC and messages have it: 127.0.0.1:7411, [::1]:7411.
  std::string Text(int real_port) const;
};

struct CollectorOptions {
  ListenAddress listen;
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

// "30d", "12h", "45m", "10s"; 0 = no limit.
Result<int64_t> ParseAgeNs(std::string_view text);
// "10GiB", "512MiB", "64KiB", "100MB"; a bare number is bytes.
Result<uint64_t> ParseSizeBytes(std::string_view text);
// "127.0.0.1:7411", "[::1]:7411", "localhost:7411".
Result<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace hotlatch::collector

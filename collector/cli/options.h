// Every flag of the command line, from one place: parser, help and defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "collector/cli/screen.h"
#include "collector/cli/time_parse.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

enum class OutputFormat { kText, kJson, kCsv, kFolded };

struct RecordOptions {
  std::string output;
  double duration_s = 0;  // 0 = until the command ends or Ctrl-C
  std::string window = "10s";
  uint64_t window_ns = 0;
  double frequency_hz = 99;
  bool force = false;
  bool strict = false;
  std::vector<std::string> probes;
  uint32_t row_map_entries = 0;  // 0 = the pipeline's default
  uint32_t stack_map_entries = 0;
  uint32_t task_map_entries = 0;
  std::vector<std::string> command;
};

struct CliOptions {
  std::string command;  // hosts, status, tree, switches, ps, top, record
  std::string file;     // "" = ask the collector
  std::string server;
  std::string from_text, to_text;
  std::optional<TimePoint> from, to;
  std::vector<v1::Match> where;
  std::vector<std::string> by;  // given with --by
  bool by_given = false;
  std::string profile = "cpu";
  std::string value;
  std::string per;
  bool per_second = false;
  uint32_t top = 0;  // 0 = the command's default
  OutputFormat format = OutputFormat::kText;
  ColorMode color = ColorMode::kAuto;
  size_t width = 0;
  double max_loss_percent = 1;
  // tree
  bool inverted = false;
  double min_percent = 0.5;
  uint32_t max_depth = 0;  // 0 = unlimited
  std::string function;
  // ps, top
  std::string sort;
  double interval_s = 2;
  uint64_t count = 0;  // refreshes; 0 = until q

  RecordOptions record;
};

// What the command line amounts to: options to run, or text to print (help, version) with
// exit_code.
struct ParsedLine {
  CliOptions options;
  bool done = false;
  int exit_code = 0;
  std::string out;   // for stdout
  std::string talk;  // for stderr
};

// args without the program's name. Never prints; usage errors come back as done, exit_code 2.
ParsedLine ParseCommandLine(const std::vector<std::string>& args);

// label=value, label!=value, label=~regex, label!~regex.
Result<v1::Match> ParseMatch(const std::string& text);

}  // namespace hotlatch::collector

#include "agent/daemon/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "agent/base/units.h"

namespace hotlatch::agent {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr uint64_t kMaxMapEntries = 1 << 24;
constexpr uint64_t kMinSpoolBytes = 1 << 20;
constexpr uint64_t kMaxSpoolBytes = 1ULL << 40;

Result<void> SetCollector(Options& options, const std::string& text) {
  const auto address = ParseAddress(text);
  if (!address) return address.error();
  options.collector = text;
  return {};
}

Result<void> SetInsecure(Options& options, const std::string& text) {
  options.insecure = text == "true";
  return {};
}

Result<void> SetWindow(Options& options, const std::string& text) {
  ASSIGN_OR_RETURN(const nanoseconds window, ParseDuration(text));
  if (window < seconds(1) || window > seconds(60)) {
    return MakeError(ErrorKind::kInvalid, fmt::format("'{}': expected 1s to 60s", text));
  }
  options.window = window;
  return {};
}

Result<void> SetFrequency(Options& options, const std::string& text) {
  ASSIGN_OR_RETURN(const uint64_t hz, ParseNumber(text, 1, 1000));
  options.pipeline.cpu_frequency_hz = static_cast<double>(hz);
  return {};
}

Result<void> SetProbes(Options& options, const std::string& text) {
  options.pipeline.probes.clear();
  std::istringstream names(text);
  for (std::string name; std::getline(names, name, ',');) {
    if (name.empty()) return MakeError(ErrorKind::kInvalid, "an empty probe name");
    options.pipeline.probes.push_back(name);
  }
  return {};
}

Result<void> SetStrict(Options& options, const std::string& text) {
  options.pipeline.strict = text == "true";
  return {};
}

Result<void> SetSpoolDir(Options& options, const std::string& text) {
  if (!text.starts_with('/')) {
    return MakeError(ErrorKind::kInvalid, fmt::format("'{}': expected an absolute path", text));
  }
  options.spool_dir = text;
  return {};
}

Result<void> SetSpoolMaxBytes(Options& options, const std::string& text) {
  ASSIGN_OR_RETURN(const uint64_t bytes, ParseBytes(text));
  if (bytes < kMinSpoolBytes || bytes > kMaxSpoolBytes) {
    return MakeError(ErrorKind::kInvalid, fmt::format("'{}': expected 1MiB to 1024GiB", text));
  }
  options.spool_max_bytes = bytes;
  return {};
}

Result<void> SetLogLevel(Options& options, const std::string& text) {
  constexpr std::array<std::string_view, 5> kLevels{"error", "warn", "info", "debug", "trace"};
  if (std::find(kLevels.begin(), kLevels.end(), text) == kLevels.end()) {
    return MakeError(ErrorKind::kInvalid,
                     fmt::format("'{}': expected error, warn, info, debug or trace", text));
  }
  options.log_level = text;
  return {};
}

template <uint32_t PipelineOptions::*kEntries>
Result<void> SetEntries(Options& options, const std::string& text) {
  ASSIGN_OR_RETURN(const uint64_t entries, ParseNumber(text, 1, kMaxMapEntries));
  options.pipeline.*kEntries = static_cast<uint32_t>(entries);
  return {};
}

constexpr auto kText = OptionShape::kText;
constexpr std::string_view kDelivery = "Delivery";
constexpr std::string_view kCapture = "Capture";
constexpr std::string_view kTesting = "Testing";

constexpr auto kTable = std::to_array<OptionRow>({
    {"collector", kText, "127.0.0.1:7411", kDelivery,
     "Where windows go, HOST:PORT. Beyond this host only with --insecure.", SetCollector},
    {"insecure", OptionShape::kFlag, "", kDelivery,
     "Send to another host in clear text, unauthenticated.", SetInsecure},
    {"spool-dir", kText, "/var/lib/hotlatch/spool", kDelivery,
     "Directory of windows not yet stored by the collector; its own, mode 0700.", SetSpoolDir},
    {"spool-max-bytes", kText, "256MiB", kDelivery,
     "Size of the spool; beyond it the oldest windows are dropped and counted.", SetSpoolMaxBytes},
    {"window", kText, "10s", kCapture, "Length of a window, 1s to 60s, aligned to the wall clock.",
     SetWindow},
    {"frequency", kText, "99", kCapture, "CPU samples per second and CPU, 1 to 1000.",
     SetFrequency},
    {"probes", OptionShape::kList, "", kCapture,
     "Probes to attach, as cpu,switch; all where none is named (see --list-probes).", SetProbes},
    {"strict", OptionShape::kFlag, "", kCapture,
     "A probe that cannot be attached ends the agent instead of being reported.", SetStrict},
    {"log-level", kText, "info", "Logging", "error, warn, info, debug or trace; to stderr.",
     SetLogLevel},
    {"row-map-entries", kText, "65536", kTesting,
     "Rows one generation of a kernel map holds; small values provoke loss.",
     SetEntries<&PipelineOptions::row_map_entries>},
    {"stack-map-entries", kText, "16384", kTesting,
     "Stacks one generation of a kernel map holds; small values provoke loss.",
     SetEntries<&PipelineOptions::stack_map_entries>},
    {"task-map-entries", kText, "65536", kTesting,
     "Threads followed at once; small values provoke loss.",
     SetEntries<&PipelineOptions::task_map_entries>},
});

}  // namespace

std::span<const OptionRow> OptionTable() { return kTable; }

Options DefaultOptions() {
  Options options;
  for (const OptionRow& row : kTable) {
    const std::string text(row.shape == OptionShape::kFlag ? "false" : row.default_value);
    if (!row.set(options, text)) std::abort();  // a default our own check refuses
  }
  return options;
}

Result<void> CheckTogether(const Options& options) {
  ASSIGN_OR_RETURN(const Address address, ParseAddress(options.collector));
  if (!address.loopback && !options.insecure) {
    return MakeError(
        ErrorKind::kInvalid,
        fmt::format("--collector {}: is not this host, and windows would travel in clear "
                    "text; run a collector here, use a tunnel, or accept it with "
                    "--insecure",
                    options.collector));
  }
  return {};
}

}  // namespace hotlatch::agent

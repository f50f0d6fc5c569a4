#include "collector/daemon/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>

#include "agent/base/version.h"

namespace hotlatch::collector {
namespace {

constexpr char kExamples[] = R"(Examples:
  hotlatch-collector --data /var/lib/hotlatch/collector
  hotlatch-collector --data /srv/hotlatch --retention-age 7d --retention-bytes 50GiB
  hotlatch-collector --config /etc/hotlatch/collector.toml
  hotlatch-collector --data /tmp/try --listen 127.0.0.1:0 --port-file /tmp/try/port
Exit codes: 0 stopped by a signal, 1 failed, 2 usage.)";

// A blob of the store unpacks to no more.
constexpr uint64_t kMostMessageBytes = 64U << 20;
constexpr uint64_t kLeastMessageBytes = 64U << 10;

Result<void> SetListen(CollectorOptions& options, const std::string& text) {
  const bool by_name = text.starts_with("localhost:");
  ASSIGN_OR_RETURN(options.listen,
                   ParseAddress(by_name ? "127.0.0.1" + text.substr(text.find(':')) : text,
                                /*lowest_port=*/0));
  if (!options.listen.literal) {
    return MakeError(ErrorKind::kInvalid,
                     "'" + text + "': expected ADDRESS:PORT as 127.0.0.1:7411 or [::1]:7411");
  }
  if (options.listen.loopback) return {};
  return MakeError(ErrorKind::kInvalid,
                   "'" + text +
                       "': not a loopback address, and this build has no TLS; listen on "
                       "127.0.0.1 and reach it through a tunnel");
}

Result<void> SetData(CollectorOptions& options, const std::string& text) {
  if (text.empty()) return MakeError(ErrorKind::kInvalid, "'': expected a directory");
  options.data_dir = text;
  return {};
}

Result<void> SetRetentionAge(CollectorOptions& options, const std::string& text) {
  ASSIGN_OR_RETURN(const std::chrono::nanoseconds age, ParseDuration(text));
  options.retention.max_age_ns = age.count();
  return {};
}

Result<void> SetRetentionBytes(CollectorOptions& options, const std::string& text) {
  ASSIGN_OR_RETURN(options.retention.max_bytes, ParseBytes(text));
  return {};
}

Result<void> SetMaxMessage(CollectorOptions& options, const std::string& text) {
  ASSIGN_OR_RETURN(options.max_message_bytes, ParseBytes(text));
  if (options.max_message_bytes >= kLeastMessageBytes &&
      options.max_message_bytes <= kMostMessageBytes) {
    return {};
  }
  return MakeError(ErrorKind::kInvalid, "'" + text + "': expected 64KiB to 64MiB");
}

Result<void> SetLogLevel(CollectorOptions& options, const std::string& text) {
  constexpr std::array<std::string_view, 5> kLevels{"error", "warn", "info", "debug", "trace"};
  options.log_level = text;
  if (std::find(kLevels.begin(), kLevels.end(), text) != kLevels.end()) return {};
  return MakeError(ErrorKind::kInvalid,
                   "'" + text + "': expected error, warn, info, debug or trace");
}

Result<void> SetPortFile(CollectorOptions& options, const std::string& text) {
  options.port_file = text;
  return {};
}

constexpr auto kTable = std::to_array<CollectorOptionRow>({
    {"listen", "127.0.0.1:7411",
     "ADDRESS:PORT for agents and queries, on loopback only; port 0 = any free one.", SetListen},
    {"data", "/var/lib/hotlatch/collector", "Directory of the store; made when it is not there.",
     SetData},
    {"retention-age", "30d", "Windows older than this are dropped; 0 = never.", SetRetentionAge},
    {"retention-bytes", "10GiB",
     "The oldest windows are dropped while the store is larger; 0 = no limit.", SetRetentionBytes},
    {"max-message", "16MiB", "The largest window taken, 64KiB to 64MiB.", SetMaxMessage},
    {"log-level", "info", "error, warn, info, debug or trace; to stderr.", SetLogLevel},
    {"port-file", "", "File that gets the port listened on, once it is.", SetPortFile},
});

void AddRow(CLI::App& app, const CollectorOptionRow& row, CollectorOptions& options) {
  const auto set = [&row, &options](const std::string& text) {
    if (const auto done = row.set(options, text); !done) {
      throw CLI::ValidationError("--" + std::string(row.name), done.error().text);
    }
  };
  app.add_option_function<std::string>("--" + std::string(row.name), set, std::string(row.help))
      ->default_str(std::string(row.default_value))
      ->type_name("VALUE");
}

}  // namespace

std::span<const CollectorOptionRow> CollectorOptionTable() { return kTable; }

Result<CollectorCommand> ParseCollectorCommand(const std::vector<std::string>& arguments) {
  CollectorCommand command;
  for (const CollectorOptionRow& row : kTable) {
    RETURN_IF_ERROR(row.set(command.options, std::string(row.default_value)));
  }
  bool version = false;
  CLI::App app("Stores the windows of agents and answers queries over them.", "hotlatch-collector");
  app.footer(kExamples);
  app.set_config("--config", "", "Settings as TOML, keys as the flags; unknown keys are errors.")
      ->type_name("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  for (const CollectorOptionRow& row : kTable) AddRow(app, row, command.options);
  app.add_flag("--version", version, "Version of the collector.")->configurable(false);
  // CLI11 takes them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    command.text = app.help();
    return command;
  } catch (const CLI::Error& error) {
    return MakeError(ErrorKind::kInvalid,
                     std::string(error.what()) + "; see hotlatch-collector --help");
  }
  command.run = !version;
  if (version) command.text = "hotlatch-collector " + std::string(kVersion) + "\n";
  return command;
}

}  // namespace hotlatch::collector

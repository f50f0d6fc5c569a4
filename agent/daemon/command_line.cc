#include "agent/daemon/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

namespace hotlatch::agent {
namespace {

constexpr const char* kExamples = R"(Examples:
  hotlatch-agent doctor                        what this host can answer, before anything is attached
  hotlatch-agent --check                       attach and detach every probe, then exit
  hotlatch-agent --window 1s --log-level debug
  hotlatch-agent --config /etc/hotlatch/agent.toml
  hotlatch-agent --print-config > agent.toml   the settings in effect, as a file for --config
Exit codes: 0 done, 1 failed, 2 usage.)";

struct Switches {
  bool check = false;
  bool list_probes = false;
  bool version = false;
  bool print_config = false;
};

void AddRow(CLI::App& app, const OptionRow& row, Options& options) {
  const auto set = [&row, &options](const std::string& text) {
    if (const auto done = row.set(options, text); !done) {
      throw CLI::ValidationError("--" + std::string(row.name), done.error().text);
    }
  };
  const std::string flag = "--" + std::string(row.name);
  const std::string help(row.help);
  CLI::Option* option = nullptr;
  switch (row.shape) {
    case OptionShape::kFlag:
      option = app.add_flag_function(
          flag, [set](int64_t count) { set(count > 0 ? "true" : "false"); }, help);
      break;
    case OptionShape::kList:
      option = app.add_option_function<std::vector<std::string>>(
                      flag,
                      [set](const std::vector<std::string>& texts) {
                        set(fmt::format("{}", fmt::join(texts, ",")));
                      },
                      help)
                   ->delimiter(',')
                   ->allow_extra_args(false)
                   ->type_name("NAME,...");
      break;
    case OptionShape::kText:
      option = app.add_option_function<std::string>(flag, set, help)
                   ->default_str(std::string(row.default_value))
                   ->type_name("VALUE");
      break;
  }
  option->group(std::string(row.group));
}

void AddSwitches(CLI::App& app, Switches& switches) {
  const auto add = [&app](const char* flag, bool& value, const char* help) {
    app.add_flag(flag, value, help)->group("Instead of running")->configurable(false);
  };
  add("--check", switches.check, "Open, load, attach and detach every probe; one line per probe.");
  add("--list-probes", switches.list_probes, "Names of the probes and what they tell.");
  add("--version", switches.version, "Versions of the agent, libbpf and the kernel.");
  add("--print-config", switches.print_config, "The settings in effect, as TOML.");
}

Result<void> CheckProbes(const Options& options, const std::vector<ProbeInfo>& known) {
  for (const std::string& name : options.pipeline.probes) {
    const bool found = std::any_of(known.begin(), known.end(),
                                   [&](const ProbeInfo& probe) { return probe.name == name; });
    if (!found) {
      return MakeError(ErrorKind::kInvalid,
                       fmt::format("--probes '{}': no such probe; see --list-probes", name));
    }
  }
  return {};
}

Action ChosenAction(const Switches& switches, bool doctor) {
  if (doctor) return Action::kDoctor;
  if (switches.version) return Action::kVersion;
  if (switches.list_probes) return Action::kListProbes;
  if (switches.print_config) return Action::kPrint;
  return switches.check ? Action::kCheck : Action::kRun;
}

}  // namespace

Result<Command> ParseCommandLine(const std::vector<std::string>& arguments,
                                 const std::vector<ProbeInfo>& known_probes) {
  Command command;
  command.options = DefaultOptions();
  Switches switches;
  CLI::App app("Profiles this host in the kernel and streams windows to a collector.",
               "hotlatch-agent");
  app.footer(kExamples);
  app.set_config("--config", "", "Settings as TOML, keys as the flags; unknown keys are errors.")
      ->type_name("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);
  for (const OptionRow& row : OptionTable()) AddRow(app, row, command.options);
  AddSwitches(app, switches);
  CLI::App* doctor =
      app.add_subcommand("doctor", "What this host can answer, and what to do else.");
  doctor->configurable(false);
  doctor->add_flag("--json", command.json, "As JSON.")->configurable(false);

  // CLI11 takes them last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    const bool of_doctor = app.got_subcommand(doctor);
    command.action = Action::kPrint;
    command.text = of_doctor ? doctor->help() : app.help();
    return command;
  } catch (const CLI::ConfigError& error) {
    // CLI11's words for an unknown key, whatever the format of the file is.
    constexpr std::string_view kUnknownKey = "INI was not able to parse ";
    std::string what = error.what();
    if (what.starts_with(kUnknownKey)) {
      what = fmt::format("'{}' is no setting", what.substr(kUnknownKey.size()));
    }
    return MakeError(ErrorKind::kInvalid,
                     fmt::format("--config: {}; see hotlatch-agent --print-config", what));
  } catch (const CLI::Error& error) {
    return MakeError(ErrorKind::kInvalid,
                     fmt::format("{}; see hotlatch-agent --help", error.what()));
  }
  command.action = ChosenAction(switches, app.got_subcommand(doctor));
  RETURN_IF_ERROR(CheckProbes(command.options, known_probes));
  RETURN_IF_ERROR(CheckTogether(command.options));
  if (command.action == Action::kPrint) command.text = app.config_to_str(true, true);
  return command;
}

}  // namespace hotlatch::agent

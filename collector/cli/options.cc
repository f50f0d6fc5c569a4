#include "collector/cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <utility>

#include "agent/base/version.h"
#include "collector/cli/format.h"
#include "collector/cli/help_text.h"
#include "collector/cli/options_check.h"

namespace hotlatch::collector {
namespace {

// Raw values that need a second look after the parser is through.
struct RawOptions {
  std::vector<std::string> where;
  std::string color = "auto";
  bool json = false, csv = false, folded = false;
};

std::optional<ColorMode> ColorModeOf(const std::string& text) {
  if (text == "auto") return ColorMode::kAuto;
  if (text == "always") return ColorMode::kAlways;
  if (text == "never") return ColorMode::kNever;
  return std::nullopt;
}

// Limits that the help need not repeat in type names; an error names them.
template <typename Number>
CLI::Validator Bounded(Number least, Number most) {
  return CLI::Range(least, most).description("");
}

void AddSource(CLI::App* app, CliOptions* o) {
  app->add_option("FILE", o->file, "Recording to ask; without it the collector answers")
      ->type_name("");
  app->add_option("--server", o->server, "Collector to ask")
      ->envname("HOTLATCH_SERVER")
      ->type_name("ADDRESS")
      ->capture_default_str();
}

void AddRange(CLI::App* app, CliOptions* o, RawOptions* raw) {
  app->add_option("--from", o->from_text,
                  "Start: RFC 3339, -15m, -2h30m or now; offsets count from now, in a recording "
                  "from its end. Default: all of a recording, the last 5 minutes of a collector")
      ->type_name("T");
  app->add_option("--to", o->to_text, "End, as --from. Default: the newest window")->type_name("T");
  app->add_option("--where", raw->where,
                  "Only rows with label=value, label!=value, label=~regex or label!~regex; "
                  "repeatable. Labels: host, service, role, database, wait, node")
      ->type_name("MATCH")
      ->allow_extra_args(false);
}

// Which formats a command's answer fits besides text.
void AddOutput(CLI::App* app, const std::string& name, CliOptions* o, RawOptions* raw) {
  const bool json = name != "top";
  const bool csv = name == "hosts" || name == "ps" || name == "switches";
  const bool folded = name == "tree";
  if (json) app->add_flag("--json", raw->json, "Answer as JSON: query, from, to, fidelity, rows");
  if (csv) app->add_flag("--csv", raw->csv, "Rows as CSV with a header line");
  if (folded) app->add_flag("--folded", raw->folded, "service;role;frame;frame… VALUE, root first");
  app->add_option("--color", raw->color, "auto (default; NO_COLOR is obeyed), always or never")
      ->type_name("WHEN");
  app->add_option("--width", o->width,
                  "Columns of the output. Default: the terminal's; not cut else")
      ->type_name("N")
      ->check(Bounded(20, 10000));
  app->add_option("--max-loss", o->max_loss_percent,
                  "Exit 3 when a probe lost more than this share of its events")
      ->type_name("PERCENT")
      ->check(Bounded(0.0, 100.0))
      ->capture_default_str();
}

void AddGrouping(CLI::App* app, CliOptions* o) {
  app->add_option("--by", o->by, "Labels to group by, outermost first; none = no groups")
      ->type_name("LABEL,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  app->add_option("--per", o->per, "Values per second of the time covered")->type_name("second");
  app->add_option("--top", o->top, "At most N rows; in a tree N children of a node")
      ->type_name("N")
      ->check(Bounded(1, 1000000));
}

void AddTreeCuts(CLI::App* app, CliOptions* o) {
  app->add_option("--min-percent", o->min_percent, "Hide what is below this share of the total")
      ->type_name("PERCENT")
      ->check(Bounded(0.0, 100.0))
      ->capture_default_str();
  app->add_option("--max-depth", o->max_depth, "Levels below the root; default unlimited")
      ->type_name("N")
      ->check(Bounded(1, 4096));
  app->add_option("--value", o->value, "Value column to show; see the command's notes")
      ->type_name("COLUMN");
}

void AddTree(CLI::App* app, CliOptions* o) {
  app->add_option("--profile", o->profile, "cpu, offcpu or runqueue")
      ->type_name("NAME")
      ->capture_default_str();
  app->add_flag("--inverted", o->inverted, "Callers below the function instead of callees");
  app->add_option("--function", o->function,
                  "Only the functions of this name (or whole-name RE2 regex); with --inverted who "
                  "calls them, else what they call")
      ->type_name("NAME");
}

void AddTop(CLI::App* app, CliOptions* o) {
  app->add_option("--interval", o->interval_s, "Seconds between refreshes")
      ->type_name("S")
      ->check(Bounded(0.1, 3600.0))
      ->capture_default_str();
  app->add_option("--count", o->count, "Leave after N refreshes; default: when q is pressed")
      ->type_name("N");
}

void AddRecord(CLI::App* app, RecordOptions* r) {
  app->add_option("-o,--output", r->output, "Recording to write")->type_name("FILE")->required();
  app->add_option("-d,--duration", r->duration_s, "Seconds; default: until COMMAND ends or Ctrl-C")
      ->type_name("SECONDS")
      ->check(Bounded(0.1, 1e7));
  app->add_option("--window", r->window, "Length of a window, 1s to 60s")
      ->type_name("LENGTH")
      ->capture_default_str();
  app->add_option("--frequency", r->frequency_hz, "CPU samples per second and CPU")
      ->type_name("HZ")
      ->check(Bounded(1.0, 10000.0))
      ->capture_default_str();
  app->add_flag("--force", r->force, "Overwrite FILE");
  app->add_option("--probe", r->probes, "Only this probe; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app->add_flag("--strict", r->strict, "Fail when a probe cannot attach");
  const auto entries = Bounded(1U, 1U << 24U);
  app->add_option("--row-map-entries", r->row_map_entries, "Rows one window has room for")
      ->check(entries)
      ->group("Testing");
  app->add_option("--stack-map-entries", r->stack_map_entries, "Stacks one window has room for")
      ->check(entries)
      ->group("Testing");
  app->add_option("--task-map-entries", r->task_map_entries, "Tasks there is room for")
      ->check(entries)
      ->group("Testing");
}

void AddCommands(CLI::App* app, CliOptions* o, RawOptions* raw) {
  for (const CommandHelp& help : CommandHelps()) {
    CLI::App* command = app->add_subcommand(help.name, help.summary);
    command->footer(help.footer);
    const std::string name = help.name;
    if (name == "record") {
      AddRecord(command, &o->record);
      continue;
    }
    AddSource(command, o);
    if (name != "top") AddRange(command, o, raw);
    if (name == "top") AddTop(command, o);
    if (name == "tree" || name == "switches") AddTreeCuts(command, o);
    if (name == "tree") AddTree(command, o);
    if (name == "ps" || name == "top") {
      command->add_option("--sort", o->sort, "Column to sort by; default cpu")->type_name("COLUMN");
    }
    if (name != "hosts" && name != "status") AddGrouping(command, o);
    AddOutput(command, name, o, raw);
  }
}

ParsedLine Usage(const std::string& command, const std::string& reason) {
  ParsedLine line;
  line.done = true;
  line.exit_code = 2;
  const std::string help = command.empty() ? "hotlatch --help" : "hotlatch " + command + " --help";
  line.talk = "hotlatch: " + Escaped(reason) + "; see " + help + "\n";
  return line;
}

Result<void> Finish(const CLI::App& app, const RawOptions& raw, CliOptions* o) {
  if (const auto chosen = app.get_subcommands(); !chosen.empty()) {
    o->command = chosen.front()->get_name();
    const CLI::Option* by = chosen.front()->get_option_no_throw("--by");
    o->by_given = by != nullptr && by->count() > 0;
  }
  const auto color = ColorModeOf(raw.color);
  if (!color) {
    return MakeError(ErrorKind::kInvalid, "--color " + raw.color + ": use auto, always or never");
  }
  o->color = *color;
  if (int{raw.json} + int{raw.csv} + int{raw.folded} > 1) {
    return MakeError(ErrorKind::kInvalid, "--json, --csv and --folded: only one of them");
  }
  if (raw.json) o->format = OutputFormat::kJson;
  if (raw.csv) o->format = OutputFormat::kCsv;
  if (raw.folded) o->format = OutputFormat::kFolded;
  for (const std::string& text : raw.where) {
    ASSIGN_OR_RETURN(v1::Match match, ParseMatch(text));
    o->where.push_back(std::move(match));
  }
  return CheckOptions(o);
}

}  // namespace

ParsedLine ParseCommandLine(const std::vector<std::string>& args) {
  ParsedLine line;
  CliOptions* o = &line.options;
  o->server = "127.0.0.1:7411";
  RawOptions raw;
  CLI::App app("Why a database host got slower: CPU, context switches, waits, by stack.",
               "hotlatch");
  app.require_subcommand(1);
  app.set_version_flag("--version", "hotlatch " + std::string(kVersion));
  app.footer(MainFooter());
  AddCommands(&app, o, &raw);

  // What follows -- is the command to record, whatever it looks like.
  const auto dashes = std::find(args.begin(), args.end(), "--");
  std::vector<std::string> ours(args.begin(), dashes);
  if (dashes != args.end()) o->record.command.assign(dashes + 1, args.end());
  const std::string command = ours.empty() ? "" : ours.front();
  std::reverse(ours.begin(), ours.end());  // as CLI11 takes them
  try {
    app.parse(ours);
  } catch (const CLI::Success&) {
    line.done = true;
    const auto chosen = app.get_subcommands();
    const bool version = app.get_option("--version")->count() > 0;
    line.out = version          ? "hotlatch " + std::string(kVersion) + "\n"
               : chosen.empty() ? app.help()
                                : chosen.front()->help("hotlatch");
    return line;
  } catch (const CLI::ParseError& error) {
    if (args.empty()) {
      line.done = true;
      line.exit_code = 2;
      line.talk = app.help();
      return line;
    }
    const bool known = app.get_subcommands().size() == 1;
    return Usage(known ? command : "", error.what());
  }
  if (auto finished = Finish(app, raw, o); !finished) {
    return Usage(o->command, finished.error().text);
  }
  if (dashes != args.end() && o->command != "record") {
    return Usage(o->command, "--: only record takes a command");
  }
  return line;
}

}  // namespace hotlatch::collector

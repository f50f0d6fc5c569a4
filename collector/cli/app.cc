#include "collector/cli/app.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "agent/base/clock.h"
#include "agent/base/result.h"
#include "collector/cli/answerer.h"
#include "collector/cli/command.h"
#include "collector/cli/format.h"
#include "collector/cli/options.h"

namespace hotlatch::collector {
namespace {

// kIo when not all could be written; a reader that went away (EPIPE) is success.
Result<void> WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) return {};
      return ErrnoError(errno, "output");
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

void Talk(std::string_view text) {
  // Nobody is left to tell when stderr is gone.
  if (const auto told = WriteAll(STDERR_FILENO, text); !told) return;
}

// Error texts may quote data or a server's words.
int Fail(const Error& error) {
  Talk("hotlatch: " + Escaped(error.text) + "\n");
  return ExitCode(error);
}

CommandResult Dispatch(const CommandContext& context) {
  const std::string& command = context.options->command;
  if (command == "hosts") return RunHosts(context);
  if (command == "status") return RunStatus(context);
  if (command == "tree") return RunTree(context);
  if (command == "switches") return RunSwitches(context);
  if (command == "ps") return RunPs(context);
  return RunTop(context);
}

CommandResult Query(const CliOptions& options, std::string* out, std::string* talk) {
  std::unique_ptr<Answerer> answerer;
  if (options.file.empty()) {
    answerer = AskCollector(options.server);
  } else {
    ASSIGN_OR_RETURN(answerer, OpenRecording(options.file));
  }
  CommandContext context;
  context.options = &options;
  context.answerer = answerer.get();
  context.screen = ScreenFor(STDOUT_FILENO, options.color, options.width);
  context.now_unix_ns = UnixNs();
  context.out = out;
  context.talk = talk;
  return Dispatch(context);
}

}  // namespace

int RunCli(const std::vector<std::string>& args) {
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT(cert-err33-c): cannot fail for SIGPIPE
  // gRPC's own words about a collector that does not answer; ours say it once.
  setenv("GRPC_VERBOSITY", "NONE", 0);  // NOLINT(concurrency-mt-unsafe): no thread yet
  const ParsedLine line = ParseCommandLine(args);
  std::string out = line.out;
  std::string talk = line.talk;
  int exit_code = line.exit_code;
  if (!line.done) {
    const CommandResult result = line.options.command == "record"
                                     ? RunRecord(line.options.record, &talk)
                                     : Query(line.options, &out, &talk);
    if (!result) {
      Talk(talk);
      return Fail(result.error());
    }
    exit_code = *result;
  }
  Talk(talk);
  if (const auto written = WriteAll(STDOUT_FILENO, out); !written) return Fail(written.error());
  return exit_code;
}

}  // namespace hotlatch::collector

#include <google/protobuf/stubs/logging.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "agent/base/log.h"
#include "collector/daemon/options.h"
#include "collector/daemon/serve.h"

namespace hotlatch::collector {
namespace {

Result<void> Main(const std::vector<std::string>& arguments) {
  ASSIGN_OR_RETURN(const CollectorCommand command, ParseCollectorCommand(arguments));
  if (!command.run) {
    std::fputs(command.text.c_str(), stdout);
    return {};
  }
  RETURN_IF_ERROR(SetUpLog("hotlatch-collector", command.options.log_level));
  return Serve(command.options);
}

}  // namespace
}  // namespace hotlatch::collector

int main(int argc, char** argv) {
  // What gRPC and protobuf have to say comes back as status; lines of their own on stderr would be a
  // second voice, and one that every hostile message could raise.
  ::setenv("GRPC_VERBOSITY", "NONE", 0);
  google::protobuf::SetLogHandler(nullptr);
  const auto done = hotlatch::collector::Main({argv + 1, argv + argc});
  if (done) return 0;
  std::fprintf(stderr, "hotlatch-collector: %s\n", done.error().text.c_str());
  return hotlatch::ExitCode(done.error());
}

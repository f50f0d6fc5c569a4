#include "tests/bench/cpu_time.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>

#include "agent/base/file.h"

namespace hotlatch {
namespace {

double OwnSeconds(const std::string& process) {
  double seconds = 0;
  std::error_code ignored;
  for (const auto& task : std::filesystem::directory_iterator(process + "/task", ignored)) {
    auto line = ReadFirstLine(task.path().string() + "/schedstat");
    unsigned long long run_ns = 0;
    if (line && std::sscanf(line->c_str(), "%llu", &run_ns) == 1)
      seconds += static_cast<double>(run_ns) / 1e9;
  }
  return seconds;
}

// cutime and cstime are fields 16 and 17; the command, field 2, may hold blanks but ends at the last ')'.
double EndedChildrenSeconds(const std::string& process) {
  auto line = ReadFirstLine(process + "/stat");
  if (!line) return 0;
  std::istringstream fields(line->substr(line->rfind(')') + 1));
  std::string field;
  double ticks = 0;
  for (int i = 3; i <= 17 && fields >> field; i++) {
    if (i >= 16) ticks += std::stod(field);
  }
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

double CpuSecondsOfTrees(const std::vector<pid_t>& roots) {
  double seconds = 0;
  std::vector<pid_t> open = roots;
  while (!open.empty()) {
    const std::string pid = std::to_string(open.back());
    open.pop_back();
    const std::string process = "/proc/" + pid;
    seconds += OwnSeconds(process) + EndedChildrenSeconds(process);
    auto children = ReadFirstLine(process + "/task/" + pid + "/children");
    if (!children) continue;
    std::istringstream list(*children);
    for (pid_t child = 0; list >> child;) open.push_back(child);
  }
  return seconds;
}

}  // namespace hotlatch

#include "tests/support/proc_counts.h"

#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

#include "agent/base/file.h"

namespace hotlatch {
namespace {

constexpr size_t kMaxProcBytes = 65536;

uint64_t FieldOf(const std::string& status, const std::string& name) {
  const size_t at = status.find("\n" + name + ":");
  return at == std::string::npos ? 0 : std::stoull(status.substr(at + name.size() + 2));
}

// Fields after the command's name, which may hold spaces and brackets; index 0 is the state.
std::vector<std::string> StatFields(const std::string& stat) {
  std::istringstream words(stat.substr(stat.rfind(')') + 1));
  std::vector<std::string> fields;
  for (std::string word; words >> word;) fields.push_back(word);
  return fields;
}

uint64_t TicksToNs(const std::string& ticks) {
  return std::stoull(ticks) * (1'000'000'000ULL / static_cast<uint64_t>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace

Result<ProcCounts> ReadProcCounts(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  ASSIGN_OR_RETURN(const std::string status, ReadFile(folder + "/status", kMaxProcBytes));
  ASSIGN_OR_RETURN(const std::string stat, ReadFile(folder + "/stat", kMaxProcBytes));
  const std::vector<std::string> fields = StatFields(stat);
  if (fields.size() < 15) return MakeError(ErrorKind::kCorrupt, folder + "/stat: too short");
  ProcCounts counts;
  counts.voluntary_switches = FieldOf(status, "voluntary_ctxt_switches");
  counts.involuntary_switches = FieldOf(status, "nonvoluntary_ctxt_switches");
  counts.rss_bytes = FieldOf(status, "VmRSS") * 1024;
  counts.state = fields[0][0];
  counts.cpu_ns = TicksToNs(fields[11]) + TicksToNs(fields[12]);
  counts.child_cpu_ns = TicksToNs(fields[13]) + TicksToNs(fields[14]);
  return counts;
}

}  // namespace hotlatch

#include "agent/daemon/stamper.h"

#include <unistd.h>

#include <ctime>
#include <sstream>

#include "agent/base/file.h"

namespace hotlatch::agent {
namespace {

void AddCounter(v1::Fidelity& fidelity, const char* name, const char* unit, uint64_t value) {
  v1::Counter& counter = *fidelity.add_counters();
  counter.set_name(name);
  counter.set_unit(unit);
  counter.set_value(value);
}

}  // namespace

OwnCost ReadOwnCost(const std::string& proc_root) {
  OwnCost cost;
  timespec cpu{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0) {
    cost.cpu_ns =
        static_cast<uint64_t>(cpu.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(cpu.tv_nsec);
  }
  if (const auto statm = ReadFirstLine(proc_root + "/self/statm"); statm) {
    uint64_t size_pages = 0;
    uint64_t resident_pages = 0;
    std::istringstream(*statm) >> size_pages >> resident_pages;
    cost.rss_bytes = resident_pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  }
  return cost;
}

void WindowStamper::Stamp(v1::Window& window, const OwnCost& cost, const SpoolUsage& usage,
                          const std::vector<v1::Loss>& losses) {
  session_.identity.set_sequence(session_.identity.sequence() + 1);
  *window.mutable_identity() = session_.identity;
  if (!window.has_topology()) *window.mutable_topology() = session_.topology;
  for (const v1::Fact& fact : session_.facts) *window.add_facts() = fact;
  v1::Fidelity& fidelity = *window.mutable_fidelity();
  AddCounter(fidelity, "agent.cpu_ns", "ns", cost.cpu_ns - last_cpu_ns_);
  AddCounter(fidelity, "agent.rss_bytes", "bytes", cost.rss_bytes);
  AddCounter(fidelity, "spool.bytes", "bytes", usage.bytes);
  AddCounter(fidelity, "spool.windows", "count", usage.windows);
  for (const v1::Loss& loss : losses) *fidelity.add_losses() = loss;
  last_cpu_ns_ = cost.cpu_ns;
}

}  // namespace hotlatch::agent

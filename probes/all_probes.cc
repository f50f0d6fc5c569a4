#include <array>

#include "probes/probe.h"

namespace hotlatch::agent {

// One row adds a probe; each is defined in probes/<name>/<name>.cc.
#define HOTLATCH_PROBES(row) row(process) row(switch) row(cpu)

#define DECLARE_PROBE(name) extern const ProbeDescriptor name##_probe;
HOTLATCH_PROBES(DECLARE_PROBE)
#undef DECLARE_PROBE

std::span<const ProbeDescriptor* const> AllProbes() {
#define LIST_PROBE(name) &name##_probe,
  static constexpr std::array kProbes = {HOTLATCH_PROBES(LIST_PROBE)};
#undef LIST_PROBE
  return kProbes;
}

}  // namespace hotlatch::agent

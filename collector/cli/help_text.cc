#include "collector/cli/help_text.h"

#include <array>

namespace hotlatch::collector {
namespace {

constexpr const char* kHosts = R"(Which hosts have sent windows, from when to when.

Examples:
  hotlatch hosts
  hotlatch hosts x.hotlatch --json)";

constexpr const char* kStatus =
    R"(What the answers stand on: the store, windows, losses by stage, probe and reason, the state of every
probe and what the agent itself cost.

Examples:
  hotlatch status --from -1h
  hotlatch status x.hotlatch)";

constexpr const char* kTree =
    R"(Default groups: service,role above the stacks; none with --inverted.
Values: the profile's time (cpu_ns, blocked_ns, wait_ns) unless --value names another column: samples,
voluntary_switches, involuntary_switches, waits. Kernel frames are marked [k].
Hidden parts are summed up at the end of the chain of single children they were cut from.

Examples:
  hotlatch tree x.hotlatch
  hotlatch tree --from -15m --where 'service=~postgres.*' --by node,service
  hotlatch tree --profile offcpu --value voluntary_switches
  hotlatch tree --inverted --function LWLockAcquire   who calls it
  hotlatch tree --folded x.hotlatch | flamegraph.pl > x.svg)";

constexpr const char* kSwitches =
    R"(Three parts: counts and times by process group (default service,role), who woke each group, and the
stacks that switched. The stacks' value is voluntary + involuntary switches unless --value names one
column of the profile offcpu: voluntary_switches, involuntary_switches or blocked_ns.

Examples:
  hotlatch switches x.hotlatch
  hotlatch switches --from -5m --where 'service=~postgres.*' --top 5
  hotlatch switches --by role,node --csv)";

constexpr const char* kPs =
    R"(One row per process: CPU time of itself and of its ended children (as pidstat -T CHILD), switches,
time blocked and waiting for a CPU, the NUMA nodes it ran on. --by groups processes instead.
Columns to sort by: cpu (default), pid, user_ns, system_ns, child_user_ns, child_system_ns,
voluntary_switches, involuntary_switches, blocked_ns, runqueue_ns, threads.

Examples:
  hotlatch ps x.hotlatch --top 20
  hotlatch ps --where service=~postgresql.* --sort voluntary_switches)";

constexpr const char* kTop =
    R"(The busiest processes and functions of the last 30 seconds, refreshed. q or Ctrl-C leaves.

Examples:
  hotlatch top
  hotlatch top --server db1:7411 --interval 5
  hotlatch top --count 1)";

constexpr const char* kRecord =
    R"(Needs root (or CAP_BPF and CAP_PERFMON) and no collector. The recording answers every other command.
With COMMAND it lasts as long as COMMAND runs; -d ends it earlier.

Examples:
  sudo hotlatch record -d 30 -o x.hotlatch
  sudo hotlatch record -o x.hotlatch -- pgbench -S -c 16 -T 30
  hotlatch tree x.hotlatch)";

constexpr std::array<CommandHelp, 7> kCommands = {{
    {"hosts", "Hosts that have sent windows", kHosts},
    {"status", "Store, losses, probes, the agent's own cost", kStatus},
    {"tree", "Profile as a tree of user and kernel functions", kTree},
    {"switches", "Context switches by group, waker and stack", kSwitches},
    {"ps", "Processes: CPU with ended children, switches, NUMA nodes", kPs},
    {"top", "Live processes and hottest functions of a collector", kTop},
    {"record", "Profile this host, or a command, into a file", kRecord},
}};

}  // namespace

std::span<const CommandHelp> CommandHelps() { return kCommands; }

const char* MainFooter() {
  return R"(Examples:
  sudo hotlatch record -o x.hotlatch -- pgbench -S -c 16 -T 30
  hotlatch tree x.hotlatch              where the CPU time went
  hotlatch switches x.hotlatch          why processes stopped running
  hotlatch ps --server db1:7411         the last 5 minutes of a collector
  hotlatch tree --help                  all flags of a command

Exit codes: 0 answered, 1 failed, 2 usage, 3 answered, but with loss above --max-loss or over only
part of the range.)";
}

}  // namespace hotlatch::collector

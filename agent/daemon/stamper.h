// Puts on a closed window what the capture side does not know: who sends it, which number it has,
// what the host is, what the agent cost and which earlier windows were lost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "agent/spool/spool.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

// What does not change during a session. topology and facts already in a window are kept.
struct SessionInfo {
  v1::Identity identity;
  v1::Topology topology;
  std::vector<v1::Fact> facts;
};

// CPU time and memory of this process so far.
struct OwnCost {
  uint64_t cpu_ns = 0;
  uint64_t rss_bytes = 0;
};
OwnCost ReadOwnCost(const std::string& proc_root);

// Not thread safe.
class WindowStamper {
 public:
  explicit WindowStamper(SessionInfo session) : session_(std::move(session)) {}

  // Takes the next sequence number, so every window stamped must be delivered or its loss counted.
  // Adds counters agent.cpu_ns (since the last window), agent.rss_bytes, spool.bytes,
  // spool.windows, and the losses.
  void Stamp(v1::Window& window, const OwnCost& cost, const SpoolUsage& usage,
             const std::vector<v1::Loss>& losses);

  uint64_t sequence() const { return session_.identity.sequence(); }

 private:
  SessionInfo session_;
  uint64_t last_cpu_ns_ = 0;
};

}  // namespace hotlatch::agent

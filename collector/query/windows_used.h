// What an answer stands on: the windows of a selection, counted, with their losses summed.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "agent/base/result.h"
#include "collector/query/match.h"
#include "collector/store/store.h"
#include "hotlatch/v1/query.pb.h"

namespace hotlatch::collector {

class WindowsUsed {
 public:
  // Reads the headers of the selection. kNotFound when it holds no window, with what the store has.
  static Result<WindowsUsed> Collect(Store& store, const v1::Selection& selection,
                                     const Matcher& matcher);
  // The same, but no window is an answer as well.
  static Result<WindowsUsed> CollectOrNone(Store& store, const v1::Selection& selection,
                                           const Matcher& matcher);

  // The range with a filter that lets pass exactly the windows seen by Collect: those that arrived
  // since have a higher sequence. This and matcher must outlive the range.
  ScanRange Range(const v1::Selection& selection, const Matcher& matcher) const;

  // Without events.
  v1::AnswerInfo Info() const;
  // By host id; ascending.
  const std::map<std::string, v1::Host>& hosts() const { return hosts_; }
  uint64_t windows() const { return windows_; }

 private:
  struct Session {
    uint64_t first = 0, last = 0, windows = 0;
  };
  struct PerHost {
    uint64_t covered_ns = 0;
    int64_t newest_end_ns = 0;
    v1::Fidelity newest_fidelity;
  };

  void Add(const WindowHeader& header);
  void AddHost(const WindowHeader& header);
  void AddFidelity(const v1::Fidelity& fidelity);

  uint64_t windows_ = 0;
  int64_t from_ = 0, to_ = 0;
  std::map<std::string, Session> sessions_;
  std::map<std::string, v1::Host> hosts_;
  std::map<std::string, PerHost> per_host_;
  std::map<std::tuple<std::string, std::string, std::string>, uint64_t> losses_;
  std::map<std::pair<std::string, std::string>, uint64_t> counters_;  // (name, unit)
};

}  // namespace hotlatch::collector

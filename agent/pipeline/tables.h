// The tables of a window, column-wise: each class is the one place that knows its table's columns.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "agent/engine/generic.h"
#include "agent/pipeline/dictionary.h"
#include "hotlatch/v1/window.pb.h"
#include "probes/raw_window.h"

namespace hotlatch::agent {

// "processes": one row per process seen in the window. CPU by the kernel's accounting, switches and times by
// the switch probe.
class ProcessTable {
 public:
  ProcessTable(DictionaryBuilder& dictionary, v1::Table& table);
  void Add(const RawProcess& process, const ProcessNames& names, const RawSwitches& switches);

 private:
  DictionaryBuilder& dictionary_;
  v1::Table& table_;
};

// "residency": ns on the CPUs of each NUMA node, by process.
class ResidencyTable {
 public:
  explicit ResidencyTable(v1::Table& table);
  void Add(uint32_t pid, int32_t node, uint64_t oncpu_ns);

 private:
  v1::Table& table_;
};

// "wakers": who ended the blocked intervals of whom, by service and role.
class WakerTable {
 public:
  WakerTable(DictionaryBuilder& dictionary, v1::Table& table);
  void Add(const ProcessNames& woken, const ProcessNames& waker, std::string_view kind,
           uint64_t count);
  void Finish();

 private:
  DictionaryBuilder& dictionary_;
  v1::Table& table_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>, uint64_t> rows_;
};

}  // namespace hotlatch::agent

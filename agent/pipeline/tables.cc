#include "agent/pipeline/tables.h"

#include <array>
#include <string>

namespace hotlatch::agent {
namespace {

struct ColumnDescriptor {
  std::string_view name, unit;
};

void AddColumns(v1::Table& table, std::string_view name,
                std::span<const ColumnDescriptor> columns) {
  table.set_name(std::string(name));
  for (const ColumnDescriptor& column : columns) {
    v1::Column& out = *table.add_columns();
    out.set_name(std::string(column.name));
    out.set_unit(std::string(column.unit));
  }
}

// Appends one row; texts fill the columns of unit "text" in order, numbers the others.
void AddRow(v1::Table& table, std::span<const uint32_t> texts, std::span<const uint64_t> numbers) {
  size_t text = 0;
  size_t number = 0;
  for (v1::Column& column : *table.mutable_columns()) {
    if (column.unit() == "text") {
      column.add_strings(texts[text++]);
    } else {
      column.add_numbers(static_cast<int64_t>(numbers[number++]));
    }
  }
}

constexpr std::array kProcessColumns = {
    ColumnDescriptor{"pid", "id"},
    ColumnDescriptor{"parent_pid", "id"},
    ColumnDescriptor{"service", "text"},
    ColumnDescriptor{"role", "text"},
    ColumnDescriptor{"title", "text"},
    ColumnDescriptor{"state", "text"},
    ColumnDescriptor{"threads", "count"},
    ColumnDescriptor{"user_ns", "ns"},
    ColumnDescriptor{"system_ns", "ns"},
    ColumnDescriptor{"child_user_ns", "ns"},
    ColumnDescriptor{"child_system_ns", "ns"},
    ColumnDescriptor{"voluntary_switches", "count"},
    ColumnDescriptor{"involuntary_switches", "count"},
    ColumnDescriptor{"blocked_ns", "ns"},
    ColumnDescriptor{"runqueue_ns", "ns"},
};

constexpr std::array kResidencyColumns = {
    ColumnDescriptor{"pid", "id"},
    ColumnDescriptor{"node", "id"},
    ColumnDescriptor{"oncpu_ns", "ns"},
};

constexpr std::array kWakerColumns = {
    ColumnDescriptor{"service", "text"},       ColumnDescriptor{"role", "text"},
    ColumnDescriptor{"waker_service", "text"}, ColumnDescriptor{"waker_role", "text"},
    ColumnDescriptor{"waker_kind", "text"},    ColumnDescriptor{"wakeups", "count"},
};

}  // namespace

ProcessTable::ProcessTable(DictionaryBuilder& dictionary, v1::Table& table)
    : dictionary_(dictionary), table_(table) {
  AddColumns(table_, "processes", kProcessColumns);
}

void ProcessTable::Add(const RawProcess& process, const ProcessNames& names,
                       const RawSwitches& switches) {
  const std::array texts = {dictionary_.String(names.service), dictionary_.String(names.role),
                            dictionary_.String(names.title),
                            dictionary_.String(process.ended ? "ended" : "alive")};
  const std::array<uint64_t, 11> numbers = {
      process.pid,          process.parent_pid,    process.threads,         process.user_ns,
      process.system_ns,    process.child_user_ns, process.child_system_ns, switches.voluntary,
      switches.involuntary, switches.blocked_ns,   switches.runnable_ns};
  AddRow(table_, texts, numbers);
}

ResidencyTable::ResidencyTable(v1::Table& table) : table_(table) {
  AddColumns(table_, "residency", kResidencyColumns);
}

void ResidencyTable::Add(uint32_t pid, int32_t node, uint64_t oncpu_ns) {
  const std::array<uint64_t, 3> numbers = {pid, static_cast<uint64_t>(int64_t{node}), oncpu_ns};
  AddRow(table_, {}, numbers);
}

WakerTable::WakerTable(DictionaryBuilder& dictionary, v1::Table& table)
    : dictionary_(dictionary), table_(table) {
  AddColumns(table_, "wakers", kWakerColumns);
}

void WakerTable::Add(const ProcessNames& woken, const ProcessNames& waker, std::string_view kind,
                     uint64_t count) {
  rows_[{dictionary_.String(woken.service), dictionary_.String(woken.role),
         dictionary_.String(waker.service), dictionary_.String(waker.role),
         dictionary_.String(kind)}] += count;
}

void WakerTable::Finish() {
  for (const auto& [key, count] : rows_) {
    const std::array texts = {std::get<0>(key), std::get<1>(key), std::get<2>(key),
                              std::get<3>(key), std::get<4>(key)};
    const std::array<uint64_t, 1> numbers = {count};
    AddRow(table_, texts, numbers);
  }
}

}  // namespace hotlatch::agent

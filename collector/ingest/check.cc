#include "collector/ingest/check.h"

#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include "collector/ingest/check_dictionary.h"
#include "collector/ingest/check_text.h"

namespace hotlatch::collector {
namespace {

constexpr std::string_view kIdCharacters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._:-";
constexpr double kMaxRateHz = 1e6;
constexpr uint64_t kMaxSequence = 1ULL << 62;

Result<void> CheckId(const std::string& id, const char* field) {
  RETURN_IF_ERROR(CheckName(id, 128, field));
  if (id.find_first_not_of(kIdCharacters) == std::string::npos) return {};
  return FieldError(field, -1, "characters other than letters, digits, '.', '_', ':' and '-'");
}

Result<void> CheckIdentity(const v1::Identity& identity) {
  RETURN_IF_ERROR(CheckId(identity.host_id(), "identity.host_id"));
  RETURN_IF_ERROR(CheckText(identity.host_name(), kMaxNameBytes, "identity.host_name"));
  RETURN_IF_ERROR(CheckId(identity.boot_id(), "identity.boot_id"));
  const std::string& session = identity.session_id();
  if (session.size() != 32 || session.find_first_not_of("0123456789abcdef") != std::string::npos) {
    return FieldError("identity.session_id", -1, "not 32 lower-case hexadecimal digits");
  }
  if (identity.sequence() == 0 || identity.sequence() > kMaxSequence) {
    return FieldError("identity.sequence", -1,
                      std::to_string(identity.sequence()) + " is not in 1 .. 2^62");
  }
  return CheckText(identity.agent_version(), kMaxNameBytes, "identity.agent_version");
}

Result<void> CheckRange(const v1::TimeRange& range) {
  if (range.start_unix_ns() < kEarliestUnixNs || range.start_unix_ns() > kLatestUnixNs) {
    return FieldError("range.start_unix_ns", -1, "not between the years 2000 and 2100");
  }
  if (range.end_unix_ns() <= range.start_unix_ns()) {
    return FieldError("range.end_unix_ns", -1, "not after start_unix_ns");
  }
  if (range.end_unix_ns() - range.start_unix_ns() > kMaxWindowNs) {
    return FieldError("range.end_unix_ns", -1, "more than 120 s after start_unix_ns");
  }
  if (range.end_monotonic_ns() <= range.start_monotonic_ns()) {
    return FieldError("range.end_monotonic_ns", -1, "not after start_monotonic_ns");
  }
  if (range.end_monotonic_ns() - range.start_monotonic_ns() > kMaxWindowNs) {
    return FieldError("range.end_monotonic_ns", -1, "more than 120 s after start_monotonic_ns");
  }
  return {};
}

Result<void> CheckFacts(const v1::Window& window) {
  RETURN_IF_ERROR(CheckCount(window.facts_size(), kMaxFacts, "facts"));
  for (int i = 0; i < window.facts_size(); ++i) {
    const std::string field = "facts[" + std::to_string(i) + "]";
    RETURN_IF_ERROR(CheckName(window.facts(i).name(), kMaxNameBytes, field + ".name"));
    RETURN_IF_ERROR(CheckText(window.facts(i).value(), kMaxStringBytes, field + ".value"));
  }
  return {};
}

Result<void> CheckBeyond(const google::protobuf::RepeatedField<uint32_t>& indices, int size,
                         const std::string& field, const char* what) {
  for (int i = 0; i < indices.size(); ++i) {
    if (indices[i] < static_cast<uint32_t>(size)) continue;
    return FieldError(
        field, i,
        std::to_string(indices[i]) + " is beyond the " + std::to_string(size) + " " + what);
  }
  return {};
}

Result<void> CheckRows(int rows, int expected, const std::string& field) {
  if (rows == expected) return {};
  return FieldError(
      field, -1,
      std::to_string(rows) + " entries, the other columns have " + std::to_string(expected));
}

Result<void> CheckValues(const v1::Profile& profile, const std::string& field) {
  RETURN_IF_ERROR(CheckCount(profile.values_size(), kMaxColumns, field + ".values"));
  std::set<std::string> names;
  for (int c = 0; c < profile.values_size(); ++c) {
    const v1::ValueColumn& column = profile.values(c);
    const std::string at = field + ".values[" + std::to_string(c) + "]";
    RETURN_IF_ERROR(CheckName(column.name(), kMaxNameBytes, at + ".name"));
    RETURN_IF_ERROR(CheckName(column.unit(), kMaxNameBytes, at + ".unit"));
    if (!names.insert(column.name()).second) {
      return FieldError(at + ".name", -1, "'" + column.name() + "' is there twice");
    }
    RETURN_IF_ERROR(CheckRows(column.values_size(), profile.dims_size(), at + ".values"));
  }
  return {};
}

Result<void> CheckProfile(const v1::Profile& profile, const v1::Dictionary& d,
                          const std::string& field) {
  RETURN_IF_ERROR(CheckName(profile.name(), kMaxNameBytes, field + ".name"));
  RETURN_IF_ERROR(CheckText(profile.event(), kMaxNameBytes, field + ".event"));
  const double rate = profile.sample_rate_hz();
  if (!std::isfinite(rate) || rate < 0 || rate > kMaxRateHz) {
    return FieldError(field + ".sample_rate_hz", -1, "not in 0 .. 1000000");
  }
  RETURN_IF_ERROR(CheckCount(profile.dims_size(), kMaxRows, field + ".dims"));
  RETURN_IF_ERROR(CheckRows(profile.stack_size(), profile.dims_size(), field + ".stack"));
  RETURN_IF_ERROR(
      CheckBeyond(profile.dims(), d.dim_service_size(), field + ".dims", "dimension sets"));
  RETURN_IF_ERROR(CheckBeyond(profile.stack(), d.stack_depth_size(), field + ".stack", "stacks"));
  return CheckValues(profile, field);
}

Result<void> CheckColumn(const v1::Column& column, const v1::Dictionary& d,
                         const std::string& field) {
  RETURN_IF_ERROR(CheckName(column.name(), kMaxNameBytes, field + ".name"));
  RETURN_IF_ERROR(CheckName(column.unit(), kMaxNameBytes, field + ".unit"));
  const bool text = column.unit() == "text";
  if (text && column.numbers_size() > 0) {
    return FieldError(field + ".numbers", -1, "must be empty where unit is text");
  }
  if (!text && column.strings_size() > 0) {
    return FieldError(field + ".strings", -1, "must be empty where unit is not text");
  }
  return CheckBeyond(column.strings(), d.strings_size(), field + ".strings", "strings");
}

Result<void> CheckTable(const v1::Table& table, const v1::Dictionary& d, const std::string& field) {
  RETURN_IF_ERROR(CheckName(table.name(), kMaxNameBytes, field + ".name"));
  RETURN_IF_ERROR(CheckCount(table.columns_size(), kMaxColumns, field + ".columns"));
  std::set<std::string> names;
  int rows = -1;
  for (int c = 0; c < table.columns_size(); ++c) {
    const v1::Column& column = table.columns(c);
    const std::string at = field + ".columns[" + std::to_string(c) + "]";
    RETURN_IF_ERROR(CheckColumn(column, d, at));
    if (!names.insert(column.name()).second) {
      return FieldError(at + ".name", -1, "'" + column.name() + "' is there twice");
    }
    const int length = column.strings_size() + column.numbers_size();
    RETURN_IF_ERROR(CheckCount(length, kMaxRows, at));
    if (rows < 0) rows = length;
    RETURN_IF_ERROR(CheckRows(length, rows, at));
  }
  return {};
}

template <typename Entries, typename Check>
Result<void> CheckEach(const Entries& entries, int most, const char* name, const Check& check) {
  RETURN_IF_ERROR(CheckCount(entries.size(), most, name));
  std::set<std::string> names;
  for (int i = 0; i < entries.size(); ++i) {
    const std::string field = std::string(name) + "[" + std::to_string(i) + "]";
    RETURN_IF_ERROR(check(entries[i], field));
    if (!names.insert(entries[i].name()).second) {
      return FieldError(field + ".name", -1, "'" + entries[i].name() + "' is there twice");
    }
  }
  return {};
}

Result<void> CheckFidelity(const v1::Fidelity& fidelity) {
  RETURN_IF_ERROR(CheckCount(fidelity.losses_size(), kMaxFidelityEntries, "fidelity.losses"));
  for (const v1::Loss& loss : fidelity.losses()) {
    RETURN_IF_ERROR(CheckText(loss.stage(), kMaxNameBytes, "fidelity.losses.stage"));
    RETURN_IF_ERROR(CheckText(loss.probe(), kMaxNameBytes, "fidelity.losses.probe"));
    RETURN_IF_ERROR(CheckText(loss.reason(), kMaxNameBytes, "fidelity.losses.reason"));
  }
  RETURN_IF_ERROR(CheckCount(fidelity.probes_size(), kMaxFidelityEntries, "fidelity.probes"));
  for (const v1::ProbeState& probe : fidelity.probes()) {
    RETURN_IF_ERROR(CheckText(probe.probe(), kMaxNameBytes, "fidelity.probes.probe"));
    RETURN_IF_ERROR(CheckText(probe.state(), kMaxNameBytes, "fidelity.probes.state"));
    RETURN_IF_ERROR(CheckText(probe.hook(), kMaxNameBytes, "fidelity.probes.hook"));
    RETURN_IF_ERROR(CheckText(probe.reason(), kMaxStringBytes, "fidelity.probes.reason"));
  }
  RETURN_IF_ERROR(CheckCount(fidelity.counters_size(), kMaxFidelityEntries, "fidelity.counters"));
  for (const v1::Counter& counter : fidelity.counters()) {
    RETURN_IF_ERROR(CheckText(counter.name(), kMaxNameBytes, "fidelity.counters.name"));
    RETURN_IF_ERROR(CheckText(counter.unit(), kMaxNameBytes, "fidelity.counters.unit"));
  }
  return {};
}

}  // namespace

Result<void> CheckWindow(const v1::Window& window) {
  RETURN_IF_ERROR(CheckIdentity(window.identity()));
  RETURN_IF_ERROR(CheckRange(window.range()));
  RETURN_IF_ERROR(CheckFacts(window));
  const v1::Dictionary& d = window.dictionary();
  RETURN_IF_ERROR(CheckDictionary(d));
  RETURN_IF_ERROR(CheckEach(window.profiles(), kMaxProfiles, "profiles",
                            [&](const v1::Profile& profile, const std::string& field) {
                              return CheckProfile(profile, d, field);
                            }));
  RETURN_IF_ERROR(CheckEach(window.tables(), kMaxTables, "tables",
                            [&](const v1::Table& table, const std::string& field) {
                              return CheckTable(table, d, field);
                            }));
  return CheckFidelity(window.fidelity());
}

}  // namespace hotlatch::collector

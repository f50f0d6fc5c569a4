// Numbers and foreign text made fit for a terminal. Nothing here knows a terminal; see screen.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hotlatch::collector {

// Text that came from data (process titles, symbols, host names) as it may be printed: control
// characters, C1 controls, bidirectional overrides and bytes that are no UTF-8 become \xNN. One
// line.
std::string Escaped(std::string_view text);

// Characters a terminal shows: UTF-8 code points, combining and wide ones taken as one column.
size_t DisplayWidth(std::string_view text);

// At most `width` columns, the last one "…" when text was cut. 0 = unlimited.
std::string Fitted(std::string_view text, size_t width);

std::string PadLeft(std::string_view text, size_t width);
std::string PadRight(std::string_view text, size_t width);

std::string HumanCount(uint64_t count);  // 1 234 567
std::string HumanDuration(uint64_t ns);  // 12.3 µs, 123 ms, 4.56 s, 1 234 s
std::string HumanBytes(uint64_t bytes);  // 12.3 MiB
// By the unit of a value column (ns, bytes, count or any other).
std::string HumanValue(uint64_t value, std::string_view unit);
// A value over covered_ns as a rate: 12.3 ms/s, 4 567/s; "-" when covered_ns is 0.
std::string HumanRate(uint64_t value, std::string_view unit, uint64_t covered_ns);
// part of whole, 12.34% or 100.0%, always 6 columns at most; "-" when whole is 0.
std::string HumanPercent(uint64_t part, uint64_t whole);

// One field of a CSV line: escaped, and quoted where RFC 4180 wants it.
std::string CsvField(std::string_view text);

}  // namespace hotlatch::collector

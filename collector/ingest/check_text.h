// The rules for text and for counts, and the errors that name the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "agent/base/result.h"

namespace hotlatch::collector {

// kInvalid "field: reason". field is a path; index is put behind it in brackets unless it is
// negative.
Error FieldError(const std::string& field, int64_t index, const std::string& reason);

// Valid UTF-8 of at most max_bytes without control characters (C0, DEL, C1).
Result<void> CheckText(std::string_view text, size_t max_bytes, const std::string& field,
                       int64_t index = -1);

// Text as above that is not empty.
Result<void> CheckName(std::string_view text, size_t max_bytes, const std::string& field,
                       int64_t index = -1);

// Not more than most entries of a repeated field.
Result<void> CheckCount(int64_t count, int64_t most, const std::string& field);

}  // namespace hotlatch::collector

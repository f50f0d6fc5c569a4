// The one shape of every JSON answer: {"query", "from", "to", "fidelity", "rows"}.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "collector/cli/fidelity.h"
#include "collector/cli/options.h"

namespace hotlatch::collector {

using Json = nlohmann::ordered_json;

// Everything but the rows, which are an empty array. from and to are those of the windows used.
Json Envelope(const CliOptions& options, const v1::AnswerInfo& info, const Verdict& verdict);

// One line of ASCII: foreign bytes are escaped, invalid UTF-8 replaced.
std::string Dump(const Json& json);

// self_ns for (self, ns), samples for (samples, count): quantities carry their unit.
std::string UnitName(std::string_view stem, std::string_view unit);

}  // namespace hotlatch::collector

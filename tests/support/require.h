// What a test needs of its machine. A missing right is a skip with its reason on a laptop, and a
// failure where CI=true: there a skipped test would look like a passed one.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace hotlatch {

// Each returns "" when the need is met, else what is missing and what to do about it.
std::string MissingRoot();
std::string MissingBpf();
std::string MissingPostgres();
std::string MissingProgram(const std::string& name);  // an executable of HOTLATCH_BIN_DIR

bool RunsInCi();  // CI=true in the environment

}  // namespace hotlatch

// First statement of a test body: HOTLATCH_REQUIRE(MissingBpf());
#define HOTLATCH_REQUIRE(missing_call)                                            \
  do {                                                                            \
    if (const std::string missing_what = (missing_call); !missing_what.empty()) { \
      if (::hotlatch::RunsInCi()) FAIL() << missing_what;                         \
      GTEST_SKIP() << missing_what;                                               \
    }                                                                             \
  } while (false)

// A spool in a directory of its own, and windows to put in.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/spool/spool.h"

namespace hotlatch::agent {

inline const std::string kSessionA(32, 'a');
inline const std::string kSessionB(32, 'b');

inline v1::Window MakeWindow(const std::string& session, uint64_t sequence, size_t padding = 0) {
  v1::Window window;
  window.mutable_identity()->set_session_id(session);
  window.mutable_identity()->set_sequence(sequence);
  if (padding != 0) window.mutable_dictionary()->add_strings(std::string(padding, 'x'));
  return window;
}

class SpoolFixture : public testing::Test {
 protected:
  SpoolFixture() {
    std::string pattern = testing::TempDir() + "hotlatch-spool-XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    options_.directory = root_ + "/spool";
  }
  SpoolFixture(const SpoolFixture&) = delete;
  SpoolFixture& operator=(const SpoolFixture&) = delete;
  ~SpoolFixture() override { std::filesystem::remove_all(root_); }

  std::unique_ptr<Spool> OpenSpool() {
    auto spool = Spool::Open(options_);
    EXPECT_TRUE(spool) << (spool ? "" : spool.error().text);
    return spool ? std::move(*spool) : nullptr;
  }

  std::vector<std::string> WindowFiles() const {
    std::vector<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(options_.directory)) {
      if (entry.path().extension() == ".window") out.push_back(entry.path().string());
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  std::string root_;
  SpoolOptions options_;
};

// "stage/reason=count ..." in the ledger's order.
inline std::string LossText(const std::vector<v1::Loss>& losses) {
  std::string out;
  for (const v1::Loss& loss : losses) {
    out += (out.empty() ? "" : " ") + loss.stage() + "/" + loss.reason() + "=" +
           std::to_string(loss.count());
  }
  return out;
}

}  // namespace hotlatch::agent

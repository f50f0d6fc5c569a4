// A pipeline whose probes must all attach.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "agent/pipeline/pipeline.h"

namespace hotlatch::agent {

// Null, and the test has failed, when it cannot be opened.
inline std::unique_ptr<Pipeline> OpenPipeline(PipelineOptions options) {
  options.strict = true;
  auto pipeline = Pipeline::Open(options);
  if (!pipeline) {
    ADD_FAILURE() << pipeline.error().text;
    return nullptr;
  }
  return std::move(*pipeline);
}

}  // namespace hotlatch::agent

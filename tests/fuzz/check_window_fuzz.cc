// libFuzzer entry; tests/fuzz/window_corpus_test.cc replays the corpus in the ordinary tests. By hand, our
// sources compiled with clang++ -fsanitize=fuzzer,address:  check_window_fuzz tests/fuzz/corpus/window
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>

#include "tests/fuzz/window_target.h"

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  hotlatch::collector::TryWindow({reinterpret_cast<const char*>(data), size});
  return 0;
}

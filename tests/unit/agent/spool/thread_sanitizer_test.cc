// The distribution's gRPC is not built for the thread sanitizer, which therefore cannot see its locks:
// calls from inside it are not judged, nor is its code inlined from headers. Our own code is.
#include <gtest/gtest.h>

#if defined(__SANITIZE_THREAD__)
extern "C" __attribute__((weak)) const char* __tsan_default_options() {
  return "ignore_noninstrumented_modules=1";
}
extern "C" __attribute__((weak)) const char* __tsan_default_suppressions() {
  return "race:grpc::\n";
}
#endif

// The defaults above are taken by the linker only from an object it needs.
TEST(ThreadSanitizer, DefaultsAreLinkedIn) { SUCCEED(); }

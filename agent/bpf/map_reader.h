// Reading hash maps in batches: each element once, even while programs add and remove others.
#pragma once

#include <bpf/bpf.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/base/result.h"

namespace hotlatch::agent {

namespace internal {

// A hash bucket must fit into one batch; ENOSPC asks for a larger one.
inline constexpr uint32_t kFirstBatch = 512;
inline constexpr uint32_t kLargestBatch = 1 << 20;

template <typename Key, typename Value, typename Visit>
Result<void> ReadBatches(int fd, bool remove, const char* what, Visit&& visit) {
  LIBBPF_OPTS(bpf_map_batch_opts, opts);
  uint32_t batch = kFirstBatch;
  std::vector<Key> keys(batch);
  std::vector<Value> values(batch);
  uint64_t in_token = 0;
  uint64_t out_token = 0;
  bool first = true;
  for (;;) {
    uint32_t count = batch;
    void* in = first ? nullptr : &in_token;
    const int err = remove ? bpf_map_lookup_and_delete_batch(fd, in, &out_token, keys.data(),
                                                             values.data(), &count, &opts)
                           : bpf_map_lookup_batch(fd, in, &out_token, keys.data(), values.data(),
                                                  &count, &opts);
    const int os_errno = err < 0 ? errno : 0;
    if (os_errno == ENOSPC && batch < kLargestBatch) {
      batch *= 2;
      keys.resize(batch);
      values.resize(batch);
      continue;
    }
    if (os_errno != 0 && os_errno != ENOENT) return ErrnoError(os_errno, what);
    for (uint32_t i = 0; i < count; i++) visit(keys[i], values[i]);
    if (os_errno == ENOENT) return {};
    in_token = out_token;
    first = false;
  }
}

}  // namespace internal

// Visits every element (Key, Value) and removes it. Only for maps to which nothing writes.
template <typename Key, typename Value, typename Visit>
Result<void> DrainHash(int fd, const char* what, Visit&& visit) {
  return internal::ReadBatches<Key, Value>(fd, true, what, std::forward<Visit>(visit));
}

// Visits every element (Key, Value) and leaves it. Values of a running generation may be torn.
template <typename Key, typename Value, typename Visit>
Result<void> ReadHash(int fd, const char* what, Visit&& visit) {
  return internal::ReadBatches<Key, Value>(fd, false, what, std::forward<Visit>(visit));
}

}  // namespace hotlatch::agent

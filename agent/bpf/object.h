// Ownership of what libbpf hands out, and its errors as ours. The only place besides probes/ that speaks to
// libbpf.
#pragma once

#include <bpf/libbpf.h>

#include <memory>
#include <string>
#include <utility>

#include "agent/base/result.h"

namespace hotlatch::agent {

struct LinkCloser {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
// Destroying it detaches the program.
using UniqueLink = std::unique_ptr<bpf_link, LinkCloser>;

template <typename T>
struct SkeletonCloser {
  void operator()(T* skeleton) const { T::destroy(skeleton); }
};
// A bpftool skeleton (its C++ static members).
template <typename T>
using UniqueSkeleton = std::unique_ptr<T, SkeletonCloser<T>>;

template <typename T>
Result<UniqueSkeleton<T>> OpenSkeleton(const char* name) {
  UniqueSkeleton<T> skeleton(T::open(nullptr));
  if (!skeleton) return ErrnoError(errno, std::string("opening BPF object ") + name);
  return skeleton;
}

// Sends libbpf's messages to the log at level debug, and keeps the last of them for errors.
void SetUpLibbpf();

// An error of bpf_object load or attach (err < 0): for EPERM and EACCES the text says which right to get.
Error BpfError(int err, const std::string& what);

Result<void> SetMaxEntries(bpf_map* map, uint32_t entries);

// Attaches by the program's own section.
Result<UniqueLink> Attach(bpf_program* program);

// Runs an attached iterator to its end and returns what it wrote, at most max_bytes.
Result<std::string> RunIterator(bpf_link* link, size_t max_bytes);

// What all maps of the object may take, by its definition: entries x (key + value + overhead).
uint64_t MapBytes(bpf_object* object);

}  // namespace hotlatch::agent

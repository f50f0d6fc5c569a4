#include "agent/bpf/object.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdio>

#include "agent/base/log.h"
#include "agent/base/unique_fd.h"

namespace hotlatch::agent {
namespace {

int LogLibbpf(enum libbpf_print_level level, const char* format, va_list args) {
  if (level == LIBBPF_DEBUG && !spdlog::should_log(spdlog::level::trace)) return 0;
  if (!spdlog::should_log(spdlog::level::debug)) return 0;
  char line[2048];
  const int length = vsnprintf(line, sizeof line, format, args);
  if (length <= 0) return 0;
  std::string text(line);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  spdlog::debug("libbpf {}", text);
  return 0;
}

}  // namespace

void SetUpLibbpf() { libbpf_set_print(LogLibbpf); }

Error BpfError(int err, const std::string& what) {
  Error error = ErrnoError(-err, what);
  if (error.kind == ErrorKind::kPermission) {
    error.text +=
        "; run as root or with CAP_BPF and CAP_PERFMON (hotlatch-agent doctor tells more)";
  }
  return error;
}

Result<void> SetMaxEntries(bpf_map* map, uint32_t entries) {
  const int err = bpf_map__set_max_entries(map, entries);
  if (err != 0) return BpfError(err, std::string("sizing BPF map ") + bpf_map__name(map));
  return {};
}

Result<UniqueLink> Attach(bpf_program* program) {
  bpf_link* link = bpf_program__attach(program);
  if (link == nullptr) {
    return BpfError(-errno, std::string("attaching BPF program ") + bpf_program__name(program));
  }
  return UniqueLink(link);
}

Result<std::string> RunIterator(bpf_link* link, size_t max_bytes) {
  UniqueFd fd(bpf_iter_create(bpf_link__fd(link)));
  if (!fd.valid()) return ErrnoError(errno, "starting BPF iterator");
  std::string out;
  char buffer[65536];
  for (;;) {
    const ssize_t n = read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return ErrnoError(errno, "reading BPF iterator");
    if (n == 0) return out;
    if (out.size() + static_cast<size_t>(n) > max_bytes) {
      return MakeError(ErrorKind::kExhausted,
                       "BPF iterator wrote more than " + std::to_string(max_bytes) + " bytes");
    }
    out.append(buffer, static_cast<size_t>(n));
  }
}

uint64_t MapBytes(bpf_object* object) {
  uint64_t total = 0;
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    // A preallocated hash element has a header of 48 bytes beside key and value (struct htab_elem).
    const uint64_t element = 48 + bpf_map__key_size(map) + bpf_map__value_size(map);
    total += element * bpf_map__max_entries(map);
  }
  return total;
}

}  // namespace hotlatch::agent

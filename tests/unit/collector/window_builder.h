// Windows for tests: valid unless the test breaks them. One stack is "leaf;caller;root", leaf first.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hotlatch/v1/window.pb.h"

namespace hotlatch::collector {

inline constexpr int64_t kTestEpochNs = 1'700'000'000'000'000'000;
inline constexpr int64_t kSecondNs = 1'000'000'000;

struct TestDims {
  std::string service = "postgresql/5432", role = "client backend", database = "bench", wait;
  int32_t node = 0;
};

class WindowBuilder {
 public:
  // The window is [10 s x (sequence - 1), 10 s x sequence) after kTestEpochNs.
  explicit WindowBuilder(uint64_t sequence = 1, char session_digit = 'a',
                         const std::string& host = "db1") {
    v1::Identity* identity = window_.mutable_identity();
    identity->set_host_id("id-" + host);
    identity->set_host_name(host);
    identity->set_boot_id("11111111-2222-3333-4444-555555555555");
    identity->set_session_id(std::string(32, session_digit));
    identity->set_sequence(sequence);
    identity->set_agent_version("0.1.0");
    v1::TimeRange* range = window_.mutable_range();
    const auto n = static_cast<int64_t>(sequence);
    range->set_start_unix_ns(kTestEpochNs + 10 * kSecondNs * (n - 1));
    range->set_end_unix_ns(kTestEpochNs + 10 * kSecondNs * n);
    range->set_start_monotonic_ns(static_cast<uint64_t>(10 * kSecondNs * n));
    range->set_end_monotonic_ns(static_cast<uint64_t>(10 * kSecondNs * (n + 1)));
    window_.mutable_topology()->set_numa_nodes(1);
    window_.mutable_topology()->set_online_cpus(2);
    String("");
    AddStack({}, 0);
  }

  v1::Window& window() { return window_; }
  const v1::Window& window() const { return window_; }

  uint32_t String(const std::string& text) {
    const auto [it, is_new] =
        strings_.emplace(text, static_cast<uint32_t>(dictionary()->strings_size()));
    if (is_new) dictionary()->add_strings(text);
    return it->second;
  }

  uint32_t Module(const std::string& path) {
    dictionary()->add_module_path(String(path));
    dictionary()->add_module_build_id(String("abc123"));
    return static_cast<uint32_t>(dictionary()->module_path_size() - 1);
  }

  uint32_t Frame(const std::string& name, const std::string& module, uint64_t offset = 0,
                 v1::FrameKind kind = v1::FRAME_KIND_USER) {
    dictionary()->add_frame_name(String(name));
    dictionary()->add_frame_module(Module(module));
    dictionary()->add_frame_offset(offset);
    dictionary()->add_frame_kind(static_cast<uint32_t>(kind));
    return static_cast<uint32_t>(dictionary()->frame_name_size() - 1);
  }

  uint32_t AddStack(const std::vector<uint32_t>& frames, uint32_t flags) {
    dictionary()->add_stack_depth(static_cast<uint32_t>(frames.size()));
    for (const uint32_t frame : frames) dictionary()->add_stack_frames(frame);
    dictionary()->add_stack_flags(flags);
    return static_cast<uint32_t>(dictionary()->stack_depth_size() - 1);
  }

  // All frames in the module "/bin/db".
  uint32_t Stack(const std::vector<std::string>& leaf_first, uint32_t flags = 0) {
    std::vector<uint32_t> frames;
    frames.reserve(leaf_first.size());
    for (const std::string& name : leaf_first) frames.push_back(Frame(name, "/bin/db"));
    return AddStack(frames, flags);
  }

  uint32_t Dims(const TestDims& dims = {}) {
    dictionary()->add_dim_service(String(dims.service));
    dictionary()->add_dim_role(String(dims.role));
    dictionary()->add_dim_database(String(dims.database));
    dictionary()->add_dim_wait(String(dims.wait));
    dictionary()->add_dim_node(dims.node);
    return static_cast<uint32_t>(dictionary()->dim_service_size() - 1);
  }

  // A profile with the columns samples (count) and cpu_ns (ns).
  v1::Profile* CpuProfile(const std::string& name = "cpu") {
    v1::Profile* profile = window_.add_profiles();
    profile->set_name(name);
    profile->set_event("cpu-clock");
    profile->set_sample_rate_hz(99);
    AddColumn(profile, "samples", "count");
    AddColumn(profile, "cpu_ns", "ns");
    return profile;
  }

  static void AddColumn(v1::Profile* profile, const std::string& name, const std::string& unit) {
    v1::ValueColumn* column = profile->add_values();
    column->set_name(name);
    column->set_unit(unit);
  }

  static void Row(v1::Profile* profile, uint32_t dims, uint32_t stack,
                  const std::vector<uint64_t>& values) {
    profile->add_dims(dims);
    profile->add_stack(stack);
    for (size_t c = 0; c < values.size(); ++c) {
      profile->mutable_values(static_cast<int>(c))->add_values(values[c]);
    }
  }

  // The table "processes": pid, title, user_ns.
  v1::Table* Processes() {
    v1::Table* table = window_.add_tables();
    table->set_name("processes");
    const std::vector<std::pair<std::string, std::string>> columns = {
        {"pid", "id"}, {"title", "text"}, {"user_ns", "ns"}};
    for (const auto& [name, unit] : columns) {
      v1::Column* column = table->add_columns();
      column->set_name(name);
      column->set_unit(unit);
    }
    return table;
  }

  void Process(v1::Table* table, int64_t pid, const std::string& title, int64_t user_ns) {
    table->mutable_columns(0)->add_numbers(pid);
    table->mutable_columns(1)->add_strings(String(title));
    table->mutable_columns(2)->add_numbers(user_ns);
  }

  void Loss(const std::string& reason, uint64_t count) {
    v1::Loss* loss = window_.mutable_fidelity()->add_losses();
    loss->set_stage("kernel");
    loss->set_probe("switch");
    loss->set_reason(reason);
    loss->set_count(count);
  }

 private:
  v1::Dictionary* dictionary() { return window_.mutable_dictionary(); }

  v1::Window window_;
  std::map<std::string, uint32_t> strings_;
};

// One row on one stack: main -> work, 5 samples, 50 ns; and one process.
inline v1::Window SmallWindow(uint64_t sequence, char session_digit = 'a',
                              const std::string& host = "db1") {
  WindowBuilder builder(sequence, session_digit, host);
  const uint32_t dims = builder.Dims();
  const uint32_t stack = builder.Stack({"work", "main"});
  WindowBuilder::Row(builder.CpuProfile(), dims, stack, {5, 50});
  builder.Process(builder.Processes(), 42, "postgres: bench", 7);
  return builder.window();
}

}  // namespace hotlatch::collector

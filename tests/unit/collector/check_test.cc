#include "collector/ingest/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/unit/collector/window_builder.h"

namespace hotlatch::collector {
namespace {

using Breaker = std::function<void(v1::Window&)>;

struct BadCase {
  const char* name;
  Breaker break_it;
  const char* field;  // how the error begins
};

void PrintTo(const BadCase& bad, std::ostream* out) { *out << bad.name; }

template <typename Strings>
void AddMany(Strings* strings, int count) {
  for (int i = 0; i < count; ++i) strings->Add();
}

const std::vector<BadCase>& IdentityCases() {
  static const std::vector<BadCase> cases = {
      {"NoHostId", [](auto& w) { w.mutable_identity()->clear_host_id(); }, "identity.host_id: "},
      {"HostIdWithSpace", [](auto& w) { w.mutable_identity()->set_host_id("a b"); },
       "identity.host_id: "},
      {"LongHostId", [](auto& w) { w.mutable_identity()->set_host_id(std::string(129, 'a')); },
       "identity.host_id: "},
      {"HostNameWithEscape", [](auto& w) { w.mutable_identity()->set_host_name("a\x1b[2J"); },
       "identity.host_name: control character U+001B"},
      {"LongHostName", [](auto& w) { w.mutable_identity()->set_host_name(std::string(257, 'a')); },
       "identity.host_name: "},
      {"NoBootId", [](auto& w) { w.mutable_identity()->clear_boot_id(); }, "identity.boot_id: "},
      {"ShortSession", [](auto& w) { w.mutable_identity()->set_session_id("abc"); },
       "identity.session_id: "},
      {"SessionNotHex", [](auto& w) { w.mutable_identity()->set_session_id(std::string(32, 'g')); },
       "identity.session_id: "},
      {"SequenceZero", [](auto& w) { w.mutable_identity()->set_sequence(0); },
       "identity.sequence: "},
      {"SequenceHuge", [](auto& w) { w.mutable_identity()->set_sequence(UINT64_MAX); },
       "identity.sequence: "},
      {"LongVersion",
       [](auto& w) { w.mutable_identity()->set_agent_version(std::string(257, '1')); },
       "identity.agent_version: "},
  };
  return cases;
}

const std::vector<BadCase>& RangeCases() {
  static const std::vector<BadCase> cases = {
      {"StartInThePast", [](auto& w) { w.mutable_range()->set_start_unix_ns(1); },
       "range.start_unix_ns: "},
      {"StartNegative", [](auto& w) { w.mutable_range()->set_start_unix_ns(INT64_MIN); },
       "range.start_unix_ns: "},
      {"StartInTheFuture", [](auto& w) { w.mutable_range()->set_start_unix_ns(INT64_MAX - 1); },
       "range.start_unix_ns: "},
      {"EndIsStart", [](auto& w) { w.mutable_range()->set_end_unix_ns(w.range().start_unix_ns()); },
       "range.end_unix_ns: "},
      {"TooLong",
       [](auto& w) {
         w.mutable_range()->set_end_unix_ns(w.range().start_unix_ns() + kMaxWindowNs + 1);
       },
       "range.end_unix_ns: "},
      {"MonotonicBackwards", [](auto& w) { w.mutable_range()->set_end_monotonic_ns(1); },
       "range.end_monotonic_ns: "},
      {"MonotonicTooLong", [](auto& w) { w.mutable_range()->set_end_monotonic_ns(UINT64_MAX); },
       "range.end_monotonic_ns: "},
      {"FactWithoutName", [](auto& w) { w.add_facts()->set_value("x"); }, "facts[0].name: empty"},
      {"FactWithControl",
       [](auto& w) {
         w.add_facts()->set_name("kernel");
         w.mutable_facts(0)->set_value("a\n");
       },
       "facts[0].value: control"},
      {"TooManyFacts", [](auto& w) { AddMany(w.mutable_facts(), kMaxFacts + 1); }, "facts: "},
  };
  return cases;
}

const std::vector<BadCase>& StringCases() {
  static const auto d = [](v1::Window& w) { return w.mutable_dictionary(); };
  static const std::vector<BadCase> cases = {
      {"FirstStringNotEmpty", [](auto& w) { d(w)->set_strings(0, "x"); },
       "dictionary.strings[0]: "},
      {"LongString", [](auto& w) { d(w)->add_strings(std::string(kMaxStringBytes + 1, 'x')); },
       "dictionary.strings["},
      {"NotUtf8", [](auto& w) { d(w)->set_strings(1, "\xff\xfe"); },
       "dictionary.strings[1]: not valid UTF-8"},
      {"OverlongUtf8", [](auto& w) { d(w)->set_strings(1, "\xc0\xaf"); },
       "dictionary.strings[1]: not valid UTF-8"},
      {"Surrogate", [](auto& w) { d(w)->set_strings(1, "\xed\xa0\x80"); },
       "dictionary.strings[1]: not valid UTF-8"},
      {"CutUtf8", [](auto& w) { d(w)->set_strings(1, "\xe2\x82"); },
       "dictionary.strings[1]: not valid UTF-8"},
      {"ZeroByte", [](auto& w) { d(w)->set_strings(1, std::string("a\0b", 3)); },
       "dictionary.strings[1]: control character U+0000"},
      {"C1Control", [](auto& w) { d(w)->set_strings(1, "\xc2\x9b"); },
       "dictionary.strings[1]: control character U+009B"},
      {"TooManyStrings", [](auto& w) { AddMany(d(w)->mutable_strings(), kMaxStrings); },
       "dictionary.strings: "},
  };
  return cases;
}

const std::vector<BadCase>& FrameCases() {
  static const auto d = [](v1::Window& w) { return w.mutable_dictionary(); };
  static const std::vector<BadCase> cases = {
      {"BuildIdsMissing", [](auto& w) { d(w)->mutable_module_build_id()->RemoveLast(); },
       "dictionary.module_build_id: "},
      {"ModulePathBeyond", [](auto& w) { d(w)->set_module_path(0, 999); },
       "dictionary.module_path[0]: 999 is beyond the "},
      {"BuildIdBeyond", [](auto& w) { d(w)->set_module_build_id(0, 999); },
       "dictionary.module_build_id[0]: "},
      {"BuildIdNotHex", [](auto& w) { d(w)->set_module_build_id(0, d(w)->module_path(0)); },
       "dictionary.module_build_id[0]: not lower-case hexadecimal"},
      {"TooManyModules", [](auto& w) { d(w)->mutable_module_path()->Resize(kMaxModules + 1, 0); },
       "dictionary.module_path: "},
      {"FrameModulesMissing", [](auto& w) { d(w)->mutable_frame_module()->RemoveLast(); },
       "dictionary.frame_module: "},
      {"FrameOffsetsMissing", [](auto& w) { d(w)->mutable_frame_offset()->RemoveLast(); },
       "dictionary.frame_offset: "},
      {"FrameKindsMissing", [](auto& w) { d(w)->mutable_frame_kind()->RemoveLast(); },
       "dictionary.frame_kind: "},
      {"FrameNameBeyond", [](auto& w) { d(w)->set_frame_name(1, 999); },
       "dictionary.frame_name[1]: 999 is beyond the "},
      {"FrameModuleBeyond", [](auto& w) { d(w)->set_frame_module(1, 99); },
       "dictionary.frame_module[1]: 99 is beyond the 2 modules"},
      {"TooManyFrames", [](auto& w) { d(w)->mutable_frame_name()->Resize(kMaxFrames + 1, 0); },
       "dictionary.frame_name: "},
  };
  return cases;
}

const std::vector<BadCase>& StackCases() {
  static const auto d = [](v1::Window& w) { return w.mutable_dictionary(); };
  static const std::vector<BadCase> cases = {
      {"StackFlagsMissing", [](auto& w) { d(w)->mutable_stack_flags()->RemoveLast(); },
       "dictionary.stack_flags: "},
      {"DepthSumTooLarge", [](auto& w) { d(w)->set_stack_depth(1, 3); },
       "dictionary.stack_depth: sum 3, stack_frames has 2"},
      {"StackTooDeep", [](auto& w) { d(w)->set_stack_depth(1, kMaxStackDepth + 1); },
       "dictionary.stack_depth[1]: "},
      {"StackZeroNotEmpty",
       [](auto& w) {
         d(w)->set_stack_depth(0, 2);
         d(w)->set_stack_depth(1, 0);
       },
       "dictionary.stack_depth[0]: "},
      {"StackFrameBeyond", [](auto& w) { d(w)->set_stack_frames(0, 2); },
       "dictionary.stack_frames[0]: 2 is beyond the 2 frames"},
      {"TooManyStacks",
       [](auto& w) {
         d(w)->mutable_stack_depth()->Resize(kMaxStacks + 1, 0);
         d(w)->mutable_stack_flags()->Resize(kMaxStacks + 1, 0);
       },
       "dictionary.stack_depth: "},
      {"DimRolesMissing", [](auto& w) { d(w)->clear_dim_role(); }, "dictionary.dim_role: "},
      {"DimDatabasesMissing", [](auto& w) { d(w)->clear_dim_database(); },
       "dictionary.dim_database: "},
      {"DimWaitsMissing", [](auto& w) { d(w)->clear_dim_wait(); }, "dictionary.dim_wait: "},
      {"DimNodesMissing", [](auto& w) { d(w)->clear_dim_node(); }, "dictionary.dim_node: "},
      {"DimServiceBeyond", [](auto& w) { d(w)->set_dim_service(0, 999); },
       "dictionary.dim_service[0]: "},
      {"DimNodeNegative", [](auto& w) { d(w)->set_dim_node(0, -2); }, "dictionary.dim_node[0]: "},
      {"DimNodeHuge", [](auto& w) { d(w)->set_dim_node(0, INT32_MAX); },
       "dictionary.dim_node[0]: "},
      {"LongRole",
       [](auto& w) {
         d(w)->add_strings(std::string(kMaxNameBytes + 1, 'r'));
         d(w)->set_dim_role(0, static_cast<uint32_t>(d(w)->strings_size() - 1));
       },
       "dictionary.dim_role[0]: "},
      {"TooManyDims", [](auto& w) { d(w)->mutable_dim_service()->Resize(kMaxDims + 1, 0); },
       "dictionary.dim_service: "},
  };
  return cases;
}

const std::vector<BadCase>& RowCases() {
  static const auto p = [](v1::Window& w) { return w.mutable_profiles(0); };
  static const std::vector<BadCase> cases = {
      {"ProfileWithoutName", [](auto& w) { p(w)->clear_name(); }, "profiles[0].name: empty"},
      {"ProfileTwice", [](auto& w) { *w.add_profiles() = w.profiles(0); },
       "profiles[1].name: 'cpu' is there twice"},
      {"TooManyProfiles", [](auto& w) { AddMany(w.mutable_profiles(), kMaxProfiles); },
       "profiles: "},
      {"LongEvent", [](auto& w) { p(w)->set_event(std::string(257, 'e')); }, "profiles[0].event: "},
      {"RateNotANumber", [](auto& w) { p(w)->set_sample_rate_hz(std::nan("")); },
       "profiles[0].sample_rate_hz: "},
      {"RateNegative", [](auto& w) { p(w)->set_sample_rate_hz(-1); },
       "profiles[0].sample_rate_hz: "},
      {"StackColumnShort", [](auto& w) { p(w)->clear_stack(); }, "profiles[0].stack: "},
      {"DimsBeyond", [](auto& w) { p(w)->set_dims(0, 1); },
       "profiles[0].dims[0]: 1 is beyond the 1 dimension sets"},
      {"StackBeyond", [](auto& w) { p(w)->set_stack(0, 2); },
       "profiles[0].stack[0]: 2 is beyond the 2 stacks"},
      {"ValuesShort", [](auto& w) { p(w)->mutable_values(1)->clear_values(); },
       "profiles[0].values[1].values: "},
      {"ValueWithoutName", [](auto& w) { p(w)->mutable_values(0)->clear_name(); },
       "profiles[0].values[0].name: "},
      {"ValueWithoutUnit", [](auto& w) { p(w)->mutable_values(0)->clear_unit(); },
       "profiles[0].values[0].unit: "},
      {"ValueTwice", [](auto& w) { p(w)->mutable_values(1)->set_name("samples"); },
       "profiles[0].values[1].name: 'samples' is there twice"},
      {"TooManyValues", [](auto& w) { AddMany(p(w)->mutable_values(), kMaxColumns); },
       "profiles[0].values: "},
      {"TooManyRows", [](auto& w) { p(w)->mutable_dims()->Resize(kMaxRows + 1, 0); },
       "profiles[0].dims: "},
  };
  return cases;
}

const std::vector<BadCase>& TableCases() {
  static const auto t = [](v1::Window& w) { return w.mutable_tables(0); };
  static const std::vector<BadCase> cases = {
      {"TableWithoutName", [](auto& w) { t(w)->clear_name(); }, "tables[0].name: "},
      {"TableTwice", [](auto& w) { *w.add_tables() = w.tables(0); },
       "tables[1].name: 'processes' is there twice"},
      {"TooManyTables", [](auto& w) { AddMany(w.mutable_tables(), kMaxTables); }, "tables: "},
      {"TooManyColumns", [](auto& w) { AddMany(t(w)->mutable_columns(), kMaxColumns); },
       "tables[0].columns: "},
      {"ColumnTwice", [](auto& w) { t(w)->mutable_columns(2)->set_name("pid"); },
       "tables[0].columns[2].name: 'pid' is there twice"},
      {"ColumnShort", [](auto& w) { t(w)->mutable_columns(2)->clear_numbers(); },
       "tables[0].columns[2]: "},
      {"TextBeyond", [](auto& w) { t(w)->mutable_columns(1)->set_strings(0, 999); },
       "tables[0].columns[1].strings[0]: "},
      {"NumbersInText", [](auto& w) { t(w)->mutable_columns(1)->add_numbers(1); },
       "tables[0].columns[1].numbers: "},
      {"TextInNumbers", [](auto& w) { t(w)->mutable_columns(0)->add_strings(0); },
       "tables[0].columns[0].strings: "},
      {"LossReasonLong",
       [](auto& w) { w.mutable_fidelity()->add_losses()->set_reason(std::string(257, 'r')); },
       "fidelity.losses.reason: "},
      {"TooManyCounters",
       [](auto& w) { AddMany(w.mutable_fidelity()->mutable_counters(), kMaxFidelityEntries + 1); },
       "fidelity.counters: "},
      {"ProbeStateControl", [](auto& w) { w.mutable_fidelity()->add_probes()->set_state("a\tb"); },
       "fidelity.probes.state: "},
  };
  return cases;
}

class CheckRefuses : public testing::TestWithParam<BadCase> {};

TEST_P(CheckRefuses, AndNamesTheField) {
  v1::Window window = SmallWindow(1);
  ASSERT_TRUE(CheckWindow(window));
  GetParam().break_it(window);
  const auto checked = CheckWindow(window);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kInvalid);
  EXPECT_EQ(checked.error().text.rfind(GetParam().field, 0), 0U) << checked.error().text;
}

std::string CaseName(const testing::TestParamInfo<BadCase>& bad) { return bad.param.name; }

INSTANTIATE_TEST_SUITE_P(Identity, CheckRefuses, testing::ValuesIn(IdentityCases()), CaseName);
INSTANTIATE_TEST_SUITE_P(Range, CheckRefuses, testing::ValuesIn(RangeCases()), CaseName);
INSTANTIATE_TEST_SUITE_P(String, CheckRefuses, testing::ValuesIn(StringCases()), CaseName);
INSTANTIATE_TEST_SUITE_P(Frame, CheckRefuses, testing::ValuesIn(FrameCases()), CaseName);
INSTANTIATE_TEST_SUITE_P(Stack, CheckRefuses, testing::ValuesIn(StackCases()), CaseName);
INSTANTIATE_TEST_SUITE_P(Row, CheckRefuses, testing::ValuesIn(RowCases()), CaseName);
INSTANTIATE_TEST_SUITE_P(Table, CheckRefuses, testing::ValuesIn(TableCases()), CaseName);

TEST(CheckTest, AWholeWindowPasses) { EXPECT_TRUE(CheckWindow(SmallWindow(1))); }

TEST(CheckTest, AWindowThatSawNothingPasses) {
  v1::Window window = SmallWindow(1);
  window.clear_dictionary();
  window.clear_profiles();
  window.clear_tables();
  EXPECT_TRUE(CheckWindow(window));
}

TEST(CheckTest, FieldsAndKindsOfTheFuturePass) {
  v1::Window window = SmallWindow(1);
  v1::Window::GetReflection()->MutableUnknownFields(&window)->AddVarint(999, 1);
  window.mutable_dictionary()->set_frame_kind(0, 77);
  window.mutable_dictionary()->set_stack_flags(1, 0x80000000);
  const auto checked = CheckWindow(window);
  EXPECT_TRUE(checked) << checked.error().text;
}

TEST(CheckTest, TextOfTheWorldPasses) {
  v1::Window window = SmallWindow(1);
  window.mutable_dictionary()->set_strings(1, "Zürich \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_TRUE(CheckWindow(window));
}

}  // namespace
}  // namespace hotlatch::collector

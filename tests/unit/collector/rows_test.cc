// Rows, hosts, status, and what every answer says it stands on.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "collector/query/query.h"
#include "tests/unit/collector/window_builder.h"

namespace hotlatch::collector {
namespace {

// "label,label: number number" a row.
std::string Draw(const v1::RowsResponse& rows) {
  std::string out;
  for (const v1::Row& row : rows.rows()) {
    for (int i = 0; i < row.labels_size(); ++i) out += (i > 0 ? "," : "") + row.labels(i);
    out += ":";
    for (const int64_t number : row.numbers()) out += " " + std::to_string(number);
    out += "\n";
  }
  return out;
}

class RowsTest : public testing::Test {
 protected:
  RowsTest() : store_(std::move(*OpenSqliteStore(":memory:", OpenMode::kReadWrite))) {}

  void Put(const v1::Window& window) { ASSERT_TRUE(store_->Put(window)); }

  // client backend: 7 samples, 40 ns; walsender: 2 samples, 60 ns. Processes 1 and 2.
  void PutWorkload(uint64_t sequence = 1, const std::string& host = "db1", char session = 'a') {
    WindowBuilder builder(sequence, session, host);
    const uint32_t client = builder.Dims();
    const uint32_t sender = builder.Dims({"postgresql/5432", "walsender", "", "", -1});
    v1::Profile* cpu = builder.CpuProfile();
    WindowBuilder::Row(cpu, client, builder.Stack({"parse"}), {3, 30});
    WindowBuilder::Row(cpu, client, builder.Stack({"scan"}), {4, 10});
    WindowBuilder::Row(cpu, sender, builder.Stack({"send"}), {2, 60});
    v1::Table* table = builder.Processes();
    builder.Process(table, 1, "postgres: checkpointer", 5);
    builder.Process(table, 2, "postgres: bench", 50);
    builder.Loss("row_map_full", 3);
    Put(builder.window());
  }

  v1::RowsResponse Ask() {
    auto answer = AnswerRows(*store_, request_);
    EXPECT_TRUE(answer) << answer.error().text;
    return answer ? *answer : v1::RowsResponse();
  }
  Error AskError() {
    const auto answer = AnswerRows(*store_, request_);
    EXPECT_FALSE(answer);
    return answer ? Error{} : answer.error();
  }
  void Where(const std::string& label, const std::string& value) {
    v1::Match* match = request_.mutable_selection()->add_where();
    match->set_label(label);
    match->set_value(value);
  }

  std::unique_ptr<Store> store_;
  v1::RowsRequest request_;
};

TEST_F(RowsTest, SumsOfAProfileByLabelInOrderOfTime) {
  PutWorkload();
  request_.set_profile("cpu");
  request_.add_by("role");
  const v1::RowsResponse rows = Ask();
  EXPECT_EQ(Draw(rows), "walsender: 2 60\nclient backend: 7 40\n");
  EXPECT_EQ(rows.labels(0), "role");
  EXPECT_EQ(rows.columns(1).name(), "cpu_ns");
  EXPECT_EQ(rows.columns(1).unit(), "ns");
  EXPECT_EQ(rows.info().events(0), "cpu-clock@99");
}

TEST_F(RowsTest, WithoutLabelsThereIsOneSum) {
  PutWorkload();
  request_.set_profile("cpu");
  EXPECT_EQ(Draw(Ask()), ": 9 100\n");
}

TEST_F(RowsTest, SumsOfATableByItsOwnColumns) {
  PutWorkload(1);
  PutWorkload(2);
  request_.set_table("processes");
  request_.add_by("pid");
  request_.add_by("title");
  const v1::RowsResponse rows = Ask();
  EXPECT_EQ(Draw(rows), "2,postgres: bench: 100\n1,postgres: checkpointer: 10\n");
  ASSERT_EQ(rows.columns_size(), 1);
  EXPECT_EQ(rows.columns(0).name(), "user_ns");
}

TEST_F(RowsTest, IdsAreNeverSummed) {
  PutWorkload();
  request_.set_table("processes");
  EXPECT_EQ(Draw(Ask()), ": 55\n");
}

TEST_F(RowsTest, TablesAreSelectedByAnyColumn) {
  PutWorkload();
  request_.set_table("processes");
  request_.add_by("host");
  Where("pid", "1");
  EXPECT_EQ(Draw(Ask()), "db1: 5\n");
  request_.mutable_selection()->mutable_where(0)->set_value("3");
  EXPECT_EQ(Draw(Ask()), "");
}

TEST_F(RowsTest, AnUnknownColumnNamesTheKnownOnes) {
  PutWorkload();
  request_.set_table("processes");
  request_.add_by("colour");
  const Error error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kInvalid);
  EXPECT_NE(error.text.find("host, pid, title, user_ns"), std::string::npos) << error.text;
}

TEST_F(RowsTest, AnUnknownTableNamesThoseThatExist) {
  PutWorkload();
  request_.set_table("locks");
  const Error error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kNotFound);
  EXPECT_NE(error.text.find("which has processes"), std::string::npos) << error.text;
}

TEST_F(RowsTest, ASeriesHasARowPerWindowInOrderOfTime) {
  PutWorkload(1);
  PutWorkload(2);
  request_.set_profile("cpu");
  request_.add_by("host");
  request_.set_per_window(true);
  const v1::RowsResponse rows = Ask();
  EXPECT_EQ(rows.labels(1), "time");
  const std::string first = std::to_string(kTestEpochNs + 10 * kSecondNs);
  const std::string second = std::to_string(kTestEpochNs + 20 * kSecondNs);
  EXPECT_EQ(Draw(rows), "db1," + first + ": 9 100\ndb1," + second + ": 9 100\n");
}

TEST_F(RowsTest, NoSourceIsAUsageError) {
  PutWorkload();
  EXPECT_EQ(AskError().kind, ErrorKind::kInvalid);
}

TEST_F(RowsTest, SumsStopAtTheLargestNumber) {
  WindowBuilder builder;
  const uint32_t dims = builder.Dims();
  v1::Profile* cpu = builder.CpuProfile();
  WindowBuilder::Row(cpu, dims, builder.Stack({"a"}), {UINT64_MAX, 1});
  WindowBuilder::Row(cpu, dims, builder.Stack({"b"}), {UINT64_MAX, 1});
  Put(builder.window());
  request_.set_profile("cpu");
  EXPECT_EQ(Draw(Ask()), ": 9223372036854775807 2\n");
}

TEST_F(RowsTest, LossesAreSummedAndTravelWithTheAnswer) {
  PutWorkload(1);
  PutWorkload(2);
  request_.set_profile("cpu");
  const v1::AnswerInfo info = Ask().info();
  ASSERT_EQ(info.fidelity().losses_size(), 1);
  EXPECT_EQ(info.fidelity().losses(0).reason(), "row_map_full");
  EXPECT_EQ(info.fidelity().losses(0).count(), 6U);
}

TEST_F(RowsTest, GapsInASessionAreMissingWindows) {
  for (const uint64_t sequence : {1, 2, 5, 9}) PutWorkload(sequence);
  PutWorkload(4, "db2", 'b');
  request_.set_profile("cpu");
  v1::AnswerInfo info = Ask().info();
  EXPECT_EQ(info.windows(), 5U);
  EXPECT_EQ(info.windows_missing(), 5U);  // 3, 4, 6, 7, 8; of the other session there is one only
  EXPECT_EQ(info.covered_ns(), static_cast<uint64_t>(40 * kSecondNs));
  EXPECT_EQ(info.hosts_size(), 2);
  request_.mutable_selection()->set_to_unix_ns(kTestEpochNs + 20 * kSecondNs);
  info = Ask().info();
  EXPECT_EQ(info.windows(), 2U);
  EXPECT_EQ(info.windows_missing(), 0U);
  EXPECT_EQ(info.from_unix_ns(), kTestEpochNs);
  EXPECT_EQ(info.to_unix_ns(), kTestEpochNs + 20 * kSecondNs);
}

TEST_F(RowsTest, AHostIsMetByNameOrId) {
  PutWorkload(1);
  PutWorkload(2, "db2", 'b');
  request_.set_profile("cpu");
  Where("host", "db2");
  EXPECT_EQ(Ask().info().hosts(0), "db2");
  request_.mutable_selection()->mutable_where(0)->set_value("id-db1");
  EXPECT_EQ(Ask().info().hosts(0), "db1");
  request_.mutable_selection()->mutable_where(0)->set_op(v1::Match::OP_NOT_EQUAL);
  EXPECT_EQ(Ask().info().hosts(0), "db2");
  request_.mutable_selection()->mutable_where(0)->set_op(v1::Match::OP_EQUAL);
  request_.mutable_selection()->mutable_where(0)->set_value("db3");
  const Error error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kNotFound);
  EXPECT_NE(error.text.find("db1, db2"), std::string::npos) << error.text;
}

TEST_F(RowsTest, AnEmptyRangeSaysWhatTheStoreHolds) {
  request_.set_profile("cpu");
  EXPECT_EQ(AskError().kind, ErrorKind::kNotFound);
  PutWorkload();
  request_.mutable_selection()->set_from_unix_ns(kTestEpochNs + 100 * kSecondNs);
  Error error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kNotFound);
  EXPECT_EQ(error.text,
            "no windows between 2023-11-14T22:15:00Z and now; the store holds "
            "2023-11-14T22:13:20Z to 2023-11-14T22:13:30Z");
  request_.mutable_selection()->set_to_unix_ns(kTestEpochNs);
  error = AskError();
  EXPECT_EQ(error.kind, ErrorKind::kInvalid);
}

TEST_F(RowsTest, ProbeStatesAreThoseOfTheNewestWindow) {
  for (const uint64_t sequence : {1, 2}) {
    v1::Window window = SmallWindow(sequence);
    v1::ProbeState* probe = window.mutable_fidelity()->add_probes();
    probe->set_probe("cpu");
    probe->set_state(sequence == 1 ? "attached" : "failed");
    Put(window);
  }
  request_.set_profile("cpu");
  const v1::AnswerInfo info = Ask().info();
  ASSERT_EQ(info.fidelity().probes_size(), 1);
  EXPECT_EQ(info.fidelity().probes(0).state(), "failed");
}

TEST_F(RowsTest, DifferentEventsAreWarnedOf) {
  Put(SmallWindow(1));
  v1::Window window = SmallWindow(2);
  window.mutable_profiles(0)->set_event("cycles");
  window.mutable_profiles(0)->set_sample_rate_hz(0);
  Put(window);
  request_.set_profile("cpu");
  const v1::AnswerInfo info = Ask().info();
  ASSERT_EQ(info.events_size(), 2);
  EXPECT_EQ(info.events(0), "cpu-clock@99");
  EXPECT_EQ(info.events(1), "cycles");
  ASSERT_EQ(info.warnings_size(), 1);
}

TEST_F(RowsTest, HostsShowTheNewestSession) {
  PutWorkload(1);
  PutWorkload(2, "db1", 'b');
  PutWorkload(1, "db2", 'c');
  const auto hosts = AnswerHosts(*store_, {});
  ASSERT_TRUE(hosts) << hosts.error().text;
  ASSERT_EQ(hosts->hosts_size(), 2);
  EXPECT_EQ(hosts->hosts(0).host_name(), "db1");
  EXPECT_EQ(hosts->hosts(0).session_id(), std::string(32, 'b'));
  EXPECT_EQ(hosts->hosts(0).windows(), 2U);
  EXPECT_EQ(hosts->hosts(0).first_unix_ns(), kTestEpochNs);
  EXPECT_EQ(hosts->hosts(0).last_unix_ns(), kTestEpochNs + 20 * kSecondNs);
  EXPECT_EQ(hosts->hosts(0).topology().online_cpus(), 2U);
}

TEST_F(RowsTest, StatusAnswersForAnEmptyStoreToo) {
  auto status = AnswerStatus(*store_, {});
  ASSERT_TRUE(status) << status.error().text;
  EXPECT_EQ(status->windows(), 0U);
  PutWorkload();
  status = AnswerStatus(*store_, {});
  EXPECT_EQ(status->windows(), 1U);
  EXPECT_EQ(status->store_path(), ":memory:");
  EXPECT_GT(status->store_bytes(), 0U);
  EXPECT_EQ(status->info().fidelity().losses(0).count(), 3U);
}

}  // namespace
}  // namespace hotlatch::collector

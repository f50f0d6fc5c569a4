#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "collector/cli/command.h"
#include "tests/unit/cli/answers.h"

namespace hotlatch::collector {
namespace {

struct Ran {
  int exit_code = -1;
  std::string out, talk;
  Error error;
};

Ran Do(const std::vector<std::string>& args, FakeAnswerer* answerer,
       CommandResult (*command)(const CommandContext&)) {
  const ParsedLine line = ParseCommandLine(args);
  EXPECT_FALSE(line.done) << line.talk;
  Ran ran;
  CommandContext context;
  context.options = &line.options;
  context.answerer = answerer;
  context.now_unix_ns = MadeInfo().to_unix_ns();
  context.out = &ran.out;
  context.talk = &ran.talk;
  const CommandResult result = command(context);
  if (result) {
    ran.exit_code = *result;
  } else {
    ran.error = result.error();
  }
  return ran;
}

FakeAnswerer WithTree() {
  FakeAnswerer answerer;
  answerer.trees["cpu/"] = MadeTree(
      {{"main", "m", v1::NODE_KIND_USER, 1, {{"lock", "m", v1::NODE_KIND_USER, 9'999'999}}}});
  return answerer;
}

TEST(TreeCommand, TextHasHeaderTreeAndFooter) {
  FakeAnswerer answerer = WithTree();
  answerer.trees["cpu/"].set_stacks_truncated(1'000'000);
  const Ran ran = Do({"tree", "x"}, &answerer, RunTree);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.out,
            "profile cpu: cpu-clock@99, value cpu_ns\n"
            "range   2023-11-14T22:13:20Z to 2023-11-14T22:13:30Z (10.0 s), 1 window, host db1\n"
            "total   10.0 ms, 1.00 ms/s\n"
            "\n"
            "  total    self    value  function [module]\n"
            " 100.0%          10.0 ms  all\n"
            " 100.0%   0.00%  10.0 ms  main [m]\n"
            " 100.0%  100.0%  10.0 ms  lock [m]\n"
            "\n"
            "no loss recorded\n"
            "stacks truncated: 1.00 ms (10.00%)\n");
  ASSERT_EQ(answerer.asked_trees.size(), 1U);
  EXPECT_EQ(answerer.asked_trees[0].by_size(), 2);
  EXPECT_EQ(answerer.asked_trees[0].by(0), "service");
}

TEST(TreeCommand, FunctionIsAnsweredFromWholeStacks) {
  FakeAnswerer answerer = WithTree();
  const Ran ran = Do({"tree", "x", "--inverted", "--function", "lock"}, &answerer, RunTree);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_FALSE(answerer.asked_trees[0].inverted());
  EXPECT_EQ(answerer.asked_trees[0].by_size(), 0);
  EXPECT_NE(ran.out.find("function lock: 10.0 ms (100.0%)"), std::string::npos) << ran.out;
  EXPECT_LT(ran.out.find("lock [m]"), ran.out.find("main [m]"));
  const Ran missing = Do({"tree", "x", "--function", "loc"}, &answerer, RunTree);
  EXPECT_EQ(ExitCode(missing.error), 1);
  EXPECT_NE(missing.error.text.find("near: lock"), std::string::npos);
}

TEST(TreeCommand, JsonHasTheOneShapeWithLossAndUnits) {
  FakeAnswerer answerer = WithTree();
  v1::Loss* loss = answerer.trees["cpu/"].mutable_info()->mutable_fidelity()->add_losses();
  loss->set_stage("kernel");
  loss->set_probe("cpu");
  loss->set_reason("row_map_full");
  loss->set_count(7);
  answerer.trees["cpu/"].set_strings(3, "bad\xff name\x1b");
  const Ran ran = Do({"tree", "x", "--json", "--where", "role=a"}, &answerer, RunTree);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos);
  const auto json = nlohmann::json::parse(ran.out);
  for (const char* field : {"query", "from", "to", "fidelity", "rows"}) {
    EXPECT_TRUE(json.contains(field)) << field;
  }
  EXPECT_EQ(json["from"], "2023-11-14T22:13:20Z");
  EXPECT_EQ(json["query"]["where"][0], "role=a");
  EXPECT_EQ(json["fidelity"]["loss"][0]["count"], 7);
  EXPECT_EQ(json["fidelity"]["loss"][0]["reason"], "row_map_full");
  ASSERT_EQ(json["rows"].size(), 3U);
  EXPECT_EQ(json["rows"][2]["self_ns"], 9'999'999);
  EXPECT_EQ(json["rows"][0]["total_ns"], 10'000'000);
}

TEST(TreeCommand, FoldedKeepsStdoutForDataAndTellsOfLossOnStderr) {
  FakeAnswerer answerer = WithTree();
  answerer.trees["cpu/"].mutable_info()->set_windows_missing(1);
  const Ran ran = Do({"tree", "x", "--folded"}, &answerer, RunTree);
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.out, "main 1\nmain;lock 9999999\n");
  EXPECT_NE(ran.talk.find("MISSING: 1 window inside the range"), std::string::npos);
}

TEST(Selection, RelativeTimesCountFromTheEndOfARecording) {
  FakeAnswerer answerer = WithTree();
  v1::Host* host = answerer.hosts.add_hosts();
  host->set_last_unix_ns(MadeInfo().to_unix_ns() - 1'000'000'000);
  Do({"tree", "x", "--from", "-2s"}, &answerer, RunTree);
  EXPECT_EQ(answerer.asked_trees.back().selection().from_unix_ns(),
            MadeInfo().to_unix_ns() - 3'000'000'000);
  answerer.recording = false;
  Do({"tree", "--from", "-2s"}, &answerer, RunTree);
  EXPECT_EQ(answerer.asked_trees.back().selection().from_unix_ns(),
            MadeInfo().to_unix_ns() - 2'000'000'000);
  Do({"tree"}, &answerer, RunTree);
  EXPECT_EQ(answerer.asked_trees.back().selection().from_unix_ns(),
            MadeInfo().to_unix_ns() - 300'000'000'000);
}

FakeAnswerer WithProcesses() {
  FakeAnswerer answerer;
  answerer.rows["processes"] = MadeRows(
      {"host", "pid", "parent_pid", "service", "role"},
      {"user_ns", "system_ns", "child_user_ns", "voluntary_switches"},
      {{{"db1", "7", "1", "pg", "client backend"}, {1'000'000'000, 500'000'000, 0, 12'345}},
       {{"db1", "12", "1", "pg", "checkpointer"}, {3'000'000'000, 0, 2'000'000'000, 2}}});
  answerer.rows["processes+"] = MadeRows({"host", "pid", "title", "state", "time"}, {"threads"},
                                         {{{"db1", "7", "new\x1b[2J", "alive", "200"}, {3}},
                                          {{"db1", "7", "old", "alive", "100"}, {9}}});
  answerer.rows["residency"] = MadeRows(
      {"host", "pid", "node"}, {"oncpu_ns"},
      {{{"db1", "7", "0"}, {870}}, {{"db1", "7", "1"}, {130}}, {{"db1", "12", "-1"}, {5}}});
  return answerer;
}

TEST(PsCommand, RowsJoinSumsNewestTitleAndNodes) {
  FakeAnswerer answerer = WithProcesses();
  const Ran ran = Do({"ps", "x"}, &answerer, RunPs);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_NE(ran.out.find(
                "pid  parent  service  role               cpu  user ms  system ms  ended user ms  "
                "voluntary  threads  nodes         state  title\n"
                " 12       1  pg       checkpointer    30.00%    3 000          0          2 000  "
                "        2           unknown:100%\n"
                "  7       1  pg       client backend  15.00%    1 000        500              0  "
                "   12 345        3  0:87% 1:13%   alive  new\\x1b[2J\n"),
            std::string::npos)
      << ran.out;
}

TEST(PsCommand, SortTopAndUnknownColumns) {
  FakeAnswerer answerer = WithProcesses();
  const Ran by_pid = Do({"ps", "x", "--sort", "pid", "--csv"}, &answerer, RunPs);
  EXPECT_LT(by_pid.out.find("db1,7,"), by_pid.out.find("db1,12,"));
  const Ran top = Do({"ps", "x", "--top", "1"}, &answerer, RunPs);
  EXPECT_NE(top.out.find("… 1 more with 1.50 s of CPU time"), std::string::npos) << top.out;
  const Ran bad = Do({"ps", "x", "--sort", "colour"}, &answerer, RunPs);
  EXPECT_EQ(ExitCode(bad.error), 2);
  EXPECT_NE(bad.error.text.find("voluntary_switches"), std::string::npos);
}

TEST(PsCommand, MissingTablesAreBlankNotFatal) {
  FakeAnswerer answerer = WithProcesses();
  answerer.rows.erase("processes+");
  answerer.rows.erase("residency");
  const Ran ran = Do({"ps", "x", "--json"}, &answerer, RunPs);
  EXPECT_EQ(ran.exit_code, 0);
  const auto json = nlohmann::json::parse(ran.out);
  EXPECT_EQ(json["rows"][0]["pid"], 12);
  EXPECT_EQ(json["rows"][0]["cpu_ns"], 3'000'000'000);
  EXPECT_EQ(json["rows"][0]["title"], "");
  EXPECT_FALSE(json["rows"][0].contains("blocked_ns"));
}

FakeAnswerer WithSwitches() {
  FakeAnswerer answerer;
  answerer.rows["offcpu"] =
      MadeRows({"service", "role"}, {"voluntary_switches", "involuntary_switches", "blocked_ns"},
               {{{"pg", "backend"}, {100, 20, 5'000'000}}, {{"pg", "writer"}, {1, 0, 7}}});
  answerer.rows["runqueue"] =
      MadeRows({"service", "role"}, {"waits", "wait_ns"}, {{{"pg", "backend"}, {10, 20'000}}});
  answerer.rows["wakers"] =
      MadeRows({"service", "role", "waker_service", "waker_role", "waker_kind"}, {"wakeups"},
               {{{"pg", "backend", "pgbench", "", "task"}, {75}},
                {{"pg", "backend", "", "", "softirq"}, {25}}});
  answerer.trees["offcpu/voluntary_switches"] =
      MadeTree({{"poll", "m", v1::NODE_KIND_USER, 101}}, "count");
  answerer.trees["offcpu/involuntary_switches"] =
      MadeTree({{"spin", "m", v1::NODE_KIND_USER, 20}}, "count");
  return answerer;
}

TEST(SwitchesCommand, GroupsWakersAndStacksOfAllSwitches) {
  FakeAnswerer answerer = WithSwitches();
  const Ran ran = Do({"switches", "x"}, &answerer, RunSwitches);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_NE(ran.out.find(
                "service  role     voluntary  involuntary  switches  blocked  run-queue wait  "
                "mean wait\n"
                "pg       backend        100           20    12.0/s  5.00 ms         20.0 µs    "
                "2.00 µs\n"
                "pg       writer           1            0     0.1/s     7 ns            0 ns       "
                "   -\n"
                "total                   101           20    12.1/s  5.00 ms         20.0 µs    "
                "2.00 µs\n"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("pg       backend        75  75.00%  pgbench\n"
                         "pg       backend        25  25.00%  softirq\n"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find(" 83.47%  83.47%    101  ├─ poll [m]\n"
                         " 16.53%  16.53%     20  └─ spin [m]\n"),
            std::string::npos)
      << ran.out;
}

TEST(SwitchesCommand, TopKeepsTheRestInTheSums) {
  FakeAnswerer answerer = WithSwitches();
  const Ran ran = Do({"switches", "x", "--top", "1"}, &answerer, RunSwitches);
  EXPECT_NE(ran.out.find("… 1 more"), std::string::npos) << ran.out;
  const Ran csv = Do({"switches", "x", "--csv"}, &answerer, RunSwitches);
  EXPECT_EQ(csv.out,
            "service,role,voluntary_switches,involuntary_switches,blocked_ns,waits,wait_ns\n"
            "pg,backend,100,20,5000000,10,20000\npg,writer,1,0,7,0,0\n");
  const Ran json = Do({"switches", "x", "--json"}, &answerer, RunSwitches);
  EXPECT_EQ(nlohmann::json::parse(json.out)["wakers"][0]["wakeups"], 75);
  EXPECT_EQ(nlohmann::json::parse(json.out)["stacks"][0]["total_count"], 121);
}

TEST(HostsAndStatus, AreTablesAndJson) {
  FakeAnswerer answerer;
  v1::Host* host = answerer.hosts.add_hosts();
  host->set_host_name("db1\x1b");
  host->set_windows(3);
  host->set_first_unix_ns(MadeInfo().from_unix_ns());
  host->set_last_unix_ns(MadeInfo().to_unix_ns());
  *answerer.hosts.mutable_info() = MadeInfo();
  const Ran hosts = Do({"hosts", "x"}, &answerer, RunHosts);
  EXPECT_NE(hosts.out.find("db1\\x1b        3  2023-11-14T22:13:20Z"), std::string::npos)
      << hosts.out;
  answerer.status.set_store_path("x.hotlatch");
  *answerer.status.mutable_info() = MadeInfo();
  v1::Counter* cost = answerer.status.mutable_info()->mutable_fidelity()->add_counters();
  cost->set_name("agent.cpu_ns");
  cost->set_unit("ns");
  cost->set_value(100'000'000);
  const Ran status = Do({"status", "x"}, &answerer, RunStatus);
  EXPECT_NE(status.out.find("agent.cpu_ns  100 ms  1.00% of a CPU"), std::string::npos)
      << status.out;
  EXPECT_TRUE(nlohmann::json::parse(Do({"status", "x", "--json"}, &answerer, RunStatus).out)
                  .contains("store"));
}

}  // namespace
}  // namespace hotlatch::collector

// What looking costs the database: pgbench select-only at saturation, the probes toggled between pgbench's own
// progress lines inside one run. Pairs (off, on) in alternating order, and as many null pairs (off, off) to
// show what the machine's noise alone would say. See tests/bench/README.md.
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "agent/base/file.h"
#include "agent/pipeline/pipeline.h"
#include "tests/bench/bpf_stats.h"
#include "tests/bench/cpu_time.h"
#include "tests/bench/ratio.h"
#include "tests/support/postgres_cluster.h"

namespace hotlatch {
namespace {

struct BenchOptions {
  int pairs = 24;
  int seconds = 1;
  int clients = 8;
  int scale = 10;
  std::vector<std::string> probes;
  std::vector<std::string> pgbench;  // more arguments: -C, -N ...
  bool json = false;
};

struct Segment {
  bool on = false;
  double tps = 0;
  double cpu_us_per_transaction = 0;
};

// pgbench's progress lines: each ends a segment that pgbench itself has timed.
class Load {
 public:
  Load(Process process, std::vector<pid_t> roots)
      : process_(std::move(process)), roots_(std::move(roots)) {}

  // Waits for the next progress line; its tps, or an error when pgbench has ended.
  Result<double> NextTps() {
    for (;;) {
      const std::string text = process_.Err();
      const size_t end = text.find('\n', read_);
      if (end != std::string::npos) {
        const std::string line = text.substr(read_, end - read_);
        read_ = end + 1;
        double at = 0;
        double tps = 0;
        if (std::sscanf(line.c_str(), "progress: %lf s, %lf tps", &at, &tps) == 2) return tps;
        continue;
      }
      if (!process_.Running()) {
        return MakeError(ErrorKind::kInternal, "pgbench has ended: " + text);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  double CpuSeconds() const { return CpuSecondsOfTrees(roots_); }

 private:
  Process process_;
  std::vector<pid_t> roots_;
  size_t read_ = 0;
};

Result<Segment> Measure(Load& load, bool on, int seconds) {
  const double before_s = load.CpuSeconds();
  ASSIGN_OR_RETURN(const double tps, load.NextTps());
  const double cpu_s = load.CpuSeconds() - before_s;
  return Segment{on, tps, cpu_s * 1e6 / (tps * seconds)};
}

// Probes off, on, on, off ...: order alternates, so that drift cancels.
class Experiment {
 public:
  Experiment(const BenchOptions& options, Load& load, agent::Pipeline& pipeline)
      : options_(options), load_(load), pipeline_(pipeline) {}

  Result<void> Run(bool null_arm, Ratios& throughput, Ratios& cpu) {
    for (int pair = 0; pair < options_.pairs; pair++) {
      Segment halves[2];  // off, on
      for (int half = 0; half < 2; half++) {
        const int which = (half + pair) % 2;
        RETURN_IF_ERROR(pipeline_.SetAttached(which == 1 && !null_arm));
        // The rest of the segment in which we toggled is not measured.
        ASSIGN_OR_RETURN(const double rest, load_.NextTps());
        static_cast<void>(rest);
        ASSIGN_OR_RETURN(halves[which], Measure(load_, which == 1, options_.seconds));
        RETURN_IF_ERROR(CloseDueWindow());
      }
      throughput.Add(halves[1].tps / halves[0].tps);
      cpu.Add(halves[1].cpu_us_per_transaction / halves[0].cpu_us_per_transaction);
      std::fprintf(stderr,
                   "%s pair %d/%d: throughput %.4f, CPU per transaction %.4f (%.0f tps off)\n",
                   null_arm ? "null" : "on/off", pair + 1, options_.pairs, throughput.last(),
                   cpu.last(), halves[0].tps);
    }
    return {};
  }

 private:
  // Windows of about 10 s, as the agent's default: draining is part of the cost.
  Result<void> CloseDueWindow() {
    const auto now = std::chrono::steady_clock::now();
    if (now - closed_ < std::chrono::seconds(10)) return {};
    closed_ = now;
    auto window = pipeline_.CloseWindow();
    if (!window) return window.error();
    return {};
  }

  const BenchOptions& options_;
  Load& load_;
  agent::Pipeline& pipeline_;
  std::chrono::steady_clock::time_point closed_ = std::chrono::steady_clock::now();
};

Result<std::vector<ProgramCost>> MeasurePrograms(Load& load, agent::Pipeline& pipeline) {
  RETURN_IF_ERROR(pipeline.SetAttached(true));
  ASSIGN_OR_RETURN(BpfStats stats, BpfStats::Enable());
  for (int i = 0; i < 5; i++) {
    ASSIGN_OR_RETURN(const double tps, load.NextTps());
    static_cast<void>(tps);
  }
  return stats.Take();
}

nlohmann::json Summary(const Ratios& ratios) {
  return {{"median", ratios.Median()},
          {"interval95", {ratios.IntervalLow(), ratios.IntervalHigh()}},
          {"quartiles", {ratios.Quantile(0.25), ratios.Quantile(0.75)}},
          {"pairs", ratios.size()}};
}

void PrintLine(const char* what, const Ratios& ratios) {
  std::printf("%-34s %8.4f   [%.4f, %.4f]   quartiles %.4f to %.4f   %zu pairs\n", what,
              ratios.Median(), ratios.IntervalLow(), ratios.IntervalHigh(), ratios.Quantile(0.25),
              ratios.Quantile(0.75), ratios.size());
}

struct BenchResults {
  Ratios throughput, cpu, null_throughput, null_cpu;
  std::vector<ProgramCost> programs;
};

void PrintJson(const BenchOptions& options, const BenchResults& results) {
  nlohmann::json out = {{"clients", options.clients},
                        {"segment_seconds", options.seconds},
                        {"probes", options.probes},
                        {"throughput_on_over_off", Summary(results.throughput)},
                        {"cpu_per_transaction_on_over_off", Summary(results.cpu)},
                        {"null_throughput", Summary(results.null_throughput)},
                        {"null_cpu_per_transaction", Summary(results.null_cpu)}};
  for (const ProgramCost& program : results.programs) {
    out["programs"].push_back({{"name", program.name},
                               {"runs_per_second", program.runs_per_second},
                               {"ns_per_run", program.ns_per_run}});
  }
  std::printf("%s\n", out.dump(2).c_str());
}

void PrintText(const BenchResults& results) {
  std::printf("%-34s %8s   %s\n", "on/off", "median", "95 % interval of the median (bootstrap)");
  PrintLine("throughput", results.throughput);
  PrintLine("CPU per transaction", results.cpu);
  PrintLine("null arm: throughput", results.null_throughput);
  PrintLine("null arm: CPU per transaction", results.null_cpu);
  std::printf("\n%-20s %14s %12s   (with the kernel's statistics on, which add to each run)\n",
              "program", "runs/s", "ns per run");
  for (const ProgramCost& program : results.programs) {
    std::printf("%-20s %14.0f %12.0f\n", program.name.c_str(), program.runs_per_second,
                program.ns_per_run);
  }
}

Result<void> RunBench(const BenchOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<PostgresCluster> cluster, PostgresCluster::Start({}));
  RETURN_IF_ERROR(cluster->InitPgbench(options.scale));
  std::vector<std::string> arguments = {
      "-S", "-n", "-M", "prepared", "-c", std::to_string(options.clients),
      "-j", "2",  "-T", "86400",    "-P", std::to_string(options.seconds)};
  arguments.insert(arguments.end(), options.pgbench.begin(), options.pgbench.end());
  ASSIGN_OR_RETURN(Process pgbench, Process::Start(cluster->Pgbench(arguments)));
  const pid_t pgbench_pid = pgbench.pid();
  Load load(std::move(pgbench), {cluster->postmaster(), pgbench_pid});

  agent::PipelineOptions pipeline_options;
  pipeline_options.strict = true;
  pipeline_options.probes = options.probes;
  ASSIGN_OR_RETURN(std::unique_ptr<agent::Pipeline> pipeline,
                   agent::Pipeline::Open(pipeline_options));
  for (int i = 0; i < 3; i++) {  // warm-up
    ASSIGN_OR_RETURN(const double tps, load.NextTps());
    static_cast<void>(tps);
  }
  BenchResults results;
  Experiment experiment(options, load, *pipeline);
  RETURN_IF_ERROR(experiment.Run(false, results.throughput, results.cpu));
  RETURN_IF_ERROR(experiment.Run(true, results.null_throughput, results.null_cpu));
  ASSIGN_OR_RETURN(results.programs, MeasurePrograms(load, *pipeline));

  if (options.json) {
    PrintJson(options, results);
  } else {
    PrintText(results);
  }
  return {};
}

}  // namespace
}  // namespace hotlatch

int main(int argc, char** argv) {
  hotlatch::BenchOptions options;
  CLI::App app{
      "Cost of the probes to pgbench, toggled inside one run. Example: overhead --pairs 24"};
  app.add_option("--pairs", options.pairs, "pairs of segments, and as many null pairs")
      ->check(CLI::Range(2, 1000));
  app.add_option("--seconds", options.seconds, "length of a segment")->check(CLI::Range(1, 60));
  app.add_option("--clients", options.clients, "pgbench clients")->check(CLI::Range(1, 500));
  app.add_option("--scale", options.scale, "pgbench scale")->check(CLI::Range(1, 1000));
  app.add_option("--probes", options.probes, "default: all")->delimiter(',');
  app.add_option("--pgbench", options.pgbench, "one more argument for pgbench, repeatable");
  app.add_flag("--json", options.json, "results as JSON");
  CLI11_PARSE(app, argc, argv);
  if (auto done = hotlatch::RunBench(options); !done) {
    std::fprintf(stderr, "overhead: %s\n", done.error().text.c_str());
    return 1;
  }
  return 0;
}

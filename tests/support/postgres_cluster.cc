#include "tests/support/postgres_cluster.h"

#include <pwd.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <sstream>

#include "tests/support/wait.h"

namespace hotlatch {
namespace {

constexpr std::chrono::seconds kInitTime{120};
constexpr std::chrono::seconds kStartTime{30};
constexpr std::chrono::seconds kStopTime{10};

struct Account {
  uid_t uid = 0;  // 0 = as we are
  gid_t gid = 0;
};

// PostgreSQL refuses to run as root.
Result<Account> ServerAccount() {
  if (::geteuid() != 0) return Account{};
  for (const char* name : {"postgres", "nobody"}) {
    if (const passwd* entry = ::getpwnam(name); entry != nullptr) {
      return Account{entry->pw_uid, entry->pw_gid};
    }
  }
  return MakeError(ErrorKind::kNotFound, "user postgres: not there, nor is nobody");
}

// Only part of the socket's name and of what the server is called: nothing listens on TCP.
int PrivatePort() {
  static int starts = 0;
  return 20000 + (static_cast<int>(::getpid()) + ++starts) % 30000;
}

ProcessOptions ClientCommand(const std::string& program, const std::string& folder, int port,
                             uid_t uid, gid_t gid) {
  ProcessOptions options;
  options.argv = {PostgresProgram(program)};
  options.environment = {{"PGHOST", folder},         {"PGPORT", std::to_string(port)},
                         {"PGDATABASE", "postgres"}, {"PGUSER", "postgres"},
                         {"LC_ALL", "C.UTF-8"},      {"HOME", folder}};
  options.folder = folder;
  options.uid = uid;
  options.gid = gid;
  return options;
}

Result<Outcome> RunChecked(const ProcessOptions& options, std::chrono::milliseconds at_most) {
  ASSIGN_OR_RETURN(Outcome outcome, RunProcess(options, at_most));
  if (outcome.exit_code != 0) {
    return MakeError(ErrorKind::kIo, options.argv[0] + ": exit code " +
                                         std::to_string(outcome.exit_code) + ": " + outcome.err);
  }
  return outcome;
}

Result<void> InitFolder(const TempDir& home, int port, const Account& account) {
  if (account.uid != 0 && ::chown(home.path().c_str(), account.uid, account.gid) != 0) {
    return ErrnoError(errno, home.path());
  }
  ProcessOptions init = ClientCommand("initdb", home.path(), port, account.uid, account.gid);
  for (const char* argument :
       {"-D", "data", "-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync"}) {
    init.argv.emplace_back(argument);
  }
  ASSIGN_OR_RETURN(const Outcome done, RunChecked(init, kInitTime));
  (void)done;
  return {};
}

ProcessOptions ServerCommand(const TempDir& home, int port, const Account& account,
                             const PostgresOptions& options) {
  ProcessOptions server = ClientCommand("postgres", home.path(), port, account.uid, account.gid);
  const std::vector<std::string> arguments = {"-D", home / "data",
                                              "-p", std::to_string(port),
                                              "-k", home.path(),
                                              "-h", "",
                                              "-N", std::to_string(options.max_connections)};
  server.argv.insert(server.argv.end(), arguments.begin(), arguments.end());
  std::vector<std::string> settings = options.settings;
  settings.push_back(options.fsync ? "fsync=on" : "fsync=off");
  for (const std::string& setting : settings) {
    server.argv.emplace_back("-c");
    server.argv.push_back(setting);
  }
  return server;
}

}  // namespace

std::string PostgresProgram(const std::string& name) {
  return "/usr/lib/postgresql/15/bin/" + name;
}

Result<std::unique_ptr<PostgresCluster>> PostgresCluster::Start(const PostgresOptions& options) {
  ASSIGN_OR_RETURN(const Account account, ServerAccount());
  ASSIGN_OR_RETURN(TempDir home, TempDir::Create());
  const int port = PrivatePort();
  RETURN_IF_ERROR(InitFolder(home, port, account));
  ASSIGN_OR_RETURN(Process server, Process::Start(ServerCommand(home, port, account, options)));
  std::unique_ptr<PostgresCluster> cluster(
      new PostgresCluster(std::move(home), port, account.uid, account.gid, std::move(server)));
  const bool answers = WaitUntil(
      [&] { return !cluster->server_.Running() || cluster->Query("SELECT 1").has_value(); },
      kStartTime);
  if (!answers || !cluster->server_.Running()) {
    return MakeError(ErrorKind::kUnavailable, "postgres: does not answer: " + cluster->log());
  }
  return cluster;
}

PostgresCluster::~PostgresCluster() {
  // Backends lead sessions of their own, so killing the postmaster's group would leave them to find
  // out.
  server_.Signal(SIGQUIT);
  (void)server_.Wait(kStopTime);
}

ProcessOptions PostgresCluster::Pgbench(const std::vector<std::string>& arguments) const {
  ProcessOptions options = ClientCommand("pgbench", home_.path(), port_, uid_, gid_);
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  return options;
}

Result<void> PostgresCluster::InitPgbench(int scale) {
  ASSIGN_OR_RETURN(const Outcome done,
                   RunChecked(Pgbench({"-i", "-q", "-s", std::to_string(scale)}), kInitTime));
  (void)done;
  return {};
}

Result<std::string> PostgresCluster::Query(const std::string& sql) const {
  ProcessOptions options = ClientCommand("psql", home_.path(), port_, uid_, gid_);
  for (const std::string& argument : {std::string("-XAtq"), std::string("-c"), sql}) {
    options.argv.push_back(argument);
  }
  ASSIGN_OR_RETURN(Outcome outcome, RunChecked(options, kStartTime));
  return std::move(outcome.out);
}

Result<std::vector<pid_t>> PostgresCluster::ClientBackends() const {
  ASSIGN_OR_RETURN(const std::string answer,
                   Query("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' "
                         "AND pid <> pg_backend_pid()"));
  std::vector<pid_t> pids;
  std::istringstream lines(answer);
  for (pid_t pid = 0; lines >> pid;) pids.push_back(pid);
  return pids;
}

}  // namespace hotlatch

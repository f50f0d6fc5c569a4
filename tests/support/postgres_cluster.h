// A private PostgreSQL 15 in a temporary folder: Unix socket only, never as root, gone with its
// owner. A server of the host is neither used nor touched.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/base/result.h"
#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace hotlatch {

struct PostgresOptions {
  bool fsync = false;
  int max_connections = 60;
  std::vector<std::string> settings{};  // name=value, as after -c
};

// Path of a program of PostgreSQL 15: /usr/lib/postgresql/15/bin/<name>.
std::string PostgresProgram(const std::string& name);

// Not for sharing between threads.
class PostgresCluster {
 public:
  // Returns when the server answers.
  static Result<std::unique_ptr<PostgresCluster>> Start(const PostgresOptions& options);

  PostgresCluster(const PostgresCluster&) = delete;
  PostgresCluster& operator=(const PostgresCluster&) = delete;
  ~PostgresCluster();  // immediate shutdown: the data goes with the folder

  int port() const { return port_; }
  pid_t postmaster() const { return server_.pid(); }
  const std::string& socket_folder() const { return home_.path(); }
  std::string data_folder() const { return home_ / "data"; }
  std::string log() const { return server_.Err(); }

  Result<void> InitPgbench(int scale);

  // argv and user of `pgbench ARGUMENTS` on this server, to be given to Process::Start.
  ProcessOptions Pgbench(const std::vector<std::string>& arguments) const;

  // One statement's answer, unaligned, without header.
  Result<std::string> Query(const std::string& sql) const;

  // Process ids of the backends that serve clients now, but the asking one.
  Result<std::vector<pid_t>> ClientBackends() const;

 private:
  PostgresCluster(TempDir home, int port, uid_t uid, gid_t gid, Process server)
      : home_(std::move(home)), port_(port), uid_(uid), gid_(gid), server_(std::move(server)) {}

  TempDir home_;
  int port_;
  uid_t uid_;
  gid_t gid_;
  Process server_;  // after home_: stops before the folder goes
};

}  // namespace hotlatch

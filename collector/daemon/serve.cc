#include "collector/daemon/serve.h"

#include <fcntl.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>
#include <netdb.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>

#include "agent/base/clock.h"
#include "agent/base/file.h"
#include "agent/base/log.h"
#include "agent/base/unique_fd.h"
#include "agent/base/version.h"
#include "collector/daemon/query_service.h"
#include "collector/ingest/ingest_service.h"
#include "collector/ingest/shared_store.h"

namespace hotlatch::collector {
namespace {

// A stream keeps a thread; queries need a few more.
constexpr int kMaxThreads = 1100;
constexpr size_t kMaxBufferBytes = 1U << 30;
constexpr time_t kPruneEverySeconds = 10;
constexpr std::chrono::milliseconds kDrain{500};

// Held as long as it lives: one collector per directory.
Result<UniqueFd> LockDataDir(const std::string& dir) {
  if (::mkdir(dir.c_str(), 0750) != 0 && errno != EEXIST) return ErrnoError(errno, dir);
  const std::string path = dir + "/collector.lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!fd.valid()) return ErrnoError(errno, path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoError(errno, path);
    return MakeError(ErrorKind::kUnavailable,
                     dir + ": another collector uses it; stop that one or name another --data");
  }
  return fd;
}

// gRPC only says that it could not listen; binding once more tells why.
Error ListenError(const Address& address) {
  const std::string name = address.WithPort(address.port);
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int os_errno = EADDRNOTAVAIL;
  const std::string port = std::to_string(address.port);
  if (getaddrinfo(address.host.c_str(), port.c_str(), &hints, &found) == 0) {
    const UniqueFd fd(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const bool bound = fd.valid() && ::bind(fd.get(), found->ai_addr, found->ai_addrlen) == 0;
    if (!bound) os_errno = errno;
    freeaddrinfo(found);
  }
  Error error = ErrnoError(os_errno, "listen " + name);
  error.text += "; stop what uses it or name another --listen";
  return error;
}

struct Server {
  std::unique_ptr<grpc::Server> grpc;
  int port = 0;
};

Result<Server> StartServer(const CollectorOptions& options, IngestService& ingest,
                           QueryService& query) {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  Server server;
  grpc::ServerBuilder builder;
  grpc::ResourceQuota quota("collector");
  quota.SetMaxThreads(kMaxThreads);
  quota.Resize(kMaxBufferBytes);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.max_message_bytes));
  builder.SetMaxSendMessageSize(static_cast<int>(kMaxAnswerBytes));
  // Without this a second collector would share the port instead of failing.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Agents ask whether we are there while they have nothing to send.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  // And we, whether they still are: a host that vanished must not keep its thread.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddListeningPort(options.listen.WithPort(options.listen.port),
                           grpc::InsecureServerCredentials(), &server.port);
  builder.RegisterService(&ingest);
  builder.RegisterService(&query);
  server.grpc = builder.BuildAndStart();
  if (server.grpc == nullptr || server.port == 0) return ListenError(options.listen);
  return server;
}

void Prune(SharedStore& shared, const RetentionOptions& retention) {
  SharedStore::Lock store(shared);
  const auto report = store->Prune(retention, UnixNs());
  if (!report) {
    spdlog::error("retention failed reason=\"{}\"", report.error().text);
  } else if (report->windows > 0) {
    spdlog::info("retention windows={} dictionary_entries={} store_bytes={}", report->windows,
                 report->dictionary_entries, report->bytes);
  }
}

// Blocked in every thread, so that only WaitForStop sees them.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  return signals;
}

// Returns at SIGTERM or SIGINT; until then keeps the retention.
int WaitForStop(const sigset_t& signals, SharedStore& store, const RetentionOptions& retention) {
  for (;;) {
    const timespec wait{kPruneEverySeconds, 0};
    const int signal = sigtimedwait(&signals, nullptr, &wait);
    if (signal > 0) return signal;
    if (errno == EAGAIN) Prune(store, retention);
  }
}

}  // namespace

Result<void> Serve(const CollectorOptions& options) {
  const sigset_t signals = BlockStopSignals();
  ASSIGN_OR_RETURN(const UniqueFd lock, LockDataDir(options.data_dir));
  const std::string path = options.data_dir + "/windows.hotlatch";
  ASSIGN_OR_RETURN(std::unique_ptr<Store> opened, OpenSqliteStore(path, OpenMode::kReadWrite));
  SharedStore store(std::move(opened));
  IngestService ingest(store);
  QueryService query(path, [&ingest](v1::StatusResponse* response) {
    response->set_ingested(ingest.counts().ingested);
    response->set_duplicates(ingest.counts().duplicates);
    response->set_refused(ingest.counts().refused);
  });
  ASSIGN_OR_RETURN(const Server server, StartServer(options, ingest, query));
  if (!options.port_file.empty()) {
    RETURN_IF_ERROR(WriteFileAtomically(options.port_file, std::to_string(server.port) + "\n"));
  }
  spdlog::info("listening address={} store={} version={}", options.listen.WithPort(server.port),
               path, kVersion);
  const int signal = WaitForStop(signals, store, options.retention);
  spdlog::info("stopping signal={}", signal);
  server.grpc->Shutdown(std::chrono::system_clock::now() + kDrain);
  server.grpc->Wait();
  spdlog::info("stopped ingested={} duplicates={} refused={}", ingest.counts().ingested.load(),
               ingest.counts().duplicates.load(), ingest.counts().refused.load());
  return {};
}

}  // namespace hotlatch::collector

#include "support/private_servers.hpp"

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

namespace isolde::support {
namespace {

[[noreturn]] void give_up(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

/// One user of PostgreSQL with a password, so that a wrong one can be tried.
void lock_one_user(const server::Cluster& cluster) {
  std::ofstream(cluster.folder() + "/n1/data/pg_hba.conf")
      << "local all locked scram-sha-256\nlocal all all trust\n";
  ::kill(cluster.nodes()[0].pid, SIGHUP);
}

}  // namespace

std::unique_ptr<PrivateServer> PrivateServer::start(const std::string& kind,
                                                    const Settings& settings) {
  if (!server::check_installed(kind)) return nullptr;
  server::LaunchOptions options;
  options.settings = settings;
  Result<std::unique_ptr<server::Cluster>> cluster = server::Cluster::launch(kind, options);
  if (!cluster) give_up(cluster.error().message);
  std::unique_ptr<PrivateServer> server(new PrivateServer);
  server->cluster_ = std::move(cluster).value();
  server->dsn_ = server->cluster_->dsn();
  if (kind == "postgres") lock_one_user(*server->cluster_);
  return server;
}

void PrivateServer::kill() {
  if (const Status killed = cluster_->kill(0); !killed) give_up(killed.error().message);
}

void PrivateServer::pause(bool stop) const {
  const Status done = stop ? cluster_->pause(0) : cluster_->resume(0);
  if (!done) give_up(done.error().message);
}

std::string private_myrocks() {
  if (!std::filesystem::exists("/usr/lib/mysql/plugin/ha_rocksdb.so")) return {};
  static const std::unique_ptr<PrivateServer> kServer =
      PrivateServer::start("mariadb", {{"plugin_load_add", "ha_rocksdb"}});
  return kServer == nullptr ? std::string() : kServer->dsn();
}

std::string private_dsn(const std::string& kind) {
  static std::map<std::string, std::unique_ptr<PrivateServer>> servers;
  const auto [entry, fresh] = servers.try_emplace(kind);
  if (fresh) entry->second = PrivateServer::start(kind);
  return entry->second == nullptr ? std::string() : entry->second->dsn();
}

}  // namespace isolde::support

// Redis on a unix socket, and a primary with replicas.
//
// A replica connects by TCP, the only way that Redis has for it, so a primary with replicas
// listens on the loopback address, too, and asks everybody for the launch's own password.
//
// With an append-only file, since otherwise a killed server would come back empty. It is
// written before clients get their answers, so it survives the process even without fsync.
#include <array>

#include "server/folder.hpp"
#include "server/kind.hpp"

namespace isolde::server {
namespace {

constexpr std::array<std::string_view, 3> kFolders = {"/usr/bin", "/usr/local/bin",
                                                      "/usr/sbin"};
constexpr std::array<Program, 1> kPrograms = {
    Program{"redis-server", "redis-server", kFolders}};
constexpr std::array<std::string_view, 2> kSystemFolders = {"/bin", "/usr/bin"};
constexpr std::array<Program, 3> kReplicaPrograms = {
    Program{"redis-server", "redis-server", kFolders},
    Program{"cp", "coreutils", kSystemFolders}, Program{"rm", "coreutils", kSystemFolders}};
constexpr std::array<std::string_view, 10> kReserved = {
    "port",     "bind",    "unixsocket",      "dir",         "daemonize",
    "tls-port", "logfile", "cluster-enabled", "requirepass", "aclfile"};

class Redis : public Kind {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {
        "redis", "Redis on a unix socket", "redis-server", 1, false, false, false, false, true};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kPrograms; }
  std::span<const std::string_view> reserved() const override { return kReserved; }

  Command start(const Plan& plan, std::size_t node, Role) const override {
    std::vector<std::string> argv = {plan.programs.at("redis-server")};
    if (const std::string file = settings_file(plan, node); !file.empty()) argv.push_back(file);
    argv.insert(argv.end(),
                {"--unixsocket", endpoint(plan, node), "--dir", plan.sites[node].folder,
                 "--daemonize", "no", "--save", "", "--appendonly", "yes", "--appendfsync",
                 plan.durable ? "always" : "no"});
    for (const std::string& word : more_options(plan, node)) argv.push_back(word);
    for (const auto& [name, value] : plan.settings) {
      argv.insert(argv.end(), {"--" + name, value});
    }
    return command(plan, node, std::move(argv));
  }

  /// While it loads its file it refuses to read.
  bool serves(db::Session& session) const override {
    std::optional<std::int64_t> value;
    return session.begin().ok() && session.read(0, value).ok() && session.rollback().ok();
  }

  std::string endpoint(const Plan& plan, std::size_t node) const override {
    return plan.sites[node].folder + "/redis.sock";
  }

  std::string dsn(const Plan&, const std::string& endpoints) const override {
    return "redis://" + endpoints;
  }

 protected:
  /// A file with settings that nobody else may read; empty: there is none.
  virtual std::string settings_file(const Plan&, std::size_t) const { return {}; }
  virtual std::vector<std::string> more_options(const Plan&, std::size_t) const {
    return {"--port", "0"};
  }
};

class RedisReplica final : public Redis {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {"redis-replica",
                                       "Redis, a primary and replicas",
                                       "redis-server",
                                       2,
                                       true,
                                       true,
                                       true,
                                       true,
                                       true};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kReplicaPrograms; }
  std::span<const std::string_view> reserved() const override {
    static const std::vector<std::string_view> kAll = with_names(
        kReserved,
        {"replicaof", "slaveof", "masterauth", "replica-read-only", "slave-read-only"});
    return kAll;
  }
  std::size_t ports(const Plan&) const override { return 1; }
  bool one_by_one() const override { return true; }

  Status arrange(const Plan& plan, std::size_t node) const override {
    return write_file(settings_file(plan, node),
                      "requirepass " + plan.secret + "\nmasterauth " + plan.secret + "\n",
                      plan.owner);
  }

  /// A replica lets clients in, with what data it has, before it has found the primary. What it
  /// takes from there is in no file before its copy is rewritten: killed until then, it comes
  /// back as it was before.
  bool serves(db::Session& session) const override {
    return Redis::serves(session) &&
           session
               .statement(
                   "local told = redis.call('INFO', 'replication') "
                   "if not told:find('role:slave') then return 1 end "
                   "if not told:find('master_link_status:up') then "
                   "return redis.error_reply('no primary') end "
                   "told = redis.call('INFO', 'persistence') "
                   "if told:find('aof_rewrite_in_progress:1') "
                   "or told:find('aof_rewrite_scheduled:1') then "
                   "return redis.error_reply('the copy is in no file') end return 1")
               .ok();
  }

  /// The append-only files, which Redis has in a folder since version 7.
  std::vector<Command> take_over(const Plan& plan) const override {
    const auto files = [&plan](std::size_t node) {
      return plan.sites[node].folder + "/appendonlydir";
    };
    return {command(plan, 0, {plan.programs.at("rm"), "-rf", files(0)}),
            command(plan, 0, {plan.programs.at("cp"), "-R", files(1), files(0)})};
  }

  std::vector<Link> links(const Plan& plan) const override {
    std::vector<Link> result;
    for (std::size_t i = 1; i < plan.sites.size(); ++i) {
      result.push_back({std::to_string(plan.sites[i].ports[0]),
                        std::to_string(plan.sites[0].ports[0]), 0, i});
    }
    return result;
  }

  std::string dsn(const Plan& plan, const std::string& endpoints) const override {
    return "redis://:" + plan.secret + "@" + endpoints;
  }

 protected:
  std::string settings_file(const Plan& plan, std::size_t node) const override {
    return plan.sites[node].folder + "/redis.conf";
  }

  std::vector<std::string> more_options(const Plan& plan, std::size_t node) const override {
    if (node > 0) {
      const Site& way = plan.sites[plan.proxied ? node : 0];
      return {"--port", "0", "--replicaof", "127.0.0.1 " + std::to_string(way.ports[0])};
    }
    // A replica's first copy goes at once, and not after the usual five seconds.
    return {"--port",    std::to_string(plan.sites[0].ports[0]), "--bind",
            "127.0.0.1", "--repl-diskless-sync-delay",           "0"};
  }
};

}  // namespace

const Kind& redis_kind() {
  static const Redis kKind;
  return kKind;
}

const Kind& redis_replica_kind() {
  static const RedisReplica kKind;
  return kKind;
}

}  // namespace isolde::server

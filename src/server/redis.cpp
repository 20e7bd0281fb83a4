// Redis on a unix socket.
//
// With an append-only file, since otherwise a killed server would come back empty. It is
// written before clients get their answers, so it survives the process even without fsync.
#include <array>

#include "server/kind.hpp"

namespace isolde::server {
namespace {

constexpr std::array<std::string_view, 3> kFolders = {"/usr/bin", "/usr/local/bin",
                                                      "/usr/sbin"};
constexpr std::array<Program, 1> kPrograms = {
    Program{"redis-server", "redis-server", kFolders}};
constexpr std::array<std::string_view, 8> kReserved = {
    "port", "bind", "unixsocket", "dir", "daemonize", "tls-port", "logfile", "cluster-enabled"};

class Redis : public Kind {
 public:
  const KindInfo& info() const override {
    static constexpr KindInfo kInfo = {"redis", "Redis on a unix socket", "redis-server", 1,
                                       false};
    return kInfo;
  }
  std::span<const Program> programs() const override { return kPrograms; }
  std::span<const std::string_view> reserved() const override { return kReserved; }

  Command start(const Plan& plan, std::size_t node, Role) const override {
    std::vector<std::string> argv = {plan.programs.at("redis-server"),
                                     "--port",
                                     "0",
                                     "--unixsocket",
                                     endpoint(plan, node),
                                     "--dir",
                                     plan.sites[node].folder,
                                     "--daemonize",
                                     "no",
                                     "--save",
                                     "",
                                     "--appendonly",
                                     "yes",
                                     "--appendfsync",
                                     plan.durable ? "always" : "no"};
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

  std::string dsn(const std::string& endpoints) const override {
    return "redis://" + endpoints;
  }
};

}  // namespace

const Kind& redis_kind() {
  static const Redis kKind;
  return kKind;
}

}  // namespace isolde::server

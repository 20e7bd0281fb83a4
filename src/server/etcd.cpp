// etcd, one node or several that elect a leader.
#include <array>

#include "server/folder.hpp"
#include "server/kind.hpp"

namespace isolde::server {
namespace {

constexpr std::array<std::string_view, 3> kFolders = {"/usr/bin", "/usr/local/bin",
                                                      "/usr/sbin"};
constexpr std::array<Program, 1> kPrograms = {Program{"etcd", "etcd-server", kFolders}};
constexpr std::array<std::string_view, 11> kReserved = {"name",
                                                        "data-dir",
                                                        "listen-client-urls",
                                                        "advertise-client-urls",
                                                        "listen-peer-urls",
                                                        "initial-advertise-peer-urls",
                                                        "initial-cluster",
                                                        "config-file",
                                                        "wal-dir",
                                                        "listen-metrics-urls",
                                                        "unsafe-no-fsync"};

// etcd takes no path for a socket, but HOST:PORT as the name of one in its working directory,
// which is the same folder for all nodes, since they have to find one another.
std::string client_socket(const Site& site) { return site.name + ".clients:1"; }
std::string peer_socket(const Site& site) { return site.name + ".peers:1"; }
/// Where the node is when others find a proxy at its peer_socket().
std::string hidden_socket(const Site& site) { return site.name + ".hidden:1"; }
std::string listening_socket(const Plan& plan, const Site& site) {
  return plan.proxied ? hidden_socket(site) : peer_socket(site);
}

class Etcd : public Kind {
 public:
  explicit Etcd(const KindInfo& info) : info_(info) {}

  const KindInfo& info() const override { return info_; }
  std::span<const Program> programs() const override { return kPrograms; }
  std::span<const std::string_view> reserved() const override { return kReserved; }
  bool needs_majority() const override { return true; }

  Command start(const Plan& plan, std::size_t node, Role) const override {
    const Site& site = plan.sites[node];
    std::string members;
    for (const Site& member : plan.sites) {
      members += (members.empty() ? "" : ",") + member.name + "=unix://" + peer_socket(member);
    }
    std::vector<std::string> argv = {
        plan.programs.at("etcd"),
        "--name=" + site.name,
        "--data-dir=" + site.folder + "/data",
        "--listen-client-urls=unix://" + client_socket(site),
        "--advertise-client-urls=unix://" + client_socket(site),
        "--listen-peer-urls=unix://" + listening_socket(plan, site),
        "--initial-advertise-peer-urls=unix://" + peer_socket(site),
        "--initial-cluster=" + members,
        "--log-level=error"};
    // The write-ahead log is written, if not synced, before a request is acknowledged.
    if (!plan.durable) argv.emplace_back("--unsafe-no-fsync");
    // On one machine a leader can be missed ten times sooner than over a network.
    for (const auto& [name, value] :
         {std::pair("heartbeat-interval", "20"), std::pair("election-timeout", "200")}) {
      if (plan.settings.count(name) == 0) {
        argv.push_back("--" + std::string(name) + "=" + value);
      }
    }
    for (const auto& [name, value] : plan.settings) argv.push_back("--" + name + "=" + value);
    Command server = command(plan, node, std::move(argv));
    server.folder = plan.sites.front().folder;
    return server;
  }

  /// It does not take the place of a socket that a killed one left.
  Status rearrange(const Plan& plan, std::size_t node, Role) const override {
    const Site& site = plan.sites[node];
    for (const std::string& socket : {client_socket(site), listening_socket(plan, site)}) {
      remove_all(plan.sites.front().folder + "/" + socket);
    }
    return ok_status();
  }

  /// Without a leader there is nothing to read.
  bool serves(db::Session& session) const override {
    std::optional<std::int64_t> value;
    return session.begin().ok() && session.read(0, value).ok() && session.rollback().ok();
  }

  std::vector<Link> links(const Plan& plan) const override {
    const std::string folder = plan.sites.front().folder + "/";
    std::vector<Link> result;
    for (std::size_t i = 0; i < plan.sites.size(); ++i) {
      const Site& site = plan.sites[i];
      result.push_back(
          {folder + peer_socket(site), folder + hidden_socket(site), i, std::nullopt});
    }
    return result;
  }

  std::string endpoint(const Plan& plan, std::size_t node) const override {
    return plan.sites.front().folder + "/" + client_socket(plan.sites[node]);
  }

  std::string dsn(const Plan&, const std::string& endpoints) const override {
    return "etcd://" + endpoints;
  }

 private:
  KindInfo info_;
};

}  // namespace

const Kind& etcd_kind() {
  static const Etcd kKind(
      {"etcd", "etcd, one node", "etcd-server", 1, false, false, false, false, true});
  return kKind;
}

const Kind& etcd_cluster_kind() {
  static const Etcd kKind(
      {"etcd-cluster", "etcd, a cluster", "etcd-server", 3, true, false, true, false, true});
  return kKind;
}

}  // namespace isolde::server

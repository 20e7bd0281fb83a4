// etcd, one node or several that elect a leader.
#include <array>

#include "server/kind.hpp"
#include "server/probe.hpp"

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

std::string url(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

class Etcd : public Kind {
 public:
  explicit Etcd(const KindInfo& info) : info_(info) {}

  const KindInfo& info() const override { return info_; }
  std::span<const Program> programs() const override { return kPrograms; }
  std::span<const std::string_view> reserved() const override { return kReserved; }
  std::size_t ports() const override { return 2; }
  bool needs_majority() const override { return true; }

  Command start(const Plan& plan, std::size_t node, Role) const override {
    const Site& site = plan.sites[node];
    std::string members;
    for (const Site& member : plan.sites) {
      members += (members.empty() ? "" : ",") + member.name + "=" + url(member.ports[1]);
    }
    std::vector<std::string> argv = {plan.programs.at("etcd"),
                                     "--name=" + site.name,
                                     "--data-dir=" + site.folder + "/data",
                                     "--listen-client-urls=" + url(site.ports[0]),
                                     "--advertise-client-urls=" + url(site.ports[0]),
                                     "--listen-peer-urls=" + url(site.ports[1]),
                                     "--initial-advertise-peer-urls=" + url(site.ports[1]),
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
    return command(plan, node, std::move(argv));
  }

  bool ready(const Plan& plan, std::size_t node) const override {
    return etcd_answers(plan.sites[node].ports[0]);
  }

  std::string dsn(const Plan& plan) const override { return "etcd://" + endpoints(plan); }

 private:
  KindInfo info_;
};

}  // namespace

const Kind& etcd_kind() {
  static const Etcd kKind({"etcd", "etcd, one node", "etcd-server", 1, false});
  return kKind;
}

const Kind& etcd_cluster_kind() {
  static const Etcd kKind({"etcd-cluster", "etcd, a cluster", "etcd-server", 3, true});
  return kKind;
}

}  // namespace isolde::server

// What is particular about a kind of server; one file for each (postgres.cpp, mariadb.cpp,
// ...). Cluster does what they have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/driver.hpp"
#include "server/process.hpp"
#include "server/proxy.hpp"
#include "server/server.hpp"

namespace isolde::server {

/// Where one node lives.
struct Site {
  std::string name;    ///< "n1"
  std::string folder;  ///< belongs to the user that the server runs as
  std::string log;     ///< what the server says
  std::vector<std::uint16_t> ports;
};

/// All that is decided before anything starts.
struct Plan {
  std::string folder;
  std::vector<Site> sites;
  std::map<std::string, std::string> settings;  ///< for the server itself
  std::map<std::string, std::string> programs;  ///< name -> path
  std::optional<Owner> owner;                   ///< whom to run as, when we are root
  bool durable = false;
  bool proxied = false;  ///< nodes find one another by links()
  /// A password for nodes that can reach one another by TCP only, where everybody could.
  std::string secret;
};

/// A program that a kind needs.
struct Program {
  std::string_view name;
  std::string_view package;                   ///< of Debian
  std::span<const std::string_view> folders;  ///< besides the setting bin; last part may be *
};

enum class Role : std::uint8_t {
  kFounder,  ///< there is no other node yet, or no more
  kMember,   ///< there is one to join
};

class Kind {
 public:
  virtual ~Kind() = default;

  virtual const KindInfo& info() const = 0;
  virtual std::span<const Program> programs() const = 0;
  /// Settings that the caller must not give, since the launcher depends on them. Names are
  /// compared in lower case and with - for _.
  virtual std::span<const std::string_view> reserved() const = 0;
  /// The same of what a setting holds. ERRORS: kUsage.
  virtual Status check_setting(const std::string& name, const std::string& value) const;
  /// TCP ports that a node needs, for other nodes: clients come by a socket.
  virtual std::size_t ports(const Plan&) const { return 0; }
  /// The user to run as when we are root, or empty: root will do.
  virtual std::string_view user() const { return {}; }
  /// Nodes are started one after the other, each when the one before is ready; else together.
  virtual bool one_by_one() const { return false; }
  /// A node serves only while more than half of all nodes run.
  virtual bool needs_majority() const { return false; }
  /// What ends the server when its data may be lost, 0: SIGKILL; and when it is kept.
  virtual int quick_stop() const { return 0; }
  virtual int clean_stop() const;

  /// Programs that make the node's data, to be run one after the other.
  virtual std::vector<Command> create(const Plan& plan, std::size_t node) const;
  /// What else has to be there before the first start.
  virtual Status arrange(const Plan& plan, std::size_t node) const;
  /// A program to run before the node starts again after its end.
  virtual std::optional<Command> recover(const Plan& plan, std::size_t node) const;
  /// How far the node's data goes, by its last recover(): when all nodes have ended, the one
  /// that goes furthest founds the cluster anew. -1: unknown, or all are alike.
  virtual std::int64_t position(const Plan& plan, std::size_t node) const;
  /// What has to be there before the node starts again.
  virtual Status rearrange(const Plan& plan, std::size_t node, Role role) const;
  /// Why the node did not start, if it says so elsewhere than in its log; else empty.
  virtual std::string said_elsewhere(const Plan& plan, std::size_t node) const;
  /// The server in the foreground.
  virtual Command start(const Plan& plan, std::size_t node, Role role) const = 0;
  /// Whether a client that gets in is served. A server may let clients in while it still
  /// recovers or is shut out by the others.
  virtual bool serves(db::Session& session) const = 0;
  /// Removes what the node left outside of its folder; called when it has ended for good.
  virtual void clean_up(const Plan& plan, std::size_t node, pid_t pid) const;

  /// The ways by which nodes find one another when the plan is `proxied`.
  virtual std::vector<Link> links(const Plan& plan) const;

  /// For kinds with KindInfo::fails_over: programs that put the data of the second node in the
  /// place of the first one's, while neither runs.
  virtual std::vector<Command> take_over(const Plan& plan) const;

  /// The path of the socket at which the node serves clients, or of the folder that it lies in
  /// if that is how clients name it. Below the folder of some node: nobody else can enter that.
  virtual std::string endpoint(const Plan& plan, std::size_t node) const = 0;
  /// Names what is at the endpoints, which are separated by commas and encoded.
  virtual std::string dsn(const Plan& plan, const std::string& endpoints) const = 0;

 protected:
  /// A command with the node's folder, log and owner.
  static Command command(const Plan& plan, std::size_t node, std::vector<std::string> argv);
};

/// Names of settings that are reserved, and more of them.
std::vector<std::string_view> with_names(std::span<const std::string_view> names,
                                         std::initializer_list<std::string_view> more);

/// The data source name of all nodes.
std::string dsn_of(const Kind& kind, const Plan& plan);

/// Asks the node, as a client, whether it serves; may take a second or two.
bool is_ready(const Kind& kind, const Plan& plan, std::size_t node);

const Kind& postgres_kind();
const Kind& postgres_replica_kind();
const Kind& mariadb_kind();
const Kind& mariadb_replica_kind();
const Kind& galera_kind();
const Kind& redis_kind();
const Kind& redis_replica_kind();
const Kind& etcd_kind();
const Kind& etcd_cluster_kind();

/// ERRORS: kUsage, listing the names.
Result<const Kind*> find_kind(std::string_view name);

/// The path of each of the kind's programs; from the folder `bin` unless that is empty. ERRORS:
/// kEnvironment, naming the package to install.
Result<std::map<std::string, std::string>> find_programs(const Kind& kind,
                                                         const std::string& bin);

/// Name -> value of options -> a plan without folder and ports. ERRORS: kUsage; as
/// find_programs().
Result<Plan> make_plan(const Kind& kind, const std::map<std::string, std::string>& settings);

}  // namespace isolde::server

// Goal: settings are taken or refused with a reason, programs are found or the package is
// named, and DSNs have the form that drivers read. Method: plans without starting anything.
#include "server/kind.hpp"

#include <gtest/gtest.h>

namespace isolde::server {
namespace {

using Settings = std::map<std::string, std::string>;

std::string refusal(std::string_view kind, const Settings& settings) {
  const Result<const Kind*> found = find_kind(kind);
  if (!found) return found.error().message;
  const Result<Plan> plan = make_plan(**found, settings);
  return plan ? "" : plan.error().message;
}

TEST(Kinds, AreListedOnce) {
  std::string names;
  for (const KindInfo& row : all_kinds()) names += std::string(row.name) + " ";
  EXPECT_EQ(names,
            "postgres postgres-replica mariadb mariadb-replica galera redis redis-replica etcd "
            "etcd-cluster ");
  EXPECT_EQ(refusal("oracle", {}),
            "unknown kind of server 'oracle'; expected one of postgres, postgres-replica, "
            "mariadb, mariadb-replica, galera, redis, redis-replica, etcd, etcd-cluster");
  EXPECT_EQ(check_installed("oracle").error().code, ErrorCode::kUsage);
}

TEST(Kinds, BadSettingsAreRefused) {
  EXPECT_EQ(refusal("redis", {{"nodes", "2"}}), "redis has one node; leave out nodes");
  EXPECT_EQ(refusal("galera", {{"nodes", "10"}}), "nodes=10: expected a number from 1 to 9");
  EXPECT_EQ(refusal("galera", {{"nodes", "0"}}), "nodes=0: expected a number from 1 to 9");
  EXPECT_EQ(refusal("etcd-cluster", {{"nodes", "3x"}}),
            "nodes=3x: expected a number from 1 to 9");
  EXPECT_EQ(refusal("redis", {{"durable", "yes"}}), "durable=yes: expected 0 or 1");
  EXPECT_EQ(refusal("redis", {{"bin", ""}}), "the setting bin is empty");
  EXPECT_EQ(refusal("redis", {{"a b", "1"}}), "'a b' cannot be the name of a setting");
  EXPECT_EQ(refusal("redis", {{"", "1"}}), "'' cannot be the name of a setting");
  EXPECT_EQ(refusal("redis", {{"a", "1\n2"}}), "the value of a has more than one line");
}

TEST(Kinds, SettingsThatWouldOpenAServerToOthersAreRefused) {
  EXPECT_EQ(refusal("postgres", {{"Listen_Addresses", "*"}}),
            "the setting Listen_Addresses of postgres cannot be set: Isolde sets it itself");
  for (const char* name : {"bind-address", "bind_address", "skip-networking"}) {
    EXPECT_NE(refusal("mariadb", {{name, "0.0.0.0"}}), "") << name;
    EXPECT_NE(refusal("galera", {{name, "0.0.0.0"}}), "") << name;
  }
  EXPECT_NE(refusal("redis", {{"bind", "0.0.0.0"}}), "");
  EXPECT_NE(refusal("etcd", {{"listen-client-urls", "http://0.0.0.0:1"}}), "");
}

TEST(Kinds, AMissingProgramNamesItsPackage) {
  EXPECT_EQ(refusal("redis", {{"bin", "/nowhere"}}),
            "redis needs redis-server, which is not in /nowhere (setting bin)");
  class Imaginary : public Kind {
   public:
    const KindInfo& info() const override {
      static constexpr KindInfo kInfo = {"imaginary", "", "imaginary-server", 1, false};
      return kInfo;
    }
    std::span<const Program> programs() const override {
      static constexpr std::string_view kFolders[] = {"/nowhere/*/bin", "/usr/bin"};
      static constexpr Program kPrograms[] = {{"imaginaryd", "imaginary-server", kFolders}};
      return kPrograms;
    }
    std::span<const std::string_view> reserved() const override { return {}; }
    Command start(const Plan&, std::size_t, Role) const override { return {}; }
    bool serves(db::Session&) const override { return false; }
    std::string endpoint(const Plan&, std::size_t) const override { return {}; }
    std::string dsn(const Plan&, const std::string&) const override { return {}; }
  };
  const auto programs = find_programs(Imaginary(), "");
  ASSERT_FALSE(programs.ok());
  EXPECT_EQ(programs.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(programs.error().message,
            "imaginary needs imaginaryd, which is not installed; install the package "
            "imaginary-server");
}

// They would open a cluster to others.
TEST(Kinds, ProviderOptionsOfTheLauncherAreRefused) {
  const auto said = [](const std::string& options) {
    return refusal("galera", {{"wsrep_provider_options", options}});
  };
  EXPECT_EQ(
      said("pc.weight=2; socket.ssl=NO"),
      "the setting wsrep_provider_options of galera cannot set socket.ssl: Isolde sets it "
      "itself");
  for (const char* const options :
       {"socket.ssl=NO", "socket.ssl_ca=/x;", "a=b;;\tsocket.dynamic = 1", "base_port=1",
        "base_host=0.0.0.0", ";gmcast.listen_addr=tcp://0.0.0.0:1", "ist.recv_addr=0.0.0.0:1",
        "ist.recv_bind=0.0.0.0:1", "gmcast.mcast_addr=239.0.0.1"}) {
    EXPECT_NE(said(options).find("of galera cannot set "), std::string::npos) << options;
  }
  EXPECT_EQ(refusal("galera", {{"WSREP-Provider_options", "socket.ssl=NO"}}).substr(0, 11),
            "the setting");
  // Goes as far as to look for programs.
  for (const char* const options :
       {"", ";", "pc.weight=2;gcache.size=64M", "pc.x=socket.ssl"}) {
    const std::string answer = said(options);
    EXPECT_TRUE(answer.empty() || answer.starts_with("galera needs ")) << answer;
  }
}

Plan plan_of(std::size_t nodes, std::size_t ports) {
  Plan plan;
  plan.folder = "/tmp/x y";
  std::uint16_t port = 11001;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::string name = "n" + std::to_string(i + 1);
    plan.sites.push_back(
        {name, plan.folder + "/" + name, plan.folder + "/" + name + ".log", {}});
    for (std::size_t k = 0; k < ports; ++k) plan.sites.back().ports.push_back(port++);
  }
  return plan;
}

TEST(Kinds, DataSourceNames) {
  EXPECT_EQ(dsn_of(postgres_kind(), plan_of(1, 0)),
            "postgres://postgres@%2Ftmp%2Fx%20y%2Fn1/postgres");
  EXPECT_EQ(dsn_of(postgres_replica_kind(), plan_of(2, 0)),
            "postgres://postgres@%2Ftmp%2Fx%20y%2Fn1,%2Ftmp%2Fx%20y%2Fn2/postgres");
  EXPECT_EQ(dsn_of(mariadb_kind(), plan_of(1, 0)),
            "mariadb://root:@%2Ftmp%2Fx%20y%2Fn1%2Fsql.sock/isolde");
  EXPECT_EQ(
      dsn_of(galera_kind(), plan_of(2, 3)),
      "mariadb://root:@%2Ftmp%2Fx%20y%2Fn1%2Fsql.sock,%2Ftmp%2Fx%20y%2Fn2%2Fsql.sock/isolde");
  EXPECT_EQ(dsn_of(redis_kind(), plan_of(1, 0)), "redis://%2Ftmp%2Fx%20y%2Fn1%2Fredis.sock");
  // The sockets of all nodes lie in the folder of the first.
  EXPECT_EQ(dsn_of(etcd_cluster_kind(), plan_of(2, 0)),
            "etcd://%2Ftmp%2Fx%20y%2Fn1%2Fn1.clients%3A1,%2Ftmp%2Fx%20y%2Fn1%2Fn2.clients%3A1");
}

bool has(const Command& command, const std::string& word) {
  for (const std::string& argument : command.argv) {
    if (argument == word) return true;
  }
  return false;
}

// The one that goes over the network is the launch's own, and not in the list of processes.
TEST(Kinds, PasswordsAreNotReused) {
  const Kind& kind = redis_replica_kind();
  Plan plan = make_plan(kind, {}).ok() ? make_plan(kind, {}).value() : plan_of(2, 1);
  if (plan.secret.empty()) GTEST_SKIP() << "redis is not installed";
  EXPECT_EQ(plan.secret.size(), 32U);
  EXPECT_NE(plan.secret, make_plan(kind, {}).value().secret);
  Plan laid = plan_of(2, 1);
  laid.secret = plan.secret;
  laid.programs = plan.programs;
  EXPECT_EQ(dsn_of(kind, laid), "redis://:" + plan.secret +
                                    "@%2Ftmp%2Fx%20y%2Fn1%2Fredis.sock,"
                                    "%2Ftmp%2Fx%20y%2Fn2%2Fredis.sock");
  for (const std::size_t node : {0U, 1U}) {
    EXPECT_FALSE(has(kind.start(laid, node, Role::kMember), plan.secret));
  }
}

// Whatever stands in the path of the socket.
TEST(Kinds, AReplicaFollowsThePrimaryByItsSocket) {
  Plan plan = plan_of(2, 0);
  plan.programs["postgres"] = "postgres";
  plan.sites[0].folder = "/tmp/it's \\ here";
  const std::string wanted =
      "primary_conninfo=host='/tmp/it\\'s \\\\ here' port=5432 user=postgres "
      "application_name=n2";
  EXPECT_TRUE(has(postgres_replica_kind().start(plan, 1, Role::kMember), wanted));
  for (const std::string& word : postgres_replica_kind().start(plan, 0, Role::kMember).argv) {
    EXPECT_FALSE(word.starts_with("primary_conninfo")) << word;
  }
  EXPECT_NE(refusal("postgres-replica", {{"primary_conninfo", "host=x"}}), "");
}

TEST(Kinds, DurableServersSync) {
  Plan plan = plan_of(1, 4);
  for (const char* program : {"postgres", "mariadbd", "redis-server", "etcd"}) {
    plan.programs[program] = program;
  }
  EXPECT_TRUE(has(postgres_kind().start(plan, 0, Role::kFounder), "fsync=off"));
  EXPECT_TRUE(
      has(mariadb_kind().start(plan, 0, Role::kFounder), "--innodb-flush-log-at-trx-commit=2"));
  EXPECT_TRUE(has(mariadb_kind().start(plan, 0, Role::kFounder), "--debug-no-sync"));
  EXPECT_TRUE(has(redis_kind().start(plan, 0, Role::kFounder), "no"));
  EXPECT_TRUE(has(etcd_kind().start(plan, 0, Role::kFounder), "--unsafe-no-fsync"));
  plan.durable = true;
  EXPECT_TRUE(has(postgres_kind().start(plan, 0, Role::kFounder), "fsync=on"));
  EXPECT_TRUE(
      has(mariadb_kind().start(plan, 0, Role::kFounder), "--innodb-flush-log-at-trx-commit=1"));
  EXPECT_FALSE(has(mariadb_kind().start(plan, 0, Role::kFounder), "--debug-no-sync"));
  EXPECT_TRUE(has(redis_kind().start(plan, 0, Role::kFounder), "always"));
  EXPECT_FALSE(has(etcd_kind().start(plan, 0, Role::kFounder), "--unsafe-no-fsync"));
}

}  // namespace
}  // namespace isolde::server

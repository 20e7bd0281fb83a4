// The table of kinds, and what turns settings into a plan.
#include "server/kind.hpp"

#include <dirent.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace isolde::server {
namespace {

constexpr std::size_t kMostNodes = 9;

std::span<const Kind* const> table() {
  static const std::array<const Kind*, 9> kTable = {
      &postgres_kind(),      &postgres_replica_kind(),
      &mariadb_kind(),       &mariadb_replica_kind(),
      &galera_kind(),        &redis_kind(),
      &redis_replica_kind(), &etcd_kind(),
      &etcd_cluster_kind()};
  return kTable;
}

/// "Wsrep_Node" -> "wsrep-node"
std::string canonical(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

bool is_name(std::string_view name) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  };
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
         std::all_of(name.begin(), name.end(), allowed);
}

/// Digits are compared as numbers: 9 before 15.
bool older(const std::string& a, const std::string& b) {
  return std::make_pair(a.size(), a) < std::make_pair(b.size(), b);
}

/// "/usr/lib/postgresql/*/bin" -> that of the highest version that is installed; else as is.
std::string resolved(std::string_view folder, std::string_view program) {
  const std::size_t star = folder.find('*');
  if (star == std::string_view::npos) return std::string(folder);
  const std::string before(folder.substr(0, star));
  const std::string after(folder.substr(star + 1));
  std::string best;
  DIR* versions = opendir(before.c_str());
  if (versions == nullptr) return before + after;
  while (const dirent* entry = readdir(versions)) {
    const std::string version = entry->d_name;
    const std::string path = before + version + after + "/" + std::string(program);
    const bool number = std::isdigit(static_cast<unsigned char>(version[0])) != 0;
    if (number && access(path.c_str(), X_OK) == 0 && older(best, version)) best = version;
  }
  closedir(versions);
  return before + best + after;
}

std::vector<std::string> folders_for(const Program& program, const std::string& bin) {
  if (!bin.empty()) return {bin};
  std::vector<std::string> result;
  for (const std::string_view folder : program.folders) {
    result.push_back(resolved(folder, program.name));
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0 && rest[0] == '/') result.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return result;
}

Status take_nodes(const KindInfo& info, const std::string& value, std::size_t& nodes) {
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, nodes);
  if (!info.sizable)
    return usage_error(std::string(info.name) + " has one node; leave out nodes");
  if (error == std::errc() && rest == end && nodes >= 1 && nodes <= kMostNodes) {
    return ok_status();
  }
  return usage_error("nodes=" + value + ": expected a number from 1 to " +
                     std::to_string(kMostNodes));
}

Status take_server_setting(const Kind& kind, const std::string& name, const std::string& value,
                           Plan& plan) {
  const std::string own = std::string(kind.info().name);
  if (!is_name(name)) return usage_error("'" + name + "' cannot be the name of a setting");
  if (value.find('\n') != std::string::npos || value.find('\0') != std::string::npos) {
    return usage_error("the value of " + name + " has more than one line");
  }
  for (const std::string_view reserved : kind.reserved()) {
    if (canonical(name) == reserved && (reserved == "requirepass" || reserved == "aclfile")) {
      return usage_error(
          "the setting " + name + " of " + own +
          " cannot be set: who may use the server is Isolde's to say (SECURITY.md, "
          "\"Private servers\"); for one with a password of yours give --db");
    }
    if (canonical(name) == reserved) {
      return usage_error("the setting " + name + " of " + own +
                         " cannot be set: Isolde sets it itself");
    }
  }
  if (const Status good = kind.check_setting(name, value); !good) return good;
  plan.settings[name] = value;
  return ok_status();
}

Status take_setting(const Kind& kind, const std::string& name, const std::string& value,
                    Plan& plan, std::string& user, std::string& bin) {
  if (name == "bin" || name == "user") {
    if (value.empty()) return usage_error("the setting " + name + " is empty");
    (name == "bin" ? bin : user) = value;
    return ok_status();
  }
  if (name == "durable") {
    plan.durable = value == "1";
    if (value == "0" || value == "1") return ok_status();
    return usage_error("durable=" + value + ": expected 0 or 1");
  }
  if (name == "nodes") {
    std::size_t nodes = 0;
    const Status taken = take_nodes(kind.info(), value, nodes);
    if (taken) plan.sites.resize(nodes);
    return taken;
  }
  return take_server_setting(kind, name, value, plan);
}

/// 128 bits that nobody can guess.
std::string fresh_secret() {
  std::array<unsigned char, 16> bytes{};
  ISOLDE_CHECK(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string result;
  for (const unsigned char byte : bytes) result += {kHex[byte >> 4], kHex[byte & 15]};
  return result;
}

std::string encoded(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = ".-_~";
  std::string result;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                       (c >= 'A' && c <= 'Z') || kPlain.find(c) != std::string_view::npos;
    if (plain) {
      result += c;
    } else {
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

}  // namespace

std::vector<std::string_view> with_names(std::span<const std::string_view> names,
                                         std::initializer_list<std::string_view> more) {
  std::vector<std::string_view> result(names.begin(), names.end());
  result.insert(result.end(), more);
  return result;
}

Status Kind::check_setting(const std::string&, const std::string&) const { return ok_status(); }

int Kind::clean_stop() const { return SIGTERM; }

std::vector<Command> Kind::create(const Plan&, std::size_t) const { return {}; }

Status Kind::arrange(const Plan&, std::size_t) const { return ok_status(); }

std::optional<Command> Kind::recover(const Plan&, std::size_t) const { return std::nullopt; }

std::int64_t Kind::position(const Plan&, std::size_t) const { return -1; }

std::string Kind::said_elsewhere(const Plan&, std::size_t) const { return {}; }

Status Kind::rearrange(const Plan&, std::size_t, Role) const { return ok_status(); }

std::vector<Link> Kind::links(const Plan&) const { return {}; }

std::vector<Command> Kind::take_over(const Plan&) const { return {}; }

void Kind::clean_up(const Plan&, std::size_t, pid_t) const {}

Command Kind::command(const Plan& plan, std::size_t node, std::vector<std::string> argv) {
  return {std::move(argv), plan.sites[node].folder, plan.sites[node].log, plan.owner, 0};
}

std::string dsn_of(const Kind& kind, const Plan& plan) {
  std::string list;
  for (std::size_t node = 0; node < plan.sites.size(); ++node) {
    list += (node > 0 ? "," : "") + encoded(kind.endpoint(plan, node));
  }
  return kind.dsn(plan, list);
}

namespace {

/// A session at the node, for which its database must live.
struct Visit {
  std::unique_ptr<db::Database> database;
  std::unique_ptr<db::Session> session;
};

Result<Visit> visit(const Kind& kind, const Plan& plan, std::size_t node,
                    double timeout_seconds) {
  db::OpenOptions options;
  options.timeout_seconds = timeout_seconds;
  auto database =
      db::open_database(kind.dsn(plan, encoded(kind.endpoint(plan, node))), options);
  if (!database) return database.error();
  auto session = (*database)->connect(0);
  if (!session) return session.error();
  return Visit{std::move(database).value(), std::move(session).value()};
}

}  // namespace

bool is_ready(const Kind& kind, const Plan& plan, std::size_t node) {
  const Result<Visit> there = visit(kind, plan, node, 1);
  return there.ok() && kind.serves(*there->session);
}

std::span<const KindInfo> all_kinds() {
  static const std::vector<KindInfo> kInfos = [] {
    std::vector<KindInfo> infos;
    for (const Kind* kind : table()) infos.push_back(kind->info());
    return infos;
  }();
  return kInfos;
}

Result<const Kind*> find_kind(std::string_view name) {
  std::vector<std::string_view> names;
  std::string known;
  for (const Kind* kind : table()) {
    if (kind->info().name == name) return kind;
    names.push_back(kind->info().name);
    known += (known.empty() ? "" : ", ") + std::string(kind->info().name);
  }
  return usage_error("unknown kind of server '" + std::string(name) + "'" +
                     base::did_you_mean(base::plain_name(name), names) + "; expected one of " +
                     known);
}

Result<std::map<std::string, std::string>> find_programs(const Kind& kind,
                                                         const std::string& bin) {
  std::map<std::string, std::string> programs;
  for (const Program& program : kind.programs()) {
    const std::string name(program.name);
    // Libraries and helpers that are no part of the database are not in its folder.
    const bool own = program.package == kind.programs().front().package;
    for (const std::string& folder : folders_for(program, own ? bin : "")) {
      const std::string path = folder + "/" + name;
      if (programs.count(name) == 0 && access(path.c_str(), R_OK) == 0) programs[name] = path;
    }
    if (programs.count(name) != 0) continue;
    const std::string what = std::string(kind.info().name) + " needs " + name + ", which ";
    if (own && !bin.empty()) {
      return Error{ErrorCode::kEnvironment, what + "is not in " + bin + " (setting bin)"};
    }
    return Error{ErrorCode::kEnvironment, what + "is not installed; install the package " +
                                              std::string(program.package)};
  }
  return programs;
}

Result<Plan> make_plan(const Kind& kind, const std::map<std::string, std::string>& settings) {
  Plan plan;
  plan.sites.resize(kind.info().nodes);
  std::string user(kind.user());
  std::string bin;
  for (const auto& [name, value] : settings) {
    const Status taken = take_setting(kind, name, value, plan, user, bin);
    if (!taken) return taken.error();
  }
  if (kind.ports(plan) > 0) plan.secret = fresh_secret();
  Result<std::map<std::string, std::string>> programs = find_programs(kind, bin);
  if (!programs) return programs.error();
  plan.programs = std::move(programs).value();
  if (geteuid() == 0 && !user.empty()) {
    Result<Owner> owner = find_owner(user);
    if (!owner) {
      return Error{owner.error().code,
                   owner.error().message + "; name another one with the setting user"};
    }
    plan.owner = std::move(owner).value();
  }
  return plan;
}

Status check_installed(std::string_view name) {
  const Result<const Kind*> kind = find_kind(name);
  if (!kind) return kind.error();
  const auto programs = find_programs(**kind, "");
  if (!programs) return programs.error();
  return ok_status();
}

}  // namespace isolde::server

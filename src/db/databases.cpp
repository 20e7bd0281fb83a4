// Finding and opening databases, and the parts of a driver that all share.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "db/driver.hpp"
#include "history/level_names.hpp"

namespace isolde::db {
Reply Session::read_list(Key, std::vector<std::int64_t>&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::append(Key, std::int64_t) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::select(const Condition&, std::vector<Row>&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::aggregate(const Condition&, AggregateKind, table::Cell&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::remove(Key, bool&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::remove(const Condition&, std::vector<Row>&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::compare_and_set(Key, std::optional<std::int64_t>, std::int64_t, CasResult&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::insert_row(const table::Request&, std::int64_t) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::increment(Key, std::int64_t, std::optional<std::int64_t>&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::try_insert_row(const table::Request& request, std::int64_t stamp,
                              Inserted& inserted) {
  inserted = Inserted::kDone;
  return insert_row(request, stamp);
}

Reply Session::select_rows(const table::Request&, table::Selected&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::aggregate_rows(const table::Request&, table::Cell&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::update_rows(const table::Request&, std::int64_t, std::vector<table::Change>&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::remove_rows(const table::Request&, std::vector<table::Row>&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::upsert_row(const table::Request&, std::int64_t, table::Change&) {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::savepoint() {
  ISOLDE_CHECK(false);
  return {};
}

Reply Session::roll_back_to_savepoint() {
  ISOLDE_CHECK(false);
  return {};
}

void Database::use_tables(std::span<const table::Table>) { ISOLDE_CHECK(false); }

Reply Session::statement(const std::string&) {
  ISOLDE_CHECK(false);
  return {};
}

Result<const DatabaseInfo*> find_database(std::string_view name) {
  const std::string plain = base::plain_name(name);
  for (const DatabaseInfo* row : all_databases()) {
    if (row->name == plain || std::ranges::find(row->aliases, plain) != row->aliases.end()) {
      return row;
    }
  }
  std::vector<std::string_view> names;
  for (const DatabaseInfo* row : all_databases()) {
    names.push_back(row->name);
    names.insert(names.end(), row->aliases.begin(), row->aliases.end());
  }
  std::string message = "unknown database '" + std::string(name) + "'" +
                        base::did_you_mean(plain, names) + "; expected one of";
  const char* comma = " ";
  for (const DatabaseInfo* row : all_databases()) {
    if (row->name == "exec") continue;
    message += comma + std::string(row->name);
    comma = ", ";
  }
  message += ", or exec:COMMAND, a program of yours that drives any other";
  if (!absent_drivers().empty()) {
    message += "; this isolde was built without drivers for";
    comma = " ";
    for (const AbsentDriver& driver : absent_drivers()) {
      message += comma + std::string(driver.name);
      comma = ", ";
    }
    message += ", see isolde databases";
  }
  return usage_error(std::move(message));
}

Result<const DatabaseInfo*> find_database_of(const Dsn& dsn, double timeout_seconds,
                                             const Cancelled& cancelled) {
  const Result<const DatabaseInfo*> row = find_database(dsn.scheme);
  if (!row) return row;
  const Capabilities& can = (*row)->capabilities;
  // Where an adapter tells the isolations, the path is a command.
  const bool is_server = !can.embedded && !(*row)->isolations.empty();
  if (is_server && dsn.endpoints.empty() && dsn.path.find_first_of("@:") != std::string::npos) {
    // Without the // before a user and a password, which are not to be shown.
    return usage_error("no server in the data source name; expected " +
                       std::string((*row)->dsn));
  }
  if (is_server) {
    if (const Status named = refuse_keywords(dsn); !named) return named.error();
  }
  if ((*row)->describe == nullptr) return row;
  return (*row)->describe(dsn, timeout_seconds, cancelled);
}

std::string called(const DatabaseInfo& row) {
  return std::string(row.name) + (row.chosen.empty() ? "" : " with " + std::string(row.chosen));
}

std::string why_no_lists(const DatabaseInfo& row, std::string_view isolation) {
  const std::string name = called(row);
  if (!row.capabilities.lists) return name + " does not have";
  const auto found = std::ranges::find(row.isolations, isolation, &IsolationInfo::name);
  if (found == row.isolations.end() || found->no_lists.empty()) return {};
  return name + " does not have at " + std::string(isolation) +
         ": an append would be a read and " + "a write, and " + std::string(found->no_lists) +
         "; choose another isolation";
}

namespace {

/// Of an isolation that a database does not have, where the name is one of a level: which level
/// that is, and where the database promises it.
std::string as_level(const DatabaseInfo& row, const std::string& wanted) {
  const std::optional<Level> level = find_level(wanted);
  if (!level) return {};
  std::vector<std::string> same;
  std::vector<std::string> stronger;
  for (const IsolationInfo& isolation : row.isolations) {
    if (!isolation.claims || !implies(*isolation.claims, *level, true)) continue;
    (isolation.claims == level ? same : stronger).emplace_back(isolation.name);
  }
  std::string where = " promised nowhere";
  if (!stronger.empty()) where = " promised, and more, at " + base::joined(stronger, "and");
  if (!same.empty()) where = " promised at " + base::joined(same, "and");
  return " (the level " + std::string(info(*level).name) + " is" + where + ")";
}

}  // namespace

Result<OpenOptions> with_isolation(const DatabaseInfo& row, const OpenOptions& options) {
  if (row.isolations.empty()) {
    return usage_error(std::string(row.name) +
                       " is described by its data source name only: " + std::string(row.dsn));
  }
  OpenOptions chosen = options;
  if (options.isolation.empty()) {
    chosen.isolation = row.isolations.front().name;
    return chosen;
  }
  std::vector<std::string_view> names;
  for (const IsolationInfo& isolation : row.isolations) names.push_back(isolation.name);
  if (const auto meant = history::meant_name(options.isolation, names)) {
    chosen.isolation = *meant;
    return chosen;
  }
  const std::string wanted = base::plain_name(options.isolation);
  std::string hint = as_level(row, wanted);
  if (hint.empty()) hint = base::did_you_mean(wanted, names);
  std::string list;
  for (const std::string_view name : names) {
    list += (list.empty() ? "" : ", ") + std::string(name);
  }
  return usage_error("unknown isolation '" + options.isolation + "' of " + called(row) + hint +
                     "; expected one of " + list);
}

Result<std::unique_ptr<Database>> open_database(std::string_view text,
                                                const OpenOptions& options,
                                                const Cancelled& cancelled) {
  Result<Dsn> dsn = parse_dsn(text);
  if (!dsn) return dsn.error();
  const Result<const DatabaseInfo*> row =
      find_database_of(*dsn, options.timeout_seconds, cancelled);
  if (!row) return row.error();
  const Result<OpenOptions> chosen = with_isolation(**row, options);
  if (!chosen) return chosen.error();
  if (dsn->endpoints.size() > 1 && !(*row)->capabilities.endpoints) {
    return usage_error(std::string((*row)->name) + " takes one endpoint");
  }
  if ((*row)->capabilities.embedded) dsn->take_third_slash();
  return (*row)->open(*dsn, *chosen, cancelled);
}

}  // namespace isolde::db

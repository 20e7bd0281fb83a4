#include "cli/workload_options.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace isolde::cli {

void WorkloadArguments::add_to(CLI::App& app) {
  app.add_option("--workload", workload, "See isolde workloads")->type_name("W");
  app.add_option("--sessions", sessions, "Number of sessions")->type_name("N");
  app.add_option("--txns", txns, "Number of committed transactions")->type_name("N");
  app.add_option("--ops", ops, "Operations in a transaction")->type_name("N");
  app.add_option("--keys", keys, "Number of keys")->type_name("N");
  app.add_option("--reads", reads, "Share of reads, from 0 to 1; see isolde workloads W")
      ->type_name("P");
  std::string syntax = "How keys are chosen:";
  for (const gen::DistributionInfo& row : gen::all_distributions()) {
    syntax += (syntax.back() == ':' ? " " : ", ") + std::string(row.syntax);
  }
  app.add_option("--distribution", distribution, syntax)->type_name("D");
  app.add_option("--appends-per-key", appends_per_key, "list-append: no list grows beyond this")
      ->type_name("N");
  app.add_option("--writes-per-key", writes_per_key,
                 "rw-register, lwt: then a fresh key replaces one")
      ->type_name("N");
  app.add_option("--inserts", inserts, "lwt: share of inserts among the updates")
      ->type_name("P");
  app.add_option("--values", values,
                 "general, c-twitter, c-rubis: different values of a key; 0: all are unique")
      ->type_name("N");
  app.add_option("--users", users, "c-twitter, c-rubis: number of users")->type_name("N");
  app.add_option("--items", items, "c-rubis, tpcc: number of items")->type_name("N");
  app.add_option("--warehouses", warehouses, "tpcc: number of warehouses")->type_name("N");
  app.add_option("--customers", customers, "tpcc: customers of each district")->type_name("N");
  app.add_option("--seed", seed, "Another seed gives other transactions")
      ->type_name("N")
      ->capture_default_str();
}

Status WorkloadArguments::refuse_foreign(gen::Workload chosen) const {
  const std::pair<std::string_view, bool> given[] = {
      {"ops", ops.has_value()},
      {"keys", keys.has_value()},
      {"reads", reads.has_value()},
      {"distribution", distribution.has_value()},
      {"appends-per-key", appends_per_key.has_value()},
      {"writes-per-key", writes_per_key.has_value()},
      {"inserts", inserts.has_value()},
      {"values", values.has_value()},
      {"users", users.has_value()},
      {"items", items.has_value()},
      {"warehouses", warehouses.has_value()},
      {"customers", customers.has_value()},
  };
  for (const auto& [name, present] : given) {
    if (!present || gen::takes(chosen, name)) continue;
    return Error{ErrorCode::kUsage, "workload " + workload + " takes no --" +
                                        std::string(name) + "; see isolde workloads " +
                                        workload};
  }
  return ok_status();
}

Result<gen::WorkloadOptions> WorkloadArguments::options() const {
  const Result<gen::Workload> chosen = gen::parse_workload(workload);
  if (!chosen) return chosen.error();
  if (const Status status = refuse_foreign(*chosen); !status) return status.error();
  gen::WorkloadOptions result = gen::default_options(*chosen);
  result.sessions = sessions.value_or(result.sessions);
  result.txns = txns.value_or(result.txns);
  result.ops = ops.value_or(result.ops);
  result.keys = keys.value_or(result.keys);
  result.reads = reads.value_or(result.reads);
  result.appends_per_key = appends_per_key.value_or(result.appends_per_key);
  result.writes_per_key = writes_per_key.value_or(result.writes_per_key);
  result.inserts = inserts.value_or(result.inserts);
  result.values = values.value_or(result.values);
  result.users = users.value_or(result.users);
  result.items = items.value_or(result.items);
  result.warehouses = warehouses.value_or(result.warehouses);
  result.customers = customers.value_or(result.customers);
  result.seed = seed;
  if (!distribution) return result;
  const Result<gen::Distribution> parsed = gen::parse_distribution(*distribution);
  if (!parsed) return parsed.error();
  result.distribution = *parsed;
  return result;
}

}  // namespace isolde::cli

#include "explain/forbids.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/memory_guard.hpp"
#include "base/text.hpp"
#include "explain/summary.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {
namespace {

bool includes(const ReportModel& model, Level promised, Level level) {
  return implies_there(promised, level, model.sessions_respect_time, model.rows);
}

/// The weakest level that forbids what was told, if two transactions show it by themselves; the
/// levels of the story need not be the only ones that fall by it.
std::optional<Level> forbidden_by(const Scenario& scenario) {
  if (scenario.lost_update) return Level::kParallelSnapshotIsolation;
  if (scenario.seen_update) return Level::kReadAtomic;
  return std::nullopt;
}

/// The proof rests on the order of sessions or on real time.
bool rests_on_order(const Anomaly& anomaly) {
  return anomaly.type.ends_with("-process") || anomaly.type.ends_with("-realtime");
}

/// Of what needs no such order: the level forbids all of this name, whatever it is told of.
bool forbids_by_name(const ReportModel& model, Level promised, std::string_view anomaly) {
  const auto counts = [&](Level level) {
    return !holds_here(model, level) && includes(model, promised, level);
  };
  return std::ranges::any_of(guards(),
                             [&](const Guard& guard) {
                               return counts(guard.level) &&
                                      std::ranges::find(guard.anomalies, anomaly) !=
                                          guard.anomalies.end();
                             }) ||
         std::ranges::any_of(exclusions(), [&](const Exclusion& row) {
           return row.anomaly == anomaly && counts(row.level);
         });
}

/// The level with all that it can ask of sessions and of time.
Level with_order(Level level) {
  const LevelInfo& form = info(level);
  const auto found = std::ranges::find_if(all_levels(), [&](const LevelInfo& each) {
    return each.base == form.base && each.real_time;
  });
  return found == all_levels().end() ? level : found->level;
}

/// How many servers the transactions name; a name ends with the number of a connection:
/// "10.0.0.1:5432 backend 17".
std::size_t servers_named(const History& history) {
  std::set<std::string, std::less<>> names;
  Value last;
  for (std::size_t t = 0; history.has_servers() && t < history.txn_count(); ++t) {
    const Value server = history.server(TxnId::at(t));
    if (server.is_null() || server == last) continue;
    last = server;
    const std::string name = history.text(server);
    names.insert(name.substr(0, name.find(' ')));
    if (names.size() > 1) break;
  }
  return names.size();
}

/// The recording tells of a promise that is not that of one server.
bool is_promise_of_several(const HistoryOrigin& origin) {
  const DatabaseRemedies* const database = remedies_at(origin.database);
  if (database == nullptr || (!origin.promise && origin.no_promise.empty())) return false;
  if (origin.promised_by_user) return false;
  const std::string present = base::plain_name(origin.isolation);
  return std::ranges::any_of(database->settings, [&](const Setting& setting) {
    return present == base::plain_name(setting.name) && origin.promise != setting.promise &&
           origin.promise == setting.promise_of_several;
  });
}

/// Formats of logs of calls, which may be of transactions as well.
bool is_log_of_calls(std::string_view format) {
  return format == "jepsen" || format.starts_with("porcupine");
}

/// Each transaction reads or writes one object, once: a compare-and-set does both.
bool is_of_calls(const History& history) {
  const HistoryOrigin& origin = history.origin();
  if (!origin.database.empty() || !is_log_of_calls(origin.format)) return false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    std::size_t reads = 0;
    std::size_t writes = 0;
    const std::span<const Op> ops = history.ops(TxnId::at(t));
    base::MemoryGuard::spend(ops.size());
    for (const Op& op : ops) {
      const bool is_known = op.kind == OpKind::kWrite || op.kind == OpKind::kRead ||
                            op.kind == OpKind::kReadUnknown;
      if (!is_known && !op.is_partial()) return false;
      if (op.key != ops.front().key) return false;
      ++(op.is_write() ? writes : reads);
    }
    if (reads > 1 || writes > 1) return false;
  }
  return true;
}

}  // namespace

bool holds_here(const ReportModel& model, Level level) {
  return std::ranges::any_of(model.levels, [&](const LevelOutcome& outcome) {
    return outcome.verdict == Verdict::kHolds && includes(model, outcome.level, level);
  });
}

Forbids forbids(const ReportModel& model, Level promised, const Story& story) {
  const auto forbidden_at = [&](Level level) {
    return std::ranges::any_of(story.levels,
                               [&](Level each) { return includes(model, level, each); });
  };
  if (forbidden_at(promised)) return Forbids::kYes;
  if (!holds_here(model, promised)) {
    const std::optional<Level> weakest = forbidden_by(*story.scenario);
    if (weakest && includes(model, promised, *weakest)) return Forbids::kYes;
    const Anomaly& anomaly = story.scenario->anomaly;
    const bool by_name =
        !rests_on_order(anomaly) && forbids_by_name(model, promised, anomaly.name);
    if (by_name) return Forbids::kYes;
  }
  return forbidden_at(with_order(promised)) ? Forbids::kWithOrder : Forbids::kNo;
}

Setup setup_of(const ReportModel& model) {
  const HistoryOrigin& origin = model.history.origin();
  Setup setup{origin.database, origin.isolation};
  // What the user holds the database to tells nothing of what its setting forbids.
  const bool is_wish = model.promise && model.promise->is_asked && model.promise->level;
  setup.promise_is_known = model.promise.has_value() && !is_wish;
  if (setup.promise_is_known) setup.promise = model.promise->level;
  const std::size_t count = std::max(origin.endpoints, servers_named(model.history));
  if (count > 1 || is_promise_of_several(origin)) {
    setup.servers = Servers::kSeveral;
  } else if (count == 1 && remedies_at(origin.database) != nullptr) {
    setup.servers = Servers::kOne;
  }
  setup.of_calls = is_of_calls(model.history);
  return setup;
}

}  // namespace isolde::explain

#include "weak/mixed.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "weak/visible.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;

BaseLevel base_of(const History& history, TxnId txn) {
  return info(history.stated_level(txn).value()).base;
}

/// A selection, or a read that tells its row in part, of a transaction that did not abort.
bool reads_in_part(const History& history) {
  if (history.predicates().empty()) return false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    if (!history.selections(txn).empty()) return true;
    if (std::ranges::any_of(history.ops(txn), &Op::is_partial)) return true;
  }
  return false;
}

/// The edges that the axiom of a level without snapshots adds, for any reader.
std::vector<Edge> views_at(const Observations& seen, const LevelInfo& level,
                           std::int64_t clock_error_ns, base::Budget& budget) {
  infer::Encoding causes = encoding(level, clock_error_ns);
  causes.list_order = false;
  return all_views(infer::EventGraph(seen, causes, budget), level, 1, budget);
}

}  // namespace

std::string why_not_mixed(const History& history) {
  const std::string nobody = "no transaction states a level";
  if (!history.has_stated_levels()) return nobody;
  const bool in_part = reads_in_part(history);
  bool any = false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    any = true;
    const std::optional<Level> level = history.stated_level(txn);
    if (!level) return "transaction " + history.txn_name(txn) + " states no level";
    const LevelInfo& row = info(*level);
    if (!is_mixable(row.base)) {
      return "transaction " + history.txn_name(txn) + " states " + std::string(row.name) +
             ", for which mixing has no clear definition";
    }
    if (disregards_left_out_rows(row.base) && in_part) {
      return "transaction " + history.txn_name(txn) + " states " + std::string(row.name) +
             ", and there are selections or reads that tell a row in "
             "part; what it means in a mixture with these is not decided";
    }
    if (row.real_time) {
      return "transaction " + history.txn_name(txn) + " states " + std::string(row.name) +
             "; state the level without real time, and ask for strong-mixed";
    }
  }
  return any ? "" : nobody;
}

infer::Encoding mixed_roles(const Observations& seen, const LevelInfo& level,
                            std::int64_t clock_error_ns) {
  infer::Encoding encoding;
  encoding.role = traits(level.base).role;
  encoding.session_order = level.session_order;
  encoding.real_time = level.real_time;
  encoding.clock_error_ns = clock_error_ns;
  encoding.mixture.emplace();
  encoding.mixture->roles.resize(seen.txn_count());
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (!seen.is_included(txn)) continue;
    encoding.mixture->roles[t] = traits(base_of(seen.history(), txn)).role;
  }
  return encoding;
}

infer::Encoding mixed_encoding(const Observations& seen, const LevelInfo& level,
                               std::int64_t clock_error_ns, base::Budget& budget) {
  const History& history = seen.history();
  std::set<BaseLevel> stated;
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    if (seen.is_included(TxnId::at(t))) stated.insert(base_of(history, TxnId::at(t)));
  }
  infer::Encoding encoding = mixed_roles(seen, level, clock_error_ns);
  std::vector<Edge>& views = encoding.mixture->views;
  for (const BaseLevel base : stated) {
    if (traits(base).views == Views::kNone) continue;
    LevelInfo own = level;
    own.base = base;
    for (const Edge& view : views_at(seen, own, clock_error_ns, budget)) {
      if (base_of(history, view.via) == base) views.push_back(view);
    }
  }
  std::sort(views.begin(), views.end(), [](const Edge& a, const Edge& b) {
    return std::tuple(a.from, a.to, a.kind, a.key, a.via) <
           std::tuple(b.from, b.to, b.kind, b.key, b.via);
  });
  return encoding;
}

std::optional<Refutation> find_missed_write(const infer::Encoding& encoding) {
  for (const Edge& view : encoding.mixture->views) {
    if (view.from != view.to) continue;
    Refutation refutation;
    refutation.steps.emplace_back();
    refutation.steps.back().cycle = {view};
    return refutation;
  }
  return std::nullopt;
}

}  // namespace isolde::checker

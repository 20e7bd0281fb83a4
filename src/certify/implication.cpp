// The rows of level_rules.cpp name for each base the next weaker ones, as docs/LEVELS.md draws
// them; what implies what is a path, and a step from one form to another follows from what
// binds in both. The engine's table is another one (isolde/levels.def); tests hold the two, and
// the oracle, against each other.
#include "certify/implication.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "certify/level_rules.hpp"
#include "certify/replay.hpp"

namespace isolde::certify {
namespace {

// Where what binds in the one is not what binds in the other: real time for each key by itself,
// and an execution that need not keep the order of the sessions whose reads it explains.
constexpr auto kStepsOfLevels = std::to_array<std::pair<Level, Level>>({
    {Level::kStrictSerializable, Level::kPerKeyStrictSerializable},
    {Level::kPerKeyStrictSerializable, Level::kLinearizable},
    {Level::kWritesFollowReads, Level::kReadCommitted},
    {Level::kWritesFollowReads, Level::kReadUncommitted},
});

/// Where each session's transactions follow one another in real time, what binds real time
/// binds session order.
bool binds_no_more(const LevelInfo& weaker, const LevelInfo& stronger,
                   bool sessions_follow_time) {
  if (weaker.real_time && !stronger.real_time) return false;
  return !weaker.session_order || stronger.session_order ||
         (stronger.real_time && sessions_follow_time);
}

/// Each transaction of a session that may have taken effect had ended when the next one began.
bool do_sessions_follow_time(const History& history, std::int64_t clock_error_ns) {
  const std::vector<bool> possible = possible_txns(history, true);
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    TxnId last;
    for (const TxnId txn : history.session_txns(SessionId::at(s))) {
      if (!possible[txn.raw()]) continue;
      if (last.is_some() && !ended_before(history, last, txn, clock_error_ns)) return false;
      last = txn;
    }
  }
  return true;
}

RowFacts facts_of_rows(const History& history) {
  RowFacts facts;
  facts.refused = history.has_refused_inserts();
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    for (const Op& op : history.ops(TxnId::at(i))) {
      facts.left_out = facts.left_out || op.kind == OpKind::kReadAbsent;
      facts.deleted = facts.deleted || op.is_delete();
    }
  }
  return facts;
}

}  // namespace

bool is_weaker(Level stronger, Level weaker, bool sessions_follow_time, RowFacts rows) {
  // A refused insert is a read at some levels, and one that disregards it says nothing of it.
  if (rows.refused && rules(info(weaker)).current_reads && !rules(info(stronger)).current_reads)
    return false;
  std::vector<Level> reached = {stronger};
  const auto go = [&](Level to) {
    const bool is_new = std::find(reached.begin(), reached.end(), to) == reached.end();
    if (is_new) reached.push_back(to);
  };
  const auto go_to_forms = [&](BaseLevel base, const LevelInfo& from) {
    for (const LevelInfo& to : all_levels()) {
      if (to.base == base && binds_no_more(to, from, sessions_follow_time)) go(to.level);
    }
  };
  for (std::size_t at = 0; at < reached.size(); ++at) {
    const LevelInfo& from = info(reached[at]);
    const WeakerBases& next = weaker_bases(from.base);
    go_to_forms(from.base, from);
    for (const BaseLevel base : next.always) go_to_forms(base, from);
    for (const BaseLevel base : next.without_deletions) {
      if (!rows.deleted) go_to_forms(base, from);
    }
    for (const BaseLevel base : next.with_all_rows) {
      if (!rows.left_out) go_to_forms(base, from);
    }
    for (const auto& [one, other] : kStepsOfLevels) {
      if (one == from.level) go(other);
    }
  }
  ISOLDE_ASSERT(reached.size() <= all_levels().size());  // each level once
  return std::find(reached.begin(), reached.end(), weaker) != reached.end();
}

Objection check_implication(const History& history, Level stronger, Level weaker,
                            std::int64_t clock_error_ns) {
  const RowFacts rows = facts_of_rows(history);
  if (is_weaker(stronger, weaker, false, rows)) return kNoObjection;
  const std::string names =
      std::string(info(stronger).name) + " does not imply " + std::string(info(weaker).name);
  if (!is_weaker(stronger, weaker, true, rows)) return names;
  if (do_sessions_follow_time(history, clock_error_ns)) return kNoObjection;
  return names + " where transactions of one session overlap";
}

}  // namespace isolde::certify

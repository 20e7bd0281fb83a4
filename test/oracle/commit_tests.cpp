// Commit tests: what a level asks of a transaction T that comes next in an execution. With s_p
// the state before T, sf and sl the first and last read state of an operation, W(T) the keys
// that T writes, and "preceding" for session order, real time or both, as the level says:
//   serializable          s_p is a read state of all reads [I9]; preceding ones are in s_p
//   per-key-strict-       the same; preceding ones are those that precede in time and use
//   serializable          a key that T uses too
//   repeatable-read       the same, of a history that tells of what selections left out no more
//                         than that a row which matched at the start does not match in some
//                         state up to s_p: the selection read that version (Adya's version
//                         set), whose writer precedes T (a predicate read-dependency), and who
//                         writes the row later need not follow T
//   snapshot-isolation    some s is a read state of all reads, and W(T) is not written between
//                         s and s_p [I5], see no_conflict(); preceding ones are in s
//   prefix-consistency    [I5] without the second condition
//   ansi-snapshot-        by the database's times: [I5] with a state s whose transaction
//   isolation             committed before T started, and T commits after the one of s_p [I6]
//   prefix-consistent-    the same, preceding ones in s [I7]
//   snapshot-isolation
//   commit-ordered-       [I6], and s holds all that committed before T started [I8]
//   strong-snapshot-isol.
//   parallel-snapshot-    every read has a read state, and CAUS-VIS [I4]: for T' in PREC(T) and
//   isolation             each external read of a key of W(T'), s_T' is at or before sl.
//                         PREC is transitive: sources of external reads, earlier writers of
//                         keys of W(T), see dependencies(), and preceding ones, which must be
//                         in s_p
//   transactional-causal, BE axioms (Biswas and Enea, OOPSLA 2019): preceding ones are in s_p,
//   read-atomic,          every read has a source, and if T reads x from t1, then every other
//   monotonic-atomic-view writer t2 of x that is a cause of T is before t1. Causes are, at
//                           transactional-causal   all on paths of sources and preceding ones
//                           read-atomic            sources and preceding ones; without any of
//                                                  the latter this is [I3] for external reads
//                           monotonic-atomic-view  sources of reads earlier in T; of what one
//                                                  selection reads nothing is earlier
//   sequential            every read has a read state, IRC, preceding ones are in s_p and at
//                         or before sl of every operation (section 4.2)
//   read-committed        every read has a read state [I2]; preceding ones are in s_p
//   mixed                 what T's own level asks, session order or real time preceding
// [I n] are the tests of Crooks 2019, Tables 3.1 and 3.2.
#include <algorithm>

#include "base/assert.hpp"
#include "oracle/execution.hpp"
#include "oracle/level_tests.hpp"

namespace isolde::oracle {
// Operations that are no external reads have all states to choose from.
bool Execution::reads_forward(const Step& step) const {
  const std::vector<Effects::Read>& reads = effects(step.txn).reads;
  for (std::size_t later = 0; later < reads.size(); ++later) {
    for (std::size_t earlier = 0; earlier < reads.size(); ++earlier) {
      if (reads[earlier].moment >= reads[later].moment) continue;
      if (step.reads[earlier].first > step.reads[later].last) return false;
    }
  }
  return true;
}

bool Execution::preread(TxnId txn) const {
  const std::vector<Effects::Read>& reads = effects(txn).reads;
  return std::all_of(reads.begin(), reads.end(),
                     [&](const Effects::Read& read) { return !read_states(read).empty(); });
}

// The state that the last writer of the key among the first `count` transactions made; 0 when
// there is none, or when it deleted the row: what comes then is the first version of another
// object, as in Adya's model, and replaces nothing.
std::size_t Execution::replaced_by_next(KeyId key, std::size_t count) const {
  std::size_t last = count;
  while (last > 0 && !writes(last, key)) --last;
  const bool is_row = last > 0 && !effects(order_[last - 1]).writes.at(key).back().is_dead();
  return is_row ? last : 0;
}

// The commit test says "the states differ on no key of the write set". With unique values that
// is the same as "nobody wrote one of them in between"; where a value is written again, it is
// Adya's versions that count, not whether the values differ. They count of the object that T
// writes a version of: who saw one saw those before it, and what was deleted is another one.
bool Execution::no_conflict(TxnId txn, std::size_t state) const {
  const auto& written = effects(txn).writes;
  return std::all_of(written.begin(), written.end(), [&](const auto& write) {
    return replaced_by_next(write.first, parent()) <= state;
  });
}

// T_s <_s T, C-ORD(T_sp, T), and at [I8] T' <_s T => s_T' ->* s.
bool Execution::suits_database_times(bool is_up_to_date, TxnId txn, std::size_t state) const {
  const auto commit = [&](TxnId each) { return history_->database_times(each).commit; };
  const std::int64_t start = history_->database_times(txn).start;
  if (state > 0 && commit(order_[state - 1]) >= start) return false;
  if (!order_.empty() && commit(order_.back()) >= commit(txn)) return false;
  if (!is_up_to_date) return true;
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(state);
  return std::all_of(included_.begin(), included_.end(), [&](TxnId other) {
    return commit(other) >= start || std::find(order_.begin(), end, other) != end;
  });
}

std::vector<std::size_t> Execution::snapshot_states(const LevelInfo& row, TxnId txn) const {
  const LevelTest& test = level_test(row.base);
  const bool is_serial = test.asks == Asks::kParentState;
  ISOLDE_CHECK(is_serial || test.asks == Asks::kSnapshot);
  std::vector<std::size_t> states = complete_states(txn);
  std::erase_if(states, [&](std::size_t s) {
    if (test.has_conflicts && !no_conflict(txn, s)) return true;
    if (test.by_database_times && !suits_database_times(test.is_up_to_date, txn, s))
      return true;
    return (is_serial && s != parent()) || !all_placed_by(s, txn, row);
  });
  return states;
}

bool Execution::keeps_view(const Step& step) const {
  const std::vector<Effects::Read>& reads = effects(step.txn).reads;
  for (std::size_t later = 0; later < reads.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (reads[earlier].moment == reads[later].moment) continue;
      const std::size_t t2 = step.reads[earlier].first;
      const std::size_t t1 = step.reads[later].first;
      if (t2 > t1 && writes(t2, reads[later].key)) return false;
    }
  }
  return true;
}

// causes[i]: the transaction that made state i is a cause of the one of the step.
bool Execution::obeys_axiom(const Step& step, const std::vector<bool>& causes) const {
  const std::vector<Effects::Read>& reads = effects(step.txn).reads;
  for (std::size_t read = 0; read < reads.size(); ++read) {
    const std::size_t t1 = step.reads[read].first;
    for (std::size_t t2 = 1; t2 < causes.size(); ++t2) {
      if (causes[t2] && t2 > t1 && writes(t2, reads[read].key)) return false;
    }
  }
  return true;
}

std::vector<bool> Execution::direct_causes(const LevelInfo& level, const Step& step) const {
  std::vector<bool> causes(step.position);
  for (const StateRange& read : step.reads) causes[read.first] = true;
  for (std::size_t i = 1; i < step.position; ++i) {
    if (precedes(level, order_[i - 1], step.txn)) causes[i] = true;
  }
  return causes;
}

// D-PREC. Of the earlier writers of a key the last one is enough, for the closure adds those
// before it, up to a deletion. (Lists have no deletions.)
std::vector<bool> Execution::dependencies(const LevelInfo& level, const Step& step) const {
  std::vector<bool> found = direct_causes(level, step);
  for (const auto& [key, cell] : effects(step.txn).writes) {
    found[replaced_by_next(key, step.position - 1)] = true;
  }
  return found;
}

template <typename Direct>
std::vector<bool> Execution::closure(const Step& step, const Direct& direct) const {
  std::vector<bool> found = direct(step);
  for (std::size_t i = step.position - 1; i > 0; --i) {
    if (!found[i]) continue;
    const std::vector<bool> more = direct(steps_[i - 1]);
    for (std::size_t j = 0; j < more.size(); ++j) found[j] = found[j] || more[j];
  }
  return found;
}

bool Execution::sees_causes(const LevelInfo& level, const Step& step) const {
  const std::vector<bool> preceding =
      closure(step, [&](const Step& each) { return dependencies(level, each); });
  const std::vector<Effects::Read>& reads = effects(step.txn).reads;
  for (std::size_t i = 1; i < preceding.size(); ++i) {
    for (std::size_t read = 0; read < reads.size(); ++read) {
      if (preceding[i] && writes(i, reads[read].key) && i > step.reads[read].last) return false;
    }
  }
  return true;
}

bool Execution::moves_forward(const LevelInfo& level, const Step& step) const {
  for (std::size_t i = 1; i < step.position; ++i) {
    if (!precedes(level, order_[i - 1], step.txn)) continue;
    for (const StateRange& op : step.ops) {
      if (i > op.last) return false;
    }
  }
  return reads_forward(step);
}

// REQUIRES: all that precedes is in the parent state, and the reads are explained.
bool Execution::passes(const LevelInfo& level, const Step& step) const {
  switch (level_test(level.base).asks) {
    case Asks::kCausesVisible:
      return sees_causes(level, step);
    case Asks::kCausalAxiom:
      return obeys_axiom(
          step, closure(step, [&](const Step& each) { return direct_causes(level, each); }));
    case Asks::kAtomicAxiom:
      return obeys_axiom(step, direct_causes(level, step));
    case Asks::kMonotonicView:
      return keeps_view(step);
    case Asks::kForwardReads:
      return moves_forward(level, step);
    default:
      ISOLDE_CHECK(false);
      return false;
  }
}

// Whoever causes what must be known of all transactions, so that each read gets a source: at
// the levels of one state the version that is there.
std::vector<Step> Execution::mixed_steps(const LevelInfo& level, TxnId txn) const {
  LevelInfo own = level;
  own.base = info(history_->stated_level(txn).value()).base;
  std::vector<Step> steps = explained_steps(txn);
  std::erase_if(steps, [&](const Step& step) {
    switch (level_test(own.base).asks) {
      case Asks::kParentState:
      case Asks::kSnapshot: {
        const std::vector<std::size_t> states = snapshot_states(own, txn);
        return std::none_of(states.begin(), states.end(), [&](std::size_t state) {
          return std::all_of(step.reads.begin(), step.reads.end(), [&](const StateRange& read) {
            return read.first <= state && state <= read.last;
          });
        });
      }
      case Asks::kReadStates:
        return false;
      default:
        return !passes(own, step);
    }
  });
  return steps;
}

std::vector<Step> Execution::acceptable_steps(Level level, TxnId txn) const {
  const LevelInfo& row = info(level);
  if (!effects(txn).is_consistent || !all_placed_by(parent(), txn, row)) return {};
  const Asks asks = level_test(row.base).asks;
  if (asks == Asks::kOwnLevel) return mixed_steps(row, txn);
  if (asks_for_sources(row.base)) {
    std::vector<Step> steps = explained_steps(txn);
    std::erase_if(steps, [&](const Step& step) { return !passes(row, step); });
    return steps;
  }
  bool passes = false;
  switch (asks) {
    case Asks::kParentState:
      passes = reads_hold_at(txn, parent()) && rows_were_replaced(txn);
      break;
    case Asks::kSnapshot:
      passes = !snapshot_states(row, txn).empty();
      break;
    case Asks::kReadStates:
      passes = preread(txn);
      break;
    default:
      ISOLDE_CHECK(false);
  }
  if (!passes) return {};
  return {bare_step(txn)};
}

bool Execution::passes(Level level, TxnId txn) const {
  return !acceptable_steps(level, txn).empty();
}

}  // namespace isolde::oracle

// A witness proves that a level holds: it is one execution, and here it is carried out step by
// step. Three questions, each independent of the others:
//
//   population  Is every transaction that took effect in the order, and nothing else?
//   time        Does the order respect sessions and real time, where the level asks for it?
//   replay      Does every transaction pass the level's commit test (Crooks 2019, Table 3.1)
//               or satisfy its axiom (Biswas and Enea, OOPSLA 2019)?
//
// The replay keeps the database's state as plain values, so it needs no idea of who wrote what
// and is right for repeated values too. COST: linear in the history, but for sorting the times.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/assert.hpp"
#include "certify/aggregates.hpp"
#include "certify/external_reads.hpp"
#include "certify/final_writes.hpp"
#include "certify/own_level.hpp"
#include "certify/proof_parts.hpp"
#include "certify/replay.hpp"
#include "certify/value_table.hpp"
#include "history/texts.hpp"

namespace isolde::certify {
std::vector<bool> possible_txns(const History& history, bool with_absent_rows) {
  std::vector<bool> possible(history.txn_count(), false);
  std::vector<TxnId> work;
  ValueTable<std::vector<TxnId>> maybe_writers;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kCommitted) {
      possible[i] = true;
      work.push_back(txn);
    } else if (history.status(txn) == TxnStatus::kIndeterminate) {
      for (const Op& op : history.ops(txn)) {
        if (op.is_write()) maybe_writers.add(op.key, op.value).push_back(txn);
      }
    }
  }
  if (maybe_writers.empty()) return possible;

  const auto saw = [&](KeyId key, Value value) {
    std::vector<TxnId>* writers = maybe_writers.find(key, value);
    if (writers == nullptr) return;
    for (const TxnId writer : *writers) {
      if (!possible[writer.raw()]) work.push_back(writer);
      possible[writer.raw()] = true;
    }
    writers->clear();  // the next time there is nothing to do
  };
  const auto include = [&](TxnId writer) {
    if (!possible[writer.raw()]) work.push_back(writer);
    possible[writer.raw()] = true;
  };
  FinalWrites final_writes(history);
  ReadSplitter splitter(history, with_absent_rows);
  while (!work.empty()) {
    splitter.split(work.back());
    work.pop_back();
    for (const ExternalRead& read : splitter.external()) {
      if (read.partial) {
        for (const TxnId writer : final_writes.fitting(read)) include(writer);
        continue;
      }
      saw(read.key, read.value);
      for (const Value element : read.list) saw(read.key, element);
    }
  }
  return possible;
}

Objection read_order(const History& history, const LevelInfo& level, const Witness& witness,
                     Execution& execution) {
  if (witness.mentions != 1 && witness.mentions != 2) return "mentions is neither 1 nor 2";
  if (witness.order.size() >= kNever) return "the order is too long";
  const bool twice = witness.mentions == 2;
  execution.begin.assign(history.txn_count(), kNever);
  execution.commit.assign(history.txn_count(), kNever);
  for (std::uint32_t at = 0; at < witness.order.size(); ++at) {
    const TxnId txn = witness.order[at];
    if (!exists(history, txn)) return "the order names " + name_of(history, txn);
    std::uint32_t& begin = execution.begin[txn.raw()];
    std::uint32_t& commit = execution.commit[txn.raw()];
    if (commit != kNever) return name_of(history, txn) + " is in the order too often";
    if (begin != kNever || !twice) commit = at;
    if (begin == kNever) begin = at;
  }
  const std::vector<bool> possible = possible_txns(history, rules(level).absent_rows);
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (execution.begin[i] != kNever && execution.commit[i] == kNever) {
      return name_of(history, txn) + " is in the order once, not twice";
    }
    ISOLDE_INVARIANT(execution.begin[i] <= execution.commit[i]);
    if (execution.contains(txn) && !possible[i]) {
      return name_of(history, txn) + " is in the order but did not take effect";
    }
    if (!execution.contains(txn) && history.status(txn) == TxnStatus::kCommitted) {
      return name_of(history, txn) + " committed but is not in the order";
    }
  }
  return kNoObjection;
}

namespace {

Objection check_sessions(const History& history, const Execution& execution) {
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    TxnId previous;
    for (const TxnId txn : history.session_txns(SessionId::at(s))) {
      if (!execution.contains(txn)) continue;
      if (previous.is_some() &&
          execution.commit[previous.raw()] >= execution.begin[txn.raw()]) {
        return name_of(history, previous) + " commits after " + name_of(history, txn) +
               " begins, against the order in their session";
      }
      previous = txn;
    }
  }
  return kNoObjection;
}

/// Walks through the transactions by start time. Those that had ended before are a growing
/// prefix of the transactions by end time, so the one of them that commits last is enough.
Objection check_real_time(const History& history, const Execution& execution,
                          std::span<const TxnId> txns, std::int64_t clock_error_ns) {
  std::vector<TxnId> by_start;
  std::vector<TxnId> by_end;
  for (const TxnId txn : txns) {
    ISOLDE_INVARIANT(execution.contains(txn));
    if (history.times(txn).start != kNoTime) by_start.push_back(txn);
    if (history.times(txn).end != kNoTime && history.status(txn) == TxnStatus::kCommitted) {
      by_end.push_back(txn);
    }
  }
  std::sort(by_start.begin(), by_start.end(),
            [&](TxnId a, TxnId b) { return history.times(a).start < history.times(b).start; });
  std::sort(by_end.begin(), by_end.end(),
            [&](TxnId a, TxnId b) { return history.times(a).end < history.times(b).end; });
  TxnId last_to_commit;
  std::size_t ended = 0;
  for (const TxnId txn : by_start) {
    for (; ended < by_end.size(); ++ended) {
      const TxnId earlier = by_end[ended];
      if (!ended_before(history, earlier, txn, clock_error_ns)) break;
      if (last_to_commit.is_none() ||
          execution.commit[earlier.raw()] > execution.commit[last_to_commit.raw()]) {
        last_to_commit = earlier;
      }
    }
    if (last_to_commit.is_some() &&
        execution.commit[last_to_commit.raw()] >= execution.begin[txn.raw()]) {
      return name_of(history, last_to_commit) + " commits after " + name_of(history, txn) +
             " begins, against real time";
    }
  }
  return kNoObjection;
}

/// The same between transactions that use the same key. COST: each transaction once for each
/// key that it uses.
Objection check_real_time_by_key(const History& history, const Execution& execution,
                                 std::int64_t clock_error_ns) {
  std::vector<std::vector<TxnId>> users(history.key_count());
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    if (!execution.contains(TxnId::at(i))) continue;
    for (const Op& op : history.ops(TxnId::at(i))) {
      std::vector<TxnId>& of_key = users[op.key.raw()];
      const bool known = !of_key.empty() && of_key.back() == TxnId::at(i);
      if (op.uses_item() && !known) of_key.push_back(TxnId::at(i));
    }
  }
  for (const std::vector<TxnId>& of_key : users) {
    Objection objection = check_real_time(history, execution, of_key, clock_error_ns);
    if (!objection.empty()) return objection;
  }
  return kNoObjection;
}

/// Commit tests I6 to I8, the part about time: commits in the order of the database's times,
/// and a snapshot holds nothing that committed after the start; with I8 it holds all that
/// committed before.
Objection check_database_times(const History& history, Clock clock, const Witness& witness,
                               const Execution& execution) {
  std::vector<TxnId> commits;
  for (std::uint32_t at = 0; at < witness.order.size(); ++at) {
    const TxnId txn = witness.order[at];
    const DatabaseTimes times = history.database_times(txn);
    if (times.start == kNoTime || times.commit == kNoTime) {
      return name_of(history, txn) + " has no times of the database";
    }
    if (execution.begin[txn.raw()] == at && !commits.empty() &&
        history.database_times(commits.back()).commit >= times.start) {
      return name_of(history, txn) +
             " takes a snapshot with a commit that came after its start";
    }
    if (execution.commit[txn.raw()] != at) continue;
    if (!commits.empty() && history.database_times(commits.back()).commit >= times.commit) {
      return name_of(history, txn) + " commits out of the order of the database's times";
    }
    commits.push_back(txn);
  }
  if (clock != Clock::kExactly) return kNoObjection;
  for (const TxnId txn : commits) {
    const std::int64_t start = history.database_times(txn).start;
    const auto end = std::partition_point(commits.begin(), commits.end(), [&](TxnId other) {
      return history.database_times(other).commit < start;
    });
    if (end != commits.begin() &&
        execution.commit[(end - 1)->raw()] > execution.begin[txn.raw()]) {
      return name_of(history, txn) + " takes a snapshot without a commit before its start";
    }
  }
  return kNoObjection;
}

/// Commit tests I9 and I5: every external read returns the state at the snapshot, and nobody
/// commits a write of the same key between snapshot and commit, but that what is written last
/// there may be a deletion. For serializability the
/// snapshot is taken at the commit; at prefix consistency writers may overlap. Transactions at
/// weaker levels (of a mixed history) only write here; for them it is noted which versions the
/// snapshots held.
class SnapshotReplay {
 public:
  SnapshotReplay(const History& history, const LevelInfo& level, const Execution& execution)
      : history_(history),
        execution_(execution),
        level_(level),
        splitter_(history, rules(level).absent_rows),
        value_(history.key_count()),
        list_(history.key_count()),
        last_writer_(history.key_count()),
        last_commit_(history.key_count(), -1) {}

  /// At a mixed level: the versions of registers that reads of snapshots returned.
  const std::vector<ReadSource>& sources() const { return sources_; }

  Objection run(const Witness& witness) {
    for (std::uint32_t at = 0; at < witness.order.size(); ++at) {
      const TxnId txn = witness.order[at];
      const LevelRules& own = own_rules(history_, level_, txn);
      const std::uint32_t reads_at =
          own.at_commit ? execution_.commit[txn.raw()] : execution_.begin[txn.raw()];
      ISOLDE_INVARIANT(execution_.begin[txn.raw()] <= at && at <= execution_.commit[txn.raw()]);
      Objection objection;
      if (reads_at == at && own.is_of_one_state()) objection = take_snapshot(txn);
      if (objection.empty() && execution_.commit[txn.raw()] == at) objection = commit(txn, at);
      if (!objection.empty()) return objection;
    }
    return kNoObjection;
  }

 private:
  Objection take_snapshot(TxnId txn) {
    splitter_.split(txn);
    if (!splitter_.inconsistent().empty()) {
      return name_of(history_, txn) + " contradicts its own writes";
    }
    for (const ExternalRead& read : splitter_.external()) {
      const std::vector<Value>& list = list_[read.key.raw()];
      if (is_of_earlier_states(txn, read)) {
        if (was_replaced(read)) continue;
        return at_op(history_, txn, read) + " leaves out a row that was never another one";
      }
      if (!read.fits(history_, value_[read.key.raw()]) ||
          !std::equal(read.list.begin(), read.list.end(), list.begin(), list.end())) {
        return at_op(history_, txn, read) + " does not return the state at its snapshot";
      }
      if (rules(level_).is_mixed() && !history_.is_list(read.key)) {
        sources_.push_back({txn, read.op, last_writer_[read.key.raw()]});
      }
    }
    if (!rules(level_).absent_rows) return kNoObjection;
    return check_aggregates(history_, txn, [&](std::uint32_t op) {
      return value_[history_.ops(txn)[op].key.raw()];
    });
  }

  /// A row that matched at the start and that a selection left out, where that counts no more
  /// than this: somebody had left one that does not match.
  bool is_of_earlier_states(TxnId txn, const ExternalRead& read) const {
    return !rules(level_).absent_rows && history_.ops(txn)[read.op].kind == OpKind::kReadAbsent;
  }

  bool was_replaced(const ExternalRead& read) const {
    if (values_so_far_.empty()) return false;
    const std::vector<Value>& values = values_so_far_[read.key.raw()];
    return std::any_of(values.begin(), values.end(),
                       [&](Value value) { return read.fits(history_, value); });
  }

  Objection commit(TxnId txn, std::uint32_t at) {
    const std::span<const Op> ops = history_.ops(txn);
    const bool conflicts = own_rules(history_, level_, txn).keeps_writers_apart;
    for (const Op& op : ops) {
      if (!conflicts) break;
      const bool is_dead = value_[op.key.raw()].is_dead();
      if (op.is_write() && !is_dead &&
          last_commit_[op.key.raw()] >= execution_.begin[txn.raw()]) {
        return name_of(history_, txn) + " writes " + history_.text(op.key) +
               ", which another transaction wrote between its snapshot and its commit";
      }
    }
    for (const Op& op : ops) {
      if (!op.is_write()) continue;
      if (op.kind == OpKind::kAppend) {
        list_[op.key.raw()].push_back(op.value);
      } else {
        value_[op.key.raw()] = op.value;
      }
      last_writer_[op.key.raw()] = txn;
      ISOLDE_INVARIANT(last_commit_[op.key.raw()] <= std::int64_t{at});
      last_commit_[op.key.raw()] = at;
    }
    keep_values(ops);
    return kNoObjection;
  }

  /// Only what the transaction leaves becomes a version.
  void keep_values(std::span<const Op> ops) {
    if (rules(level_).absent_rows || !history_.has_initial_contents()) return;
    values_so_far_.resize(history_.key_count());
    for (const Op& op : ops) {
      if (op.kind != OpKind::kWrite) continue;
      std::vector<Value>& values = values_so_far_[op.key.raw()];
      const Value left = value_[op.key.raw()];
      if (std::find(values.begin(), values.end(), left) == values.end()) values.push_back(left);
    }
  }

  const History& history_;
  const Execution& execution_;
  const LevelInfo& level_;
  ReadSplitter splitter_;
  std::vector<std::vector<Value>> values_so_far_;  // by key, where the level asks for them
  std::vector<Value> value_;                       // by key: registers now
  std::vector<std::vector<Value>> list_;           // by key: lists now
  std::vector<TxnId> last_writer_;                 // by key
  std::vector<std::int64_t> last_commit_;  // by key: position of the last commit that wrote it
  std::vector<ReadSource> sources_;
};

Objection replay(const History& history, const LevelInfo& level, const Witness& witness,
                 const Execution& execution, std::int64_t clock_error_ns) {
  const LevelRules& asked = rules(level);
  if (asked.is_mixed()) {
    SnapshotReplay snapshots(history, level, execution);
    Objection objection = snapshots.run(witness);
    if (!objection.empty()) return objection;
    // What a snapshot held counts, whatever the witness names.
    Witness commits{1, {}, witness.sources};
    commits.sources.insert(commits.sources.end(), snapshots.sources().begin(),
                           snapshots.sources().end());
    for (std::uint32_t at = 0; at < witness.order.size(); ++at) {
      const TxnId txn = witness.order[at];
      if (execution.commit[txn.raw()] == at) commits.order.push_back(txn);
    }
    return replay_committed(history, level, clock_error_ns, commits);
  }
  if (asked.is_of_one_state()) {
    for (const TxnId txn : witness.order) {
      const std::uint32_t between = execution.commit[txn.raw()] - execution.begin[txn.raw()];
      if (asked.at_commit && between > 1) {
        return name_of(history, txn) + " overlaps others, which is not serial";
      }
    }
    if (asked.clock != Clock::kNone) {
      Objection objection = check_database_times(history, asked.clock, witness, execution);
      if (!objection.empty()) return objection;
    }
    Objection objection = SnapshotReplay(history, level, execution).run(witness);
    if (objection.empty() && !asked.absent_rows && history.has_aggregates()) {
      objection = replay_items(history, witness);
    }
    return objection;
  }
  if (witness.mentions != 1) return "at this level each transaction is mentioned once";
  if (asked.test == Test::kLists) {
    return replay_shown_order(history, execution);
  }
  if (asked.test == Test::kPreceding) {
    return replay_parallel(history, level, clock_error_ns, witness);
  }
  return replay_committed(history, level, clock_error_ns, witness);
}

}  // namespace

namespace {

/// The session tests are about one read after the other, and do not tell what the items of an
/// aggregate read together.
Objection refuse_aggregates(const History& history, const Execution& execution) {
  for (std::size_t i = 0; history.has_aggregates() && i < history.txn_count(); ++i) {
    if (execution.contains(TxnId::at(i)) && has_aggregate(history, TxnId::at(i))) {
      return "at this level a witness does not show what aggregates saw";
    }
  }
  return kNoObjection;
}

/// One execution for all sessions.
Objection check_for_all_sessions(const History& history, const LevelInfo& level,
                                 const Witness& witness) {
  if (witness.mentions != 1) return "at this level each transaction is mentioned once";
  Execution execution;
  Objection objection = read_order(history, level, witness, execution);
  if (objection.empty()) objection = refuse_aggregates(history, execution);
  if (!objection.empty()) return objection;
  std::vector<SessionId> sessions;
  for (std::size_t s = 0; s < history.session_count(); ++s)
    sessions.push_back(SessionId::at(s));
  return replay_sessions(history, level, execution, witness.order, sessions);
}

}  // namespace

/// Every session with transactions in the executions is served by one; all executions are of
/// the same transactions.
Objection check_session_witness(const History& history, const LevelInfo& level,
                                const SessionWitness& witness) {
  if (!rules(level).is_apart()) {
    return "at this level one execution must serve all sessions";
  }
  if (witness.executions.empty()) return "there is no execution";
  std::vector<bool> served(history.session_count(), false);
  Execution first;
  for (const SessionWitness::Execution& one : witness.executions) {
    Execution execution;
    Objection objection = read_order(history, level, {1, one.order}, execution);
    if (objection.empty()) objection = refuse_aggregates(history, execution);
    if (!objection.empty()) return objection;
    for (const SessionId session : one.sessions) {
      if (session.raw() >= served.size()) return "an execution is for an unknown session";
      served[session.raw()] = true;
    }
    objection = replay_sessions(history, level, execution, one.order, one.sessions);
    if (!objection.empty()) return objection;
    if (first.commit.empty()) first = execution;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      if (first.contains(TxnId::at(i)) != execution.contains(TxnId::at(i))) {
        return name_of(history, TxnId::at(i)) + " is in one execution but not in another";
      }
    }
  }
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const SessionId session = history.session_of(TxnId::at(i));
    if (first.contains(TxnId::at(i)) && !served[session.raw()]) {
      return "session " + history::session_text(history, session) + " has no execution";
    }
  }
  return kNoObjection;
}

Objection check_witness(const History& history, const LevelInfo& level,
                        std::int64_t clock_error_ns, const Witness& witness) {
  if (rules(level).is_by_sessions()) {
    return check_for_all_sessions(history, level, witness);
  }
  Execution execution;
  Objection objection = read_order(history, level, witness, execution);
  if (objection.empty() && level.session_order) objection = check_sessions(history, execution);
  if (objection.empty() && level.real_time) {
    std::vector<TxnId> txns;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      if (execution.contains(TxnId::at(i))) txns.push_back(TxnId::at(i));
    }
    objection = check_real_time(history, execution, txns, clock_error_ns);
  }
  if (objection.empty() && rules(level).real_time_by_key) {
    objection = check_real_time_by_key(history, execution, clock_error_ns);
  }
  if (objection.empty()) {
    objection = replay(history, level, witness, execution, clock_error_ns);
  }
  return objection;
}

}  // namespace isolde::certify

// The session tests, literally. States are numbered from 0, the initial one; the transaction at
// place p of the order leaves state p + 1, and its parent state is p. An operation may have
// seen the states from `first` to `last`:
//
//   a read of another's write   from where the writer left it to just before the next writer
//   a read of an initial value  from 0 to just before the first writer
//   any other operation         from 0
//
// and none after the parent state. Where several transactions wrote what a read returned, it is
// judged by the latest of them before the reader; any would be allowed.
#include <algorithm>
#include <cstddef>

#include "base/assert.hpp"
#include "certify/replay.hpp"
#include "certify/value_table.hpp"

namespace isolde::certify {
namespace {

using State = std::uint32_t;

/// First pass, in the order of the execution: the states that external reads may have seen.
class ReadStates {
 public:
  struct Range {
    State first = 0;
    State last = 0;
    std::uint32_t step = 0;  ///< of the read in its transaction
  };

  ReadStates(const History& history, std::vector<bool> asked)
      : history_(history),
        asked_(std::move(asked)),
        splitter_(history),
        list_(history.key_count()),
        versions_(history.key_count()),
        values_(history.predicates().empty() ? 0 : history.key_count()),
        begin_(history.txn_count(), 0),
        end_(history.txn_count(), 0) {}

  Objection run(std::span<const TxnId> order) {
    for (State parent = 0; parent < order.size(); ++parent) {
      const TxnId txn = order[parent];
      if (asked_[history_.session_of(txn).raw()]) {
        Objection objection = look_at(txn, parent);
        if (!objection.empty()) return objection;
      }
      commit(txn, parent + 1);
    }
    return kNoObjection;
  }

  /// Of the external reads, in program order. REQUIRES: asked for.
  std::span<const Range> of(TxnId txn) const {
    ISOLDE_INVARIANT(asked_[history_.session_of(txn).raw()]);
    return std::span(ranges_).subspan(begin_[txn.raw()], end_[txn.raw()] - begin_[txn.raw()]);
  }

 private:
  struct Element {
    Value value;
    State left_by = 0;
  };

  Objection look_at(TxnId txn, State parent) {
    splitter_.split(txn);
    if (!splitter_.inconsistent().empty()) {
      return name_of(history_, txn) + " contradicts its own writes";
    }
    begin_[txn.raw()] = ranges_.size();
    for (const ExternalRead& read : splitter_.external()) {
      Range range{0, parent, history_.step(txn, read.op)};
      if (!find(read, range)) {
        return at_op(history_, txn, read) + " does not return an earlier committed state";
      }
      ISOLDE_INVARIANT(range.first <= range.last && range.last <= parent);
      ranges_.push_back(range);
    }
    end_[txn.raw()] = ranges_.size();
    return kNoObjection;
  }

  bool find(const ExternalRead& read, Range& range) {
    const std::vector<State>& versions = versions_[read.key.raw()];
    if (read.is_initial()) {
      if (!versions.empty()) range.last = versions.front() - 1;
      return true;
    }
    if (read.excluded != nullptr) {
      find_other_value(read, range);
      return true;
    }
    if (!read.value.is_null()) {
      const std::size_t* version = last_version_.find(read.key, read.value);
      if (version == nullptr) return false;
      ISOLDE_INVARIANT(*version < versions.size());
      range.first = versions[*version];
      if (*version + 1 < versions.size()) range.last = versions[*version + 1] - 1;
      return true;
    }
    const std::vector<Element>& list = list_[read.key.raw()];
    const std::size_t length = read.list.size();
    ISOLDE_INVARIANT(length > 0);
    if (length > list.size()) return false;
    for (std::size_t i = 0; i < length; ++i) {
      if (list[i].value != read.list[i]) return false;
    }
    range.first = list[length - 1].left_by;
    if (length < list.size()) range.last = list[length].left_by - 1;
    return range.first <= range.last;  // else it ends in the middle of a transaction's appends
  }

  /// The latest version that fits; before the first one there is the initial value.
  void find_other_value(const ExternalRead& read, Range& range) const {
    const std::vector<State>& versions = versions_[read.key.raw()];
    ISOLDE_ASSERT(values_[read.key.raw()].size() == versions.size());
    std::size_t next = versions.size();
    while (next > 0 && !read.fits(values_[read.key.raw()][next - 1])) --next;
    if (next > 0) range.first = versions[next - 1];
    if (next < versions.size()) range.last = versions[next] - 1;
  }

  void commit(TxnId txn, State left) {
    const std::span<const Op> ops = history_.ops(txn);
    for (const Op& op : ops) {
      if (op.kind == OpKind::kAppend) list_[op.key.raw()].push_back({op.value, left});
    }
    // Backwards, because the last write of a key is the one that counts.
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      if (!op->is_write()) continue;
      std::vector<State>& versions = versions_[op->key.raw()];
      if (!versions.empty() && versions.back() == left) continue;
      ISOLDE_INVARIANT(versions.empty() || versions.back() < left);
      versions.push_back(left);
      if (!values_.empty()) values_[op->key.raw()].push_back(op->value);
      if (op->kind == OpKind::kWrite) {
        last_version_.add(op->key, op->value) = versions.size() - 1;
      }
    }
  }

  const History& history_;
  const std::vector<bool> asked_;  // by session
  ReadSplitter splitter_;
  std::vector<std::vector<Element>> list_;    // by key: the list now
  std::vector<std::vector<State>> versions_;  // by key: states that its writers left
  std::vector<std::vector<Value>> values_;    // of versions of registers, or empty
  ValueTable<std::size_t> last_version_;      // of registers, by final value
  std::vector<Range> ranges_;
  std::vector<std::size_t> begin_;  // by transaction, into ranges_
  std::vector<std::size_t> end_;
};

/// Second pass, session by session.
class SessionReplay {
 public:
  SessionReplay(const History& history, const LevelInfo& level, const Execution& execution,
                const ReadStates& states)
      : history_(history), base_(level.base), execution_(execution), states_(states) {}

  /// What the level asks of every session, whichever the execution is for.
  Objection check_all() const {
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      State bound = 0;
      for (const TxnId txn : history_.session_txns(SessionId::at(s))) {
        if (!execution_.contains(txn)) continue;
        if (binds(txn) && bound > parent(txn)) {
          return name_of(history_, txn) + " commits before what precedes it in its session";
        }
        raise_all(txn, bound);
      }
    }
    return kNoObjection;
  }

  /// What it asks of the session that the execution is for: `bound` is the state that all
  /// operations still to come must have seen or could have waited for.
  Objection check_own(SessionId session) const {
    State bound = 0;
    for (const TxnId txn : history_.session_txns(session)) {
      if (!execution_.contains(txn)) continue;
      State within = bound;
      State before = bound;  // the present step, of which the reads do not bind each other
      std::uint32_t step = 0;
      for (const ReadStates::Range& range : states_.of(txn)) {
        if (range.step != step) before = within;
        step = range.step;
        if (before > range.last) {
          return name_of(history_, txn) + " reads a state that is older than its session";
        }
        if (base_ != BaseLevel::kReadYourWrites) within = std::max(within, range.first);
      }
      if (!history_.ops(txn).empty() && bound > parent(txn)) {
        return name_of(history_, txn) + " commits before what its session has seen or done";
      }
      if (base_ == BaseLevel::kMonotonicReads) bound = within;
      const bool raises = base_ == BaseLevel::kCausal || base_ == BaseLevel::kSequential ||
                          (base_ == BaseLevel::kReadYourWrites && is_update(txn));
      if (raises) bound = std::max(bound, parent(txn) + 1);
    }
    return kNoObjection;
  }

 private:
  State parent(TxnId txn) const {
    ISOLDE_INVARIANT(execution_.contains(txn));
    return execution_.commit[txn.raw()];
  }

  bool is_update(TxnId txn) const {
    const std::span<const Op> ops = history_.ops(txn);
    return std::any_of(ops.begin(), ops.end(), [](const Op& op) { return op.is_write(); });
  }

  bool all_in_order() const {
    return base_ == BaseLevel::kCausal || base_ == BaseLevel::kSequential;
  }
  bool updates_only() const {
    return base_ == BaseLevel::kMonotonicWrites || base_ == BaseLevel::kWritesFollowReads;
  }

  bool binds(TxnId txn) const { return all_in_order() || (updates_only() && is_update(txn)); }

  void raise_all(TxnId txn, State& bound) const {
    if (binds(txn) && base_ != BaseLevel::kWritesFollowReads) {
      bound = std::max(bound, parent(txn) + 1);
    }
    if (base_ != BaseLevel::kWritesFollowReads) return;
    for (const ReadStates::Range& range : states_.of(txn)) bound = std::max(bound, range.first);
  }

  const History& history_;
  const BaseLevel base_;
  const Execution& execution_;
  const ReadStates& states_;
};

}  // namespace

Objection replay_sessions(const History& history, const LevelInfo& level,
                          const Execution& execution, std::span<const TxnId> order,
                          std::span<const SessionId> sessions) {
  const bool all_reads = level.base == BaseLevel::kSequential ||
                         level.base == BaseLevel::kCausal ||
                         level.base == BaseLevel::kWritesFollowReads;
  std::vector<bool> asked(history.session_count(), all_reads);
  for (const SessionId session : sessions) asked[session.raw()] = true;
  ReadStates states(history, std::move(asked));
  Objection objection = states.run(order);
  if (!objection.empty()) return objection;
  const SessionReplay replay(history, level, execution, states);
  objection = replay.check_all();
  const bool own =
      level.base != BaseLevel::kMonotonicWrites && level.base != BaseLevel::kWritesFollowReads;
  for (std::size_t i = 0; own && i < sessions.size() && objection.empty(); ++i) {
    objection = replay.check_own(sessions[i]);
  }
  return objection;
}

}  // namespace isolde::certify

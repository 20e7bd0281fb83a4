// The session tests, literally. States are numbered from 0, the initial one; the transaction at
// place p of the order leaves state p + 1, and its parent state is p. An operation may have
// seen the states from `first` to `last`:
//
//   a read of another's write   from where the writer left it to just before the next writer
//   a read of an initial value  from 0 to just before the first writer
//   any other operation         from 0
//
// and none after the parent state. Where several transactions wrote what a read returned, it is
// judged by the first of them that was not replaced before what its session has seen or done.
// That is the best choice for each read: the tests ask that `last` is late enough, and of a
// version that replaced it later only `first` is later, too, which binds the reads to come.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "base/csr.hpp"
#include "certify/level_rules.hpp"
#include "certify/replay.hpp"
#include "certify/value_table.hpp"

namespace isolde::certify {
namespace {

using State = std::uint32_t;
using From = SessionRules::From;
using To = SessionRules::To;

/// The states that reads may have seen.
class Versions {
 public:
  struct Range {
    State first = 0;
    State last = 0;
  };

  Versions(const History& history, std::span<const TxnId> order)
      : history_(history),
        list_(history.key_count()),
        states_(history.key_count()),
        values_(history.predicates().empty() ? 0 : history.key_count()) {
    std::vector<std::pair<std::uint32_t, State>> left;  // by written value and when
    for (State parent = 0; parent < order.size(); ++parent) {
      commit(history.ops(order[parent]), parent + 1, left);
    }
    same_value_ = base::Csr<State>::build(value_count_, [&](const auto& add) {
      for (const auto& [value, state] : left) add(value, state);
    });
  }

  /// The first version that the read can have returned, of those that were there at state
  /// `bound` or came later, but not after the parent; none: there is no such version.
  std::optional<Range> find(const ExternalRead& read, State bound, State parent) {
    if (bound > parent) return std::nullopt;
    const std::vector<State>& states = states_[read.key.raw()];
    const auto range_of = [&](State first) {
      const auto next = std::upper_bound(states.begin(), states.end(), first);
      return Range{first, next == states.end() ? parent : std::min(parent, *next - 1)};
    };
    if (!read.list.empty()) return find_list(read, bound, parent);
    const auto after = std::upper_bound(states.begin(), states.end(), bound);
    const State here = after == states.begin() ? 0 : *(after - 1);  // the version at `bound`
    if (read.is_initial()) {
      return here == 0 ? std::optional(range_of(0)) : std::nullopt;
    }
    if (read.partial) {
      if (here == 0 && read.fits(history_, Value())) return range_of(0);
      const std::vector<Value>& values = values_[read.key.raw()];
      for (auto at = after == states.begin() ? after : after - 1;
           at != states.end() && *at <= parent; ++at) {
        if (read.fits(history_, values[static_cast<std::size_t>(at - states.begin())])) {
          return range_of(*at);
        }
      }
      return std::nullopt;
    }
    const std::uint32_t* value = ids_.find(read.key, read.value);
    if (value == nullptr) return std::nullopt;
    const std::span<const State> same = same_value_.row(*value);
    const auto at = std::lower_bound(same.begin(), same.end(), here);
    return at == same.end() || *at > parent ? std::nullopt : std::optional(range_of(*at));
  }

 private:
  struct Element {
    Value value;
    State left_by = 0;
  };

  const History& history_;

  /// A list shows its state itself, unless it ends in the middle of a transaction's appends.
  std::optional<Range> find_list(const ExternalRead& read, State bound, State parent) const {
    const std::vector<Element>& list = list_[read.key.raw()];
    const std::size_t length = read.list.size();
    if (length > list.size()) return std::nullopt;
    for (std::size_t i = 0; i < length; ++i) {
      if (list[i].value != read.list[i]) return std::nullopt;
    }
    const State first = list[length - 1].left_by;
    const State last =
        length < list.size() ? std::min(parent, list[length].left_by - 1) : parent;
    return first > last || last < bound ? std::nullopt : std::optional(Range{first, last});
  }

  void commit(std::span<const Op> ops, State left,
              std::vector<std::pair<std::uint32_t, State>>& by_value) {
    for (const Op& op : ops) {
      if (op.kind == OpKind::kAppend) list_[op.key.raw()].push_back({op.value, left});
    }
    // Backwards, because the last write of a key is the one that counts.
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      if (!op->is_write()) continue;
      std::vector<State>& states = states_[op->key.raw()];
      if (!states.empty() && states.back() == left) continue;
      ISOLDE_INVARIANT(states.empty() || states.back() < left);
      states.push_back(left);
      if (!values_.empty()) values_[op->key.raw()].push_back(op->value);
      if (op->kind != OpKind::kWrite) continue;
      std::uint32_t* known = ids_.find(op->key, op->value);
      if (known == nullptr) *(known = &ids_.add(op->key, op->value)) = value_count_++;
      by_value.emplace_back(*known, left);
    }
  }

  std::vector<std::vector<Element>> list_;  // by key: the list at the end
  std::vector<std::vector<State>> states_;  // by key: those that its writers left
  std::vector<std::vector<Value>> values_;  // of these, for registers; or empty
  ValueTable<std::uint32_t> ids_;           // of the final values of registers
  std::uint32_t value_count_ = 0;
  base::Csr<State> same_value_;  // by such an id: the states that were left with it
};

class SessionReplay {
 public:
  SessionReplay(const History& history, const LevelInfo& level, const Execution& execution,
                std::span<const TxnId> order)
      : history_(history),
        rules_(rules(level).session),
        execution_(execution),
        splitter_(history),
        versions_(history, order) {}

  /// What the level asks of every session, whichever the execution is for. `asks_for_reads`:
  /// the session's reads must have states.
  Objection check(SessionId session, bool asks_for_reads) {
    State bound = 0;
    for (const TxnId txn : history_.session_txns(session)) {
      if (!execution_.contains(txn)) continue;
      if (binds(txn) && bound > parent(txn)) {
        return name_of(history_, txn) + " commits before what precedes it in its session";
      }
      if (binds(txn) && rules_.from != From::kRead) {
        bound = std::max(bound, parent(txn) + 1);
      }
      if (!asks_for_reads) continue;
      splitter_.split(txn);
      if (!splitter_.inconsistent().empty()) {
        return name_of(history_, txn) + " contradicts its own writes";
      }
      for (const ExternalRead& read : splitter_.external()) {
        const std::optional<Versions::Range> range = versions_.find(read, 0, parent(txn));
        if (!range) {
          return at_op(history_, txn, read) + " does not return an earlier committed state";
        }
        if (updates_only() && rules_.from == From::kRead) bound = std::max(bound, range->first);
      }
    }
    return kNoObjection;
  }

  /// What it asks of the session that the execution is for: `bound` is the state that all
  /// operations still to come must have seen or could have waited for.
  Objection check_own(SessionId session) {
    State bound = 0;
    for (const TxnId txn : history_.session_txns(session)) {
      if (!execution_.contains(txn)) continue;
      State within = bound;
      State before = bound;  // the present step, of which the reads do not bind each other
      std::uint32_t step = 0;
      splitter_.split(txn);
      for (const ExternalRead& read : splitter_.external()) {
        if (history_.step(txn, read.op) != step) before = within;
        step = history_.step(txn, read.op);
        const std::optional<Versions::Range> range = versions_.find(read, before, parent(txn));
        if (!range)
          return name_of(history_, txn) + " reads a state that is older than its session";
        if (rules_.chained) within = std::max(within, range->first);
      }
      if (!history_.ops(txn).empty() && bound > parent(txn)) {
        return name_of(history_, txn) + " commits before what its session has seen or done";
      }
      if (rules_.from == From::kRead) bound = within;
      const bool raises = rules_.from == From::kCommit ||
                          (rules_.from == From::kCommitOfUpdate && is_update(txn));
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

  bool updates_only() const { return rules_.to == To::kCommitOfUpdate; }

  bool binds(TxnId txn) const {
    return rules_.from == From::kCommit || (updates_only() && is_update(txn));
  }

  const History& history_;
  const SessionRules& rules_;
  const Execution& execution_;
  ReadSplitter splitter_;
  Versions versions_;
};

}  // namespace

Objection replay_sessions(const History& history, const LevelInfo& level,
                          const Execution& execution, std::span<const TxnId> order,
                          std::span<const SessionId> sessions) {
  const SessionRules& asks = rules(level).session;
  std::vector<bool> asked(history.session_count(), asks.all_reads);
  for (const SessionId session : sessions) asked[session.raw()] = true;
  SessionReplay replay(history, level, execution, order);
  Objection objection;
  for (std::size_t s = 0; s < asked.size() && objection.empty(); ++s) {
    objection = replay.check(SessionId::at(s), asked[s]);
  }
  const bool own = asks.to == To::kAll;
  for (std::size_t i = 0; own && i < sessions.size() && objection.empty(); ++i) {
    objection = replay.check_own(sessions[i]);
  }
  return objection;
}

}  // namespace isolde::certify

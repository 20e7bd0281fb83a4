// Enumeration of executions.
//
// A history satisfies a level when for some subset of the indeterminate transactions there is
// one execution (a permutation of these and the committed ones) in which every transaction
// passes the level's test; at the levels with session tests, one execution for each session, of
// the same transactions. Reads of what the transaction itself wrote must return it (INT), at
// every level but the read-uncommitted ones. Values are compared as values: where two
// transactions wrote the same one, a read may come from either.
//
// linearizable: each key by itself. Drop all operations on other keys, and transactions that
// have none left; the rest must be serializable in real time. Which indeterminate transactions
// took effect is chosen for each key by itself, for linearizability is local (Herlihy and Wing
// 1990): such a transaction is a bundle of single operations that may end on their own.
//
// read-uncommitted: an order of the committed transactions, by session order and real time
// where these bind, such that in the result of every list read by one of them (own elements and
// all), where an element of a stands somewhere before an element of b, a precedes b. Elements
// that several transactions appended, or none of the included ones, say nothing. Indeterminate
// transactions are left out: if the level holds for some choice of them, it holds for none of
// them too. For what a list says of two transactions does not depend on who else is included
// (whether several appended an element is asked of all transactions of the history), so that an
// order without some of them has to meet some of the same conditions and no other. In Adya's
// words: reading from a transaction that has not committed is allowed at PL-1, so having been
// read is no sign of having committed, and G0 is about committed ones.
#include "oracle/brute.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "base/assert.hpp"
#include "oracle/level_tests.hpp"
#include "oracle/session_tests.hpp"

namespace isolde::oracle {
namespace {

using Order = std::vector<TxnId>;
using Orders = std::vector<Order>;

Order order_of(const Execution& execution) {
  return Order(execution.order().begin(), execution.order().end());
}

bool complete(Execution& execution, Level level) {
  if (execution.is_complete()) return true;
  for (const TxnId txn : execution.included()) {
    if (execution.contains(txn)) continue;
    for (Step& step : execution.acceptable_steps(level, txn)) {
      execution.push(std::move(step));
      if (complete(execution, level)) return true;
      execution.pop();
    }
  }
  return false;
}

// Whether a state before `reader` in some order could show what the read returned, as far as
// single transactions tell: a state's value is the last thing that somebody wrote.
bool may_be_shown(const Execution& execution, TxnId reader, const Effects::Read& read) {
  if (read.cell.empty()) return true;  // also where little of it is known
  const Cell& first = cell_at(execution.states().front(), read.key);
  if (!first.empty() && first.back() == read.cell.back()) return true;
  return std::any_of(execution.included().begin(), execution.included().end(), [&](TxnId txn) {
    const auto& writes = execution.effects(txn).writes;
    const auto written = writes.find(read.key);
    return txn != reader && written != writes.end() &&
           written->second.back() == read.cell.back();
  });
}

// Saves trying all orders for nothing.
bool may_be_read(const Execution& execution, TxnId txn) {
  const std::vector<Effects::Read>& reads = execution.effects(txn).reads;
  return std::all_of(reads.begin(), reads.end(), [&](const Effects::Read& read) {
    return may_be_shown(execution, txn, read);
  });
}

bool all_consistent(const Execution& execution) {
  return std::all_of(execution.included().begin(), execution.included().end(),
                     [&](TxnId txn) { return execution.effects(txn).is_consistent; });
}

std::optional<Orders> decide(Level level, const History& history, const Order& included,
                             std::int64_t clock_error_ns) {
  const bool with_absent_rows = level_test(info(level).base).absent_rows;
  Execution execution(history, included, clock_error_ns, std::nullopt, with_absent_rows, level);
  if (!all_consistent(execution)) return std::nullopt;
  const bool is_readable = std::all_of(included.begin(), included.end(),
                                       [&](TxnId txn) { return may_be_read(execution, txn); });
  if (!is_readable || !complete(execution, level)) return std::nullopt;
  return Orders{order_of(execution)};
}

std::optional<Orders> decide_sessions(BaseLevel base, const History& history,
                                      const Order& included, std::int64_t clock_error_ns) {
  Orders orders;
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    Execution execution(history, included, clock_error_ns);
    if (!all_consistent(execution)) return std::nullopt;
    const bool is_readable = std::all_of(included.begin(), included.end(), [&](TxnId txn) {
      const bool asks = asks_for_all_reads(base) || history.session_of(txn) == SessionId::at(s);
      return !asks || may_be_read(execution, txn);
    });
    if (!is_readable || !complete_for_session(execution, base, SessionId::at(s))) {
      return std::nullopt;
    }
    orders.push_back(order_of(execution));
  }
  return orders;
}

std::optional<Order> decide_key(const History& history, const Order& included, KeyId key,
                                std::int64_t clock_error_ns) {
  Execution execution(history, included, clock_error_ns, key, true, Level::kLinearizable);
  if (!all_consistent(execution) || !complete(execution, Level::kStrictSerializable)) {
    return std::nullopt;
  }
  return order_of(execution);
}

// Transactions that are not aborted and that `belongs` accepts.
struct Population {
  Order committed;
  Order indeterminate;
};

Population population_of(const History& history, const std::function<bool(TxnId)>& belongs) {
  Population all;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (!belongs(txn)) continue;
    if (history.status(txn) == TxnStatus::kCommitted) all.committed.push_back(txn);
    if (history.status(txn) == TxnStatus::kIndeterminate) all.indeterminate.push_back(txn);
  }
  ISOLDE_CHECK(all.committed.size() + all.indeterminate.size() <= 8);
  return all;
}

// The first answer of `decide` for the committed transactions and a subset of the others.
template <typename Decide>
auto first_choice(const Population& all, const Decide& decide) -> decltype(decide(Order())) {
  for (std::uint32_t subset = 0; subset < (1U << all.indeterminate.size()); ++subset) {
    Order included = all.committed;
    for (std::size_t i = 0; i < all.indeterminate.size(); ++i) {
      if ((subset >> i & 1U) != 0) included.push_back(all.indeterminate[i]);
    }
    if (auto answer = decide(included)) return answer;
  }
  return std::nullopt;
}

std::optional<Orders> decide_keys(const History& history, std::int64_t clock_error_ns) {
  Orders orders;
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    const Population users = population_of(history, [&](TxnId txn) {
      const auto ops = history.ops(txn);
      return std::any_of(ops.begin(), ops.end(), [&](const Op& op) { return op.key == key; });
    });
    std::optional<Order> order = first_choice(users, [&](const Order& included) {
      return decide_key(history, included, key, clock_error_ns);
    });
    if (!order) return std::nullopt;
    orders.push_back(std::move(*order));
  }
  return orders;
}

// What lists say about the order of transactions.
class Appends {
 public:
  explicit Appends(const History& history) : history_(history) {
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      for (const Op& op : history.ops(TxnId::at(t))) {
        if (op.kind == OpKind::kAppend) by_[{op.key, op.value.bits()}].insert(TxnId::at(t));
      }
    }
  }

  // Whether some list that one of the transactions read shows an element of a before one of b.
  bool shown_in_order(const Order& readers, TxnId a, TxnId b) const {
    for (const TxnId reader : readers) {
      for (const Op& op : history_.ops(reader)) {
        if (op.kind == OpKind::kReadList && shows(op, a, b)) return true;
      }
    }
    return false;
  }

 private:
  bool is_by(KeyId key, Value element, TxnId txn) const {
    const auto found = by_.find({key, element.bits()});
    return found != by_.end() && found->second == std::set<TxnId>{txn};
  }
  bool shows(const Op& read, TxnId a, TxnId b) const {
    bool seen = false;
    for (const Value element : history_.list(read)) {
      if (seen && is_by(read.key, element, b)) return true;
      seen = seen || is_by(read.key, element, a);
    }
    return false;
  }

  const History& history_;
  std::map<std::pair<KeyId, std::uint64_t>, std::set<TxnId>> by_;
};

template <typename Precedes>
bool put_in_order(const Order& included, const Precedes& precedes, Order& order) {
  if (order.size() == included.size()) return true;
  const auto is_in = [&](TxnId txn) {
    return std::find(order.begin(), order.end(), txn) != order.end();
  };
  for (const TxnId next : included) {
    if (is_in(next)) continue;
    const bool is_free = std::all_of(included.begin(), included.end(), [&](TxnId other) {
      return other == next || is_in(other) || !precedes(other, next);
    });
    if (!is_free) continue;
    order.push_back(next);
    if (put_in_order(included, precedes, order)) return true;
    order.pop_back();
  }
  return false;
}

std::optional<Orders> decide_uncommitted(const LevelInfo& level, const History& history,
                                         std::int64_t clock_error_ns) {
  const Order included = population_of(history, [](TxnId) { return true; }).committed;
  const Appends appends(history);
  const Execution execution(history, included, clock_error_ns);
  Order order;
  const auto precedes = [&](TxnId a, TxnId b) {
    return execution.precedes(level, a, b) || appends.shown_in_order(included, a, b);
  };
  if (!put_in_order(included, precedes, order)) return std::nullopt;
  return Orders{order};
}

}  // namespace

std::optional<std::vector<std::vector<TxnId>>> brute_force_executions(
    const History& history, Level level, std::int64_t clock_error_ns) {
  const LevelInfo& row = info(level);
  const Asks asks = level_test(row.base).asks;
  if (asks == Asks::kKeyByKey) return decide_keys(history, clock_error_ns);
  if (asks == Asks::kShownOrder) {
    return decide_uncommitted(row, history, clock_error_ns);
  }
  const Population all = population_of(history, [](TxnId) { return true; });
  return first_choice(all, [&](const Order& included) {
    return asks == Asks::kSessionTest
               ? decide_sessions(row.base, history, included, clock_error_ns)
               : decide(level, history, included, clock_error_ns);
  });
}

std::optional<std::vector<TxnId>> brute_force_execution(const History& history, Level level,
                                                        std::int64_t clock_error_ns) {
  std::optional<Orders> orders = brute_force_executions(history, level, clock_error_ns);
  if (!orders) return std::nullopt;
  if (orders->empty()) return Order();
  return std::move(orders->front());
}

bool brute_force_holds(const History& history, Level level, std::int64_t clock_error_ns) {
  return brute_force_executions(history, level, clock_error_ns).has_value();
}

}  // namespace isolde::oracle

#include "explain/simplify.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/memory_guard.hpp"
#include "explain/core.hpp"
#include "explain/evidence.hpp"
#include "history/base_levels.hpp"

namespace isolde::explain {
namespace {

using OrderKey = std::pair<TxnId, TxnId>;

OrderKey key_of(VersionOrder order) { return {order.before, order.after}; }
VersionOrder reversed(VersionOrder order) { return {order.after, order.before}; }

/// Orders of appends that the longest read of a list shows, as the verifier sees it: without
/// the reader's own elements, and only where an element has one source.
class ShownOrders {
 public:
  ShownOrders(const History& history, const Refutation& refutation) : history_(history) {
    for (const RefutationStep& step : refutation.steps) {
      for (const VersionOrder& order : step.clause) note(order.before);
    }
    if (!lists_.empty()) look();
  }

  bool contains(VersionOrder order) const {
    const std::map<KeyId, First> after = first_by_key(order.after);
    for (const auto& [key, first] : first_by_key(order.before)) {
      const auto second = after.find(key);
      if (!first.place || !first.is_clear || second == after.end()) continue;
      if (!second->second.is_clear) continue;
      const std::optional<std::size_t> place = second->second.place;
      if (place ? *first.place < *place : lists_.at(key).is_whole()) return true;
    }
    return false;
  }

 private:
  struct Element {
    std::size_t appends = 0;
    std::optional<std::size_t> place;  ///< the first in the longest list
  };
  struct List {
    std::map<std::uint64_t, Element> elements;
    std::span<const Value> longest;  // that a committed transaction read
    std::span<const Value> any;      // that anybody read, outcome unknown or not
    bool is_clear = true;            // all reads continue one another
    bool is_whole() const { return any.size() == longest.size(); }
  };

  /// Of the elements that a transaction appended, the first that the longest list shows.
  struct First {
    bool is_clear = true;  ///< nobody else appended them
    std::optional<std::size_t> place;
  };

  /// For all clear lists that the transaction appended to.
  std::map<KeyId, First> first_by_key(TxnId txn) const {
    std::map<KeyId, First> by_key;
    for (const Op& op : history_.ops(txn)) {
      const auto list = op.kind == OpKind::kAppend ? lists_.find(op.key) : lists_.end();
      if (list == lists_.end() || !list->second.is_clear) continue;
      const Element& element = list->second.elements.at(op.value.bits());
      First& first = by_key[op.key];
      first.is_clear = first.is_clear && element.appends == 1;
      if (element.place && (!first.place || *element.place < *first.place)) {
        first.place = element.place;
      }
    }
    return by_key;
  }

  void note(TxnId txn) {
    for (const Op& op : history_.ops(txn)) {
      if (op.kind == OpKind::kAppend) lists_.try_emplace(op.key);
    }
  }

  void look() {
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history_.status(txn) == TxnStatus::kAborted) continue;
      base::MemoryGuard::spend(history_.ops(txn).size());
      std::map<KeyId, std::vector<Value>> own;
      for (const Op& op : history_.ops(txn)) {
        const auto list = lists_.find(op.key);
        if (list == lists_.end()) continue;
        if (op.kind == OpKind::kAppend) {
          own[op.key].push_back(op.value);
          ++list->second.elements[op.value.bits()].appends;
        } else if (op.kind == OpKind::kReadList) {
          look_at(txn, history_.list(op), own[op.key], list->second);
        }
      }
    }
    for (auto& [key, list] : lists_) {
      for (std::size_t i = 0; i < list.longest.size(); ++i) {
        std::optional<std::size_t>& place = list.elements[list.longest[i].bits()].place;
        if (!place) place = i;
      }
    }
  }

  /// What a read shows in front of the reader's own elements, if it ends with these.
  void look_at(TxnId txn, std::span<const Value> read, const std::vector<Value>& own,
               List& list) const {
    const bool ends_with_own =
        read.size() >= own.size() &&
        std::equal(own.begin(), own.end(), read.last(own.size()).begin());
    if (!ends_with_own) {
      list.is_clear = false;
      return;
    }
    const std::span<const Value> others = read.first(read.size() - own.size());
    const std::size_t common = std::min(others.size(), list.any.size());
    list.is_clear =
        list.is_clear &&
        std::equal(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(common),
                   list.any.begin());
    if (others.size() > list.any.size()) list.any = others;
    const bool certain = history_.status(txn) == TxnStatus::kCommitted;
    if (certain && others.size() > list.longest.size()) list.longest = others;
  }

  const History& history_;
  std::map<KeyId, List> lists_;
};

class Simplifier {
 public:
  Simplifier(const Writers& writers, BaseLevel base, const Refutation& refutation)
      : writers_(writers),
        by_transactions_(!sees_operations(base)),
        old_(refutation),
        shown_(writers.history(), refutation),
        moved_(refutation.steps.size()) {
    simple_.session = refutation.session;
  }

  /// What the last step refutes by two transactions alone, after others have established it,
  /// comes first: then another step is the last one. False: there is no such step.
  bool turn() {
    const RefutationStep& last = old_.steps.back();
    if (!last.clause.empty() || !last.claims.empty()) return false;
    for (const Edge& edge : last.cycle) {
      const VersionOrder assumed = rests_on(edge);
      if (assumed.before.is_none() || is_direct(assumed)) continue;
      const RefutationStep turned{{reversed(assumed)}, last.cycle, {}, {}, {}};
      if (!stands_alone(turned) || !is_established_by_others(assumed)) return false;
      known_.emplace(key_of(reversed(assumed)),
                     static_cast<std::uint32_t>(simple_.steps.size()));
      simple_.steps.push_back(turned);
      return true;
    }
    return false;
  }

  Refutation run() {
    for (std::size_t i = 0; i < old_.steps.size() && !done_; ++i) {
      if (stands_alone(old_.steps[i])) take(i);
    }
    for (std::size_t i = 0; i < old_.steps.size() && !done_; ++i) {
      if (!stands_alone(old_.steps[i])) take(i);
    }
    return std::move(simple_);
  }

 private:
  bool is_shown(VersionOrder order) const { return by_transactions_ && shown_.contains(order); }
  bool is_known(VersionOrder order) const {
    return is_shown(order) || known_.count(key_of(order)) != 0;
  }

  /// Two transactions rule out one of their orders, whatever was established before.
  bool stands_alone(const RefutationStep& step) const {
    if (!is_between_two(step.clause, step.claims, step.cycle)) return false;
    const VersionOrder assumed = reversed(step.clause.front());
    return std::all_of(step.cycle.begin(), step.cycle.end(), [&](const Edge& edge) {
      const VersionOrder order = rests_on(edge);
      return order.before.is_none() || order == assumed || is_direct(order);
    });
  }

  /// Known without any step. Where operations are ordered one by one, no key tells of another.
  bool is_direct(VersionOrder order) const {
    if (!by_transactions_) return false;
    return is_shown(order) || sure_read_of(writers_, order.after, order.before, {}).has_value();
  }

  /// By a step with a cycle that does not stand alone.
  bool is_established_by_others(VersionOrder order) const {
    return std::ranges::any_of(old_.steps, [&](const RefutationStep& step) {
      return step.clause.size() == 1 && step.clause.front() == order && step.claims.empty() &&
             !step.cycle.empty() && !stands_alone(step);
    });
  }

  void take(std::size_t at) {
    const RefutationStep& old = old_.steps[at];
    RefutationStep step{{}, old.cycle, {}, old.claims, old.wrong_result};
    std::set<std::uint32_t> from;
    for (const std::uint32_t earlier : old.from) {
      from.insert(moved_[earlier].begin(), moved_[earlier].end());
    }
    for (const VersionOrder& order : old.clause) {
      if (is_known(order)) {
        const auto known = known_.find(key_of(order));
        if (known != known_.end()) moved_[at].push_back(known->second);
        return;
      }
      // What is shown the other way round no step need suppose, and none then does. Of what
      // other cycles have established the two cases stay side by side.
      const auto opposite = known_.find(key_of(reversed(order)));
      const bool shown = is_shown(reversed(order)) ||
                         (opposite != known_.end() &&
                          (old.cycle.empty() || stands_alone(simple_.steps[opposite->second])));
      if (!shown) step.clause.push_back(order);
      if (opposite != known_.end()) from.insert(opposite->second);
    }
    if (step.is_derived()) step.from.assign(from.begin(), from.end());
    const auto number = static_cast<std::uint32_t>(simple_.steps.size());
    done_ = step.clause.empty() && step.claims.empty();
    if (step.clause.size() == 1 && step.claims.empty()) {
      known_.emplace(key_of(step.clause.front()), number);
    }
    moved_[at].push_back(number);
    simple_.steps.push_back(std::move(step));
  }

  const Writers& writers_;
  bool by_transactions_;
  const Refutation& old_;
  ShownOrders shown_;
  Refutation simple_;
  std::map<OrderKey, std::uint32_t> known_;        // by the steps that establish them
  std::vector<std::vector<std::uint32_t>> moved_;  // by old step: what stands for it
  bool done_ = false;
};

bool is_whole(const Refutation& refutation) {
  return !refutation.steps.empty() && refutation.steps.back().clause.empty() &&
         refutation.steps.back().claims.empty();
}

}  // namespace

Refutation simplified(const Writers& writers, BaseLevel base, const Refutation& refutation) {
  Refutation simple = Simplifier(writers, base, refutation).run();
  return is_whole(simple) ? simple : refutation;
}

std::optional<Refutation> settled_first(const Writers& writers, BaseLevel base,
                                        const Refutation& refutation) {
  if (refutation.steps.empty()) return std::nullopt;
  Simplifier simplifier(writers, base, refutation);
  if (!simplifier.turn()) return std::nullopt;
  Refutation simple = simplifier.run();
  return is_whole(simple) ? std::optional(std::move(simple)) : std::nullopt;
}

}  // namespace isolde::explain

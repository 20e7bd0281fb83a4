// Wing and Gong's search with Lowe's cache: the next transaction is one that started before any
// of the remaining ones ended; what has been placed and the value of the key decide what can
// follow, so no such pair is looked at twice. Transactions are sorted by start, so those placed
// are all up to some place but a few: the cache needs little more than that place. A list is
// known by its last element and the list before that, so that equal ones have one number.
#include "explain/furthest.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace isolde::explain {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostToOrder = 5'000;
constexpr std::size_t kMostStates = 20'000;
/// Of all states together; a transaction that is never placed makes each of them long.
constexpr std::size_t kMostPlaces = 2'000'000;

/// What a transaction does to the key, at one moment.
struct Effect {
  TxnId txn;
  std::int64_t start;
  std::int64_t end;  // kNever: it need not take effect at all
  std::vector<Op> ops;
};

/// Lists that share their beginnings, by numbers; the empty one is null.
class Lists {
 public:
  Value appended(Value list, Value element) {
    const auto number = static_cast<std::int64_t>(nodes_.size()) + 1;
    const auto [own, is_new] = children_.try_emplace({list.bits(), element.bits()}, number);
    if (is_new) nodes_.push_back({list, element, length(list) + 1});
    return Value::integer(own->second);
  }

  bool equal(Value list, std::span<const Value> elements) const {
    if (length(list) != elements.size()) return false;
    for (std::size_t i = elements.size(); i > 0; --i) {
      const Node& node = node_of(list);
      if (node.element != elements[i - 1]) return false;
      list = node.before;
    }
    return true;
  }

 private:
  struct Node {
    Value before;
    Value element;
    std::size_t length = 0;
  };
  const Node& node_of(Value list) const {
    return nodes_[static_cast<std::size_t>(list.as_integer()) - 1];
  }
  std::size_t length(Value list) const { return list.is_null() ? 0 : node_of(list).length; }

  std::vector<Node> nodes_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::int64_t> children_;
};

class OrderSearch {
 public:
  /// `until`: a transaction that is left out; none: what no order has room for is looked for.
  OrderSearch(const History& history, KeyId key, TxnId until, std::int64_t limit)
      : history_(history), key_(key), until_(until), limit_(limit) {}

  Furthest find() {
    if (!collect()) return {Furthest::Search::kNone, {}, {}};
    if (effects_.size() > kMostToOrder) return {Furthest::Search::kGivenUp, {}, {}};
    std::ranges::stable_sort(effects_, {}, &Effect::start);
    placed_.assign(effects_.size(), false);
    return search();
  }

 private:
  /// False where something is not known.
  bool collect() {
    if (limit_ == kNoTime) return false;
    for (std::size_t t = 0; t < history_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (txn == until_ || history_.status(txn) == TxnStatus::kAborted) continue;
      if (!add(txn)) return false;
      if (effects_.size() > kMostToOrder) break;
    }
    return true;
  }

  Furthest search() {
    std::vector<Step> steps = {{Value(), 0}};
    seen_.insert(state(Value()));
    while (!steps.empty()) {
      Step& step = steps.back();
      const std::optional<std::size_t> first = earliest();
      if (!first && until_.is_some()) return {Furthest::Search::kFound, order(), until_};
      if (!first) return {Furthest::Search::kExhausted, {}, {}};
      const std::int64_t first_end = effects_[*first].end;
      const auto next = next_of(step, first_end);
      if (!next) {
        if (first_end > furthest_) note_furthest(*first);
        steps.pop_back();
        if (!order_.empty()) take_back();
        continue;
      }
      if (seen_.size() > kMostStates || places_ > kMostPlaces) {
        return {Furthest::Search::kGivenUp, std::move(best_.order), best_.until};
      }
      steps.push_back({*next, 0});
    }
    if (until_.is_none() && best_.until.is_some()) return std::move(best_);
    return {Furthest::Search::kExhausted, {}, {}};
  }

  /// Nothing follows here, and what is the next one to end had no room.
  void note_furthest(std::size_t first) {
    furthest_ = effects_[first].end;
    best_ = {Furthest::Search::kFound, order(), effects_[first].txn};
  }

  struct Step {
    Value held;
    std::size_t tried;  // of the effects, up to here
  };
  /// All before `first` are placed; of the others those in `later` are.
  struct State {
    std::size_t first;
    std::vector<std::size_t> later;
    std::uint64_t held;
    auto operator<=>(const State&) const = default;
  };

  bool add(TxnId txn) {
    Effect effect{txn, 0, kNever, {}};
    const std::span<const Op> ops = history_.ops(txn);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      if (op.key != key_ || op.kind == OpKind::kReadUnknown) continue;
      if (returned_unselected(txn, i) || history_.is_of_any_number(op)) return false;
      effect.ops.push_back(op);
    }
    if (effect.ops.empty()) return true;
    const TxnTimes times = history_.times(txn);
    const bool committed = history_.status(txn) == TxnStatus::kCommitted;
    if (times.start == kNoTime || (committed && times.end == kNoTime)) return false;
    if (times.start > limit_) return true;
    effect.start = times.start;
    if (committed && times.end < limit_) effect.end = times.end;
    effects_.push_back(std::move(effect));
    return true;
  }

  /// A selection returned what it does not select, which no order explains.
  bool returned_unselected(TxnId txn, std::size_t i) const {
    const Selection* const selection = history_.selection_of(txn, i);
    if (selection == nullptr || i >= selection->first + selection->rows) return false;
    const Op& row = history_.ops(txn)[i];
    return row.kind == OpKind::kRead &&
           !history_.selects(history_.predicates()[selection->predicate], history_.seen(row));
  }

  /// What the key holds after the effect; none: a read finds something else.
  std::optional<Value> apply(const Effect& effect, Value held) {
    for (const Op& op : effect.ops) {
      if (op.kind == OpKind::kRead && op.value != held) return std::nullopt;
      if (op.kind == OpKind::kReadList && !lists_.equal(held, history_.list(op))) {
        return std::nullopt;
      }
      if (op.is_partial() && !history_.fits(op, held)) return std::nullopt;
      if (op.kind == OpKind::kWrite) held = op.value;
      if (op.kind == OpKind::kAppend) held = lists_.appended(held, op.value);
    }
    return held;
  }

  State state(Value held) const {
    State state{first_, {}, held.bits()};
    for (std::size_t i = first_; i < effects_.size() && i <= last_; ++i) {
      if (placed_[i]) state.later.push_back(i);
    }
    return state;
  }

  /// Of those not placed the one that ends first; none: nobody has to be placed.
  std::optional<std::size_t> earliest() const {
    std::int64_t end = kNever;
    std::optional<std::size_t> first;
    for (std::size_t i = first_; i < effects_.size() && effects_[i].start <= end; ++i) {
      if (placed_[i] || effects_[i].end >= end) continue;
      end = effects_[i].end;
      first = i;
    }
    return first;
  }

  /// Places the next transaction that leads to a state not seen yet, and returns what the key
  /// holds then.
  std::optional<Value> next_of(Step& step, std::int64_t first_end) {
    for (std::size_t i = std::max(step.tried, first_); i < effects_.size(); ++i) {
      if (effects_[i].start > first_end) break;
      if (placed_[i]) continue;
      const std::optional<Value> held = apply(effects_[i], step.held);
      if (!held) continue;
      place(i);
      State reached = state(*held);
      const std::size_t places = reached.later.size();
      if (seen_.insert(std::move(reached)).second) {
        places_ += places;
        step.tried = i + 1;
        return held;
      }
      take_back();
    }
    return std::nullopt;
  }

  void place(std::size_t i) {
    placed_[i] = true;
    order_.push_back(i);
    last_ = std::max(last_, i);
    while (first_ < effects_.size() && placed_[first_]) ++first_;
  }

  void take_back() {
    placed_[order_.back()] = false;
    first_ = std::min(first_, order_.back());
    order_.pop_back();
  }

  std::vector<TxnId> order() const {
    std::vector<TxnId> txns;
    for (const std::size_t i : order_) txns.push_back(effects_[i].txn);
    return txns;
  }

  const History& history_;
  KeyId key_;
  TxnId until_;
  std::int64_t limit_;
  std::vector<Effect> effects_;  // by start
  std::vector<bool> placed_;
  std::vector<std::size_t> order_;
  std::size_t first_ = 0;  // of those not placed
  std::size_t last_ = 0;   // none behind it was ever placed
  std::set<State> seen_;
  std::size_t places_ = 0;  // in `later` of all in `seen_`
  Lists lists_;
  std::int64_t furthest_ = std::numeric_limits<std::int64_t>::min();
  Furthest best_;  // where nothing follows
};

}  // namespace

Furthest find_furthest(const History& history, KeyId key, TxnId until) {
  return OrderSearch(history, key, until, history.times(until).end).find();
}

Furthest find_furthest_by(const History& history, KeyId key, std::int64_t limit) {
  return OrderSearch(history, key, {}, limit == kNever ? limit : limit + 1).find();
}

}  // namespace isolde::explain

// Wing and Gong's search with Lowe's cache: the next transaction is one that started before any
// of the remaining ones ended; what has been placed and the value of the key decide what can
// follow, so no such pair is looked at twice. Transactions are sorted by start, so those placed
// are all up to some place but a few: the cache needs little more than that place.
#include "explain/furthest.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
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

  /// What the key holds afterwards; none: a read finds something else.
  std::optional<Value> apply(const History& history, Value held) const {
    for (const Op& op : ops) {
      if (op.kind == OpKind::kRead && op.value != held) return std::nullopt;
      if (op.is_partial() && !history.fits(op, held)) return std::nullopt;
      if (op.kind == OpKind::kWrite) held = op.value;
    }
    return held;
  }
};

class OrderSearch {
 public:
  OrderSearch(const History& history, KeyId key, TxnId until)
      : history_(history), key_(key), until_(until), limit_(history.times(until).end) {}

  Furthest find() {
    if (!collect()) return {Furthest::Search::kNone, {}};
    if (effects_.size() > kMostToOrder) return {Furthest::Search::kGivenUp, {}};
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
      const std::int64_t first_end = earliest_end();
      if (first_end == kNever) return {Furthest::Search::kFound, order()};
      const auto next = next_of(step, first_end);
      if (!next) {
        steps.pop_back();
        if (!order_.empty()) take_back();
        continue;
      }
      if (seen_.size() > kMostStates || places_ > kMostPlaces) {
        return {Furthest::Search::kGivenUp, {}};
      }
      steps.push_back({*next, 0});
    }
    return {Furthest::Search::kExhausted, {}};
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
      if (op.kind == OpKind::kAppend || op.kind == OpKind::kReadList) return false;
      if (is_row_of_selection(txn, i) || history_.is_of_any_number(op)) return false;
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

  /// A selection may have returned what it does not select, which no order explains.
  bool is_row_of_selection(TxnId txn, std::size_t i) const {
    const Selection* const selection = history_.selection_of(txn, i);
    return selection != nullptr && i < selection->first + selection->rows;
  }

  State state(Value held) const {
    State state{first_, {}, held.bits()};
    for (std::size_t i = first_; i < effects_.size() && i <= last_; ++i) {
      if (placed_[i]) state.later.push_back(i);
    }
    return state;
  }

  std::int64_t earliest_end() const {
    std::int64_t end = kNever;
    for (std::size_t i = first_; i < effects_.size() && effects_[i].start <= end; ++i) {
      if (!placed_[i]) end = std::min(end, effects_[i].end);
    }
    return end;
  }

  /// Places the next transaction that leads to a state not seen yet, and returns what the key
  /// holds then.
  std::optional<Value> next_of(Step& step, std::int64_t first_end) {
    for (std::size_t i = std::max(step.tried, first_); i < effects_.size(); ++i) {
      if (effects_[i].start > first_end) break;
      if (placed_[i]) continue;
      const std::optional<Value> held = effects_[i].apply(history_, step.held);
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
};

}  // namespace

Furthest find_furthest(const History& history, KeyId key, TxnId until) {
  return OrderSearch(history, key, until).find();
}

}  // namespace isolde::explain

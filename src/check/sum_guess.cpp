#include "check/sum_guess.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "base/budget.hpp"
#include "base/hash.hpp"

namespace isolde::checker {
namespace {

/// Numbers of 62 bits; what leaves them is no guess worth anything.
std::int64_t plus(std::int64_t number, std::int64_t by) {
  return std::clamp(number + by, Value::kIntegerMin, Value::kIntegerMax);
}

/// What a read of the key returned, if that is a number.
std::optional<std::int64_t> number_of(const History& history, const Op& op) {
  const Value value = op.kind == OpKind::kReadMatch ? history.read_value(op)
                      : op.kind == OpKind::kWrite   ? op.value
                                                    : Value();
  if (value.kind() != Value::Kind::kInteger) return std::nullopt;
  return value.as_integer();
}

/// Of an increment that came to nothing: one that the key can hold.
std::int64_t some_sum(std::int64_t first, const Increment& increment,
                      const Predicate::Bounds& numbers) {
  return std::clamp(plus(first, increment.by), numbers.min, numbers.max);
}

}  // namespace

SumGuess::SumGuess(const History& history, base::Budget& budget)
    : history_(history), budget_(budget), aborted_(history.open_increments()) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> slots(history.key_count(), kNone);
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    if (history.open_numbers(KeyId::at(k)) == nullptr) continue;
    slots[k] = keys_.size();
    keys_.push_back({history.initial(KeyId::at(k)).as_integer(), {}});
  }
  const auto add = [this](TxnId txn, const Act& act) {
    const auto add_to = [&](std::vector<Use>& uses) {
      if (uses.empty() || uses.back().txn != txn) uses.push_back({txn, {}});
      uses.back().add(act);
    };
    add_to(keys_[act.key].uses);
    if (keys_.size() > 1) add_to(whole_);
  };
  auto increment = history.increments().begin();
  std::size_t sum = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::span<const Op> ops = history.ops(txn);
    const bool is_aborted = history.status(txn) == TxnStatus::kAborted;
    for (std::size_t at = 0; at < ops.size(); ++at) {
      const Op& op = ops[at];
      const std::size_t slot = slots[op.key.raw()];
      if (slot == kNone) continue;
      const auto key = static_cast<std::uint32_t>(slot);
      if (history.is_of_any_number(op)) {
        while (increment->is_known || increment->op != history.first_op(txn) + at) ++increment;
        if (is_aborted) {
          aborted_[sum++] =
              some_sum(keys_[slot].first, *increment, *history.open_numbers(op.key));
        } else {
          add(txn, {Act::Kind::kAdd, key, increment->by, sum++});
        }
        ++at;
        continue;
      }
      const std::optional<std::int64_t> number = number_of(history, op);
      if (!number || is_aborted) continue;
      add(txn, {op.is_write() ? Act::Kind::kWrite : Act::Kind::kRead, key, *number});
    }
  }
}

void SumGuess::Use::add(const Act& act) {
  acts.push_back(act);
  if (act.kind == Act::Kind::kRead) {
    reads = reads || !writes;
  } else {
    writes = true;
  }
}

/// Does to the number what the transactions do; from one that was read it goes on.
void SumGuess::run(const Key& key, const std::vector<std::size_t>& order, Numbers& sums) const {
  std::int64_t number = key.first;
  for (const std::size_t at : order) {
    for (const Act& act : key.uses[at].acts) {
      const bool adds = act.kind == Act::Kind::kAdd;
      number = adds ? plus(number, act.number) : act.number;
      if (adds) sums[act.sum] = number;
    }
  }
}

/// Those whose end is not known come where they began.
std::vector<std::size_t> SumGuess::order_by_end(const Key& key) const {
  std::vector<std::size_t> order(key.uses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t at) {
    const TxnId txn = key.uses[at].txn;
    const TxnTimes times = history_.times(txn);
    const bool ended = history_.status(txn) == TxnStatus::kCommitted && times.end != kNoTime;
    return ended ? times.end : times.start;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  return order;
}

SumGuess::Numbers SumGuess::by_time() const {
  Numbers sums = aborted_;
  for (const Key& key : keys_) run(key, order_by_end(key), sums);
  return sums;
}

SumGuess::Numbers SumGuess::from_reads() const {
  Numbers sums = aborted_;
  for (const Key& key : keys_) {
    const std::vector<std::size_t> order = order_by_end(key);
    // The number that the last increment before must have left, from the end to the beginning.
    std::map<std::size_t, std::int64_t> left;
    bool is_wanted = false;
    std::int64_t wanted = 0;
    for (auto at = order.rbegin(); at != order.rend(); ++at) {
      const Use& use = key.uses[*at];
      for (auto act = use.acts.rbegin(); act != use.acts.rend(); ++act) {
        if (act->kind == Act::Kind::kAdd && is_wanted) left[act->sum] = wanted;
        is_wanted = act->kind == Act::Kind::kRead;
        wanted = act->number;
      }
    }
    std::int64_t number = key.first;
    for (const std::size_t at : order) {
      for (const Act& act : key.uses[at].acts) {
        const auto known = left.find(act.sum);
        const bool adds = act.kind == Act::Kind::kAdd;
        number = !adds                 ? act.number
                 : known != left.end() ? known->second
                                       : plus(number, act.number);
        if (adds) sums[act.sum] = number;
      }
    }
  }
  return sums;
}

SumGuess::Numbers SumGuess::along(const Witness& witness) const {
  Numbers sums = by_time();
  std::vector<std::size_t> places(history_.txn_count(), witness.order.size());
  for (std::size_t at = 0; at < witness.order.size(); ++at) {
    places[witness.order[at].raw()] = at;  // of the commit, where it stands twice
  }
  for (const Key& key : keys_) {
    std::vector<std::size_t> order(key.uses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto place = [&](std::size_t at) { return places[key.uses[at].txn.raw()]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
    run(key, order, sums);
  }
  return sums;
}

/// Depth first: of the transactions that may come next, which are the first ones left of each
/// session that began before any that is left ended, one after the other. One whose reads find
/// their numbers and that changes nothing may come at once; of the others those come first that
/// read, for what they read may soon be gone, and then those that ended first. Where the same
/// ones were left before, with the same numbers, and it came to nothing, it does again.
class SumGuess::Search {
 public:
  Search(const SumGuess& guess, const std::vector<Use>& uses) : guess_(guess), uses_(uses) {
    std::map<std::uint32_t, std::size_t> queue_of;
    for (std::size_t at = 0; at < uses.size(); ++at) {
      const std::uint32_t session = guess.history_.session_of(uses[at].txn).raw();
      const auto [entry, is_new] = queue_of.try_emplace(session, queues_.size());
      if (is_new) queues_.emplace_back();
      queues_[entry->second].uses.push_back(at);
      ++left_;
    }
    for (const Key& key : guess.keys_) numbers_.push_back(key.first);
  }

  /// `sums` are of use only when it is true.
  bool run(Numbers& sums);

 private:
  struct Queue {
    std::vector<std::size_t> uses;
    std::size_t next = 0;
  };
  /// A number before it was changed.
  struct Change {
    std::uint32_t key = 0;
    std::int64_t number = 0;
  };
  /// A choice between queues, and what was before it.
  struct Level {
    std::vector<std::size_t> queues;
    std::size_t tried = 0;
    std::size_t changes = 0;
  };

  const Use& head(const Queue& queue) const { return uses_[queue.uses[queue.next]]; }
  std::int64_t end_of(const Use& use) const {
    const bool ended = guess_.history_.status(use.txn) == TxnStatus::kCommitted;
    const std::int64_t end = guess_.history_.times(use.txn).end;
    return ended && end != kNoTime ? end : std::numeric_limits<std::int64_t>::max();
  }
  bool apply(const Use& use, Numbers& sums);
  void undo(std::size_t changes);
  std::vector<std::size_t> choices(Numbers& sums);
  /// The number changes, and what tells the numbers apart.
  void set(std::uint32_t key, std::int64_t number) {
    const auto part = [&] {
      return base::mix2(key, static_cast<std::uint64_t>(numbers_[key]));
    };
    state_ ^= part();
    numbers_[key] = number;
    state_ ^= part();
  }
  /// The queue's first one left is taken, or the last one taken is put back.
  void move(std::size_t queue, bool is_taken);

  const SumGuess& guess_;
  const std::vector<Use>& uses_;
  std::vector<Queue> queues_;
  std::size_t left_ = 0;
  std::vector<std::int64_t> numbers_;  // by key
  std::vector<Change> changes_;
  std::uint64_t state_ = 0;  ///< a hash of what is left and of the numbers
  std::unordered_set<std::uint64_t> failed_;
};

/// False, and nothing done, where it read another number.
bool SumGuess::Search::apply(const Use& use, Numbers& sums) {
  const std::size_t before = changes_.size();
  for (const Act& act : use.acts) {
    const std::int64_t number = numbers_[act.key];
    if (act.kind == Act::Kind::kRead) {
      if (act.number == number) continue;
      undo(before);
      return false;
    }
    changes_.push_back({act.key, number});
    const bool adds = act.kind == Act::Kind::kAdd;
    set(act.key, adds ? plus(number, act.number) : act.number);
    if (adds) sums[act.sum] = numbers_[act.key];
  }
  return true;
}

void SumGuess::Search::undo(std::size_t changes) {
  for (; changes_.size() > changes; changes_.pop_back()) {
    set(changes_.back().key, changes_.back().number);
  }
}

void SumGuess::Search::move(std::size_t queue, bool is_taken) {
  std::size_t& next = queues_[queue].next;
  state_ ^= base::mix2(queue, next);
  is_taken ? ++next : --next;
  is_taken ? --left_ : ++left_;
  state_ ^= base::mix2(queue, next);
}

std::vector<std::size_t> SumGuess::Search::choices(Numbers& sums) {
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  for (const Queue& queue : queues_) {
    if (queue.next < queue.uses.size()) first_end = std::min(first_end, end_of(head(queue)));
  }
  std::vector<std::size_t> found;
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (queues_[q].next == queues_[q].uses.size()) continue;
    const Use& use = head(queues_[q]);
    const std::int64_t start = guess_.history_.times(use.txn).start;
    if (start != kNoTime && start > first_end) continue;
    const std::size_t before = changes_.size();
    if (!apply(use, sums)) continue;
    undo(before);
    if (!use.writes) return {q};
    found.push_back(q);
  }
  std::stable_sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
    const Use& one = head(queues_[a]);
    const Use& two = head(queues_[b]);
    return std::pair(!one.reads, end_of(one)) < std::pair(!two.reads, end_of(two));
  });
  return found;
}

bool SumGuess::Search::run(Numbers& sums) {
  std::uint64_t effort = 20'000 + 20 * std::uint64_t{left_};
  std::vector<Level> path;
  path.push_back({choices(sums), 0, 0});
  while (left_ > 0) {
    Level& level = path.back();
    if (effort-- == 0 || !guess_.budget_.spend(queues_.size())) return false;
    undo(level.changes);
    if (level.tried == level.queues.size()) {
      failed_.insert(state_);
      path.pop_back();
      if (path.empty()) return false;
      move(path.back().queues[path.back().tried - 1], false);
      continue;
    }
    const std::size_t chosen = level.queues[level.tried++];
    apply(head(queues_[chosen]), sums);
    move(chosen, true);
    if (failed_.contains(state_)) {
      move(chosen, false);
      continue;
    }
    path.push_back({choices(sums), 0, changes_.size()});
  }
  // What was tried in vain left sums behind.
  undo(0);
  for (Queue& queue : queues_) queue.next = 0;
  for (std::size_t at = 0; at + 1 < path.size(); ++at) {
    const std::size_t chosen = path[at].queues[path[at].tried - 1];
    apply(head(queues_[chosen]), sums);
    ++queues_[chosen].next;
  }
  return true;
}

SumGuess::Numbers SumGuess::by_search() const {
  Numbers sums = by_time();
  if (!whole_.empty()) {
    Numbers found = sums;
    if (Search(*this, whole_).run(found)) return found;
  }
  for (const Key& key : keys_) {
    Numbers found = sums;
    if (Search(*this, key.uses).run(found)) sums = std::move(found);
  }
  return sums;
}

}  // namespace isolde::checker

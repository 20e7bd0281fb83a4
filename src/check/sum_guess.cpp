#include "check/sum_guess.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/budget.hpp"

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

}  // namespace

SumGuess::SumGuess(const History& history, base::Budget& budget)
    : history_(history), budget_(budget) {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> slots(history.key_count(), kNone);
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    if (history.open_numbers(KeyId::at(k)) == nullptr) continue;
    slots[k] = keys_.size();
    keys_.push_back({history.initial(KeyId::at(k)).as_integer(), {}});
  }
  auto increment = history.increments().begin();
  std::size_t sum = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::span<const Op> ops = history.ops(txn);
    for (std::size_t at = 0; at < ops.size(); ++at) {
      const Op& op = ops[at];
      const std::size_t slot = slots[op.key.raw()];
      if (slot == kNone) continue;
      std::vector<Use>& uses = keys_[slot].uses;
      if (uses.empty() || uses.back().txn != txn) uses.push_back({txn, {}});
      Use& use = uses.back();
      if (history.is_of_any_number(op)) {
        while (increment->is_known || increment->op != history.first_op(txn) + at) ++increment;
        use.acts.push_back({Act::Kind::kAdd, increment->by, sum++});
        use.writes = true;
        ++at;
        continue;
      }
      const std::optional<std::int64_t> number = number_of(history, op);
      if (!number) continue;
      use.acts.push_back({op.is_write() ? Act::Kind::kWrite : Act::Kind::kRead, *number});
      use.reads = use.reads || (!op.is_write() && !use.writes);
      use.writes = use.writes || op.is_write();
    }
  }
}

/// Does to the number what the transaction does. False where it read another one, if that
/// matters; else goes on from what it read.
bool SumGuess::run(const Use& use, std::int64_t& number, Numbers& sums, bool must_fit) {
  for (const Act& act : use.acts) {
    switch (act.kind) {
      case Act::Kind::kRead:
        if (must_fit && act.number != number) return false;
        number = act.number;
        break;
      case Act::Kind::kWrite:
        number = act.number;
        break;
      case Act::Kind::kAdd:
        number = plus(number, act.number);
        sums[act.sum] = number;
        break;
    }
  }
  return true;
}

void SumGuess::run(const Key& key, const std::vector<std::size_t>& order, Numbers& sums) const {
  std::int64_t number = key.first;
  for (const std::size_t at : order) run(key.uses[at], number, sums, false);
}

/// Those whose end is not known come where they began. What was aborted comes last.
std::vector<std::size_t> SumGuess::order_by_end(const Key& key) const {
  std::vector<std::size_t> order(key.uses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t at) {
    const TxnId txn = key.uses[at].txn;
    const TxnTimes times = history_.times(txn);
    const bool ended = history_.status(txn) == TxnStatus::kCommitted && times.end != kNoTime;
    return std::pair(history_.status(txn) == TxnStatus::kAborted,
                     ended ? times.end : times.start);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  return order;
}

SumGuess::Numbers SumGuess::by_time() const {
  Numbers sums(history_.open_increments());
  for (const Key& key : keys_) run(key, order_by_end(key), sums);
  return sums;
}

SumGuess::Numbers SumGuess::from_reads() const {
  Numbers sums(history_.open_increments());
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
/// session that began before any that is left ended, one after the other. A read that finds its
/// number and changes nothing may come at once; of the others those come first that read, for
/// what they read may soon be gone, and then those that ended first.
class SumGuess::Search {
 public:
  Search(const SumGuess& guess, const Key& key) : guess_(guess), key_(key) {
    std::map<std::uint32_t, std::size_t> queue_of;
    for (std::size_t at = 0; at < key.uses.size(); ++at) {
      const TxnId txn = key.uses[at].txn;
      if (guess.history_.status(txn) == TxnStatus::kAborted) continue;
      const std::uint32_t session = guess.history_.session_of(txn).raw();
      const auto [entry, is_new] = queue_of.try_emplace(session, queues_.size());
      if (is_new) queues_.emplace_back();
      queues_[entry->second].uses.push_back(at);
      ++left_;
    }
  }

  bool run(Numbers& sums);

 private:
  struct Queue {
    std::vector<std::size_t> uses;
    std::size_t next = 0;
  };
  /// A choice between queues, and what was before it.
  struct Level {
    std::vector<std::size_t> queues;
    std::size_t tried = 0;
    std::int64_t number = 0;
  };

  const Use& head(const Queue& queue) const { return key_.uses[queue.uses[queue.next]]; }
  std::int64_t end_of(const Use& use) const {
    const bool ended = guess_.history_.status(use.txn) == TxnStatus::kCommitted;
    const std::int64_t end = guess_.history_.times(use.txn).end;
    return ended && end != kNoTime ? end : std::numeric_limits<std::int64_t>::max();
  }
  std::vector<std::size_t> choices(std::int64_t number, Numbers& sums) const;

  const SumGuess& guess_;
  const Key& key_;
  std::vector<Queue> queues_;
  std::size_t left_ = 0;
};

std::vector<std::size_t> SumGuess::Search::choices(std::int64_t number, Numbers& sums) const {
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
    std::int64_t after = number;
    if (!SumGuess::run(use, after, sums, true)) continue;
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
  path.push_back({choices(key_.first, sums), 0, key_.first});
  while (left_ > 0) {
    Level& level = path.back();
    if (effort-- == 0 || !guess_.budget_.spend(queues_.size())) return false;
    if (level.tried == level.queues.size()) {
      path.pop_back();
      if (path.empty()) return false;
      --queues_[path.back().queues[path.back().tried - 1]].next;
      ++left_;
      continue;
    }
    Queue& queue = queues_[level.queues[level.tried++]];
    std::int64_t number = level.number;
    SumGuess::run(head(queue), number, sums, true);
    ++queue.next;
    --left_;
    path.push_back({choices(number, sums), 0, number});
  }
  // What was tried in vain left sums behind.
  std::int64_t number = key_.first;
  for (Queue& queue : queues_) queue.next = 0;
  for (std::size_t at = 0; at + 1 < path.size(); ++at) {
    Queue& queue = queues_[path[at].queues[path[at].tried - 1]];
    SumGuess::run(head(queue), number, sums, true);
    ++queue.next;
  }
  return true;
}

SumGuess::Numbers SumGuess::by_search() const {
  Numbers sums = by_time();
  for (const Key& key : keys_) {
    Numbers found = sums;
    if (Search(*this, key).run(found)) sums = std::move(found);
  }
  return sums;
}

}  // namespace isolde::checker

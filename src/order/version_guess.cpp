#include "order/version_guess.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/assert.hpp"
#include "base/ways.hpp"
#include "infer/event_graph.hpp"
#include "order/simulation.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

namespace {

/// What lists show, then the unseen appends, in the order so far.
void order_list(const Observations& seen, KeyId key,
                std::vector<VersionGuess::Neighbours>& neighbours) {
  const std::span<const WriteId> shown = seen.list_order(key);
  std::vector<WriteId> order(shown.begin(), shown.end());
  WriteId first = shown.front();
  while (neighbours[first.raw()].before.is_some()) first = neighbours[first.raw()].before;
  for (WriteId at = first; at.is_some(); at = neighbours[at.raw()].after) {
    if (seen.list_rank(at) == Observations::kUnseen) order.push_back(at);
  }
  ISOLDE_INVARIANT(order.size() <= seen.writes_of(key).size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    neighbours[order[i].raw()] = {i == 0 ? WriteId::none() : order[i - 1],
                                  i + 1 == order.size() ? WriteId::none() : order[i + 1]};
  }
}

/// Each key's versions in the order of their writers, or as lists show.
void order_versions(const Observations& seen, VersionGuess& guess, base::Budget& budget) {
  const std::size_t key_count = seen.history().key_count();
  std::vector<WriteId> newest(key_count);
  guess.neighbours.resize(seen.write_count());
  for (const TxnId txn : guess.order) {
    const WriteId end = seen.end_write(txn);
    for (WriteId write = seen.first_write(txn); write != end;
         write = WriteId(write.raw() + 1)) {
      const WriteId before = std::exchange(newest[seen.written_key(write).raw()], write);
      guess.neighbours[write.raw()] = {before, WriteId::none()};
      if (before.is_some()) guess.neighbours[before.raw()].after = write;
    }
    if (!budget.spend(end.raw() - seen.first_write(txn).raw())) return;
  }
  for (std::size_t k = 0; k < key_count; ++k) {
    if (!seen.list_order(KeyId::at(k)).empty()) {
      order_list(seen, KeyId::at(k), guess.neighbours);
      budget.spend(seen.writes_of(KeyId::at(k)).size());
    }
  }
}

/// Vector clocks of the certain order: by transaction and session, how far that one had come.
class SessionClocks {
 public:
  SessionClocks(const Observations& seen, base::Budget& budget)
      : seen_(seen),
        history_(seen.history()),
        budget_(budget),
        sessions_(seen.history().session_count()) {}

  static bool fits(const Observations& seen) {
    return seen.txn_count() * seen.history().session_count() <= base::ways().guess_entries;
  }

  VersionGuess run() {
    guess_.order = simulate(seen_, budget_);
    if (guess_.order.size() != seen_.included_count()) return std::move(guess_);
    link_sessions();
    estimate_order();
    order_versions(seen_, guess_, budget_);
    place_by_reads();
    if (budget_.exhausted()) guess_.order.clear();
    return std::move(guess_);
  }

 private:
  static constexpr int kRounds = 12;
  static constexpr std::uint8_t kOpen = 1;
  static constexpr std::uint8_t kOnPath = 2;

  std::uint32_t* clock(TxnId txn) { return clocks_.data() + txn.raw() * sessions_; }
  const std::uint32_t* clock(TxnId txn) const { return clocks_.data() + txn.raw() * sessions_; }
  std::size_t session(TxnId txn) const { return history_.session_of(txn).raw(); }
  bool precedes(TxnId a, TxnId b) const {
    return a != b && clock(b)[session(a)] > history_.position_of(a);
  }

  void link_sessions() {
    before_.assign(seen_.txn_count(), TxnId::none());
    after_.assign(seen_.txn_count(), TxnId::none());
    for (const TxnId txn : guess_.order) {
      TxnId last = before_in_session(txn);
      before_[txn.raw()] = last;
      ISOLDE_INVARIANT(last.is_none() || after_[last.raw()].is_none());
      if (last.is_some()) after_[last.raw()] = txn;
    }
  }

  TxnId before_in_session(TxnId txn) const {
    const std::span<const TxnId> txns = history_.session_txns(history_.session_of(txn));
    std::size_t place = history_.position_of(txn);
    while (place > 0 && !seen_.is_included(txns[place - 1])) --place;
    return place > 0 ? txns[place - 1] : TxnId::none();
  }

  /// Merges the other clock into this one; false when that changes nothing.
  bool merge(std::uint32_t* into, const std::uint32_t* other) {
    std::uint32_t changed = 0;
    for (std::size_t s = 0; s < sessions_; ++s) {
      const std::uint32_t most = std::max(into[s], other[s]);
      changed |= most ^ into[s];
      into[s] = most;
    }
    budget_.spend(1 + sessions_ / 8);
    return changed != 0;
  }

  /// REQUIRES: the order is one of sessions and read-from.
  void estimate_order() {
    const std::vector<std::uint32_t> after = count_after();
    const std::vector<std::uint32_t> before = count_before();
    std::vector<std::pair<double, TxnId>> places;
    places.reserve(guess_.order.size());
    for (const TxnId txn : guess_.order) {
      const double sum = double{1} + before[txn.raw()] + after[txn.raw()];
      places.emplace_back(before[txn.raw()] / sum, txn);
    }
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < places.size(); ++i) guess_.order[i] = places[i].second;
  }

  std::vector<std::uint32_t> count_before() {
    std::vector<std::uint32_t> count(seen_.txn_count(), 0);
    clocks_.assign(seen_.txn_count() * sessions_, 0);
    for (const TxnId txn : guess_.order) {
      std::uint32_t* const own = clock(txn);
      if (before_[txn.raw()].is_some()) merge(own, clock(before_[txn.raw()]));
      for (const ReadFrom& read : seen_.reads(txn)) {
        if (read.source.is_some()) merge(own, clock(seen_.writer(read.source)));
      }
      // None of the session's later transactions comes before it.
      ISOLDE_INVARIANT(own[session(txn)] <= history_.position_of(txn));
      for (std::size_t s = 0; s < sessions_; ++s) count[txn.raw()] += own[s];
      own[session(txn)] = history_.position_of(txn) + 1;
    }
    return count;
  }

  /// With clocks that count from the end.
  std::vector<std::uint32_t> count_after() {
    std::vector<std::uint32_t> count(seen_.txn_count(), 0);
    clocks_.assign(seen_.txn_count() * sessions_, 0);
    for (auto at = guess_.order.rbegin(); at != guess_.order.rend(); ++at) {
      const TxnId txn = *at;
      std::uint32_t* const own = clock(txn);
      if (after_[txn.raw()].is_some()) merge(own, clock(after_[txn.raw()]));
      for_each_write(txn, [&](WriteId write) {
        for (const TxnId reader : seen_.readers(write)) merge(own, clock(reader));
      });
      for (std::size_t s = 0; s < sessions_; ++s) count[txn.raw()] += own[s];
      const std::size_t length = history_.session_txns(history_.session_of(txn)).size();
      ISOLDE_INVARIANT(own[session(txn)] + history_.position_of(txn) < length);
      own[session(txn)] = static_cast<std::uint32_t>(length - history_.position_of(txn));
    }
    return count;
  }

  template <typename Visit>
  void for_each_write(TxnId txn, const Visit& visit) const {
    const WriteId end = seen_.end_write(txn);
    for (WriteId write = seen_.first_write(txn); write != end;
         write = WriteId(write.raw() + 1)) {
      visit(write);
    }
  }

  void place_by_reads() {
    guess_.forced.assign(seen_.write_count(), false);
    changed_.assign(seen_.txn_count(), 0);
    for (int round = 0; round < kRounds && !budget_.exhausted(); ++round) {
      bool changed = false;
      for (const TxnId txn : guess_.order) {
        for_each_write(txn, [&](WriteId write) { changed = place(write) || changed; });
        if (budget_.exhausted()) return;
      }
      if (!changed) return;
      update_clocks();
    }
  }

  /// Moves the write before versions that reads show to be later. True when a new order is
  /// forced.
  bool place(WriteId write) {
    if (guess_.forced[write.raw()] || seen_.is_list(seen_.written_key(write))) return false;
    bool moved = false;
    WriteId version = guess_.neighbours[write.raw()].before;
    while (version.is_some() && !guess_.forced[write.raw()] && comes_first(write, version) &&
           !comes_first(version, write)) {
      guess_.forced[version.raw()] = false;
      guess_.exchange(write);
      force(version);
      if (const WriteId next = guess_.neighbours[version.raw()].after; next.is_some()) {
        guess_.forced[next.raw()] = false;  // after another version now
      }
      version = guess_.neighbours[write.raw()].before;
      moved = true;
    }
    if (version.is_none() || !comes_first(version, write)) return moved;
    force(write);
    return true;
  }

  void force(WriteId write) {
    guess_.forced[write.raw()] = true;
    newly_forced_.push_back(write);
  }

  /// Reads show that `a` was written before `b`, both of the same key.
  bool comes_first(WriteId a, WriteId b) const {
    const TxnId first = seen_.writer(a);
    const TxnId second = seen_.writer(b);
    budget_.spend(2);
    if (precedes(first, second)) return true;
    for (const TxnId reader : seen_.readers(b)) {
      if (reader != first && precedes(first, reader)) return true;
    }
    for (const TxnId reader : seen_.readers(a)) {
      if (reader != second && precedes(reader, second)) return true;
    }
    return false;
  }

  /// Derives what follows from the forced orders. A cycle among them ends it.
  void update_clocks() {
    if (path_.empty()) {
      find_path();
      std::fill(changed_.begin(), changed_.end(), 1);
    } else {
      for (const WriteId write : newly_forced_) follow_forced(write);
    }
    newly_forced_.clear();
    bool any = true;
    for (int pass = 0; any && pass < kRounds; ++pass) {
      any = false;
      for (const TxnId txn : path_) {
        if (std::exchange(changed_[txn.raw()], 0) == 0) continue;
        any = true;
        for_each_after(txn, [&](TxnId other) { follow(other, txn); });
      }
      if (budget_.exhausted()) return;
    }
  }

  /// Ignores successors in its own session, which only a cycle can show.
  void follow(TxnId txn, TxnId earlier) {
    std::uint32_t* const own = clock(txn);
    const std::uint32_t place = own[session(txn)];
    if (merge(own, clock(earlier))) changed_[txn.raw()] = 1;
    own[session(txn)] = place;
  }

  /// REQUIRES: the order after its previous version is forced.
  void follow_forced(WriteId write) {
    const TxnId txn = seen_.writer(write);
    for_each_forced_before(write, [&](TxnId other) { follow(txn, other); });
  }

  template <typename Visit>
  void for_each_forced_before(WriteId write, const Visit& visit) const {
    const WriteId version = guess_.neighbours[write.raw()].before;
    if (!guess_.forced[write.raw()] || version.is_none()) return;
    const TxnId txn = seen_.writer(write);
    visit(seen_.writer(version));
    for (const TxnId reader : seen_.readers(version)) {
      if (reader != txn) visit(reader);
    }
  }

  template <typename Visit>
  void for_each_before(TxnId txn, const Visit& visit) const {
    if (before_[txn.raw()].is_some()) visit(before_[txn.raw()]);
    for (const ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_some()) visit(seen_.writer(read.source));
    }
    for_each_write(txn, [&](WriteId write) { for_each_forced_before(write, visit); });
  }

  /// The same edges in the other direction.
  template <typename Visit>
  void for_each_after(TxnId txn, const Visit& visit) const {
    if (after_[txn.raw()].is_some()) visit(after_[txn.raw()]);
    const auto visit_next = [&](WriteId version) {
      const WriteId next = guess_.neighbours[version.raw()].after;
      if (next.is_none() || !guess_.forced[next.raw()]) return;
      if (const TxnId other = seen_.writer(next); other != txn) visit(other);
    };
    for_each_write(txn, [&](WriteId write) {
      for (const TxnId reader : seen_.readers(write)) visit(reader);
      visit_next(write);
    });
    for (const ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_some()) visit_next(read.source);
    }
  }

  /// An order in which one pass propagates most of what follows from the forced orders: each
  /// transaction after its predecessors, except for cycles. Close to the first order, because
  /// neighbours there share the cache.
  void find_path() {
    path_.reserve(guess_.order.size());
    std::vector<std::uint8_t> met(seen_.txn_count(), 0);
    std::vector<TxnId> open;
    for (const TxnId root : guess_.order) {
      if (met[root.raw()] == 0) open.push_back(root);
      while (!open.empty()) {
        const TxnId txn = open.back();
        if (met[txn.raw()] != 0) {
          open.pop_back();
          if (std::exchange(met[txn.raw()], kOnPath) != kOnPath) path_.push_back(txn);
          continue;
        }
        met[txn.raw()] = kOpen;
        for_each_before(txn, [&](TxnId other) {
          if (met[other.raw()] == 0) open.push_back(other);
        });
        budget_.spend(8);
      }
    }
    ISOLDE_ASSERT(path_.size() == guess_.order.size());
  }

  const Observations& seen_;
  const History& history_;
  base::Budget& budget_;
  std::size_t sessions_;
  VersionGuess guess_;
  std::vector<TxnId> before_;  // by transaction: its neighbours in the session
  std::vector<TxnId> after_;
  std::vector<std::uint32_t> clocks_;
  std::vector<TxnId> path_;            // of the passes; see find_path()
  std::vector<std::uint8_t> changed_;  // by transaction: its clock changed, not yet propagated
  std::vector<WriteId> newly_forced_;
};

}  // namespace

void VersionGuess::exchange(WriteId write) {
  const WriteId version = neighbours[write.raw()].before;
  ISOLDE_INVARIANT(version.is_some() && neighbours[version.raw()].after == write);  // N1
  const WriteId before = neighbours[version.raw()].before;
  const WriteId after = neighbours[write.raw()].after;
  if (before.is_some()) neighbours[before.raw()].after = write;
  if (after.is_some()) neighbours[after.raw()].before = version;
  neighbours[write.raw()] = {before, version};
  neighbours[version.raw()] = {write, after};
}

namespace {

/// Of those that are known to have committed, and when.
std::int64_t mean_duration(const History& history) {
  double sum = 0;
  double count = 0;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnTimes times = history.times(TxnId::at(t));
    if (infer::certain_end(history, TxnId::at(t)) == kNoTime || times.start == kNoTime)
      continue;
    sum += static_cast<double>(times.end) - static_cast<double>(times.start);
    ++count;
  }
  constexpr double kMost = 1e18;
  return count == 0 ? 0 : static_cast<std::int64_t>(std::clamp(sum / count, 0.0, kMost));
}

/// When a transaction that nobody knows the end of has probably taken effect: as soon as others
/// do, and before all who read from it ended.
class Effects {
 public:
  explicit Effects(const Observations& seen) : seen_(seen) {}

  std::int64_t moment(TxnId txn) {
    const std::int64_t known = moment_of(seen_.history(), txn, true);
    const TxnTimes times = seen_.history().times(txn);
    if (times.end != kNoTime || times.start == kNoTime) return known;
    if (duration_ < 0) duration_ = mean_duration(seen_.history());
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    if (first - duration_ > times.start) first = times.start + duration_;
    const WriteId end = seen_.end_write(txn);
    for (WriteId write = seen_.first_write(txn); write != end;
         write = WriteId(write.raw() + 1)) {
      for (const TxnId reader : seen_.readers(write)) {
        const std::int64_t read = infer::certain_end(seen_.history(), reader);
        if (read != kNoTime) first = std::min(first, read);
      }
    }
    return first;
  }

 private:
  const Observations& seen_;
  std::int64_t duration_ = -1;  // not looked for yet
};

}  // namespace

VersionGuess guess_by_time(const Observations& seen, base::Budget& budget) {
  Effects effects(seen);
  std::vector<std::pair<std::int64_t, TxnId>> ends;
  ends.reserve(seen.included_count());
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (seen.is_included(txn)) ends.emplace_back(effects.moment(txn), txn);
  }
  ISOLDE_ASSERT(ends.size() == seen.included_count());
  budget.spend(ends.size() * 8);
  std::sort(ends.begin(), ends.end());
  VersionGuess guess;
  guess.order.reserve(ends.size());
  for (const auto& [end, txn] : ends) guess.order.push_back(txn);
  order_versions(seen, guess, budget);
  return guess;
}

VersionGuess guess_by_sessions(const Observations& seen, base::Budget& budget) {
  if (SessionClocks::fits(seen)) return SessionClocks(seen, budget).run();
  VersionGuess guess;
  guess.order = simulate(seen, budget);
  order_versions(seen, guess, budget);
  return guess;
}

}  // namespace isolde::checker

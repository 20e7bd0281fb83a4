#include "weak/timed.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/assert.hpp"
#include "history/base_levels.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

std::string why_not_timed(const History& history) {
  return history.has_database_times() ? "" : "the history has no times of the database";
}

std::string why_not_timed(const Observations& seen) {
  const History& history = seen.history();
  if (std::string why = why_not_timed(history); !why.empty()) return why;
  std::vector<std::int64_t> commits;
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (!seen.is_included(txn)) continue;
    const DatabaseTimes times = history.database_times(txn);
    if (times.start == kNoTime || times.commit == kNoTime) {
      return "transaction " + history.txn_name(txn) + " has no times of the database";
    }
    commits.push_back(times.commit);
  }
  std::sort(commits.begin(), commits.end());
  const auto twice = std::adjacent_find(commits.begin(), commits.end());
  if (twice == commits.end()) return "";
  return "two transactions have the commit time " + std::to_string(*twice) + " of the database";
}

namespace {

/// A bound on a transaction's snapshot, as a position in the order of commits (0 = before all),
/// and the dependency it comes from.
struct Bound {
  std::uint32_t position = 0;
  Edge edge;
};

class Timeline {
 public:
  Timeline(const Observations& seen, const LevelInfo& level, base::Budget& budget)
      : seen_(seen), history_(seen.history()), level_(level), budget_(budget) {}

  /// None when the budget ran out, or where deletions leave it open.
  std::optional<Proof> decide() {
    sort_commits();
    sort_writes();
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      if (!seen_.is_list(KeyId::at(k))) continue;
      if (auto cycle = compare_list(KeyId::at(k))) return refuted(std::move(*cycle));
    }
    std::vector<std::uint32_t> snapshot(order_.size() + 1);
    for (std::uint32_t position = 1; position <= order_.size(); ++position) {
      const TxnId txn = order_[position - 1];
      const Bound low = lowest(txn);
      const Bound high = highest(txn, position);
      if (low.position > high.position && rests_on_guess(low)) return std::nullopt;
      if (low.position > high.position) return refuted(cycle_of(low, high));
      snapshot[position] = low.position;
      if (!budget_.spend(history_.ops(txn).size() * 8 + 8)) return std::nullopt;
    }
    return witness(snapshot);
  }

 private:
  DatabaseTimes times(TxnId txn) const { return history_.database_times(txn); }
  std::uint32_t position_of(WriteId write) const {
    return position_[seen_.writer(write).raw()];
  }

  static Edge edge(TxnId from, TxnId to, EdgeKind kind, KeyId key = {}, TxnId via = {}) {
    return {from, to, kind, key, via};
  }

  void sort_commits() {
    for (std::size_t t = 0; t < seen_.txn_count(); ++t) {
      if (seen_.is_included(TxnId::at(t))) order_.push_back(TxnId::at(t));
    }
    std::sort(order_.begin(), order_.end(),
              [&](TxnId a, TxnId b) { return times(a).commit < times(b).commit; });
    position_.assign(seen_.txn_count(), 0);
    for (std::uint32_t i = 0; i < order_.size(); ++i) position_[order_[i].raw()] = i + 1;
    budget_.spend(order_.size() * 16);
  }

  /// Each key's writes in the order of their commits.
  void sort_writes() {
    std::vector<std::uint32_t> begin;
    std::vector<WriteId> writes;
    index_.assign(seen_.write_count(), 0);
    for (std::size_t k = 0; k < history_.key_count(); ++k) {
      begin.push_back(static_cast<std::uint32_t>(writes.size()));
      const std::size_t first = writes.size();
      const std::span<const WriteId> all = seen_.writes_of(KeyId::at(k));
      writes.insert(writes.end(), all.begin(), all.end());
      std::sort(writes.begin() + static_cast<std::ptrdiff_t>(first), writes.end(),
                [&](WriteId a, WriteId b) { return position_of(a) < position_of(b); });
      for (std::size_t i = first; i < writes.size(); ++i) {
        index_[writes[i].raw()] = static_cast<std::uint32_t>(i - first);
      }
    }
    begin.push_back(static_cast<std::uint32_t>(writes.size()));
    writes_ = base::Csr<WriteId>::from_parts(std::move(begin), std::move(writes));
  }

  /// The order that list reads show must be the commit order.
  std::optional<std::vector<Edge>> compare_list(KeyId key) const {
    const std::span<const WriteId> shown = seen_.list_order(key);
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const WriteId here = writes_.row(key.raw())[i];
      if (here == shown[i]) continue;
      // `here` commits before shown[i] but comes later in the list, or was never seen.
      const TxnId first = seen_.writer(shown[i]);
      const TxnId second = seen_.writer(here);
      return std::vector<Edge>{edge(first, second, EdgeKind::kVersionOrder, key),
                               edge(second, first, EdgeKind::kCommitOrder)};
    }
    return std::nullopt;
  }

  static void raise(Bound& low, std::uint32_t position, const Edge& why) {
    if (position > low.position) low = {position, why};
  }
  static void lower(Bound& high, std::uint32_t position, const Edge& why) {
    if (position < high.position) high = {position, why};
  }

  /// The snapshot holds what the transaction read, the versions it overwrites (but for rows
  /// that were deleted) and, by level, what its session committed before or all that had
  /// committed when it started.
  Bound lowest(TxnId txn) const {
    Bound low;
    for (const ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_none()) continue;
      raise(low, position_of(read.source),
            edge(seen_.writer(read.source), txn, EdgeKind::kReadFrom, read.key));
    }
    for (const WriteId write : seen_.writes(txn)) {
      const KeyId key = seen_.written_key(write);
      if (index_[write.raw()] == 0) continue;
      const WriteId before = writes_.row(key.raw())[index_[write.raw()] - 1];
      if (seen_.is_dead(before)) continue;
      raise(low, position_of(before),
            edge(seen_.writer(before), txn, EdgeKind::kVersionOrder, key));
    }
    if (level_.session_order) {
      const std::span<const TxnId> session = history_.session_txns(history_.session_of(txn));
      for (std::size_t at = history_.position_of(txn); at-- > 0;) {
        if (!seen_.is_included(session[at])) continue;
        // Its own snapshot held those before it.
        raise(low, position_[session[at].raw()],
              edge(session[at], txn, EdgeKind::kSessionOrder));
        break;
      }
    }
    if (sees_all_committed(level_.base)) {
      const std::uint32_t count = committed_at_start(txn);
      if (count > 0) {
        raise(low, count, edge(order_[count - 1], txn, EdgeKind::kCommittedBefore));
      }
    }
    return low;
  }

  /// The snapshot precedes what overwrote the versions read, all that committed after the
  /// start, and the transaction's own commit.
  Bound highest(TxnId txn, std::uint32_t position) const {
    Bound high{position - 1, edge(txn, txn, EdgeKind::kCommitOrder)};
    for (const ReadFrom& read : seen_.reads(txn)) {
      const std::span<const WriteId> writes = writes_.row(read.key.raw());
      const std::size_t next = read.source.is_none() ? 0 : index_[read.source.raw()] + 1;
      if (next == writes.size() || seen_.writer(writes[next]) == txn) continue;
      lower(high, position_of(writes[next]) - 1,
            edge(txn, seen_.writer(writes[next]), EdgeKind::kAntiDependency, read.key,
                 seen_.writer_or_none(read.source)));
    }
    const std::uint32_t count = committed_at_start(txn);
    if (count < order_.size() && order_[count] != txn) {
      lower(high, count, edge(txn, order_[count], EdgeKind::kStartedBefore));
    }
    return high;
  }

  std::uint32_t committed_at_start(TxnId txn) const {
    const auto end = std::partition_point(order_.begin(), order_.end(), [&](TxnId other) {
      return times(other).commit < times(txn).start;
    });
    return static_cast<std::uint32_t>(end - order_.begin());
  }

  /// low.edge leads into the transaction; high.edge leaves it, to a transaction that commits no
  /// later than the start of low.edge.
  static std::vector<Edge> cycle_of(const Bound& low, const Bound& high) {
    std::vector<Edge> cycle{low.edge};
    if (high.edge.from != high.edge.to) cycle.push_back(high.edge);
    if (high.edge.to != low.edge.from) {
      cycle.push_back(edge(high.edge.to, low.edge.from, EdgeKind::kCommitOrder));
    }
    return cycle;
  }

  /// Between the two versions there may be a deletion that did or did not take effect.
  bool rests_on_guess(const Bound& low) const {
    return low.edge.kind == EdgeKind::kVersionOrder &&
           !seen_.all_deleters_are_certain(low.edge.key);
  }

  static Refutation refuted(std::vector<Edge> cycle) {
    Refutation refutation;
    refutation.steps.emplace_back();
    refutation.steps.back().cycle = std::move(cycle);
    return refutation;
  }

  Witness witness(const std::vector<std::uint32_t>& snapshot) const {
    std::vector<std::uint32_t> by_snapshot(order_.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) by_snapshot[i] = i + 1;
    std::stable_sort(
        by_snapshot.begin(), by_snapshot.end(),
        [&](std::uint32_t a, std::uint32_t b) { return snapshot[a] < snapshot[b]; });
    Witness out;
    out.mentions = 2;
    out.order.reserve(order_.size() * 2);
    std::size_t next = 0;
    for (std::uint32_t committed = 0; committed <= order_.size(); ++committed) {
      if (committed > 0) out.order.push_back(order_[committed - 1]);
      while (next < by_snapshot.size() && snapshot[by_snapshot[next]] == committed) {
        out.order.push_back(order_[by_snapshot[next++] - 1]);
      }
    }
    return out;
  }

  const Observations& seen_;
  const History& history_;
  const LevelInfo& level_;
  base::Budget& budget_;
  std::vector<TxnId> order_;             // by commit
  std::vector<std::uint32_t> position_;  // by transaction: from 1
  base::Csr<WriteId> writes_;            // by key, in the order of commits
  std::vector<std::uint32_t> index_;     // by write: place in its row of writes_
};

}  // namespace

std::optional<Proof> decide_timed(const Observations& seen, const LevelInfo& level,
                                  base::Budget& budget) {
  ISOLDE_CHECK(goes_by_database_times(level.base));
  return Timeline(seen, level, budget).decide();
}

}  // namespace isolde::checker

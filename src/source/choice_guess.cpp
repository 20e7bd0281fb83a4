#include "source/choice_guess.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/assert.hpp"
#include "graph/topological.hpp"
#include "infer/open_index.hpp"

namespace isolde::checker {
namespace {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using infer::OpenRead;
using infer::ReadFrom;
using infer::WriteId;

/// Number of sessions whose next transactions are examined: those that are furthest behind.
constexpr std::size_t kLooked = 64;

class Replay {
 public:
  Replay(const EventGraph& events, bool snapshots, base::Budget& budget)
      : events_(events),
        seen_(events.observations()),
        history_(seen_.history()),
        snapshots_(snapshots),
        budget_(budget),
        open_index_(seen_),
        version_(history_.key_count()),
        expected_(history_.key_count(), 0),
        writing_(history_.key_count(), 0),
        committed_(seen_.write_count(), 0),
        lists_of_(source_lists_by_write(seen_)),
        latest_(seen_.source_lists().size()),
        rank_(history_.txn_count() * 2, 0),
        begun_(history_.txn_count(), 0),
        sources_(seen_.open_reads().size()) {}

  ChoiceGuess run() {
    for (std::size_t s = 0; s < history_.session_count(); ++s) line_up(SessionId::at(s), 0);
    while (!heads_.empty() && budget_.spend(kLooked * 16)) {
      const TxnId txn = next();
      if (begun_[txn.raw()] == 0) begin(txn);
      commit(txn);
    }
    std::vector<std::uint32_t> ranks(events_.graph().node_count(), 0);
    for (std::size_t node = 0; node < events_.event_count(); ++node) {
      const TxnId txn = events_.txn(NodeId::at(node));
      const bool at_commit = NodeId::at(node) == events_.commit(txn);
      ranks[node] = rank_[txn.raw() * 2 + (at_commit ? 1 : 0)];
    }
    ChoiceGuess guess;
    guess.order = graph::topological_order(events_.graph(), ranks, budget_);
    if (guess.order.size() != ranks.size()) guess.order.clear();
    guess.sources = std::move(sources_);
    return guess;
  }

 private:
  /// The session's next transaction from that position on; skips doubtful ones.
  void line_up(SessionId session, std::size_t position) {
    const std::span<const TxnId> txns = history_.session_txns(session);
    for (; position < txns.size(); ++position) {
      const TxnId txn = txns[position];
      rank_[txn.raw() * 2] = rank_[txn.raw() * 2 + 1] = clock_;
      if (!seen_.is_included(txn) || seen_.is_doubtful(txn)) continue;
      heads_.insert({(position << 20) / txns.size(), txn});
      return;
    }
  }

  template <typename Visit>  // visit(key, whether it finds its value)
  void for_each_read(TxnId txn, const Visit& visit) const {
    for (const ReadFrom& read : seen_.reads(txn)) {
      visit(read.key, version_[read.key.raw()] == read.source);
    }
    for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
      const OpenRead& read = seen_.open_reads()[i];
      visit(read.key, finds(read));
    }
  }
  /// Reads none of whose sources has committed: the transaction must wait for these.
  std::uint32_t count_early_reads(TxnId txn) const {
    std::uint32_t count = 0;
    for (const ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_some() && committed_[read.source.raw()] == 0) ++count;
    }
    for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
      const OpenRead& read = seen_.open_reads()[i];
      if (!read.is_initial && latest_[read.list].is_none()) ++count;
    }
    return count;
  }
  bool finds(const OpenRead& read) const {
    const WriteId now = version_[read.key.raw()];
    if (now.is_none()) return read.is_initial;
    return seen_.sources(read).contains(now);
  }
  template <typename Visit>
  void for_each_write(TxnId txn, const Visit& visit) const {
    for (const WriteId write : seen_.writes(txn)) {
      visit(seen_.written_key(write), write);
    }
  }

  /// The cost of committing the transaction now: reads that do not find their value weigh most,
  /// then writes over what others still expect to read or are about to write.
  std::uint32_t cost(TxnId txn) const {
    std::uint32_t cost = 0;
    const bool reads = begun_[txn.raw()] == 0;
    if (reads) {
      cost += count_early_reads(txn) * 1'000'000;
      for_each_read(txn, [&](KeyId, bool found) { cost += found ? 0 : 1000; });
    }
    for_each_write(txn, [&](KeyId key, WriteId) {
      cost += expected_[key.raw()];
      if (writing_[key.raw()] > 1) cost += 4;
    });
    if (!reads) return cost;
    for_each_read(txn, [&](KeyId key, bool found) {
      if (found && seen_.find_write(txn, key).is_some()) --cost;
    });
    return cost;
  }

  TxnId next() {
    look_around(1);
    TxnId best;
    std::uint32_t best_cost = 0;
    std::size_t looked = 0;
    for (auto head = heads_.begin(); head != heads_.end() && looked < kLooked;
         ++head, ++looked) {
      const std::uint32_t price = cost(head->second);
      if (best.is_some() && price >= best_cost) continue;
      best = head->second;
      best_cost = price;
    }
    look_around(0);
    ISOLDE_INVARIANT(best.is_some());
    return best;
  }

  /// Counts, by key, what the next transactions expect to read and have begun to write.
  void look_around(std::uint32_t on) {
    std::size_t looked = 0;
    for (auto head = heads_.begin(); head != heads_.end() && looked < kLooked;
         ++head, ++looked) {
      const TxnId txn = head->second;
      budget_.spend(history_.ops(txn).size() * 2);
      if (on != 0 && snapshots_ && begun_[txn.raw()] == 0) {
        bool all = true;
        for_each_read(txn, [&](KeyId, bool found) { all = all && found; });
        if (all) begin(txn);
      }
      for_each_read(txn, [&](KeyId key, bool found) {
        const bool counts = on != 0 && found && begun_[txn.raw()] == 0;
        expected_[key.raw()] = on == 0 ? 0 : expected_[key.raw()] + (counts ? 1 : 0);
      });
      for_each_write(txn, [&](KeyId key, WriteId) {
        const bool counts = on != 0 && begun_[txn.raw()] != 0;
        writing_[key.raw()] = on == 0 ? 0 : writing_[key.raw()] + (counts ? 1 : 0);
      });
    }
  }

  void begin(TxnId txn) {
    ISOLDE_INVARIANT(begun_[txn.raw()] == 0);
    begun_[txn.raw()] = 1;
    rank_[txn.raw() * 2] = ++clock_;
    for (std::uint32_t i = open_index_.begin(txn); i < open_index_.end(txn); ++i) {
      const OpenRead& read = seen_.open_reads()[i];
      if (finds(read)) {
        sources_[i] = version_[read.key.raw()];
        continue;
      }
      // An older version, if any. Not the transaction's own write, which has not committed.
      sources_[i] = latest_[read.list];
      ISOLDE_INVARIANT(sources_[i].is_none() || seen_.sources(read).contains(sources_[i]));
    }
  }

  void commit(TxnId txn) {
    rank_[txn.raw() * 2 + 1] = ++clock_;
    for_each_write(txn, [&](KeyId key, WriteId write) {
      version_[key.raw()] = write;
      committed_[write.raw()] = 1;
      for (const std::uint32_t list : lists_of_.row(write.raw())) latest_[list] = write;
      budget_.spend(lists_of_.row(write.raw()).size());
    });
    const SessionId session = history_.session_of(txn);
    const std::size_t position = history_.position_of(txn);
    const std::size_t erased =
        heads_.erase({(position << 20) / history_.session_txns(session).size(), txn});
    ISOLDE_INVARIANT(erased == 1);
    line_up(session, position + 1);
  }

  const EventGraph& events_;
  const Observations& seen_;
  const History& history_;
  bool snapshots_;
  base::Budget& budget_;
  infer::OpenIndex open_index_;
  std::vector<WriteId> version_;         // by key: the current one
  std::vector<std::uint32_t> expected_;  // by key
  std::vector<std::uint32_t> writing_;   // by key
  std::vector<std::uint8_t> committed_;  // by write
  base::Csr<std::uint32_t> lists_of_;    // by write: the source lists that contain it
  std::vector<WriteId> latest_;          // by such list: the one committed last
  std::vector<std::uint32_t> rank_;      // by transaction: begin and commit
  std::vector<std::uint8_t> begun_;
  std::vector<WriteId> sources_;  // by open read
  std::set<std::pair<std::size_t, TxnId>> heads_;
  std::uint32_t clock_ = 0;
};

}  // namespace

base::Csr<std::uint32_t> source_lists_by_write(const Observations& seen) {
  const infer::SourceLists& lists = seen.source_lists();
  return base::Csr<std::uint32_t>::build(seen.write_count(), [&](const auto& add) {
    for (std::uint32_t list = 0; list < lists.size(); ++list) {
      for (const WriteId write : lists.list(list)) add(write.raw(), list);
    }
  });
}

ChoiceGuess guess_by_replay(const EventGraph& events, bool snapshots, base::Budget& budget) {
  return Replay(events, snapshots, budget).run();
}

}  // namespace isolde::checker

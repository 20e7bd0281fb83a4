// The view edges of transactional causal consistency (weak/visible.hpp), by vector clocks.
//
// The axiom (Biswas & Enea, OOPSLA 2019): when t3 reads x from t1, and t2, another writer of x,
// is in the causal past of t3, then t2 precedes t1. The causal past is what reaches t3 by
// session order, read-from and, where it binds, real time. Session order binds, so a prefix of
// each session is in the past, given by one number a session: a vector clock, filled in along a
// topological order in O(edges
// * sessions).
//
// For a read of x it suffices to check, in each session, the last write of x in that prefix:
// the edge t2 -> t1 of an earlier one follows through session order. Where t2 is in the causal
// past of t1 anyway, the edge adds nothing. So a read yields at most one edge a session, and in
// most histories none. A binary search in the session's writes of x would find the last one.
// But consecutive readers of a key (in topological order) mostly see the same, so we keep the
// previous reader's answer with the two bounds between which it holds; comparing three vectors,
// which the compiler vectorizes, shows that nothing changed.
//
// Keys are independent. Work goes key by key, because the data of one key fits the cache, and
// in parallel parts. Edges are then sorted by reader and read, so that their order, and with it
// each proof, is the same for any number of threads.
//
// COST: O((edges + reads) * sessions), and log factors for searching and sorting; memory: 4
// bytes for each node and session, and an index of writes and reads.
#include <algorithm>
#include <limits>
#include <utility>

#include "base/assert.hpp"
#include "base/parallel.hpp"
#include "order/guess.hpp"
#include "weak/view_edge.hpp"
#include "weak/visible.hpp"

namespace isolde::checker {
namespace {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

/// First, for each transaction, how many of each session's transactions are in its causal past.
/// Then, key by key, what was visible to the readers.
class CausalPast {
 public:
  CausalPast(const EventGraph& past, base::Budget& budget, unsigned threads)
      : past_(past),
        seen_(past.observations()),
        budget_(budget),
        threads_(threads),
        session_count_(seen_.history().session_count()),
        nothing_(session_count_, 0) {}

  std::vector<Edge> run() {
    order_ = order_by_time(past_, budget_);
    if (order_.empty()) return {};
    index_sessions();
    if (!fill_clocks()) return {};
    index_reads();
    const std::size_t key_count = seen_.history().key_count();
    const std::size_t parts = threads_ == 1 ? 1 : std::size_t{threads_} * 16;
    std::vector<std::vector<Found>> found(parts);
    base::run_tasks(threads_, parts, [&](std::size_t part, unsigned worker) {
      base::BudgetShare budget(budget_, worker);
      View view = empty_view();
      const std::size_t last = base::part_begin(key_count, parts, part + 1);
      for (std::size_t k = base::part_begin(key_count, parts, part); k < last; ++k) {
        if (!look_at(KeyId::at(k), view, found[part], budget)) return;
      }
    });
    return in_order(base::concatenate(threads_, found));
  }

 private:
  /// A number of transactions of one session. Signed, because vector units compare signed best.
  using Count = std::int32_t;

  struct SessionWrite {
    Count place;  ///< of the transaction, among the included of its session
    TxnId txn;
  };
  struct Reading {
    TxnId reader;
    TxnId source;        ///< none: the initial version
    std::uint32_t read;  ///< position in Observations::reads()
  };
  /// An edge and its read, which give the order in which edges are listed.
  struct Found {
    std::uint32_t rank;  ///< of the reader in the order of events
    std::uint32_t read;
    Edge edge;
  };
  /// The writes of one key by one session, in session order.
  struct Spot {
    std::uint32_t session;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t next;  ///< after those that the last reader could see
  };
  /// What a reader of one key could see of each session's writes. The next reader mostly sees
  /// the same, as two numbers a session show.
  struct View {
    std::vector<Spot> spots;
    std::vector<Count> visible;  ///< by session: place after the last visible write; 0: none
    std::vector<Count> hidden;   ///< by session: place of the first write that is not
    std::vector<Count> past;     ///< of the reader
  };
  static constexpr Count kNever = std::numeric_limits<Count>::max();

  Count* clock(NodeId node) { return &clocks_[node.raw() * session_count_]; }
  const Count* clock(NodeId node) const { return &clocks_[node.raw() * session_count_]; }
  void prefetch_clock(NodeId node) const {
    constexpr std::size_t kLine = 64 / sizeof(Count);
    for (std::size_t s = 0; s < session_count_; s += kLine) __builtin_prefetch(clock(node) + s);
    __builtin_prefetch(clock(node) + session_count_ - 1);
  }

  void index_sessions() {
    const History& history = seen_.history();
    place_.assign(seen_.txn_count(), 0);
    for (std::size_t s = 0; s < session_count_; ++s) {
      Count place = 0;
      for (const TxnId txn : history.session_txns(SessionId::at(s))) {
        if (seen_.is_included(txn)) place_[txn.raw()] = place++;
      }
    }
    // Session by session, so that each key's writes are grouped.
    const auto emit = [&](const auto& add) {
      for (std::size_t s = 0; s < session_count_; ++s) {
        for (const TxnId txn : history.session_txns(SessionId::at(s))) {
          if (!seen_.is_included(txn)) continue;
          for (const WriteId write : seen_.writes(txn)) {
            add(seen_.written_key(write).raw(), SessionWrite{place_[txn.raw()], txn});
          }
        }
      }
    };
    writes_ = base::Csr<SessionWrite>::scatter(threads_, history.key_count(), emit);
  }

  /// For each event, the prefix of each session that reaches it, including itself.
  bool fill_clocks() {
    constexpr std::size_t kAhead = 4;
    clocks_.assign(past_.graph().node_count() * session_count_, 0);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i + kAhead < order_.size()) {
        past_.graph().out_edges(order_[i + kAhead], [&](NodeId target, graph::EdgeId) {
          prefetch_clock(target);
          return true;
        });
      }
      const NodeId node = order_[i];
      Count* const from = clock(node);
      if (past_.is_txn(node) && seen_.is_included(past_.txn(node))) {
        const TxnId txn = past_.txn(node);
        // All its predecessors in the session are in its past.
        ISOLDE_ASSERT(!seen_.is_doubtful(txn));
        from[seen_.history().session_of(txn).raw()] = place_[txn.raw()] + 1;
      }
      past_.graph().out_edges(node, [&](NodeId target, graph::EdgeId) {
        Count* const into = clock(target);
        for (std::size_t s = 0; s < session_count_; ++s) into[s] = std::max(into[s], from[s]);
        return true;
      });
      if (!budget_.spend(session_count_ * 2)) return false;
    }
    return true;
  }

  /// By key, in the order of events.
  void index_reads() {
    constexpr std::size_t kAhead = 8;
    const auto emit = [&](const auto& add) {
      for (std::size_t rank = 0; rank < order_.size(); ++rank) {
        if (rank + kAhead < order_.size()) {
          for (const ReadFrom& read : reads_of(order_[rank + kAhead])) {
            if (read.source.is_some()) seen_.prefetch(read.source);
          }
        }
        const std::span<const ReadFrom> reads = reads_of(order_[rank]);
        for (std::uint32_t i = 0; i < reads.size(); ++i) {
          add(reads[i].key.raw(),
              Reading{past_.txn(order_[rank]), seen_.writer_or_none(reads[i].source), i});
        }
      }
    };
    reads_ = base::Csr<Reading>::scatter(threads_, seen_.history().key_count(), emit);
  }

  std::span<const ReadFrom> reads_of(NodeId node) const {
    return past_.is_txn(node) ? seen_.reads(past_.txn(node)) : std::span<const ReadFrom>();
  }

  View empty_view() const {
    View view;
    view.visible.assign(session_count_, 0);
    view.hidden.assign(session_count_, kNever);
    view.past.resize(session_count_);
    return view;
  }

  void begin(View& view, std::span<const SessionWrite> writes) const {
    for (const Spot& spot : view.spots) {  // of the key before
      view.visible[spot.session] = 0;
      view.hidden[spot.session] = kNever;
    }
    view.spots.clear();
    for (std::uint32_t i = 0; i < writes.size(); ++i) {
      const std::uint32_t session = seen_.history().session_of(writes[i].txn).raw();
      if (view.spots.empty() || view.spots.back().session != session) {
        view.spots.push_back({session, i, i, i});
        view.hidden[session] = writes[i].place;
      }
      ++view.spots.back().end;
    }
  }

  static void move(View& view, Spot& spot, std::span<const SessionWrite> writes) {
    const Count count = view.past[spot.session];
    const bool on = count > view.hidden[spot.session];
    const auto at =
        std::partition_point(writes.begin() + (on ? spot.next : spot.begin),
                             writes.begin() + (on ? spot.end : spot.next),
                             [&](const SessionWrite& write) { return write.place < count; });
    spot.next = static_cast<std::uint32_t>(at - writes.begin());
    view.visible[spot.session] = spot.next == spot.begin ? 0 : writes[spot.next - 1].place + 1;
    view.hidden[spot.session] = spot.next == spot.end ? kNever : writes[spot.next].place;
  }

  /// False when the budget ran out.
  bool look_at(KeyId key, View& view, std::vector<Found>& out,
               base::BudgetShare& budget) const {
    constexpr std::size_t kAhead = 12;
    const std::span<const Reading> readings = reads_.row(key.raw());
    if (readings.empty()) return true;
    begin(view, writes_.row(key.raw()));
    for (std::size_t i = 0; i < readings.size(); ++i) {
      if (i + kAhead < readings.size()) {
        const Reading& ahead = readings[i + kAhead];
        __builtin_prefetch(&place_[ahead.reader.raw()]);
        prefetch_clock(past_.begin(ahead.reader));
        if (ahead.source.is_some()) prefetch_clock(past_.begin(ahead.source));
      }
      look_at(key, readings[i], view, out);
      if (!budget.spend(view.spots.size() * 2 + 1)) return false;
    }
    return true;
  }

  void look_at(KeyId key, const Reading& reading, View& view, std::vector<Found>& out) const {
    const std::span<const SessionWrite> writes = writes_.row(key.raw());
    const TxnId txn = reading.reader;
    std::copy_n(clock(past_.begin(txn)), session_count_, view.past.begin());
    view.past[seen_.history().session_of(txn).raw()] = place_[txn.raw()];
    const Count* of_source =
        reading.source.is_none() ? nothing_.data() : clock(past_.begin(reading.source));
    // Few sessions that write the key are checked one by one, many all at once.
    const bool all = view.spots.size() * 4 > session_count_;
    if (!all || sees_other(view)) {
      for (Spot& spot : view.spots) {
        const Count count = view.past[spot.session];
        const bool same =
            count >= view.visible[spot.session] && count <= view.hidden[spot.session];
        if (!same) move(view, spot, writes);
      }
    }
    if (all && !sees_more(view, of_source)) return;
    for (const Spot& spot : view.spots) {
      if (view.visible[spot.session] <= of_source[spot.session]) continue;
      out.push_back({0, reading.read,
                     view_edge(seen_, EdgeKind::kCausalView, writes[spot.next - 1].txn,
                               seen_.reads(txn)[reading.read], txn)});
    }
  }

  /// Whether the reader could see other writes than the one before.
  bool sees_other(const View& view) const {
    const Count* const past = view.past.data();
    const Count* const visible = view.visible.data();
    const Count* const hidden = view.hidden.data();
    Count differs = 0;
    for (std::size_t s = 0; s < session_count_; ++s) {
      differs |= (past[s] < visible[s] ? 1 : 0) | (past[s] > hidden[s] ? 1 : 0);
    }
    return differs != 0;
  }

  /// Whether the reader could see a write that the source could not, other than the source's.
  bool sees_more(const View& view, const Count* of_source) const {
    const Count* const visible = view.visible.data();
    Count more = 0;
    for (std::size_t s = 0; s < session_count_; ++s) more |= visible[s] > of_source[s] ? 1 : 0;
    return more != 0;
  }

  std::vector<Edge> in_order(std::vector<Found> all) const {
    if (all.empty()) return {};
    std::vector<std::uint32_t> rank(past_.event_count());
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      if (past_.is_txn(order_[i])) rank[order_[i].raw()] = i;
    }
    for (Found& each : all) each.rank = rank[past_.begin(each.edge.via).raw()];
    std::stable_sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
      return std::pair(a.rank, a.read) < std::pair(b.rank, b.read);
    });
    std::vector<Edge> edges;
    edges.reserve(all.size());
    for (const Found& each : all) edges.push_back(each.edge);
    return edges;
  }

  const EventGraph& past_;
  const Observations& seen_;
  base::Budget& budget_;
  unsigned threads_;
  std::size_t session_count_;
  std::vector<Count> nothing_;  // the past of the initial versions
  std::vector<NodeId> order_;
  std::vector<Count> place_;        // by transaction: among the included of its session
  base::Csr<SessionWrite> writes_;  // by key, session by session
  base::Csr<Reading> reads_;        // by key
  std::vector<Count> clocks_;       // by node and session
};

}  // namespace

std::vector<Edge> causal_views(const EventGraph& past, base::Budget& budget, unsigned threads) {
  ISOLDE_CHECK(!past.encoding().role.snapshot && past.encoding().session_order);
  return CausalPast(past, budget, std::max(threads, 1U)).run();
}

}  // namespace isolde::checker

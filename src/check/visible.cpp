#include "check/visible.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/assert.hpp"
#include "check/guess.hpp"

namespace isolde::checker {
namespace {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

TxnId writer_of(const Observations& seen, WriteId write) {
  return write.is_none() ? TxnId::none() : seen.writer(write);
}

/// `visible` precedes the source of the read; an edge to itself when that is the initial value.
Edge view_edge(const Observations& seen, EdgeKind kind, TxnId visible, const ReadFrom& read,
               TxnId reader) {
  const TxnId source = writer_of(seen, read.source);
  return {visible, source.is_none() ? visible : source, kind, read.key, reader};
}

/// What one transaction read from makes visible to its reads.
class ReadViews {
 public:
  /// `later_only`: to the reads that follow only.
  ReadViews(const Observations& seen, bool later_only, std::vector<Edge>& out)
      : seen_(seen),
        kind_(later_only ? EdgeKind::kMonotonicView : EdgeKind::kAtomicView),
        later_only_(later_only),
        out_(out),
        head_(seen.history().key_count()),
        source_of_(seen.txn_count()) {}

  void look_at(TxnId txn) {
    const std::span<const ReadFrom> reads = seen_.reads(txn);
    if (reads.size() < 2) return;
    index(txn, reads);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      const TxnId source = writer_of(seen_, reads[i].source);
      if (source.is_none() || source_of_[source.raw()] == txn) continue;
      source_of_[source.raw()] = txn;
      compare(txn, reads, i, source);
    }
  }

 private:
  static constexpr std::uint32_t kEnd = 0xffffffffU;
  struct Head {
    TxnId reader;
    std::uint32_t first = kEnd;
  };

  /// Chains the reads of each key.
  void index(TxnId txn, std::span<const ReadFrom> reads) {
    next_.assign(reads.size(), kEnd);
    for (std::size_t i = reads.size(); i-- > 0;) {
      Head& head = head_[reads[i].key.raw()];
      if (head.reader == txn) next_[i] = head.first;
      head = {txn, static_cast<std::uint32_t>(i)};
    }
  }

  /// Goes through what the source wrote or what the transaction reads, whichever is less.
  void compare(TxnId txn, std::span<const ReadFrom> reads, std::size_t first, TxnId source) {
    const std::size_t from = later_only_ ? first + 1 : 0;
    const WriteId end = seen_.end_write(source);
    if (end.raw() - seen_.first_write(source).raw() > reads.size() - from) {
      for (std::size_t i = from; i < reads.size(); ++i) {
        const bool other = writer_of(seen_, reads[i].source) != source;
        if (other && seen_.find_write(source, reads[i].key).is_some())
          add(txn, reads[i], source);
      }
      return;
    }
    for (WriteId write = seen_.first_write(source); write != end;
         write = WriteId(write.raw() + 1)) {
      const Head& head = head_[seen_.written_key(write).raw()];
      if (head.reader != txn) continue;
      for (std::uint32_t i = head.first; i != kEnd; i = next_[i]) {
        if (i >= from && reads[i].source != write) add(txn, reads[i], source);
      }
    }
  }

  void add(TxnId txn, const ReadFrom& read, TxnId source) {
    out_.push_back(view_edge(seen_, kind_, source, read, txn));
  }

  const Observations& seen_;
  EdgeKind kind_;
  bool later_only_;
  std::vector<Edge>& out_;
  std::vector<Head> head_;           // by key: first read of the transaction
  std::vector<std::uint32_t> next_;  // by read: the next one of the same key
  std::vector<TxnId> source_of_;     // by transaction: the last one it was a source of
};

/// What a session's earlier transactions make visible: of each key the last write.
void add_session_views(const Observations& seen, std::vector<Edge>& out, base::Budget& budget) {
  const History& history = seen.history();
  struct Last {
    SessionId session;
    WriteId write;
  };
  std::vector<Last> last(history.key_count());
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    const SessionId session = SessionId::at(s);
    for (const TxnId txn : history.session_txns(session)) {
      if (!seen.is_included(txn) || seen.is_doubtful(txn)) continue;
      budget.spend(history.ops(txn).size());
      for (const ReadFrom& read : seen.reads(txn)) {
        const Last& own = last[read.key.raw()];
        if (own.session != session || own.write == read.source) continue;
        out.push_back(
            view_edge(seen, EdgeKind::kAtomicView, seen.writer(own.write), read, txn));
      }
      for (WriteId write = seen.first_write(txn); write != seen.end_write(txn);
           write = WriteId(write.raw() + 1)) {
        last[seen.written_key(write).raw()] = {session, write};
      }
    }
  }
}

/// What had ended when a transaction started. Of the writers of a key that had, those are left
/// out that ended before another one of them started.
class TimedViews {
 public:
  TimedViews(const Observations& seen, std::int64_t clock_error_ns, std::vector<Edge>& out,
             base::Budget& budget)
      : seen_(seen), clock_error_ns_(clock_error_ns), out_(out), budget_(budget) {}

  void run() {
    const std::size_t key_count = seen_.history().key_count();
    std::vector<std::vector<std::pair<TxnId, ReadFrom>>> reads(key_count);
    for (std::size_t t = 0; t < seen_.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (seen_.history().times(txn).start == kNoTime) continue;
      for (const ReadFrom& read : seen_.reads(txn)) {
        reads[read.key.raw()].emplace_back(txn, read);
      }
    }
    for (std::size_t k = 0; k < key_count && budget_.spend(16); ++k) {
      sort_writers(KeyId::at(k));
      for (const auto& [reader, read] : reads[k]) look_at(reader, read);
    }
  }

 private:
  struct Ended {
    std::int64_t end;
    TxnId txn;
    /// Of this writer and those that ended before it, the last start and its writer, and the
    /// last start of the others.
    std::int64_t last_start;
    TxnId last_started;
    std::int64_t next_start;
  };

  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

  std::int64_t start_of(TxnId txn) const {
    const std::int64_t start = seen_.history().times(txn).start;
    return start == kNoTime ? kNever : start;
  }

  void sort_writers(KeyId key) {
    writers_.clear();
    for (const WriteId write : seen_.writes_of(key)) {
      const TxnId txn = seen_.writer(write);
      const std::int64_t end = infer::certain_end(seen_.history(), txn);
      if (end != kNoTime) writers_.push_back({end, txn, kNever, TxnId::none(), kNever});
    }
    budget_.spend(writers_.size() * 8);
    std::sort(writers_.begin(), writers_.end(), [](const Ended& a, const Ended& b) {
      return std::pair(a.end, a.txn) < std::pair(b.end, b.txn);
    });
    Ended before{0, TxnId::none(), kNever, TxnId::none(), kNever};
    for (Ended& writer : writers_) {
      writer.last_start = before.last_start;
      writer.last_started = before.last_started;
      writer.next_start = before.next_start;
      const std::int64_t start = start_of(writer.txn);
      if (start >= writer.last_start) {
        writer.next_start = writer.last_start;
        writer.last_start = start;
        writer.last_started = writer.txn;
      } else {
        writer.next_start = std::max(writer.next_start, start);
      }
      before = writer;
    }
  }

  void look_at(TxnId reader, const ReadFrom& read) {
    const TxnId source = writer_of(seen_, read.source);
    const auto end =
        std::partition_point(writers_.begin(), writers_.end(), [&](const Ended& writer) {
          return infer::ended_before(seen_.history(), writer.txn, reader, clock_error_ns_);
        });
    if (end == writers_.begin()) return;
    const Ended& last = *(end - 1);
    const std::int64_t latest = last.last_started == source ? last.next_start : last.last_start;
    for (auto at = end; at != writers_.begin();) {
      --at;
      budget_.spend(2);
      const bool covered =
          latest != kNever && at->end<latest&& static_cast<std::uint64_t>(latest) -
                                      static_cast<std::uint64_t>(
                                          at->end)> static_cast<std::uint64_t>(clock_error_ns_);
      if (covered) return;
      if (at->txn == source || at->txn == reader) continue;
      out_.push_back(view_edge(seen_, EdgeKind::kAtomicView, at->txn, read, reader));
    }
  }

  const Observations& seen_;
  std::int64_t clock_error_ns_;
  std::vector<Edge>& out_;
  base::Budget& budget_;
  std::vector<Ended> writers_;  // of one key, by end
};

/// For each transaction, how many of each session's transactions are in its causal past.
class CausalPast {
 public:
  CausalPast(const EventGraph& past, base::Budget& budget)
      : past_(past),
        seen_(past.observations()),
        budget_(budget),
        session_count_(seen_.history().session_count()) {}

  std::vector<Edge> run() {
    const std::vector<NodeId> order = order_by_time(past_, budget_);
    if (order.empty()) return {};
    index_sessions();
    clocks_.assign(past_.graph().node_count() * session_count_, 0);
    for (const NodeId node : order) {
      if (past_.is_txn(node) && seen_.is_included(past_.txn(node))) close(past_.txn(node));
      past_.graph().out_edges(node, [&](NodeId target, graph::EdgeId) {
        std::uint32_t* into = clock(target);
        const std::uint32_t* from = clock(node);
        for (std::size_t s = 0; s < session_count_; ++s) into[s] = std::max(into[s], from[s]);
        return true;
      });
      if (!budget_.spend(session_count_ * 2)) return {};
    }
    return std::move(out_);
  }

 private:
  /// Writes of one key by one session, in session order: a range of writes_.
  struct Group {
    std::uint32_t session;
    std::uint32_t begin;
    std::uint32_t met;  ///< end of those whose transactions have been closed
  };
  struct SessionWrite {
    std::uint32_t place;  ///< of the transaction, among the included of its session
    TxnId txn;
  };

  std::uint32_t* clock(NodeId node) { return &clocks_[node.raw() * session_count_]; }

  void index_sessions() {
    const History& history = seen_.history();
    place_.assign(seen_.txn_count(), 0);
    for (std::size_t s = 0; s < session_count_; ++s) {
      std::uint32_t place = 0;
      for (const TxnId txn : history.session_txns(SessionId::at(s))) {
        if (seen_.is_included(txn)) place_[txn.raw()] = place++;
      }
    }
    // Session by session, so that each key's writes are grouped.
    writes_ = base::Csr<SessionWrite>::build(history.key_count(), [&](const auto& add) {
      for (std::size_t s = 0; s < session_count_; ++s) {
        for (const TxnId txn : history.session_txns(SessionId::at(s))) {
          if (!seen_.is_included(txn)) continue;
          for (WriteId write = seen_.first_write(txn); write != seen_.end_write(txn);
               write = WriteId(write.raw() + 1)) {
            add(seen_.written_key(write).raw(), SessionWrite{place_[txn.raw()], txn});
          }
        }
      }
    });
    std::vector<std::uint32_t> begin;
    std::vector<Group> groups;
    for (std::size_t k = 0; k < history.key_count(); ++k) {
      begin.push_back(static_cast<std::uint32_t>(groups.size()));
      const std::span<const SessionWrite> writes = writes_.row(k);
      for (std::uint32_t i = 0; i < writes.size(); ++i) {
        const std::uint32_t session = history.session_of(writes[i].txn).raw();
        const bool fresh = i == 0 || groups.back().session != session;
        if (fresh) groups.push_back({session, i, i});
      }
    }
    begin.push_back(static_cast<std::uint32_t>(groups.size()));
    groups_ = base::Csr<Group>::from_parts(std::move(begin), std::move(groups));
  }

  /// All edges into the transaction have been followed.
  void close(TxnId txn) {
    const NodeId node = past_.begin(txn);
    for (const ReadFrom& read : seen_.reads(txn)) look_at(txn, read);
    const std::uint32_t session = seen_.history().session_of(txn).raw();
    clock(node)[session] = std::max(clock(node)[session], place_[txn.raw()] + 1);
    for (WriteId write = seen_.first_write(txn); write != seen_.end_write(txn);
         write = WriteId(write.raw() + 1)) {
      for (Group& group : groups_.row(seen_.written_key(write).raw())) {
        if (group.session == session) ++group.met;
      }
    }
  }

  void look_at(TxnId txn, const ReadFrom& read) {
    const TxnId source = writer_of(seen_, read.source);
    const std::uint32_t* past = clock(past_.begin(txn));
    const std::uint32_t* of_source = source.is_none() ? nullptr : clock(past_.begin(source));
    const std::span<const SessionWrite> writes = writes_.row(read.key.raw());
    const std::span<const Group> groups = groups_.row(read.key.raw());
    budget_.spend(groups.size() * 2);
    for (const Group& group : groups) {
      // Mostly all that the session has written so far is in the past.
      std::uint32_t end = group.met;
      if (end > group.begin && writes[end - 1].place >= past[group.session]) {
        const auto first = writes.begin() + group.begin;
        const auto at = std::partition_point(
            first, writes.begin() + end,
            [&](const SessionWrite& write) { return write.place < past[group.session]; });
        end = static_cast<std::uint32_t>(at - writes.begin());
      }
      if (end == group.begin) continue;
      const SessionWrite& last = writes[end - 1];
      if (last.txn == source) continue;
      if (of_source != nullptr && of_source[group.session] > last.place) continue;
      out_.push_back(view_edge(seen_, EdgeKind::kCausalView, last.txn, read, txn));
    }
  }

  const EventGraph& past_;
  const Observations& seen_;
  base::Budget& budget_;
  std::size_t session_count_;
  std::vector<std::uint32_t> place_;   // by transaction: among the included of its session
  base::Csr<SessionWrite> writes_;     // by key, session by session
  base::Csr<Group> groups_;            // by key
  std::vector<std::uint32_t> clocks_;  // by node and session
  std::vector<Edge> out_;
};

}  // namespace

std::vector<Edge> direct_views(const Observations& seen, const LevelInfo& level,
                               std::int64_t clock_error_ns, base::Budget& budget) {
  std::vector<Edge> views;
  const bool monotonic = level.base == BaseLevel::kMonotonicAtomicView;
  if (!monotonic && level.base != BaseLevel::kReadAtomic) return views;
  ReadViews read_views(seen, monotonic, views);
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    read_views.look_at(TxnId::at(t));
    if (!budget.spend(seen.reads(TxnId::at(t)).size() * 8)) return views;
  }
  if (monotonic) return views;
  if (level.session_order) add_session_views(seen, views, budget);
  if (level.real_time) TimedViews(seen, clock_error_ns, views, budget).run();
  return views;
}

std::vector<Edge> causal_views(const EventGraph& past, base::Budget& budget) {
  ISOLDE_CHECK(!past.encoding().split && past.encoding().session_order);
  return CausalPast(past, budget).run();
}

}  // namespace isolde::checker

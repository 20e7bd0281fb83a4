#include "weak/visible.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/parallel.hpp"
#include "base/ways.hpp"
#include "level/level_traits.hpp"
#include "weak/view_edge.hpp"

namespace isolde::checker {
namespace {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

/// What the sources of a transaction's reads make visible to its other reads.
class ReadViews {
 public:
  /// `later_only`: only to later reads.
  ReadViews(const Observations& seen, bool later_only)
      : seen_(seen),
        kind_(later_only ? EdgeKind::kMonotonicView : EdgeKind::kAtomicView),
        later_only_(later_only) {}

  /// The transactions from `first` to the one before `last`. False when the budget ran out.
  bool look_at(std::size_t first, std::size_t last, base::BudgetShare& budget) {
    constexpr std::size_t kBlock = 32;
    for (std::size_t t = first; t < last; t += kBlock) {
      const std::size_t end = std::min(t + kBlock, last);
      const std::size_t reads = find_writers(t, end);
      for (std::size_t each = t; each < end; ++each) look_at(TxnId::at(each));
      if (!budget.spend(reads * 8 + kBlock)) return false;
    }
    return true;
  }

  std::vector<Edge> take() { return std::move(out_); }

 private:
  static constexpr std::uint32_t kEnd = 0xffffffffU;
  const std::size_t short_ = base::ways().short_txn;  // reads: all are compared with all
  struct Head {
    TxnId reader;
    std::uint32_t first = kEnd;
  };

  /// A set of a few keys with false positives.
  struct KeyFilter {
    std::uint64_t bits = 0;
    static std::uint64_t bit(KeyId key) {
      return std::uint64_t{1} << ((key.raw() * 0x9e3779b1U) >> 26);
    }
    void add(KeyId key) { bits |= bit(key); }
    bool may_have(KeyId key) const { return (bits & bit(key)) != 0; }
    /// True when that many keys were added, certainly all distinct.
    bool has_distinct(std::size_t count) const {
      return static_cast<std::size_t>(std::popcount(bits)) == count;
    }
  };

  /// Finds the writers that the reads of a block came from, and prefetches what is needed of
  /// them. Returns the number of reads.
  std::size_t find_writers(std::size_t first, std::size_t last) {
    writers_.clear();
    next_writer_ = 0;
    for (std::size_t t = first; t < last; ++t) {
      for (const ReadFrom& read : seen_.reads(TxnId::at(t))) {
        if (read.source.is_some()) seen_.prefetch(read.source);
      }
    }
    for (std::size_t t = first; t < last; ++t) {
      for (const ReadFrom& read : seen_.reads(TxnId::at(t))) {
        writers_.push_back(seen_.writer_or_none(read.source));
        if (writers_.back().is_some()) seen_.prefetch_writes(writers_.back());
      }
    }
    return writers_.size();
  }

  void look_at(TxnId txn) {
    const std::span<const ReadFrom> reads = seen_.reads(txn);
    const std::span<const TxnId> writers =
        std::span<const TxnId>(writers_).subspan(next_writer_, reads.size());
    next_writer_ += reads.size();
    if (reads.size() < 2) return;
    if (reads.size() > short_) index(txn, reads);
    note_keys(reads);
    for (std::size_t i = 0; i < reads.size(); ++i) {
      if (writers[i].is_none() || is_repeated(txn, writers, i)) continue;
      compare(txn, reads, i, writers[i]);
    }
  }

  /// Whether an earlier read came from the same transaction.
  bool is_repeated(TxnId txn, std::span<const TxnId> writers, std::size_t i) {
    if (writers.size() <= short_) {
      std::size_t j = 0;
      while (writers[j] != writers[i]) ++j;
      return j < i;
    }
    return std::exchange(source_of_[writers[i].raw()], txn) == txn;
  }

  /// Chains the reads of each key of a long transaction.
  void index(TxnId txn, std::span<const ReadFrom> reads) {
    head_.resize(seen_.history().key_count());
    source_of_.resize(seen_.txn_count());
    next_.assign(reads.size(), kEnd);
    for (std::size_t i = reads.size(); i-- > 0;) {
      Head& head = head_[reads[i].key.raw()];
      if (head.reader == txn) next_[i] = head.first;
      head = {txn, static_cast<std::uint32_t>(i)};
    }
  }

  /// Scans what the source wrote or what the transaction reads, whichever is less.
  void compare(TxnId txn, std::span<const ReadFrom> reads, std::size_t first, TxnId source) {
    const std::size_t from = later_only_ ? seen_.end_of_step(txn, first) : 0;
    const WriteId begin = seen_.first_write(source);
    const WriteId end = seen_.end_write(source);
    if (!may_write_another(begin, end)) return;
    if (end.raw() - begin.raw() > reads.size() - from) {
      for (std::size_t i = from; i < reads.size(); ++i) {
        const bool own =
            reads[i].source.is_some() && begin <= reads[i].source && reads[i].source < end;
        if (!own && seen_.find_write(source, reads[i].key).is_some())
          add(txn, reads[i], source);
      }
      return;
    }
    for (WriteId write = begin; write != end; write = WriteId(write.raw() + 1)) {
      const KeyId key = seen_.written_key(write);
      if (reads.size() <= short_) {
        for (std::size_t i = from; i < reads.size(); ++i) {
          if (reads[i].key == key && reads[i].source != write) add(txn, reads[i], source);
        }
        continue;
      }
      const Head& head = head_[key.raw()];
      if (head.reader != txn) continue;
      for (std::uint32_t i = head.first; i != kEnd; i = next_[i]) {
        if (i >= from && reads[i].source != write) add(txn, reads[i], source);
      }
    }
  }

  void note_keys(std::span<const ReadFrom> reads) {
    read_keys_ = {};
    for (const ReadFrom& read : reads) read_keys_.add(read.key);
    reads_repeat_ = reads.size() > short_;  // assumed
    if (read_keys_.has_distinct(reads.size())) return;
    for (std::size_t i = 0; i < reads.size() && !reads_repeat_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        reads_repeat_ = reads_repeat_ || reads[i].key == reads[j].key;
      }
    }
  }

  /// False when a source wrote no other key that is read, which is the common case.
  bool may_write_another(WriteId begin, WriteId end) const {
    if (reads_repeat_ || end.raw() - begin.raw() > short_) return true;
    int common = 0;
    for (WriteId write = begin; write != end; write = WriteId(write.raw() + 1)) {
      common += read_keys_.may_have(seen_.written_key(write)) ? 1 : 0;
    }
    return common > 1;
  }

  void add(TxnId txn, const ReadFrom& read, TxnId source) {
    out_.push_back(view_edge(seen_, kind_, source, read, txn));
  }

  const Observations& seen_;
  EdgeKind kind_;
  bool later_only_;
  std::vector<Edge> out_;
  std::vector<TxnId> writers_;  // by read of the block
  std::size_t next_writer_ = 0;
  // Of one transaction:
  KeyFilter read_keys_;
  bool reads_repeat_ = false;  // a key, possibly
  // For long transactions.
  std::vector<Head> head_;           // by key: first read of the transaction
  std::vector<std::uint32_t> next_;  // by read: the next one of the same key
  std::vector<TxnId> source_of_;     // by transaction: the last one it was a source of
};

/// Concatenates the lists.
void append_all(std::vector<Edge>& out, std::vector<std::vector<Edge>> lists,
                unsigned threads) {
  lists.insert(lists.begin(), std::move(out));
  out = base::concatenate(threads, lists);
}

void add_read_views(const Observations& seen, bool later_only, std::vector<Edge>& out,
                    base::Budget& budget, unsigned threads) {
  const std::size_t parts = threads == 1 ? 1 : std::size_t{threads} * 4;
  std::vector<std::vector<Edge>> views(parts);
  base::run_tasks(threads, parts, [&](std::size_t part, unsigned worker) {
    base::BudgetShare share(budget, worker);
    ReadViews in_part(seen, later_only);
    in_part.look_at(base::part_begin(seen.txn_count(), parts, part),
                    base::part_begin(seen.txn_count(), parts, part + 1), share);
    views[part] = in_part.take();
  });
  append_all(out, std::move(views), threads);
}

/// What a session's earlier transactions make visible: the last write of each key.
class SessionViews {
 public:
  explicit SessionViews(const Observations& seen) : seen_(seen) {}

  void look_at(SessionId session, std::vector<Edge>& out, base::BudgetShare& budget) {
    const History& history = seen_.history();
    last_.resize(history.key_count());
    const std::span<const TxnId> txns = history.session_txns(session);
    for (std::size_t i = 0; i < txns.size(); ++i) {
      // A session's transactions are not adjacent in memory.
      if (i + kAhead < txns.size()) {
        const TxnId ahead = txns[i + kAhead];
        __builtin_prefetch(seen_.reads(ahead).data());
        seen_.prefetch_writes(ahead);
      }
      const TxnId txn = txns[i];
      if (!seen_.is_included(txn) || seen_.is_doubtful(txn)) continue;
      if (!budget.spend(history.ops(txn).size())) return;
      for (const ReadFrom& read : seen_.reads(txn)) {
        const Last& own = last_[read.key.raw()];
        if (own.session != session || own.write == read.source) continue;
        out.push_back(
            view_edge(seen_, EdgeKind::kAtomicView, seen_.writer(own.write), read, txn));
      }
      for (const WriteId write : seen_.writes(txn)) {
        last_[seen_.written_key(write).raw()] = {session, write};
      }
    }
  }

 private:
  static constexpr std::size_t kAhead = 8;
  struct Last {
    SessionId session;
    WriteId write;
  };

  const Observations& seen_;
  std::vector<Last> last_;  // by key
};

void add_session_views(const Observations& seen, std::vector<Edge>& out, base::Budget& budget,
                       unsigned threads) {
  std::vector<std::vector<Edge>> views(seen.history().session_count());
  std::vector<SessionViews> workers(threads, SessionViews(seen));
  base::run_tasks(threads, views.size(), [&](std::size_t session, unsigned worker) {
    base::BudgetShare share(budget, worker);
    workers[worker].look_at(SessionId::at(session), views[session], share);
  });
  append_all(out, std::move(views), threads);
}

/// What had ended when a transaction started. Omits writers of a key that ended before another
/// such writer started.
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
    const TxnId source = seen_.writer_or_none(read.source);
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

}  // namespace

std::vector<Edge> direct_views(const Observations& seen, const LevelInfo& level,
                               std::int64_t clock_error_ns, base::Budget& budget,
                               unsigned threads) {
  std::vector<Edge> views;
  const Views visible = traits(level.base).views;
  if (visible == Views::kNone) return views;
  const bool monotonic = visible == Views::kMonotonic;
  add_read_views(seen, monotonic, views, budget, threads);
  if (monotonic || budget.exhausted()) return views;
  if (level.session_order) add_session_views(seen, views, budget, threads);
  if (level.real_time) TimedViews(seen, clock_error_ns, views, budget).run();
  return views;
}

/// The causal past is a path of read-from, session and real-time edges alone.
std::vector<Edge> all_views(const infer::EventGraph& events, const LevelInfo& level,
                            unsigned threads, base::Budget& budget) {
  const Observations& seen = events.observations();
  infer::Encoding causes = events.encoding();
  if (traits(level.base).views != Views::kCausal) {
    return direct_views(seen, level, causes.clock_error_ns, budget, threads);
  }
  if (!causes.list_order || !seen.has_lists()) return causal_views(events, budget, threads);
  causes.list_order = false;
  return causal_views(infer::EventGraph(seen, causes, budget), budget, threads);
}

}  // namespace isolde::checker

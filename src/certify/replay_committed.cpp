// Executions at the levels where each read comes from some committed transaction.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/assert.hpp"
#include "certify/aggregates.hpp"
#include "certify/committed_states.hpp"
#include "certify/own_level.hpp"
#include "certify/replay.hpp"
#include "certify/value_table.hpp"

namespace isolde::certify {
namespace {

/// What is visible to one transaction after the other, in the order of the execution. Read
/// atomic: what it reads from, and what precedes it in its session or in real time, whichever
/// binds. Transactional causal: all that leads to it by such steps.
///
/// Invariants: P1 where pasts are closed, transactions enter in the order of the execution, and
/// those before next_ have; P2 the ends of a session ascend.
class VisiblePast {
 public:
  VisiblePast(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
              std::span<const TxnId> order)
      : history_(history),
        level_(level),
        clock_error_ns_(clock_error_ns),
        order_(order),
        closed_(rules(level).views == Views::kCausal || rules(level).is_mixed()),
        source_of_(order.size()) {
    if (!closed_) return;
    place_.assign(history.txn_count(), 0);
    latest_.resize(history.session_count());
    clocks_.resize(order.size() * history.session_count());
    if (level.real_time) index_ends();
  }

  /// From now on sees() is about `txn`, the next one of the order, which reads from `sources`.
  void enter(TxnId txn, std::span<const Position> sources) {
    reader_ = txn;
    for (const Position source : sources) {
      if (source != kInitial) source_of_[static_cast<std::size_t>(source)] = txn;
    }
    if (!closed_) return;
    ISOLDE_ASSERT(next_ < order_.size() && order_[next_] == txn);  // P1
    std::uint32_t* past = clock(next_);
    for (const Position source : sources) {
      if (source != kInitial) add(past, static_cast<std::size_t>(source));
    }
    Session& own = latest_[history_.session_of(txn).raw()];
    if (own.count > 0) add(past, own.position);
    if (level_.real_time) add_ended(past);
    place_[txn.raw()] = own.count;
    own = {own.count + 1, next_};
    ++next_;
  }

  /// Whether the transaction at that position of the order is visible.
  bool sees(std::uint32_t position, Views views) const {
    ISOLDE_INVARIANT(position < order_.size() && (!closed_ || position + 1 < next_));
    const TxnId txn = order_[position];
    const std::uint32_t session = history_.session_of(txn).raw();
    if (views == Views::kCausal) return clock(next_ - 1)[session] > place_[txn.raw()];
    return source_of_[position] == reader_ ||
           (level_.session_order && history_.session_of(reader_) == history_.session_of(txn) &&
            history_.position_of(txn) < history_.position_of(reader_)) ||
           (level_.real_time && ended_before(history_, txn, reader_, clock_error_ns_));
  }

 private:
  /// The transactions of one session that have been entered, in the order of the session.
  struct Session {
    std::uint32_t count = 0;
    std::size_t position = 0;  ///< of the last one
  };
  /// Of the transactions of a session from this one on, the earliest end.
  struct End {
    std::int64_t time;
    TxnId txn;
  };

  std::uint32_t* clock(std::size_t position) {
    return &clocks_[position * history_.session_count()];
  }
  const std::uint32_t* clock(std::size_t position) const {
    return &clocks_[position * history_.session_count()];
  }

  /// Adds a transaction and all that is visible to it.
  void add(std::uint32_t* past, std::size_t position) {
    const std::uint32_t* more = clock(position);
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      past[s] = std::max(past[s], more[s]);
    }
    const TxnId txn = order_[position];
    std::uint32_t& own = past[history_.session_of(txn).raw()];
    own = std::max(own, place_[txn.raw()] + 1);
  }

  void index_ends() {
    position_.resize(history_.txn_count());
    for (std::size_t at = 0; at < order_.size(); ++at) position_[order_[at].raw()] = at;
    ends_.resize(history_.session_count());
    std::vector<bool> included(history_.txn_count(), false);
    for (const TxnId txn : order_) included[txn.raw()] = true;
    for (std::size_t s = 0; s < history_.session_count(); ++s) {
      for (const TxnId txn : history_.session_txns(SessionId::at(s))) {
        const bool ends = included[txn.raw()] && history_.times(txn).end != kNoTime &&
                          history_.status(txn) == TxnStatus::kCommitted;
        if (ends) ends_[s].push_back({history_.times(txn).end, txn});
      }
      for (std::size_t i = ends_[s].size(); i-- > 1;) {
        End& earlier = ends_[s][i - 1];
        earlier.time = std::min(earlier.time, ends_[s][i].time);
      }
      // P2
      ISOLDE_INVARIANT(
          std::is_sorted(ends_[s].begin(), ends_[s].end(),
                         [](const End& a, const End& b) { return a.time < b.time; }));
    }
  }

  /// Adds of each session the last transaction that had ended: those before it are visible to
  /// it.
  void add_ended(std::uint32_t* past) {
    const std::int64_t start = history_.times(reader_).start;
    if (start == kNoTime) return;
    for (std::size_t s = 0; s < ends_.size(); ++s) {
      const auto end =
          std::partition_point(ends_[s].begin(), ends_[s].end(), [&](const End& each) {
            return each.time<start&& static_cast<std::uint64_t>(start) -
                             static_cast<std::uint64_t>(
                                 each.time)> static_cast<std::uint64_t>(clock_error_ns_);
          });
      if (end == ends_[s].begin()) continue;
      const TxnId last = (end - 1)->txn;
      if (past[s] > place_[last.raw()]) continue;
      add(past, position_[last.raw()]);
    }
  }

  const History& history_;
  const LevelInfo& level_;
  const std::int64_t clock_error_ns_;
  const std::span<const TxnId> order_;
  const bool closed_;
  TxnId reader_;
  std::vector<TxnId> source_of_;  // by position: the last transaction that read from it
  std::size_t next_ = 0;
  std::vector<std::uint32_t> place_;  // by transaction: among those of its session
  std::vector<Session> latest_;
  std::vector<std::uint32_t> clocks_;   // by position and session: how many are visible
  std::vector<std::size_t> position_;   // by transaction
  std::vector<std::vector<End>> ends_;  // by session, in its order
};

/// Commit test I2: every external read returns a state that some earlier commit left behind.
/// Then the axioms: once a transaction read from t2, a later read of a key that t2 writes
/// returns t2's version or a later one, where no row of a selection is later than another
/// (monotonic atomic view); whatever t2 is visible, every
/// read of a key that it writes does (read atomic, transactional causal).
class CommittedReplay {
 public:
  CommittedReplay(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
                  const Witness& witness)
      : history_(history),
        level_(level),
        order_(witness.order),
        past_(history, level, clock_error_ns, order_),
        splitter_(history),
        states_(history, witness.sources),
        floor_(history.key_count()) {}

  Objection run() {
    last_reader_.assign(order_.size(), TxnId::none());
    for (std::uint32_t at = 0; at < order_.size(); ++at) {
      Objection objection = check_reads(order_[at]);
      if (!objection.empty()) return objection;
      states_.commit(order_[at], at);
    }
    return kNoObjection;
  }

 private:
  /// The latest transaction that `reader` had read from before the present step and that writes
  /// the key.
  struct Floor {
    TxnId reader;
    Position position = kInitial;
  };

  Objection check_reads(TxnId txn) {
    splitter_.split(txn);
    if (!splitter_.inconsistent().empty()) {
      return name_of(history_, txn) + " contradicts its own writes";
    }
    const Views views = own_rules(history_, level_, txn).views;
    const bool monotonic = views == Views::kMonotonic;
    sources_.clear();
    const std::vector<ExternalRead>& reads = splitter_.external();
    std::size_t counted = 0;  // of these the floors know
    for (const ExternalRead& read : reads) {
      const Position source = states_.find_source(txn, read);
      if (source == kNowhere) {
        return at_op(history_, txn, read) + " does not return an earlier committed state";
      }
      sources_.push_back(source);
      if (!monotonic) continue;
      for (; history_.step(txn, reads[counted].op) < history_.step(txn, read.op); ++counted) {
        ISOLDE_INVARIANT(counted + 1 < sources_.size());
        if (sources_[counted] != kInitial) raise_floors(txn, sources_[counted]);
      }
      const Floor& floor = floor_[read.key.raw()];
      if (floor.reader == txn && floor.position > source) {
        return misses(txn, read, floor.position) + ", which it has read from before";
      }
    }
    Objection wrong_result =
        check_aggregates(history_, txn, splitter_.external(), sources_, states_);
    if (!wrong_result.empty()) return wrong_result;
    const bool axiom = views >= Views::kAtomic;
    if (axiom || rules(level_).is_mixed()) past_.enter(txn, sources_);
    return axiom ? check_visible(txn, views) : kNoObjection;
  }

  /// No write between what a read returned and the reader was visible to the reader.
  Objection check_visible(TxnId txn, Views views) {
    ISOLDE_ASSERT(sources_.size() == splitter_.external().size());
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const ExternalRead& read = splitter_.external()[i];
      const std::vector<std::uint32_t>& versions = states_.versions(read.key);
      for (auto at = versions.rbegin(); at != versions.rend() && *at > sources_[i]; ++at) {
        if (past_.sees(*at, views)) return misses(txn, read, *at) + ", which was visible to it";
      }
    }
    return kNoObjection;
  }

  std::string misses(TxnId txn, const ExternalRead& read, Position write) const {
    return at_op(history_, txn, read) + " misses a write of " +
           name_of(history_, order_[static_cast<std::size_t>(write)]);
  }

  bool writes(Position source, KeyId key) const {
    const std::vector<std::uint32_t>& versions = states_.versions(key);
    return std::binary_search(versions.begin(), versions.end(), source);
  }

  /// Goes through the keys that the source writes or those that the reader reads, whichever are
  /// fewer, and once for each pair: else a huge transaction with many readers, or the other way
  /// round, would make this quadratic.
  void raise_floors(TxnId reader, Position source) {
    const auto at = static_cast<std::size_t>(source);
    ISOLDE_INVARIANT(source >= 0 && at < last_reader_.size());
    if (last_reader_[at] == reader) return;
    last_reader_[at] = reader;
    const auto raise = [&](KeyId key) {
      Floor& floor = floor_[key.raw()];
      if (floor.reader != reader) floor = {reader, kInitial};
      floor.position = std::max(floor.position, source);
    };
    const std::span<const Op> ops = history_.ops(order_[at]);
    if (ops.size() <= splitter_.external().size()) {
      for (const Op& op : ops) {
        if (op.is_write()) raise(op.key);
      }
    } else {
      for (const ExternalRead& read : splitter_.external()) {
        if (writes(source, read.key)) raise(read.key);
      }
    }
  }

  const History& history_;
  const LevelInfo& level_;
  const std::span<const TxnId> order_;
  VisiblePast past_;
  ReadSplitter splitter_;
  std::vector<Position> sources_;  // of the transaction's external reads
  CommittedStates states_;
  std::vector<TxnId> last_reader_;  // by position: whose floors it has raised last
  std::vector<Floor> floor_;        // by key
};

/// Aggregates where it means nothing that selections left out rows: their items returned some
/// earlier committed version each, as at read committed.
class ItemReplay {
 public:
  ItemReplay(const History& history, const Witness& witness)
      : history_(history), witness_(witness), states_(history, witness.sources) {}

  Objection run() {
    std::uint32_t at = 0;
    std::vector<bool> begun(history_.txn_count(), false);
    for (const TxnId txn : witness_.order) {
      const bool commits = witness_.mentions == 1 || begun[txn.raw()];
      begun[txn.raw()] = true;
      if (!commits) continue;
      Objection objection = check(txn);
      if (!objection.empty()) return objection;
      states_.commit(txn, at++);
    }
    return kNoObjection;
  }

 private:
  Objection check(TxnId txn) {
    bool all = true;
    Objection objection = check_aggregates(history_, txn, [&](std::uint32_t op) {
      const Op& item = history_.ops(txn)[op];
      const ExternalRead read{txn, op, item.key, Value(), {}, item.partial()};
      const Position source = states_.find_source(txn, read);
      all = all && source != kNowhere;
      return all ? states_.version_at(item.key, source) : Value();
    });
    if (!all) return name_of(history_, txn) + " counts what was not committed";
    return objection;
  }

  const History& history_;
  const Witness& witness_;
  CommittedStates states_;
};

/// Where list reads show appends. Each element counts that one transaction alone appended.
class ShownReplay {
 public:
  ShownReplay(const History& history, const Execution& execution)
      : history_(history), execution_(execution) {}

  Objection run() {
    index_appends();
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      if (history_.status(TxnId::at(i)) != TxnStatus::kCommitted) continue;
      for (const Op& op : history_.ops(TxnId::at(i))) {
        if (op.kind != OpKind::kReadList) continue;
        Objection objection = check_list(TxnId::at(i), op);
        if (!objection.empty()) return objection;
      }
    }
    return kNoObjection;
  }

 private:
  struct Writers {
    TxnId first;
    bool several = false;
  };

  void index_appends() {
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      for (const Op& op : history_.ops(TxnId::at(i))) {
        if (op.kind != OpKind::kAppend) continue;
        Writers& writers = writers_.add(op.key, op.value);
        if (writers.first.is_none()) writers.first = TxnId::at(i);
        writers.several = writers.several || writers.first != TxnId::at(i);
      }
    }
  }

  Objection check_list(TxnId reader, const Op& op) {
    TxnId last;
    for (const Value element : history_.list(op)) {
      const Writers* writers = writers_.empty() ? nullptr : writers_.find(op.key, element);
      if (writers == nullptr || writers->several) continue;
      const TxnId writer = writers->first;
      if (history_.status(writer) != TxnStatus::kCommitted) continue;
      ISOLDE_INVARIANT(execution_.contains(writer));  // read_order() asks for all committed
      if (last.is_some() && execution_.commit[last.raw()] > execution_.commit[writer.raw()]) {
        return name_of(history_, reader) + " read a list that shows " +
               name_of(history_, last) + " before " + name_of(history_, writer);
      }
      last = writer;
    }
    return kNoObjection;
  }

  const History& history_;
  const Execution& execution_;
  ValueTable<Writers> writers_;
};

}  // namespace

Objection replay_committed(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns, const Witness& witness) {
  return CommittedReplay(history, level, clock_error_ns, witness).run();
}

Objection replay_items(const History& history, const Witness& witness) {
  return ItemReplay(history, witness).run();
}

Objection replay_shown_order(const History& history, const Execution& execution) {
  return ShownReplay(history, execution).run();
}

}  // namespace isolde::certify

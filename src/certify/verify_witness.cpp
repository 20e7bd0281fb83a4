// A witness proves that a level holds: it is one execution, and here it is carried out step by
// step. Three questions, each independent of the others:
//
//   population  Is every transaction that took effect in the order, and nothing else?
//   time        Does the order respect sessions and real time, where the level asks for it?
//   replay      Does every transaction pass the level's commit test (Crooks 2019, Table 3.1;
//   for
//               monotonic atomic view the axiom of Biswas and Enea, OOPSLA 2019)?
//
// The replay keeps the database's state as plain values, so it needs no idea of who wrote what
// and is right for repeated values too. COST: linear in the history, but for sorting the times.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "certify/external_reads.hpp"
#include "certify/proof_parts.hpp"
#include "certify/value_table.hpp"

namespace isolde::certify {
namespace {

constexpr std::uint32_t kNever = 0xffffffffU;

/// When each transaction takes its snapshot and commits, as positions in Witness::order; kNever
/// for transactions that are not in it.
struct Execution {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> commit;
  bool contains(TxnId txn) const { return commit[txn.raw()] != kNever; }
};

std::string at_op(const History& history, TxnId txn, const ExternalRead& read) {
  return history.txn_name(txn) + " operation " + std::to_string(read.op) + " (a read of " +
         history.text(history.key_name(read.key)) + ")";
}

/// Transactions that may have taken effect: the committed ones, and those indeterminate ones
/// that wrote what one of these read. When several transactions wrote the same value, the reads
/// do not tell which of the indeterminate ones took effect; then the witness chooses, and the
/// replay shows whether its choice explains every read.
std::vector<bool> possible_txns(const History& history) {
  std::vector<bool> possible(history.txn_count(), false);
  std::vector<TxnId> work;
  ValueTable<std::vector<TxnId>> maybe_writers;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (history.status(txn) == TxnStatus::kCommitted) {
      possible[i] = true;
      work.push_back(txn);
    } else if (history.status(txn) == TxnStatus::kIndeterminate) {
      for (const Op& op : history.ops(txn)) {
        if (op.is_write()) maybe_writers.add(op.key, op.value).push_back(txn);
      }
    }
  }
  if (maybe_writers.empty()) return possible;

  const auto saw = [&](KeyId key, Value value) {
    std::vector<TxnId>* writers = maybe_writers.find(key, value);
    if (writers == nullptr) return;
    for (const TxnId writer : *writers) {
      if (!possible[writer.raw()]) work.push_back(writer);
      possible[writer.raw()] = true;
    }
    writers->clear();  // the next time there is nothing to do
  };
  ReadSplitter splitter(history);
  while (!work.empty()) {
    splitter.split(work.back());
    work.pop_back();
    for (const ExternalRead& read : splitter.external()) {
      saw(read.key, read.value);
      for (const Value element : read.list) saw(read.key, element);
    }
  }
  return possible;
}

Objection read_order(const History& history, const Witness& witness, Execution& execution) {
  if (witness.mentions != 1 && witness.mentions != 2) return "mentions is neither 1 nor 2";
  if (witness.order.size() >= kNever) return "the order is too long";
  const bool twice = witness.mentions == 2;
  execution.begin.assign(history.txn_count(), kNever);
  execution.commit.assign(history.txn_count(), kNever);
  for (std::uint32_t at = 0; at < witness.order.size(); ++at) {
    const TxnId txn = witness.order[at];
    if (!exists(history, txn)) return "the order names " + name_of(history, txn);
    std::uint32_t& begin = execution.begin[txn.raw()];
    std::uint32_t& commit = execution.commit[txn.raw()];
    if (commit != kNever) return name_of(history, txn) + " is in the order too often";
    if (begin != kNever || !twice) commit = at;
    if (begin == kNever) begin = at;
  }
  const std::vector<bool> possible = possible_txns(history);
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (execution.begin[i] != kNever && execution.commit[i] == kNever) {
      return name_of(history, txn) + " is in the order once, not twice";
    }
    if (execution.contains(txn) && !possible[i]) {
      return name_of(history, txn) + " is in the order but did not take effect";
    }
    if (!execution.contains(txn) && history.status(txn) == TxnStatus::kCommitted) {
      return name_of(history, txn) + " committed but is not in the order";
    }
  }
  return kNoObjection;
}

Objection check_sessions(const History& history, const Execution& execution) {
  for (std::size_t s = 0; s < history.session_count(); ++s) {
    TxnId previous;
    for (const TxnId txn : history.session_txns(SessionId::at(s))) {
      if (!execution.contains(txn)) continue;
      if (previous.is_some() &&
          execution.commit[previous.raw()] >= execution.begin[txn.raw()]) {
        return name_of(history, previous) + " commits after " + name_of(history, txn) +
               " begins, against the order in their session";
      }
      previous = txn;
    }
  }
  return kNoObjection;
}

/// Walks through the transactions by start time. Those that had ended before are a growing
/// prefix of the transactions by end time, so the one of them that commits last is enough.
Objection check_real_time(const History& history, const Execution& execution,
                          std::int64_t clock_error_ns) {
  std::vector<TxnId> by_start;
  std::vector<TxnId> by_end;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    if (!execution.contains(txn)) continue;
    if (history.times(txn).start != kNoTime) by_start.push_back(txn);
    if (history.times(txn).end != kNoTime && history.status(txn) == TxnStatus::kCommitted) {
      by_end.push_back(txn);
    }
  }
  std::sort(by_start.begin(), by_start.end(),
            [&](TxnId a, TxnId b) { return history.times(a).start < history.times(b).start; });
  std::sort(by_end.begin(), by_end.end(),
            [&](TxnId a, TxnId b) { return history.times(a).end < history.times(b).end; });
  TxnId last_to_commit;
  std::size_t ended = 0;
  for (const TxnId txn : by_start) {
    for (; ended < by_end.size(); ++ended) {
      const TxnId earlier = by_end[ended];
      if (!ended_before(history, earlier, txn, clock_error_ns)) break;
      if (last_to_commit.is_none() ||
          execution.commit[earlier.raw()] > execution.commit[last_to_commit.raw()]) {
        last_to_commit = earlier;
      }
    }
    if (last_to_commit.is_some() &&
        execution.commit[last_to_commit.raw()] >= execution.begin[txn.raw()]) {
      return name_of(history, last_to_commit) + " commits after " + name_of(history, txn) +
             " begins, against real time";
    }
  }
  return kNoObjection;
}

/// Commit tests I9 and I5: every external read returns the state at the snapshot, and nobody
/// commits a write of the same key between snapshot and commit (for serializability there is
/// nothing in between).
class SnapshotReplay {
 public:
  SnapshotReplay(const History& history, const Execution& execution)
      : history_(history),
        execution_(execution),
        splitter_(history),
        value_(history.key_count()),
        list_(history.key_count()),
        last_commit_(history.key_count(), -1) {}

  Objection run(const Witness& witness) {
    for (std::uint32_t at = 0; at < witness.order.size(); ++at) {
      const TxnId txn = witness.order[at];
      Objection objection;
      if (execution_.begin[txn.raw()] == at) objection = take_snapshot(txn);
      if (objection.empty() && execution_.commit[txn.raw()] == at) objection = commit(txn, at);
      if (!objection.empty()) return objection;
    }
    return kNoObjection;
  }

 private:
  Objection take_snapshot(TxnId txn) {
    splitter_.split(txn);
    if (!splitter_.inconsistent().empty()) {
      return name_of(history_, txn) + " contradicts its own writes";
    }
    for (const ExternalRead& read : splitter_.external()) {
      const std::vector<Value>& list = list_[read.key.raw()];
      if (read.value != value_[read.key.raw()] ||
          !std::equal(read.list.begin(), read.list.end(), list.begin(), list.end())) {
        return at_op(history_, txn, read) + " does not return the state at its snapshot";
      }
    }
    return kNoObjection;
  }

  Objection commit(TxnId txn, std::uint32_t at) {
    const std::span<const Op> ops = history_.ops(txn);
    for (const Op& op : ops) {
      if (op.is_write() && last_commit_[op.key.raw()] >= execution_.begin[txn.raw()]) {
        return name_of(history_, txn) + " writes " + history_.text(history_.key_name(op.key)) +
               ", which another transaction wrote between its snapshot and its commit";
      }
    }
    for (const Op& op : ops) {
      if (!op.is_write()) continue;
      if (op.kind == OpKind::kAppend) {
        list_[op.key.raw()].push_back(op.value);
      } else {
        value_[op.key.raw()] = op.value;
      }
      last_commit_[op.key.raw()] = at;
    }
    return kNoObjection;
  }

  const History& history_;
  const Execution& execution_;
  ReadSplitter splitter_;
  std::vector<Value> value_;               // by key: registers now
  std::vector<std::vector<Value>> list_;   // by key: lists now
  std::vector<std::int64_t> last_commit_;  // by key: position of the last commit that wrote it
};

/// Commit test I2: every external read returns a state that some earlier commit left behind.
/// With `monotonic` also the axiom: once a transaction read from t2, a later read of a key that
/// t2 writes returns t2's version or a later one.
class CommittedReplay {
 public:
  CommittedReplay(const History& history, bool monotonic)
      : history_(history),
        monotonic_(monotonic),
        splitter_(history),
        list_(history.key_count()),
        versions_(history.key_count()),
        floor_(history.key_count()) {}

  Objection run(const Witness& witness) {
    order_ = witness.order;
    last_reader_.assign(order_.size(), TxnId::none());
    for (std::uint32_t at = 0; at < order_.size(); ++at) {
      Objection objection = check_reads(order_[at]);
      if (!objection.empty()) return objection;
      commit(order_[at], at);
    }
    return kNoObjection;
  }

 private:
  /// Position in the order of the transaction that a read saw; kInitial before all of them.
  using Position = std::int64_t;
  static constexpr Position kInitial = -1;
  static constexpr Position kNowhere = -2;

  struct Element {
    Value value;
    std::uint32_t writer = 0;  ///< position of the transaction that appended it
  };
  /// The latest transaction that `reader` has read from so far and that writes the key.
  struct Floor {
    TxnId reader;
    Position position = kInitial;
  };

  Objection check_reads(TxnId txn) {
    splitter_.split(txn);
    if (!splitter_.inconsistent().empty()) {
      return name_of(history_, txn) + " contradicts its own writes";
    }
    for (const ExternalRead& read : splitter_.external()) {
      const Position source = find_source(read);
      if (source == kNowhere) {
        return at_op(history_, txn, read) + " does not return an earlier committed state";
      }
      if (!monotonic_) continue;
      const Floor& floor = floor_[read.key.raw()];
      if (floor.reader == txn && floor.position > source) {
        return at_op(history_, txn, read) + " misses a write of " +
               name_of(history_, order_[static_cast<std::size_t>(floor.position)]) +
               ", which it has read from before";
      }
      if (source != kInitial) raise_floors(txn, source);
    }
    return kNoObjection;
  }

  /// Where several transactions wrote the value, the latest of those that already committed;
  /// any of them would be allowed, and the witness is then judged by this one.
  Position find_source(const ExternalRead& read) {
    if (read.is_initial()) return kInitial;
    if (!read.value.is_null()) {
      const std::uint32_t* writer = last_writer_.find(read.key, read.value);
      return writer == nullptr ? kNowhere : Position{*writer};
    }
    const std::vector<Element>& list = list_[read.key.raw()];
    const std::size_t length = read.list.size();
    if (length > list.size()) return kNowhere;
    for (std::size_t i = 0; i < length; ++i) {
      if (list[i].value != read.list[i]) return kNowhere;
    }
    // A transaction's appends appear together: the read may not end in the middle of them.
    const std::uint32_t writer = list[length - 1].writer;
    if (length < list.size() && list[length].writer == writer) return kNowhere;
    return Position{writer};
  }

  bool writes(Position source, KeyId key) const {
    const std::vector<std::uint32_t>& versions = versions_[key.raw()];
    return std::binary_search(versions.begin(), versions.end(), source);
  }

  /// Goes through the keys that the source writes or those that the reader reads, whichever are
  /// fewer, and once for each pair: else a huge transaction with many readers, or the other way
  /// round, would make this quadratic.
  void raise_floors(TxnId reader, Position source) {
    const auto at = static_cast<std::size_t>(source);
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

  void commit(TxnId txn, std::uint32_t at) {
    const std::span<const Op> ops = history_.ops(txn);
    for (const Op& op : ops) {
      if (op.kind == OpKind::kAppend) list_[op.key.raw()].push_back({op.value, at});
    }
    // Backwards, because the last write of a key is the one that counts.
    for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
      if (!op->is_write()) continue;
      std::vector<std::uint32_t>& versions = versions_[op->key.raw()];
      if (!versions.empty() && versions.back() == at) continue;
      versions.push_back(at);
      if (op->kind == OpKind::kWrite) last_writer_.add(op->key, op->value) = at;
    }
  }

  const History& history_;
  const bool monotonic_;
  ReadSplitter splitter_;
  std::span<const TxnId> order_;
  std::vector<std::vector<Element>> list_;            // by key: the list now
  std::vector<std::vector<std::uint32_t>> versions_;  // by key: positions of its writers so far
  ValueTable<std::uint32_t> last_writer_;             // of registers, by final value
  std::vector<TxnId> last_reader_;  // by position: whose floors it has raised last
  std::vector<Floor> floor_;        // by key
};

Objection replay(const History& history, const LevelInfo& level, const Witness& witness,
                 const Execution& execution) {
  const bool serial = level.base == BaseLevel::kSerializable;
  if (serial || level.base == BaseLevel::kSnapshotIsolation) {
    for (const TxnId txn : witness.order) {
      const std::uint32_t between = execution.commit[txn.raw()] - execution.begin[txn.raw()];
      if (serial && between > 1) {
        return name_of(history, txn) + " overlaps others, which is not serial";
      }
    }
    return SnapshotReplay(history, execution).run(witness);
  }
  if (witness.mentions != 1) return "at this level each transaction is mentioned once";
  const bool monotonic = level.base == BaseLevel::kMonotonicAtomicView;
  return CommittedReplay(history, monotonic).run(witness);
}

}  // namespace

Objection check_witness(const History& history, const LevelInfo& level,
                        std::int64_t clock_error_ns, const Witness& witness) {
  Execution execution;
  Objection objection = read_order(history, witness, execution);
  if (objection.empty() && level.session_order) objection = check_sessions(history, execution);
  if (objection.empty() && level.real_time) {
    objection = check_real_time(history, execution, clock_error_ns);
  }
  if (objection.empty()) objection = replay(history, level, witness, execution);
  return objection;
}

}  // namespace isolde::certify

#include "explain/evidence.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/memory_guard.hpp"
#include "history/base_levels.hpp"

namespace isolde::explain {
namespace {

std::size_t position_in(std::span<const Value> list, Value value) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

/// Nobody but the reader and `writer`, if there is one, is among those who left something.
bool is_only(std::span<const Writers::Left> left, TxnId reader, TxnId writer) {
  return std::all_of(left.begin(), left.end(), [&](const Writers::Left& one) {
    return one.writer == reader || one.writer == writer;
  });
}

/// Of all that others left to the key nothing is what the read with a condition leaves open.
bool is_initial(const Writers& writers, OpRef read) {
  const History& history = writers.history();
  const Op& op = op_at(history, read);
  const std::span<const Writers::Left> left = writers.all_left_to(op.key);
  return std::all_of(left.begin(), left.end(), [&](const Writers::Left& one) {
    return one.writer == read.txn || !history.fits(op, Value::from_bits(one.value));
  });
}

/// REQUIRES: the read returned what the writer left.
bool is_sure(const Writers& writers, OpRef read, TxnId writer, Taken taken) {
  const History& history = writers.history();
  const Op& op = op_at(history, read);
  const bool is_taken = std::any_of(taken.begin(), taken.end(), [&](const ReadSource& source) {
    if (source.txn != read.txn || source.writer != writer || source.op == Claim::kNoOp) {
      return false;
    }
    return op.is_partial() ? source.op == read.op
                           : history.ops(read.txn)[source.op].key == op.key;
  });
  if (is_taken) return true;
  if (writer.is_some() && history.status(writer) == TxnStatus::kAborted) return false;
  if (op.is_partial()) {
    const bool may_be_initial = history.fits_initial(op);
    if (writer.is_none()) return may_be_initial && is_initial(writers, read);
    return !may_be_initial &&
           only_other(writers.who_fits(op.key, op.partial()), read.txn) == writer;
  }
  if (writer.is_none()) return true;
  const Value value = op_at(history, *final_write(history, writer, op.key)).value;
  return is_only(writers.who_left(op.key, value), read.txn, writer);
}

/// Which of a transaction's reads of one key returned what somebody left.
class KeyReads {
 public:
  KeyReads(const History& history, TxnId reader, Value wanted)
      : history_(history), reader_(reader), wanted_(wanted) {}

  /// Each operation on the key in turn; reads count from `begin` on.
  void look_at(std::uint32_t at, std::uint32_t begin = 0) {
    const Op& op = history_.ops(reader_)[at];
    if (!is_over() && at >= begin) look_at_read(at, op);
    is_written_ = is_written_ || op.kind == OpKind::kWrite;
  }

  /// What comes behind changes nothing.
  bool is_over() const { return exact_ || is_written_; }

  std::optional<OpRef> found() const {
    return exact_ ? exact_ : any_list_ ? any_list_ : partial_;
  }

 private:
  void look_at_read(std::uint32_t at, const Op& op) {
    const OpRef read{reader_, at};
    if (op.kind == OpKind::kRead && op.value == wanted_) exact_ = read;
    const bool may = op.is_partial() && history_.fits(op, wanted_);
    if (may && !partial_) partial_ = read;
    if (op.kind != OpKind::kReadList) return;
    const std::span<const Value> list = before_own_elements(history_, reader_, op);
    const bool is_last = list.empty() ? wanted_.is_null() : list.back() == wanted_;
    if (is_last) exact_ = read;
    if (any_list_ || wanted_.is_null()) return;
    if (position_in(list, wanted_) < list.size()) any_list_ = read;
  }

  const History& history_;
  TxnId reader_;
  Value wanted_;
  bool is_written_ = false;
  std::optional<OpRef> exact_;
  std::optional<OpRef> any_list_;
  std::optional<OpRef> partial_;  // may have read it
};

/// By key, in the order of the reader's operations: what it read of all that the writer left.
std::vector<OpRef> reads_of(const History& history, TxnId reader, TxnId writer) {
  const std::span<const Op> ops = history.ops(reader);
  std::set<KeyId> read_keys;  // where more is known than what was not read
  for (const Op& op : ops) {
    const bool tells = op.is_read() || op.kind == OpKind::kReadMatch ||
                       (op.is_exclusion() && !history.fits_initial(op));
    if (tells) read_keys.insert(op.key);
  }
  std::map<KeyId, KeyReads> by_key;
  const std::span<const Op> written = history.ops(writer);
  for (auto op = written.rbegin(); op != written.rend(); ++op) {
    if (!op->is_write() || read_keys.count(op->key) == 0) continue;
    by_key.try_emplace(op->key, history, reader, op->value);
  }
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    const auto reads = by_key.find(ops[i].key);
    if (reads != by_key.end()) reads->second.look_at(i);
  }
  std::vector<OpRef> found;
  for (const auto& [key, reads] : by_key) {
    if (const auto read = reads.found()) found.push_back(*read);
  }
  std::sort(found.begin(), found.end(), [](OpRef a, OpRef b) { return a.op < b.op; });
  return found;
}

/// What a transaction appended to a list, sorted.
std::vector<std::uint64_t> elements_of(const History& history, TxnId txn, KeyId key) {
  std::vector<std::uint64_t> elements;
  for (const Op& op : history.ops(txn)) {
    if (op.kind == OpKind::kAppend && op.key == key) elements.push_back(op.value.bits());
  }
  std::sort(elements.begin(), elements.end());
  return elements;
}

bool is_among(const std::vector<std::uint64_t>& elements, Value value) {
  return std::binary_search(elements.begin(), elements.end(), value.bits());
}

/// What a transaction appended to a list, and of that what nobody else did; both sorted.
struct Appended {
  Appended(const History& history, TxnId txn, KeyId key)
      : by(txn), all(elements_of(history, txn, key)), alone(all) {}

  void note_other(Value value) {
    if (is_among(all, value)) others.push_back(value.bits());
  }
  void leave_alone() {
    std::sort(others.begin(), others.end());
    std::erase_if(alone, [&](std::uint64_t element) {
      return std::binary_search(others.begin(), others.end(), element);
    });
  }

  TxnId by;
  std::vector<std::uint64_t> all;
  std::vector<std::uint64_t> alone;
  std::vector<std::uint64_t> others;
};

/// One pass over the users of the list for both.
void find_alone(const Writers& writers, KeyId key, Appended& first, Appended& second) {
  const History& history = writers.history();
  for (const TxnId txn : writers.users_of_list(key)) {
    for (const Op& op : history.ops(txn)) {
      if (op.key != key || op.kind != OpKind::kAppend) continue;
      if (history.status(txn) == TxnStatus::kAborted) break;
      if (txn != first.by) first.note_other(op.value);
      if (txn != second.by) second.note_other(op.value);
    }
  }
  first.leave_alone();
  second.leave_alone();
}

/// How list reads of a key show an order.
class ListWitness {
 public:
  ListWitness(const Writers& writers, VersionOrder order, KeyId key, bool own_count)
      : history_(writers.history()),
        order_(order),
        key_(key),
        own_count_(own_count),
        first_(history_, order.before, key),
        second_(history_, order.after, key) {
    find_alone(writers, key, first_, second_);
  }

  std::optional<DirectOrder> look_at(OpRef read) const {
    using Kind = DirectOrder::Kind;
    const Op& op = op_at(history_, read);
    if (op.kind != OpKind::kReadList || op.key != key_) return std::nullopt;
    const std::span<const Value> all = history_.list(op);
    const auto of_first = [&](Value element) { return is_among(first_.alone, element); };
    if (std::none_of(all.begin(), all.end(), of_first)) return std::nullopt;
    const std::span<const Value> list =
        own_count_ ? all : before_own_elements(history_, read.txn, op);
    const auto first_at = std::find_if(list.begin(), list.end(), of_first);
    if (first_at == list.end()) return std::nullopt;
    const auto first = static_cast<std::size_t>(first_at - list.begin());
    // Of elements that a list shows twice the last place counts.
    for (std::size_t at = all.size() - 1; at > first; --at) {
      if (!is_among(second_.alone, all[at])) continue;
      return DirectOrder{Kind::kListOrder, read, key_, first, at};
    }
    const bool shows_some = std::any_of(list.begin(), list.end(), [&](Value element) {
      return is_among(second_.all, element);
    });
    if (shows_some || second_.all.empty()) return std::nullopt;
    return lacking({Kind::kListLacks, read, key_, first, all.size()}, all);
  }

 private:
  /// An element that the reader has not appended itself, if there is one; else the last.
  DirectOrder lacking(DirectOrder shown, std::span<const Value> all) const {
    std::vector<std::uint64_t> there;
    for (const Value element : all) there.push_back(element.bits());
    std::sort(there.begin(), there.end());
    const std::span<const Op> ops = history_.ops(order_.after);
    shown.only_own = true;
    for (std::size_t i = ops.size(); i-- > 0 && shown.only_own;) {
      if (ops[i].kind != OpKind::kAppend || ops[i].key != key_) continue;
      const bool is_there = is_among(there, ops[i].value);
      if (shown.lacking.is_null() || !is_there) shown.lacking = ops[i].value;
      shown.only_own = is_there;
    }
    return shown;
  }

  const History& history_;
  VersionOrder order_;
  KeyId key_;
  bool own_count_;  // also what readers see of themselves
  Appended first_;
  Appended second_;
};

/// One that shows both elements if there is any.
std::optional<DirectOrder> shown_by_list(const Writers& writers, VersionOrder order, KeyId key,
                                         const Witnesses& witnesses) {
  const History& history = writers.history();
  if (!history.is_list(key) || !final_write(history, order.before, key) ||
      !final_write(history, order.after, key)) {
    return std::nullopt;
  }
  const bool uncommitted = witnesses.base == BaseLevel::kReadUncommitted;
  const ListWitness witness(writers, order, key, uncommitted);
  const SessionId session = witnesses.session;
  std::optional<DirectOrder> lacking;
  for (const TxnId txn : writers.users_of_list(key)) {
    if (history.status(txn) == TxnStatus::kAborted) continue;
    if (session.is_some() && history.session_of(txn) != session) continue;
    for (std::uint32_t i = 0; i < history.ops(txn).size(); ++i) {
      const std::optional<DirectOrder> shown = witness.look_at({txn, i});
      if (!shown || !writers.took_effect(txn)) continue;
      if (shown->kind == DirectOrder::Kind::kListOrder) return shown;
      if (!lacking && !uncommitted) lacking = shown;
    }
  }
  return lacking;
}

/// The keys that both wrote, in the order of `first`'s operations.
std::vector<KeyId> common_written_keys(const History& history, TxnId first, TxnId second) {
  std::set<KeyId> open;  // that `second` wrote and are not among the keys yet
  for (const Op& op : history.ops(second)) {
    if (op.is_write()) open.insert(op.key);
  }
  std::vector<KeyId> keys;
  for (const Op& op : history.ops(first)) {
    if (op.is_write() && open.erase(op.key) != 0) keys.push_back(op.key);
  }
  return keys;
}

}  // namespace

const Op& op_at(const History& history, OpRef ref) { return history.ops(ref.txn)[ref.op]; }

std::span<const Value> before_own_elements(const History& history, TxnId reader,
                                           const Op& read) {
  const std::span<const Value> list = history.list(read);
  const std::vector<std::uint64_t> own = elements_of(history, reader, read.key);
  const auto end = std::find_if(list.begin(), list.end(),
                                [&](Value element) { return is_among(own, element); });
  return list.first(static_cast<std::size_t>(end - list.begin()));
}

std::optional<OpRef> final_write(const History& history, TxnId txn, KeyId key) {
  const std::span<const Op> ops = history.ops(txn);
  for (std::uint32_t i = static_cast<std::uint32_t>(ops.size()); i-- > 0;) {
    if (ops[i].key == key && ops[i].is_write()) return OpRef{txn, i};
  }
  return std::nullopt;
}

std::optional<OpRef> read_of(const History& history, TxnId reader, KeyId key, TxnId writer,
                             std::uint32_t begin) {
  Value wanted;
  if (writer.is_some()) {
    const std::optional<OpRef> write = final_write(history, writer, key);
    if (!write) return std::nullopt;
    wanted = op_at(history, *write).value;
  }
  KeyReads reads(history, reader, wanted);
  const std::span<const Op> ops = history.ops(reader);
  for (std::uint32_t i = 0; i < ops.size() && !reads.is_over(); ++i) {
    if (ops[i].key == key) reads.look_at(i, begin);
  }
  return reads.found();
}

std::optional<OpRef> read_of(const History& history, TxnId reader, TxnId writer) {
  const std::vector<OpRef> reads = reads_of(history, reader, writer);
  return reads.empty() ? std::nullopt : std::optional(reads.front());
}

std::optional<OpRef> sure_read_of(const Writers& writers, TxnId reader, KeyId key, TxnId writer,
                                  Taken taken, std::uint32_t begin) {
  while (const std::optional<OpRef> read =
             read_of(writers.history(), reader, key, writer, begin)) {
    if (is_sure(writers, *read, writer, taken)) return read;
    // A later one may tell more of what it returned.
    if (!op_at(writers.history(), *read).is_partial()) break;
    begin = read->op + 1;
  }
  return std::nullopt;
}

std::optional<OpRef> sure_read_of(const Writers& writers, TxnId reader, TxnId writer,
                                  Taken taken) {
  std::optional<OpRef> first;
  for (const OpRef read : reads_of(writers.history(), reader, writer)) {
    if (first) break;
    if (is_sure(writers, read, writer, taken)) {
      first = read;
    } else if (const Op& op = op_at(writers.history(), read); op.is_partial()) {
      // A later read of the key may tell more.
      first = sure_read_of(writers, reader, op.key, writer, taken, 0);
    }
  }
  // Partial reads.
  for (const ReadSource& source : taken) {
    const bool is_it =
        source.txn == reader && source.writer == writer && source.op != Claim::kNoOp;
    if (is_it && (!first || source.op < first->op)) first = OpRef{reader, source.op};
  }
  return first;
}

std::optional<OpRef> told_read_of(const Writers& writers, TxnId reader, KeyId key, TxnId writer,
                                  Taken taken, std::uint32_t begin) {
  const auto first = read_of(writers.history(), reader, key, writer, begin);
  if (!first || !op_at(writers.history(), *first).is_partial()) return first;
  const auto sure = sure_read_of(writers, reader, key, writer, taken, begin);
  return sure ? sure : first;
}

std::vector<TxnId> writers_of(const Writers& writers, OpRef read) {
  const History& history = writers.history();
  const Op& op = op_at(history, read);
  std::vector<TxnId> found;
  const auto add = [&](TxnId writer) {
    if (writer != read.txn) found.push_back(writer);
  };
  if (op.kind == OpKind::kReadMatch) {
    if (history.fits_initial(op)) return found;
    for (const TxnId writer : writers.who_fits(op.key, op.partial())) add(writer);
    return found;
  }
  Value value = op.value;
  if (op.kind == OpKind::kReadList) {
    const std::span<const Value> list = before_own_elements(history, read.txn, op);
    value = list.empty() ? Value() : list.back();
  }
  if (!op.is_read() || value.is_null()) return found;
  for (const Writers::Left& left : writers.who_left(op.key, value)) add(left.writer);
  return found;
}

std::vector<TxnId> appenders_of(const Writers& writers, TxnId reader, KeyId key,
                                Value element) {
  const History& history = writers.history();
  std::vector<TxnId> appenders;
  for (const TxnId txn : writers.users_of_list(key)) {
    if (txn == reader || history.status(txn) == TxnStatus::kAborted) continue;
    base::MemoryGuard::spend(history.ops(txn).size());
    const bool appends = std::ranges::any_of(history.ops(txn), [&](const Op& op) {
      return op.kind == OpKind::kAppend && op.key == key && op.value == element;
    });
    if (appends) appenders.push_back(txn);
  }
  return appenders;
}

std::optional<DirectOrder> direct_order(const Writers& writers, VersionOrder order, KeyId about,
                                        const Witnesses& witnesses) {
  const History& history = writers.history();
  using Kind = DirectOrder::Kind;
  const TxnId reader = order.after;
  const bool is_asked =
      witnesses.base != BaseLevel::kReadUncommitted &&
      (witnesses.session.is_none() || history.session_of(reader) == witnesses.session);
  if (is_asked) {
    std::optional<OpRef> read;
    if (about.is_some()) {
      read = sure_read_of(writers, reader, about, order.before, witnesses.taken);
    }
    if (!read) read = sure_read_of(writers, reader, order.before, witnesses.taken);
    if (read) return DirectOrder{Kind::kRead, *read, op_at(history, *read).key};
  }
  if (about.is_some()) {
    if (const auto shown = shown_by_list(writers, order, about, witnesses)) return shown;
  }
  for (const KeyId key : common_written_keys(history, order.before, order.after)) {
    if (key == about) continue;
    if (const auto shown = shown_by_list(writers, order, key, witnesses)) return shown;
  }
  if (!goes_by_database_times(witnesses.base)) return std::nullopt;
  const std::int64_t first = history.database_times(order.before).commit;
  const std::int64_t second = history.database_times(order.after).commit;
  if (first == kNoTime || second == kNoTime || first >= second) return std::nullopt;
  return DirectOrder{Kind::kDatabaseTimes};
}

bool precedes_in_session(const History& history, TxnId first, TxnId second) {
  return history.session_of(first) == history.session_of(second) &&
         history.position_of(first) < history.position_of(second);
}

std::optional<KeyId> common_written_key(const History& history, TxnId first, TxnId second) {
  const std::vector<KeyId> keys = common_written_keys(history, first, second);
  return keys.empty() ? std::nullopt : std::optional(keys.front());
}

const Selection* aggregate_of(const History& history, OpRef ref) {
  if (!history.has_aggregates() || op_at(history, ref).kind != OpKind::kReadAbsent) {
    return nullptr;
  }
  const Selection* const selection = history.selection_of(ref.txn, ref.op);
  return selection != nullptr && selection->is_aggregate() ? selection : nullptr;
}

std::vector<std::uint32_t> ops_on(const History& history, TxnId txn,
                                  const std::vector<KeyId>& keys) {
  std::vector<std::uint32_t> found;
  const std::span<const Op> ops = history.ops(txn);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (std::find(keys.begin(), keys.end(), ops[i].key) == keys.end()) continue;
    // The items of an aggregate are one operation.
    const Selection* const computed = aggregate_of(history, {txn, i});
    if (computed != nullptr && !found.empty() && found.back() >= computed->first) continue;
    found.push_back(i);
  }
  return found;
}

bool leaves_deleted(const History& history, TxnId txn, KeyId key) {
  const std::optional<OpRef> write = final_write(history, txn, key);
  return write && op_at(history, *write).is_delete();
}

/// Some read of the transaction returned what the other one left, or may have.
bool may_have_seen(const History& history, TxnId txn, KeyId key, TxnId writer) {
  if (!leaves_deleted(history, writer, key)) {
    return read_of(history, txn, key, writer).has_value();
  }
  const std::span<const Op> ops = history.ops(txn);
  return std::any_of(ops.begin(), ops.end(),
                     [&](const Op& op) { return op.key == key && op.is_exclusion(); });
}

bool may_have_met(const History& history, TxnId txn, KeyId key, TxnId writer) {
  if (may_have_seen(history, txn, key, writer)) return true;
  const std::optional<OpRef> left = final_write(history, writer, key);
  const std::span<const Op> ops = history.ops(txn);
  return left && std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
           return op.key == key && op.is_partial() &&
                  history.fits(op, op_at(history, *left).value);
         });
}

}  // namespace isolde::explain

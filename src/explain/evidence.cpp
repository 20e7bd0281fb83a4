#include "explain/evidence.hpp"

#include <algorithm>

namespace isolde::explain {
namespace {

std::size_t position_in(std::span<const Value> list, Value value) {
  return static_cast<std::size_t>(std::find(list.begin(), list.end(), value) - list.begin());
}

bool reads_before_writing(const History& history, OpRef read) {
  const std::span<const Op> ops = history.ops(read.txn);
  return std::none_of(ops.begin(), ops.begin() + read.op, [&](const Op& op) {
    return op.kind == OpKind::kWrite && op.key == ops[read.op].key;
  });
}

/// Nobody but the reader and `writer` left a value of the key that fits.
template <typename Fits>
bool only_writer(const History& history, TxnId reader, KeyId key, TxnId writer,
                 const Fits& fits) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (txn == reader || txn == writer || history.status(txn) == TxnStatus::kAborted) continue;
    const std::optional<OpRef> write = final_write(history, txn, key);
    if (write && fits(op_at(history, *write).value)) return false;
  }
  return true;
}

/// REQUIRES: the read returned what the writer left.
bool is_sure(const History& history, OpRef read, TxnId writer, Taken taken) {
  const Op& op = op_at(history, read);
  const bool is_taken = std::any_of(taken.begin(), taken.end(), [&](const ReadSource& source) {
    return source.txn == read.txn && source.writer == writer && source.op != Claim::kNoOp &&
           history.ops(read.txn)[source.op].key == op.key;
  });
  if (is_taken) return true;
  if (writer.is_some() && history.status(writer) == TxnStatus::kAborted) return false;
  if (op.is_exclusion()) {
    return writer.is_none() && only_writer(history, read.txn, op.key, writer, [&](Value value) {
             return !history.predicate(op).selects_value(value);
           });
  }
  if (writer.is_none()) return true;
  const Value value = op_at(history, *final_write(history, writer, op.key)).value;
  return only_writer(history, read.txn, op.key, writer,
                     [&](Value other) { return other == value; });
}

/// What the transaction and nobody else appended to the list.
std::vector<Value> own_elements(const History& history, TxnId txn, KeyId key) {
  std::vector<Value> own;
  for (const Op& op : history.ops(txn)) {
    if (op.kind == OpKind::kAppend && op.key == key) own.push_back(op.value);
  }
  for (std::size_t t = 0; t < history.txn_count() && !own.empty(); ++t) {
    if (TxnId::at(t) == txn || history.status(TxnId::at(t)) == TxnStatus::kAborted) continue;
    for (const Op& op : history.ops(TxnId::at(t))) {
      if (op.kind == OpKind::kAppend && op.key == key) std::erase(own, op.value);
    }
  }
  return own;
}

/// How list reads of a key show an order.
class ListWitness {
 public:
  ListWitness(const History& history, VersionOrder order, KeyId key, bool own_count)
      : history_(history),
        order_(order),
        key_(key),
        own_count_(own_count),
        first_(own_elements(history, order.before, key)),
        second_(own_elements(history, order.after, key)) {}

  std::optional<DirectOrder> look_at(OpRef read) const {
    const Op& op = op_at(history_, read);
    if (op.kind != OpKind::kReadList || op.key != key_) return std::nullopt;
    const std::span<const Value> all = history_.list(op);
    const std::span<const Value> list =
        own_count_ ? all : before_own_elements(history_, read.txn, op);
    std::size_t first = all.size();
    for (const Value element : first_) {
      const std::size_t at = position_in(list, element);
      if (at < list.size()) first = std::min(first, at);
    }
    if (first == all.size()) return std::nullopt;
    // Of elements that a list shows twice the last place counts.
    std::size_t last = 0;
    for (std::size_t at = first + 1; at < all.size(); ++at) {
      if (std::find(second_.begin(), second_.end(), all[at]) != second_.end()) last = at;
    }
    using Kind = DirectOrder::Kind;
    if (last > first) return DirectOrder{Kind::kListOrder, read, key_, first, last};
    if (shows_some(order_.after, all)) return std::nullopt;
    return DirectOrder{Kind::kListLacks, read, key_, first, all.size()};
  }

 private:
  bool shows_some(TxnId txn, std::span<const Value> list) const {
    const std::span<const Op> ops = history_.ops(txn);
    return std::any_of(ops.begin(), ops.end(), [&](const Op& op) {
      return op.kind == OpKind::kAppend && op.key == key_ &&
             position_in(list, op.value) < list.size();
    });
  }

  const History& history_;
  VersionOrder order_;
  KeyId key_;
  bool own_count_;  // also what readers see of themselves
  std::vector<Value> first_;
  std::vector<Value> second_;
};

/// It committed, or one that did read what nobody else can have written.
bool surely_took_effect(const History& history, TxnId txn) {
  if (history.status(txn) != TxnStatus::kIndeterminate) {
    return history.status(txn) == TxnStatus::kCommitted;
  }
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId reader = TxnId::at(t);
    if (reader == txn || history.status(reader) != TxnStatus::kCommitted) continue;
    if (sure_read_of(history, reader, txn, {})) return true;
  }
  return false;
}

/// One that shows both elements if there is any.
std::optional<DirectOrder> shown_by_list(const History& history, VersionOrder order, KeyId key,
                                         const Witnesses& witnesses) {
  if (!history.is_list(key) || !final_write(history, order.before, key) ||
      !final_write(history, order.after, key)) {
    return std::nullopt;
  }
  const bool uncommitted = witnesses.base == BaseLevel::kReadUncommitted;
  const ListWitness witness(history, order, key, uncommitted);
  const SessionId session = witnesses.session;
  std::optional<DirectOrder> lacking;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    if (session.is_some() && history.session_of(txn) != session) continue;
    for (std::uint32_t i = 0; i < history.ops(txn).size(); ++i) {
      const std::optional<DirectOrder> shown = witness.look_at({txn, i});
      if (!shown || !surely_took_effect(history, txn)) continue;
      if (shown->kind == DirectOrder::Kind::kListOrder) return shown;
      if (!lacking && !uncommitted) lacking = shown;
    }
  }
  return lacking;
}

}  // namespace

const Op& op_at(const History& history, OpRef ref) { return history.ops(ref.txn)[ref.op]; }

std::span<const Value> before_own_elements(const History& history, TxnId reader,
                                           const Op& read) {
  const std::span<const Value> list = history.list(read);
  std::size_t end = list.size();
  for (const Op& op : history.ops(reader)) {
    if (op.kind == OpKind::kAppend && op.key == read.key) {
      end = std::min(end, position_in(list, op.value));
    }
  }
  return list.first(end);
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
  const std::span<const Op> ops = history.ops(reader);
  std::optional<OpRef> any_list;
  std::optional<OpRef> exclusion;  // may have read it
  for (std::uint32_t i = begin; i < ops.size(); ++i) {
    if (ops[i].key != key) continue;
    if (!reads_before_writing(history, {reader, i})) break;
    if (ops[i].kind == OpKind::kRead && ops[i].value == wanted) return OpRef{reader, i};
    const bool may = ops[i].is_exclusion() && !history.predicate(ops[i]).selects_value(wanted);
    if (may && !exclusion) exclusion = OpRef{reader, i};
    if (ops[i].kind != OpKind::kReadList) continue;
    const std::span<const Value> list = before_own_elements(history, reader, ops[i]);
    if (writer.is_none() ? list.empty() : (!list.empty() && list.back() == wanted)) {
      return OpRef{reader, i};
    }
    if (!any_list && writer.is_some() && position_in(list, wanted) < list.size()) {
      any_list = OpRef{reader, i};
    }
  }
  return any_list ? any_list : exclusion;
}

std::optional<OpRef> read_of(const History& history, TxnId reader, TxnId writer) {
  std::optional<OpRef> first;
  for (const Op& op : history.ops(reader)) {
    if (!op.is_read()) continue;
    const std::optional<OpRef> found = read_of(history, reader, op.key, writer);
    if (found && (!first || found->op < first->op)) first = found;
  }
  return first;
}

std::optional<OpRef> sure_read_of(const History& history, TxnId reader, KeyId key, TxnId writer,
                                  Taken taken, std::uint32_t begin) {
  const std::optional<OpRef> read = read_of(history, reader, key, writer, begin);
  return read && is_sure(history, *read, writer, taken) ? read : std::nullopt;
}

std::optional<OpRef> sure_read_of(const History& history, TxnId reader, TxnId writer,
                                  Taken taken) {
  std::optional<OpRef> first;
  for (const Op& op : history.ops(reader)) {
    if (!op.is_read() || (first && history.ops(reader)[first->op].key == op.key)) continue;
    const std::optional<OpRef> found = sure_read_of(history, reader, op.key, writer, taken);
    if (found && (!first || found->op < first->op)) first = found;
  }
  return first;
}

std::vector<TxnId> writers_of(const History& history, OpRef read) {
  const Op& op = op_at(history, read);
  Value value = op.value;
  if (op.kind == OpKind::kReadList) {
    const std::span<const Value> list = before_own_elements(history, read.txn, op);
    value = list.empty() ? Value() : list.back();
  }
  std::vector<TxnId> writers;
  if (!op.is_read() || value.is_null()) return writers;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (txn == read.txn || history.status(txn) == TxnStatus::kAborted) continue;
    const std::optional<OpRef> write = final_write(history, txn, op.key);
    if (write && op_at(history, *write).value == value) writers.push_back(txn);
  }
  return writers;
}

std::optional<DirectOrder> direct_order(const History& history, VersionOrder order, KeyId about,
                                        const Witnesses& witnesses) {
  using Kind = DirectOrder::Kind;
  const TxnId reader = order.after;
  const bool is_asked =
      witnesses.base != BaseLevel::kReadUncommitted &&
      (witnesses.session.is_none() || history.session_of(reader) == witnesses.session);
  if (is_asked) {
    std::optional<OpRef> read;
    if (about.is_some()) {
      read = sure_read_of(history, reader, about, order.before, witnesses.taken);
    }
    if (!read) read = sure_read_of(history, reader, order.before, witnesses.taken);
    if (read) return DirectOrder{Kind::kRead, *read, op_at(history, *read).key};
  }
  if (about.is_some()) {
    if (const auto shown = shown_by_list(history, order, about, witnesses)) return shown;
  }
  for (const Op& op : history.ops(order.before)) {
    if (op.kind != OpKind::kAppend || op.key == about) continue;
    if (const auto shown = shown_by_list(history, order, op.key, witnesses)) return shown;
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
  for (const Op& op : history.ops(first)) {
    if (op.is_write() && final_write(history, second, op.key)) return op.key;
  }
  return std::nullopt;
}

std::vector<std::uint32_t> ops_on(const History& history, TxnId txn,
                                  const std::vector<KeyId>& keys) {
  std::vector<std::uint32_t> found;
  const std::span<const Op> ops = history.ops(txn);
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (std::find(keys.begin(), keys.end(), ops[i].key) != keys.end()) found.push_back(i);
  }
  return found;
}

}  // namespace isolde::explain

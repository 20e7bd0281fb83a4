// Facts in four passes over the history: a table of all written values; from it the
// transactions that surely took effect; their reads; and places in lists.
//
// Aborted transactions are left out of the table: what only they wrote has no source here.
#include "certify/facts.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "certify/external_reads.hpp"
#include "certify/final_writes.hpp"
#include "certify/value_table.hpp"

namespace isolde::certify {
namespace {

/// Who wrote one value to one key.
struct Written {
  /// Operations that write it, and the transaction of the first of them.
  std::uint32_t op_count = 0;
  TxnId writer;
  /// Transactions whose last write of the key it is, and the first two of them.
  std::uint32_t final_count = 0;
  TxnId final_writer[2];
  /// List elements: index in the key's longest list that a certain transaction read.
  std::uint32_t place = 0xffffffffU;
};

}  // namespace

struct Facts::Builder {
  const History& history;
  Facts& facts;
  ReadSplitter splitter;
  ValueTable<Written> written;
  std::vector<std::span<const Value>> longest_list;  // by key

  FinalWrites final_writes;

  Builder(const History& from, Facts& into, bool with_absent_rows)
      : history(from),
        facts(into),
        splitter(from, with_absent_rows),
        longest_list(from.key_count()),
        final_writes(from) {}

  void collect_writes() {
    std::vector<TxnId> seen(history.key_count());  // by key: the last transaction that wrote it
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      if (history.status(txn) == TxnStatus::kAborted) continue;
      const std::span<const Op> ops = history.ops(txn);
      // Backwards, so that the first write of a key we meet is the final one.
      for (auto op = ops.rbegin(); op != ops.rend(); ++op) {
        if (!op->is_write()) continue;
        Written& entry = written.add(op->key, op->value);
        if (entry.op_count++ == 0) entry.writer = txn;
        if (seen[op->key.raw()] == txn) continue;
        seen[op->key.raw()] = txn;
        if (entry.final_count < 2) entry.final_writer[entry.final_count] = txn;
        ++entry.final_count;
      }
    }
  }

  /// Nobody wrote it a second time.
  bool is_only(const Written& entry) const {
    return entry.op_count == 1 && !history.origin().values_repeat;
  }

  /// The one transaction other than the reader whose final write of the key is `value`, or none
  /// if there is no such transaction or more than one.
  TxnId only_final_writer(KeyId key, Value value, TxnId reader) {
    const Written* entry = written.find(key, value);
    if (entry == nullptr || entry->final_count == 0 || entry->final_count > 2) return {};
    ISOLDE_INVARIANT(entry->final_count <= entry->op_count);
    const TxnId first = entry->final_writer[0];
    if (entry->final_count == 1) return first == reader ? TxnId::none() : first;
    const TxnId second = entry->final_writer[1];
    ISOLDE_INVARIANT(first != second);
    if (first == reader) return second;
    return second == reader ? first : TxnId::none();
  }

  /// The source of a register's value is who wrote it last; that of a list, who appended its
  /// last element last; that of a row read in part the only one who left one that fits.
  TxnId source(const ExternalRead& read, TxnId reader) {
    if (history.origin().values_repeat) return {};  // what is missing may have written it, too
    if (read.partial) return only_fitting(read, reader);
    return only_final_writer(read.key, read.list.empty() ? read.value : read.list.back(),
                             reader);
  }

  TxnId only_fitting(const ExternalRead& read, TxnId reader) {
    // The initial version is another one, and what is missing may have left one, too.
    if (read.fits_initial(history) || history.origin().truncated) return {};
    TxnId only;
    for (const TxnId writer : final_writes.fitting(read)) {
      if (writer == reader) continue;
      if (only.is_some()) return {};
      only = writer;
    }
    return only;
  }

  /// Where the read tells its version in part, nobody left another one that fits.
  bool is_surely_initial(const ExternalRead& read, TxnId reader) {
    if (!read.partial) {
      // What was there may have been written again.
      const bool held_nothing = history.initial(read.key).is_null();
      return read.is_initial() && (held_nothing || !history.origin().values_repeat);
    }
    if (!read.fits_initial(history)) return false;
    // What is missing may have written a value that is not excluded.
    if (history.origin().truncated && read.may_be_of_a_write(history)) return false;
    for (const TxnId writer : final_writes.fitting(read)) {
      if (writer != reader) return false;
    }
    return true;
  }

  void find_certain() {
    std::vector<TxnId> work;
    bool any_indeterminate = false;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      const TxnStatus status = history.status(TxnId::at(i));
      any_indeterminate = any_indeterminate || status == TxnStatus::kIndeterminate;
      facts.certain_[i] = status == TxnStatus::kCommitted;
      if (facts.certain_[i]) work.push_back(TxnId::at(i));
    }
    if (!any_indeterminate) return;
    const auto add = [&](TxnId txn) {
      if (txn.is_none() || facts.certain_[txn.raw()]) return;
      facts.certain_[txn.raw()] = true;
      work.push_back(txn);
    };
    while (!work.empty()) {
      const TxnId reader = work.back();
      work.pop_back();
      splitter.split(reader);
      for (const ExternalRead& read : splitter.external()) {
        if (!read.is_initial()) add(source(read, reader));
        for (const Value element : read.list) {
          const Written* entry = written.find(read.key, element);
          if (entry != nullptr && is_only(*entry)) add(entry->writer);
        }
      }
    }
  }

  void collect_reads() {
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      facts.read_begin_.push_back(facts.reads_.size());
      if (!facts.certain_[i]) continue;
      splitter.split(txn);
      for (const ExternalRead& read : splitter.external()) {
        const bool is_initial = is_surely_initial(read, txn);
        const TxnId writer = is_initial ? TxnId::none() : source(read, txn);
        // F2
        ISOLDE_INVARIANT(writer.is_none() || (writer != txn && facts.certain_[writer.raw()]));
        if (is_initial || writer.is_some()) {
          facts.reads_.push_back({read.op, read.key, writer});
        }
        std::span<const Value>& longest = longest_list[read.key.raw()];
        if (read.list.size() > longest.size()) longest = read.list;
      }
    }
    facts.read_begin_.push_back(facts.reads_.size());
  }

  void collect_places() {
    for (std::size_t key = 0; key < longest_list.size(); ++key) {
      const std::span<const Value> list = longest_list[key];
      for (std::size_t i = 0; i < list.size(); ++i) {
        Written* entry = written.find(KeyId::at(key), list[i]);
        if (entry != nullptr)
          entry->place = std::min(entry->place, static_cast<std::uint32_t>(i));
      }
    }
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      facts.write_begin_.push_back(facts.writes_.size());
      if (facts.certain_[i]) collect_places_of(TxnId::at(i));
    }
    facts.write_begin_.push_back(facts.writes_.size());
  }

  void collect_places_of(TxnId txn) {
    const auto first = static_cast<std::ptrdiff_t>(facts.writes_.size());
    for (const Op& op : history.ops(txn)) {
      if (!op.is_write()) continue;
      const Written* const found = written.find(op.key, op.value);
      ISOLDE_ASSERT(found != nullptr);  // the table has the writes of all that did not abort
      const Written& entry = *found;
      const bool own = is_only(entry);
      const bool listed = op.kind == OpKind::kAppend && entry.place != kAbsent;
      facts.writes_.push_back({op.key, !listed ? kAbsent : own ? entry.place : kUnclear});
    }
    // One entry for each key, with the best place: indices are below kUnclear, that below
    // kAbsent.
    const auto begin = facts.writes_.begin() + first;
    std::sort(begin, facts.writes_.end(), [](const Write& a, const Write& b) {
      return a.key != b.key ? a.key < b.key : a.place < b.place;
    });
    facts.writes_.erase(
        std::unique(begin, facts.writes_.end(),
                    [](const Write& a, const Write& b) { return a.key == b.key; }),
        facts.writes_.end());
  }
};

Facts::Facts(const History& history, bool with_absent_rows)
    : certain_(history.txn_count(), false) {
  Builder builder(history, *this, with_absent_rows);
  builder.collect_writes();
  builder.find_certain();
  builder.collect_reads();
  builder.collect_places();
  ISOLDE_ASSERT(read_begin_.size() == history.txn_count() + 1);
  ISOLDE_ASSERT(write_begin_.size() == history.txn_count() + 1);
}

bool Facts::read_from(TxnId reader, TxnId writer, KeyId key) const {
  for (const SourcedRead& read : reads(reader)) {
    if (read.key == key && read.writer == writer) return true;
  }
  return false;
}

bool Facts::read_from(TxnId reader, TxnId writer) const {
  ISOLDE_INVARIANT(writer.is_some());
  for (const SourcedRead& read : reads(reader)) {
    if (read.writer == writer) return true;
  }
  return false;
}

const Facts::Write* Facts::find_write(TxnId txn, KeyId key) const {
  const std::span<const Write> writes = writes_of(txn);
  const auto found =
      std::lower_bound(writes.begin(), writes.end(), key,
                       [](const Write& write, KeyId wanted) { return write.key < wanted; });
  return found != writes.end() && found->key == key ? &*found : nullptr;
}

/// A list that a certain transaction read is the state of its key after some commit: the
/// appends of all transactions up to there, in version order. So of two transactions in it the
/// one with the earlier element comes first, and a transaction with no element in it comes
/// after all that have one. The longest such list of a key says the most: if the others are not
/// prefixes of it, every level is violated anyway.
bool Facts::listed_before(TxnId before, TxnId after) const {
  for (const Write& first : writes_of(before)) {
    if (first.place == kAbsent || first.place == kUnclear) continue;
    const Write* second = find_write(after, first.key);
    if (second == nullptr || second->place == kUnclear) continue;
    if (first.place < second->place) return true;  // kAbsent is larger than any index
  }
  return false;
}

}  // namespace isolde::certify

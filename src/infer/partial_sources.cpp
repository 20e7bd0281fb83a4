#include "infer/partial_sources.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/ways.hpp"

namespace isolde::infer {

PartialSources::PartialSources(const History& history, base::Budget& budget)
    : history_(history), budget_(budget) {
  if (history.predicates().empty() || budget.exhausted()) return;
  const auto any = [&](const auto& fits) {
    return budget.spend(history.op_count() / 4) && std::ranges::any_of(history.all_ops(), fits);
  };
  if (!any([](const Op& op) { return op.is_partial(); })) return;
  if (budget.exhausted()) return;
  std::vector<TxnId> seen;
  const auto for_each_final = [&](const auto& visit) {
    seen.assign(history.key_count(), TxnId::none());
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      const TxnId txn = TxnId::at(t);
      if (history.status(txn) == TxnStatus::kAborted) continue;
      const std::span<const Op> ops = history.ops(txn);
      budget.spend(ops.size());
      // Going backwards, the first write of a key is its final one.
      for (std::size_t i = ops.size(); i-- > 0;) {
        if (ops[i].kind != OpKind::kWrite || seen[ops[i].key.raw()] == txn) continue;
        seen[ops[i].key.raw()] = txn;
        visit(ops[i].key.raw(), FinalWrite{txn, ops[i].value});
      }
    }
  };
  writes_ = base::Csr<FinalWrite>::build(history.key_count(), for_each_final);
  if (!history.has_rows() || budget.exhausted()) return;
  if (!any([](const Op& op) { return op.kind == OpKind::kReadMatch; })) return;
  held_ = base::Csr<Held>::build(history.key_count(), [&](const auto& add) {
    for_each_final([&](std::size_t key, const FinalWrite& write) {
      if (!history.is_row(write.value)) return;
      for (const ColumnValue& column : history.columns(write.value)) {
        add(key, Held{column.name.slot(), column.value, write});
      }
    });
  });
  for (std::size_t key = 0; key < history.key_count(); ++key) {
    const std::span<Held> held = held_.row(key);
    budget.spend(held.size() * 2);
    std::sort(held.begin(), held.end(), [](const Held& a, const Held& b) {
      return std::tuple(a.column, a.value.bits(), a.write.txn) <
             std::tuple(b.column, b.value.bits(), b.write.txn);
    });
  }
}

namespace {

/// What a predicate asks of a value, whatever it asks of keys.
std::vector<std::uint64_t> question_of(const PredicateView& predicate) {
  std::vector<std::uint64_t> asked;
  const auto add_bounds = [&](const std::optional<Predicate::Bounds>& bounds) {
    asked.push_back(bounds ? 1 : 0);
    if (!bounds) return;
    asked.push_back(static_cast<std::uint64_t>(bounds->min));
    asked.push_back(static_cast<std::uint64_t>(bounds->max));
  };
  const auto add_list = [&](std::span<const Value> list) {
    asked.push_back(list.size());
    for (const Value value : list) asked.push_back(value.bits());
  };
  add_bounds(predicate.values);
  asked.push_back(predicate.equal.bits());
  for (const PredicateView::Test& test : predicate.tests) {
    if (test.column.is_null()) continue;
    asked.push_back(test.column.bits());
    asked.push_back(test.is_null ? 1 : 0);
    add_bounds(test.bounds);
    asked.push_back(test.in ? 1 : 0);
    if (test.in) add_list(*test.in);
    add_list(test.not_in);
  }
  return asked;
}

}  // namespace

/// Selections of different keys by one condition on columns ask the same of each key's
/// versions, and what they exclude are long lists. Of a history's conditions few may be those
/// of reads that count (check/pipeline_rows.cpp), so they are compared when they are met.
std::uint32_t PartialSources::alike(std::uint32_t predicate) {
  if (!base::ways().share_conditions) return predicate;
  if (alike_.empty()) alike_.assign(history_.predicates().size(), kNotMet);
  std::uint32_t& first = alike_[predicate];
  if (first != kNotMet) return first;
  std::vector<std::uint64_t> asked = question_of(history_.predicates()[predicate]);
  budget_.spend(4 * asked.size());
  const auto [question, is_new] = questions_.find(std::move(asked));
  if (is_new) asked_first_.push_back(predicate);
  return first = asked_first_[question];
}

Partial PartialSources::alike(const Partial& read) {
  constexpr std::uint64_t kPredicate = 0xffffffff;
  const std::uint32_t first = alike(static_cast<std::uint32_t>(read.what & kPredicate));
  return {(read.what & ~kPredicate) | first, read.is_negative};
}

/// Writes that hold the value in the column, ascending by transaction.
std::span<const PartialSources::Held> PartialSources::with(KeyId key,
                                                           const ColumnValue& column) const {
  const std::span<const Held> held = held_.row(key.raw());
  const std::pair wanted(column.name.slot(), column.value.bits());
  const auto name = [](const Held& each) { return std::pair(each.column, each.value.bits()); };
  const auto begin = std::partition_point(
      held.begin(), held.end(), [&](const Held& each) { return name(each) < wanted; });
  const auto end = std::partition_point(begin, held.end(),
                                        [&](const Held& each) { return name(each) == wanted; });
  return held.subspan(static_cast<std::size_t>(begin - held.begin()),
                      static_cast<std::size_t>(end - begin));
}

std::span<const TxnId> PartialSources::find(const Op& op) {
  // Else any value that somebody wrote would have been selected.
  if (!history_.may_have_seen_a_write(op) || budget_.exhausted()) return {};
  const Partial partial = alike(op.partial());
  const auto [number, is_new] = known_.find({op.key, partial});
  if (is_new) add_fitting(op, partial);
  return std::span<const TxnId>(found_).subspan(found_end_[number],
                                                found_end_[number + 1] - found_end_[number]);
}

void PartialSources::add_fitting(const Op& op, const Partial& partial) {
  const std::span<const FinalWrite> writes = writes_.row(op.key.raw());
  std::optional<std::span<const Held>> fewest;
  if (op.kind == OpKind::kReadMatch && base::ways().index_columns) {
    for (const ColumnValue& column : history_.read_columns(op)) {
      if (column.value.is_null()) continue;
      const std::span<const Held> some = with(op.key, column);
      if (!fewest || some.size() < fewest->size()) fewest = some;
    }
  }
  const auto look_at = [&](const FinalWrite& write) {
    if (history_.fits(op.key, partial, write.value)) found_.push_back(write.txn);
  };
  budget_.spend((fewest ? fewest->size() : writes.size()) * 2 + 1);
  if (fewest) {
    for (const Held& each : *fewest) look_at(each.write);
  } else {
    for (const FinalWrite& write : writes) look_at(write);
  }
  found_end_.push_back(found_.size());
}

bool PartialSources::any(TxnId reader, const Op& op) {
  const std::span<const TxnId> found = find(op);
  return found.size() > 1 || (found.size() == 1 && found.front() != reader);
}

TxnId PartialSources::common(TxnId reader, std::span<const Op* const> reads) {
  for (const Op* const read : reads) find(*read);
  // Once all are known, looking them up moves none.
  std::vector<std::span<const TxnId>> lists;
  for (const Op* const read : reads) lists.push_back(find(*read));
  const auto fewest = std::ranges::min_element(lists, {}, &std::span<const TxnId>::size);
  for (const TxnId writer : *fewest) {
    if (!budget_.spend(4 * lists.size())) return {};
    const auto fits = [&](std::span<const TxnId> list) {
      return std::ranges::binary_search(list, writer);
    };
    if (writer != reader && std::ranges::all_of(lists, fits)) return writer;
  }
  return {};
}

TxnId PartialSources::only(TxnId reader, const Op& op) {
  const std::span<const TxnId> found = find(op);
  TxnId only;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 3); ++i) {
    if (found[i] == reader) continue;
    if (only.is_some()) return {};
    only = found[i];
  }
  return only;
}

std::optional<Finding> unexplained_row(const History& history, TxnId txn, std::uint32_t op,
                                       base::Budget& budget) {
  const Op& read = history.ops(txn)[op];
  TxnId intermediate;
  TxnId aborted;
  bool is_own = false;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId writer = TxnId::at(t);
    const std::span<const Op> ops = history.ops(writer);
    if (!budget.spend(ops.size() + 1)) return std::nullopt;
    for (const Op& write : ops) {
      if (!write.is_write() || write.key != read.key) continue;
      if (!history.fits(read, write.value)) continue;
      if (history.status(writer) == TxnStatus::kAborted) {
        if (aborted.is_none()) aborted = writer;
      } else if (writer == txn) {
        is_own = true;
      } else if (intermediate.is_none()) {
        intermediate = writer;
      }
    }
  }
  if (intermediate.is_some()) {
    return Finding{FindingKind::kIntermediateRead, txn, op, 0, intermediate, 0};
  }
  if (is_own) return Finding{FindingKind::kFutureRead, txn, op, 0, {}, 0};
  if (aborted.is_some()) return Finding{FindingKind::kAbortedRead, txn, op, 0, aborted, 0};
  return Finding{FindingKind::kUnwrittenRead, txn, op, 0, {}, 0};
}

namespace {

std::string open_read(const History& history, TxnId txn, const Op& read) {
  const std::string what =
      read.kind == OpKind::kReadMatch
          ? " read only a part of"
          : " did not read " + history.text(history.predicate(read)) + " from";
  return "transaction " + history.txn_name(txn) + what + " key " +
         history.json(history.key_name(read.key));
}

/// What a read with a known condition saw "instead" of what it excludes.
std::string instead(const Op& read) { return read.is_exclusion() ? " instead" : ""; }

/// Of an item of an aggregate, what was computed; else nothing.
std::string computed(const History& history, TxnId txn, const Op& read) {
  const auto op = static_cast<std::size_t>(&read - history.ops(txn).data());
  const Selection* const selection = history.selection_of(txn, op);
  if (selection == nullptr || !selection->is_aggregate()) return "";
  return "transaction " + history.txn_name(txn) + " computed " + history.text(*selection);
}

}  // namespace

std::string why_open(const History& history, TxnId txn, const Op& read) {
  if (const std::string all = computed(history, txn, read); !all.empty()) {
    return all + ", and key " + history.json(history.key_name(read.key)) +
           " has several versions that it may have read";
  }
  return open_read(history, txn, read) +
         ", and there are several versions that it may have read" + instead(read);
}

std::string why_cut_off(const History& history, TxnId txn, const Op& read) {
  if (const std::string all = computed(history, txn, read); !all.empty()) {
    return all + "; the input is cut off, and what is missing may have written what it read";
  }
  return open_read(history, txn, read) +
         "; the input is cut off, and what is missing may have written what it read" +
         instead(read);
}

}  // namespace isolde::infer

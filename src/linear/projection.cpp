#include "linear/projection.hpp"

#include <array>
#include <utility>

#include "base/assert.hpp"
#include "history/copier.hpp"
#include "isolde/history_builder.hpp"
#include "refute/renumber.hpp"

namespace isolde::checker {
namespace {

History project(const History& history, std::span<const KeyTable::Entry> entries) {
  HistoryBuilder builder;
  history::Copier copier(history, builder);
  builder.origin().truncated = history.origin().truncated;
  const SessionId session = builder.session("");
  const Op& first = history.ops(entries.front().txn)[entries.front().op];
  const KeyId key = builder.key(copier.value(history.key_name(first.key)));
  copier.initial(first.key, key);
  TxnId last;
  for (const KeyTable::Entry& entry : entries) {
    if (entry.txn != last) {
      builder.begin_txn(session);
      builder.set_status(history.status(entry.txn));
      builder.set_times(history.times(entry.txn));
      last = entry.txn;
    }
    const Op& op = history.ops(entry.txn)[entry.op];
    if (is_unselected_row(history, entry)) {
      const Selection& selection = *history.selection_of(entry.txn, entry.op);
      const PredicateView predicate = history.predicates()[selection.predicate];
      builder.select(copier.predicate(predicate), std::array{copier.selected(op, key)});
    } else if (op.is_partial()) {
      builder.read_unknown(key);
    } else {
      copier.op(op, key);
    }
  }
  Result<History> projected = builder.finish();
  ISOLDE_CHECK(projected.ok());
  return std::move(projected).value();
}

}  // namespace

Projection::Projection(const History& history, std::span<const KeyTable::Entry> entries)
    : entries_(entries),
      key_(history.ops(entries.front().txn)[entries.front().op].key),
      projected_(project(history, entries)) {
  for (std::size_t at = 0; at < entries.size(); at += same_txn(entries, at).size()) {
    txns_.push_back(entries[at].txn);
    begin_.push_back(at);
  }
}

std::vector<TxnId> Projection::original(std::span<const TxnId> order) const {
  std::vector<TxnId> mapped;
  mapped.reserve(order.size());
  for (const TxnId txn : order) mapped.push_back(original(txn));
  return mapped;
}

Finding Projection::original(const Finding& finding) const {
  Finding mapped = finding;
  mapped.txn = original(finding.txn);
  mapped.other = original(finding.other);
  mapped.op = original_op(finding.txn, finding.op);
  if (finding.kind == FindingKind::kNonRepeatableRead) {
    mapped.other_op = original_op(finding.txn, finding.other_op);
  }
  if (finding.kind == FindingKind::kIncompatibleOrder) {
    mapped.other_op = original_op(finding.other, finding.other_op);
  }
  return mapped;
}

Refutation Projection::original(const Refutation& refutation) const {
  return renumbered(
      refutation, [&](TxnId txn) { return original(txn); }, [&](KeyId) { return key_; });
}

}  // namespace isolde::checker

#include "replay/statements.hpp"

#include <algorithm>

namespace isolde::replay {
namespace {

/// All rows of the selection, of which there are some, are deleted right behind it, before the
/// operation `end`.
bool deletes_its_rows(std::span<const Op> ops, const Selection& selection, std::size_t end) {
  if (selection.rows == 0 || selection.end() + selection.rows > end) return false;
  const std::span<const Op> found = ops.subspan(selection.first, selection.rows);
  const std::span<const Op> after = ops.subspan(selection.end(), selection.rows);
  return std::ranges::all_of(after, [](const Op& op) { return op.is_delete(); }) &&
         std::ranges::is_permutation(found, after, {}, &Op::key, &Op::key);
}

}  // namespace

Statements::Statements(const History& history, Deletions deletions) {
  position_.reserve(history.op_count());
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    add_txn(history, TxnId::at(t), deletions);
    begin_.push_back(all_.size());
  }
}

void Statements::add_txn(const History& history, TxnId txn, Deletions deletions) {
  const std::span<const Op> ops = history.ops(txn);
  const std::span<const Selection> selections = history.selections(txn);
  std::uint32_t position = 0;
  const auto add = [&](Statement statement, std::size_t count) {
    all_.push_back(statement);
    position_.insert(position_.end(), count, position++);
  };
  std::uint32_t next = 0;  // selection
  for (std::uint32_t i = 0; i < ops.size() || next < selections.size();) {
    if (next == selections.size() || selections[next].first != i) {
      add({Step::Kind::kOperation, i++}, 1);
      continue;
    }
    const Selection& selection = selections[next];
    Statement statement{Step::Kind::kSelect, next++};
    if (selection.is_aggregate()) statement.kind = Step::Kind::kAggregate;
    const std::size_t end = next < selections.size() ? selections[next].first : ops.size();
    i = selection.end();
    if (deletions == Deletions::kSelected && deletes_its_rows(ops, selection, end)) {
      statement.kind = Step::Kind::kDeleteSelected;
      delete_selected_ = true;
      i += selection.rows;
    }
    add(statement, i - selection.first);
  }
}

}  // namespace isolde::replay

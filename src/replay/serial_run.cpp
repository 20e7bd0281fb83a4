#include "replay/serial_run.hpp"

#include <algorithm>

namespace isolde::replay {

SerialRun::SerialRun(const History& history, std::span<const Step> steps) : history_(history) {
  seen_.resize(history.op_count());
  std::vector<Seen> state(history.key_count());
  for (std::size_t k = 0; history.has_initial_contents() && k < state.size(); ++k) {
    const std::span<const Value> first = history.initial_list(KeyId::at(k));
    state[k] = {history.initial(KeyId::at(k)), {first.begin(), first.end()}};
  }
  for (const Step& step : steps) {
    const bool commits = step.kind == Step::Kind::kCommit;
    if (!commits && step.kind != Step::Kind::kRollback) continue;
    std::vector<Seen> own = state;
    const std::span<const Op> ops = history.ops(step.txn);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      Seen& item = own[ops[i].key.raw()];
      if (ops[i].kind == OpKind::kWrite) {
        item.value = ops[i].value;
      } else if (ops[i].kind == OpKind::kAppend) {
        item.list.push_back(ops[i].value);
      } else {
        seen_[history.first_op(step.txn) + i] = item;
      }
    }
    if (commits) state = std::move(own);
  }
}

/// Keys that ever hold what a condition selects are among the operations of the selection.
std::vector<Row> SerialRun::rows(TxnId txn, const Selection& selection) const {
  const PredicateView predicate = history_.predicates()[selection.predicate];
  std::vector<Row> found;
  for (std::uint32_t i = selection.first; i < selection.end(); ++i) {
    const Value held = value(txn, i);
    if (history_.selects(predicate, held)) found.push_back({history_.ops(txn)[i].key, held});
  }
  return found;
}

std::optional<std::int64_t> SerialRun::computed(TxnId txn, const Selection& selection) const {
  const AggregateKind kind = history_.aggregate(selection)->kind;
  const std::vector<Row> found = rows(txn, selection);
  const auto count = static_cast<std::int64_t>(found.size());
  if (kind == AggregateKind::kCount) return count;
  if (kind == AggregateKind::kExists) return std::min<std::int64_t>(count, 1);
  std::optional<std::int64_t> result;
  for (const Row& row : found) {
    if (row.value.kind() != Value::Kind::kInteger) continue;
    const std::int64_t number = row.value.as_integer();
    if (!result) {
      result = number;
    } else if (kind == AggregateKind::kSum) {
      result = static_cast<std::int64_t>(static_cast<std::uint64_t>(*result) +
                                         static_cast<std::uint64_t>(number));
    } else {
      result =
          kind == AggregateKind::kMin ? std::min(*result, number) : std::max(*result, number);
    }
  }
  return result;
}

bool SerialRun::agrees(TxnId txn, const Selection& selection) const {
  if (selection.is_aggregate()) {
    return computed(txn, selection) == history_.aggregate(selection)->result;
  }
  const std::vector<Row> found = rows(txn, selection);
  if (found.size() != selection.rows) return false;
  for (std::uint32_t i = 0; i < selection.rows; ++i) {
    if (!agrees(txn, selection.first + i)) return false;
  }
  return std::ranges::all_of(found, [&](const Row& row) {
    const std::span<const Op> told = history_.ops(txn).subspan(selection.first, selection.rows);
    return std::ranges::find(told, row.key, &Op::key) != told.end();
  });
}

bool SerialRun::agrees(TxnId txn, std::uint32_t op) const {
  const Op& read = history_.ops(txn)[op];
  switch (read.kind) {
    case OpKind::kRead:
      return value(txn, op) == history_.seen(read) ||
             (value(txn, op).is_absent() && history_.seen(read).is_absent());
    case OpKind::kReadMatch:
      return history_.fits(read, value(txn, op).is_null() ? Value::dead() : value(txn, op));
    case OpKind::kReadList: {
      const std::vector<Value> recorded = history_.seen_list(read);
      const std::vector<Value>& expected = list(txn, op);
      return std::equal(recorded.begin(), recorded.end(), expected.begin(), expected.end());
    }
    case OpKind::kReadExcept:
      return !history_.selects(history_.predicate(read), value(txn, op));
    default:
      return true;
  }
}

}  // namespace isolde::replay

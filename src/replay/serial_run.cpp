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

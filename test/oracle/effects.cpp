#include "oracle/effects.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace isolde::oracle {
namespace {

Cell result_of(const History& history, const Op& op) {
  if (op.kind == OpKind::kReadList) {
    const std::span<const Value> list = history.list(op);
    return {list.begin(), list.end()};
  }
  if (op.value.is_null()) return {};
  return {op.value};
}

void add_external_read(Effects& effects, KeyId key, Cell cell) {
  effects.ops.push_back(effects.reads.size());
  effects.reads.push_back({key, std::move(cell)});
}

void add_read(Effects& effects, const History& history, const Op& op) {
  Cell result = result_of(history, op);
  const auto own = effects.writes.find(op.key);
  if (own == effects.writes.end()) {
    add_external_read(effects, op.key, std::move(result));
    return;
  }
  if (!history.is_list(op.key)) {
    if (result != own->second) effects.is_consistent = false;
    effects.ops.push_back(Effects::kNoRead);
    return;
  }
  const Cell& elements = own->second;
  if (result.size() < elements.size() ||
      !std::equal(elements.rbegin(), elements.rend(), result.rbegin())) {
    effects.is_consistent = false;
    return;
  }
  result.resize(result.size() - elements.size());
  add_external_read(effects, op.key, std::move(result));
}

}  // namespace

Effects effects_of(const History& history, TxnId txn, std::optional<KeyId> only) {
  Effects effects;
  for (const Op& op : history.ops(txn)) {
    if (only && op.key != *only) continue;
    if (op.is_read()) add_read(effects, history, op);
    if (op.kind == OpKind::kWrite) effects.writes[op.key] = {op.value};
    if (op.kind == OpKind::kAppend) effects.writes[op.key].push_back(op.value);
    if (op.is_write()) effects.ops.push_back(Effects::kNoRead);
  }
  return effects;
}

const Cell& cell_at(const State& state, KeyId key) {
  static const Cell kInitial;
  const auto found = state.find(key);
  return found == state.end() ? kInitial : found->second;
}

State transition(const State& state, const Effects& effects, const History& history) {
  State next = state;
  for (const auto& [key, written] : effects.writes) {
    Cell& cell = next[key];
    if (!history.is_list(key)) cell.clear();
    cell.insert(cell.end(), written.begin(), written.end());
  }
  return next;
}

}  // namespace isolde::oracle

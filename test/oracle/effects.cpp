#include "oracle/effects.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/assert.hpp"
#include "oracle/rows.hpp"

namespace isolde::oracle {
namespace {

Cell result_of(const History& history, const Op& op) {
  if (op.kind == OpKind::kReadList) {
    return history.seen_list(op);
  }
  if (history.seen(op).is_null()) return {};
  return {history.seen(op)};
}

void add_external_read(Effects& effects, KeyId key, Cell cell) {
  effects.ops.push_back(effects.reads.size());
  effects.reads.push_back({key, std::move(cell), {}, effects.ops.size()});
}

void add_partial(Effects& effects, KeyId key, std::function<bool(Value)> may_be) {
  const auto own = effects.writes.find(key);
  if (own == effects.writes.end()) {
    effects.ops.push_back(effects.reads.size());
    effects.reads.push_back({key, {}, std::move(may_be), effects.ops.size()});
    return;
  }
  if (!may_be(own->second.back())) effects.is_consistent = false;
  effects.ops.push_back(Effects::kNoRead);
}

void add_exclusion(Effects& effects, const History& history, KeyId key,
                   const PredicateView& excluded) {
  add_partial(effects, key, [&history, excluded](Value version) {
    return !meets(history, excluded, version);
  });
}

void add_read(Effects& effects, const History& history, const Op& op) {
  if (op.kind == OpKind::kReadMatch) {
    return add_partial(effects, op.key, [&history, op](Value version) {
      return may_have_returned(history, op, version);
    });
  }
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

// Whether the key held a row at the start that the condition selects.
bool matched_at_start(const History& history, KeyId key, const PredicateView& selected) {
  return meets(history, selected, history.initial(key));
}

// Whether the key held, or some transaction of the history writes, a row that the condition
// selects.
bool somebody_writes(const History& history, KeyId key, const PredicateView& selected) {
  if (matched_at_start(history, key, selected)) return true;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Op& op : history.ops(TxnId::at(t))) {
      const bool is_row = op.kind == OpKind::kWrite && op.key == key;
      if (is_row && meets(history, selected, op.value)) return true;
    }
  }
  return false;
}

// The rows, and every other key that could have been one (docs/LEVELS.md, "Keys used"). A key
// that never could is not read, so nobody can have caused that.
void add_selection(Effects& effects, const History& history, TxnId txn,
                   const Selection& selection, std::optional<KeyId> only,
                   bool with_absent_rows) {
  ISOLDE_CHECK(!selection.is_aggregate());  // test/prop/aggregate_prop.cpp asks without them
  const std::size_t first = effects.reads.size();
  Effects::Query query;
  query.predicate = history.predicates()[selection.predicate];
  query.own = effects.writes;
  for (const Op& row : history.ops(txn).subspan(selection.first, selection.rows)) {
    query.rows[row.key] = row;
    if (only && row.key != *only) continue;
    add_read(effects, history, row);
    if (is_outside(history, query.predicate, row)) effects.is_consistent = false;
  }
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (query.rows.contains(key) || (only && key != *only)) continue;
    if (!query.predicate.selects_key(history.key_name(key))) continue;
    if (!somebody_writes(history, key, query.predicate)) continue;
    if (!with_absent_rows && !effects.writes.contains(key)) {
      if (matched_at_start(history, key, query.predicate)) {
        effects.replaced.push_back({key, query.predicate});
      }
      continue;
    }
    add_exclusion(effects, history, key, query.predicate);
  }
  for (std::size_t i = first; i < effects.reads.size(); ++i) {
    effects.reads[i].moment = effects.reads[first].moment;
  }
  // A query is about all keys.
  if (with_absent_rows && !only) effects.queries.push_back(std::move(query));
}

}  // namespace

bool is_answer(const History& history, const Effects::Query& query, const State& state) {
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    const auto own = query.own.find(key);
    const Cell& cell = own == query.own.end() ? cell_at(state, key) : own->second;
    const bool is_selected = !cell.empty() &&
                             query.predicate.selects_key(history.key_name(key)) &&
                             meets(history, query.predicate, cell.back());
    const auto row = query.rows.find(key);
    if (is_selected != (row != query.rows.end())) return false;
    if (!is_selected) continue;
    const bool fits = row->second.kind == OpKind::kReadMatch
                          ? may_have_returned(history, row->second, cell.back())
                          : history.seen(row->second) == cell.back();
    if (!fits) return false;
  }
  return true;
}

Effects effects_of(const History& history, TxnId txn, std::optional<KeyId> only,
                   bool with_absent_rows, bool refusals_count) {
  Effects effects;
  const std::span<const Op> ops = history.ops(txn);
  std::span<const Selection> left = history.selections(txn);
  std::size_t within = 0;  // end of the last selection
  for (std::size_t at = 0; at <= ops.size(); ++at) {
    for (; !left.empty() && left.front().first == at; left = left.subspan(1)) {
      add_selection(effects, history, txn, left.front(), only, with_absent_rows);
      within = left.front().end();
    }
    if (at == ops.size()) break;
    const Op& op = ops[at];
    if (at < within || (only && op.key != *only)) continue;
    if (op.is_exclusion()) add_exclusion(effects, history, op.key, history.predicate(op));
    if (op.is_read() || op.kind == OpKind::kReadMatch) add_read(effects, history, op);
    if (refusals_count && history.is_refused_insert(op) && !history.is_list(op.key)) {
      add_partial(effects, op.key,
                  [](Value version) { return !version.is_null() && !version.is_dead(); });
    }
    if (op.kind == OpKind::kWrite) effects.writes[op.key] = {op.value};
    if (op.kind == OpKind::kAppend) effects.writes[op.key].push_back(op.value);
    if (op.is_write()) effects.ops.push_back(Effects::kNoRead);
  }
  return effects;
}

State first_state(const History& history) {
  State state;
  for (std::size_t k = 0; k < history.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    const std::span<const Value> list = history.initial_list(key);
    if (!list.empty()) state[key] = {list.begin(), list.end()};
    if (!history.initial(key).is_null()) state[key] = {history.initial(key)};
  }
  return state;
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

#include "oracle/plain_summary.hpp"

#include <algorithm>
#include <set>

#include "oracle/level_tests.hpp"

namespace isolde::oracle {

using support::PlainHistory;
using support::PlainOp;
using support::PlainSelection;
using support::PlainTxn;

namespace {

// What the key held at the start, if it did.
const PlainOp* start_of(const PlainHistory& history, const std::string& key) {
  for (const PlainOp& held : history.start) {
    if (held.key == key) return &held;
  }
  return nullptr;
}

void add_external(Summary& out, const std::string& key, Version seen) {
  out.ops.push_back(static_cast<int>(out.reads.size()));
  out.reads.push_back({key, std::move(seen)});
}

void add_list_read(Summary& out, const PlainOp& op, const Version& own,
                   const PlainHistory& history) {
  Version seen = op.list;
  for (std::size_t i = own.size(); i > 0; --i) {
    if (seen.empty() || seen.back() != own[i - 1]) out.contradicts_itself = true;
    if (!seen.empty()) seen.pop_back();
  }
  if (const PlainOp* const held = start_of(history, op.key)) {
    for (const std::string& element : held->list) {
      if (seen.empty() || seen.front() != element) {
        seen.assign(1, "never");
        break;
      }
      seen.erase(seen.begin());
    }
  }
  add_external(out, op.key, std::move(seen));
}

/// `selected`: what the row was selected by, but for its key.
void add_read(Summary& out, const PlainOp& op, const Version& own,
              const PlainSelection& selected, const PlainHistory& history) {
  if (own.empty()) {
    const PlainOp* const held = start_of(history, op.key);
    const bool may_be_initial = held != nullptr && !held->value.empty() &&
                                support::agrees(op.value, held->value) &&
                                support::selects_value(selected, held->value);
    if (support::is_row(op.value) || may_be_initial) {
      out.matches.push_back({out.reads.size(), op.value, selected, may_be_initial});
    }
    add_external(out, op.key, op.value.empty() ? Version() : Version(1, op.value));
    return;
  }
  const bool fits =
      support::agrees(op.value, own.back()) &&
      (!support::is_row(op.value) || support::selects_value(selected, own.back()));
  if (!fits) out.contradicts_itself = true;
  out.ops.push_back(-1);
}

void add_exclusion(Summary& out, const std::string& key, const PlainSelection& excluded,
                   const PlainHistory& history) {
  const Version own = out.writes[key];
  if (!own.empty()) {
    if (support::selects_value(excluded, own.back())) out.contradicts_itself = true;
    out.ops.push_back(-1);
    return;
  }
  const PlainOp* const held = start_of(history, key);
  const bool may_be_initial = held == nullptr || !support::selects_value(excluded, held->value);
  out.exclusions.push_back({out.reads.size(), excluded, may_be_initial});
  add_external(out, key, Version());
}

bool is_ever_deleted(const PlainHistory& history, const std::string& key) {
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kWrite && op.key == key && op.value.empty()) return true;
    }
  }
  return false;
}

// Keys for which the history has a row that the selection could have returned.
std::set<std::string> rows_to_find(const PlainHistory& history,
                                   const PlainSelection& selection) {
  std::set<std::string> keys;
  for (const PlainOp& held : history.start) {
    const bool is_row = support::selects_key(selection, held.key) &&
                        support::selects_value(selection, held.value);
    if (is_row) keys.insert(held.key);
  }
  for (const PlainTxn& writer : history) {
    for (const PlainOp& op : writer.ops) {
      const bool is_row = op.kind == OpKind::kWrite &&
                          support::selects_key(selection, op.key) &&
                          support::selects_value(selection, op.value);
      if (is_row) keys.insert(op.key);
    }
  }
  return keys;
}

void add_selection(Summary& out, const PlainSelection& selection, const PlainHistory& history,
                   bool with_absent_rows) {
  std::set<std::string> returned;
  for (const auto& [key, value] : selection.rows) {
    returned.insert(key);
    PlainOp row;
    row.key = key;
    row.value = value;
    add_read(out, row, Version(out.writes[key]), selection, history);
    if (!support::may_return(selection, key, value)) out.contradicts_itself = true;
  }
  for (const std::string& key : rows_to_find(history, selection)) {
    if (returned.contains(key)) continue;
    if (!with_absent_rows && out.writes[key].empty()) {
      const PlainOp* const held = start_of(history, key);
      if (held == nullptr || !support::selects_value(selection, held->value)) continue;
      out.predicate_reads.insert(out.reads.size());
    }
    add_exclusion(out, key, selection, history);
  }
}

void add_statement(Summary& out, const PlainOp& op, const PlainHistory& history,
                   bool with_absent_rows) {
  const auto number = out.txn - history.data();
  if (op.kind == OpKind::kReadAbsent) {
    add_selection(out, op.selection, history, with_absent_rows);
    return;
  }
  Version& own = out.writes[op.key];
  switch (op.kind) {
    case OpKind::kWrite:
      own.assign(1, op.value);
      // The versions that deletions leave look alike, but are not the same; nor are equal rows.
      if (op.value.empty() || support::is_row(op.value)) {
        own.insert(own.begin(), "by " + std::to_string(number));
      }
      out.ops.push_back(-1);
      break;
    case OpKind::kAppend:
      own.push_back(op.value);
      out.ops.push_back(-1);
      break;
    case OpKind::kRead:
      if (op.value.empty() &&
          (is_ever_deleted(history, op.key) || start_of(history, op.key) != nullptr)) {
        // The first version, or any that a deletion left.
        add_exclusion(out, op.key, PlainSelection(), history);
      } else {
        add_read(out, op, own, PlainSelection(), history);
      }
      break;
    case OpKind::kReadList:
      add_list_read(out, op, own, history);
      break;
    case OpKind::kReadExcept: {
      PlainSelection excluded;
      excluded.equal = op.value;
      add_exclusion(out, op.key, excluded, history);
      break;
    }
    case OpKind::kReadAbsent:
    case OpKind::kReadMatch:
    case OpKind::kReadUnknown:
      break;
  }
}

// All ways to put versions in place of the reads of rows from that one on. Those that did not
// take effect wrote none.
bool some_rows(std::vector<Summary>& txns, std::size_t t, std::size_t match,
               const std::function<bool(const std::vector<Summary>&)>& holds) {
  if (t == txns.size()) return holds(txns);
  if (match == txns[t].matches.size()) return some_rows(txns, t + 1, 0, holds);
  const auto& [read, told, selected, may_be_initial] = txns[t].matches[match];
  const std::string key = txns[t].reads[read].first;
  std::vector<Version> choices;
  if (may_be_initial) choices.emplace_back();
  for (std::size_t other = 0; other < txns.size(); ++other) {
    const auto written = txns[other].writes.find(key);
    if (other == t || written == txns[other].writes.end()) continue;
    const std::string& version = written->second.back();
    const bool fits = !version.empty() && support::agrees(told, version) &&
                      support::selects_value(selected, version);
    if (fits) choices.push_back(written->second);
  }
  for (const Version& version : choices) {
    txns[t].reads[read].second = version;
    if (some_rows(txns, t, match + 1, holds)) return true;
  }
  return false;
}

// All ways to put versions in place of the exclusions from that one on.
bool some_versions(std::vector<Summary>& txns, std::size_t t, std::size_t exclusion,
                   const std::function<bool(const std::vector<Summary>&)>& holds) {
  if (t == txns.size()) return some_rows(txns, 0, 0, holds);
  if (exclusion == txns[t].exclusions.size()) return some_versions(txns, t + 1, 0, holds);
  const auto& [read, excluded, may_be_initial] = txns[t].exclusions[exclusion];
  const std::string key = txns[t].reads[read].first;
  std::vector<Version> choices;
  if (may_be_initial) choices.emplace_back();
  for (std::size_t other = 0; other < txns.size(); ++other) {
    const auto written = txns[other].writes.find(key);
    if (other == t || written == txns[other].writes.end()) continue;
    if (!support::selects_value(excluded, written->second.back())) {
      choices.push_back(written->second);
    }
  }
  for (const Version& version : choices) {
    txns[t].reads[read].second = version;
    if (some_versions(txns, t, exclusion + 1, holds)) return true;
  }
  return false;
}

}  // namespace

Summary summarise(const PlainTxn& txn, const PlainHistory& history, bool with_absent_rows) {
  Summary out;
  out.txn = &txn;
  for (std::size_t statement = 0; statement < txn.ops.size(); ++statement) {
    add_statement(out, txn.ops[statement], history, with_absent_rows);
    out.statements.resize(out.reads.size(), statement);
  }
  std::erase_if(out.writes, [](const auto& write) { return write.second.empty(); });
  return out;
}

bool is_list_key(const PlainHistory& history, const std::string& key) {
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.key == key && op.kind == OpKind::kAppend) return true;
    }
  }
  const PlainOp* const held = start_of(history, key);
  return held != nullptr && !held->list.empty();
}

bool is_earlier_in_session(const PlainTxn& a, const PlainTxn& b) {
  // Transactions are numbered in the order of the input, so addresses tell session order.
  return a.session == b.session && &a < &b;
}

// A read with unknown result is no use of a key. A selection reads the keys that it returned
// and those that it could have returned.
static std::set<std::string> used_keys(const PlainHistory& history, const PlainTxn& txn) {
  std::set<std::string> keys;
  const auto add_selected = [&](const PlainSelection& selection) {
    for (const auto& [key, value] : selection.rows) keys.insert(key);
    keys.merge(rows_to_find(history, selection));
  };
  for (const PlainOp& op : txn.ops) {
    if (op.kind == OpKind::kReadAbsent) {
      add_selected(op.selection);
    } else if (op.kind != OpKind::kReadUnknown) {
      keys.insert(op.key);
    }
  }
  return keys;
}

static bool have_common_key(const PlainHistory& history, const PlainTxn& a, const PlainTxn& b) {
  const std::set<std::string> keys = used_keys(history, a);
  const std::set<std::string> others = used_keys(history, b);
  return std::any_of(others.begin(), others.end(),
                     [&](const std::string& key) { return keys.contains(key); });
}

bool must_precede(const PlainHistory& history, const PlainTxn& a, const PlainTxn& b,
                  Level level, std::int64_t clock_error_ns) {
  const LevelInfo& row = info(level);
  if (row.session_order && is_earlier_in_session(a, b)) return true;
  if (a.status != TxnStatus::kCommitted) return false;  // may take effect after its end
  const bool binds =
      row.real_time || (level_test(row.base).in_time_by_key && have_common_key(history, a, b));
  return binds && a.times.end != kNoTime && b.times.start != kNoTime &&
         b.times.start - a.times.end > clock_error_ns;
}

bool some_population(const PlainHistory& history,
                     const std::function<bool(const std::vector<Summary>&)>& holds,
                     bool with_absent_rows) {
  for (std::uint32_t choice = 0; choice < (1U << history.size()); ++choice) {
    std::vector<Summary> chosen;
    bool is_possible = true;
    for (std::size_t t = 0; t < history.size() && is_possible; ++t) {
      const bool is_in = (choice >> t & 1U) != 0;
      if (history[t].status == TxnStatus::kCommitted) is_possible = is_in;
      if (history[t].status == TxnStatus::kAborted) is_possible = !is_in;
      if (is_in) chosen.push_back(summarise(history[t], history, with_absent_rows));
    }
    for (const Summary& txn : chosen) is_possible = is_possible && !txn.contradicts_itself;
    if (is_possible && holds(chosen)) return true;
  }
  return false;
}

bool some_versions(std::vector<Summary> txns,
                   const std::function<bool(const std::vector<Summary>&)>& holds) {
  return some_versions(txns, 0, 0, holds);
}

bool some_choice(const PlainHistory& history,
                 const std::function<bool(const std::vector<Summary>&)>& holds,
                 bool with_absent_rows) {
  return some_population(
      history, [&](const std::vector<Summary>& chosen) { return some_versions(chosen, holds); },
      with_absent_rows);
}

}  // namespace isolde::oracle

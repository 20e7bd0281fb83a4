// Enumeration of executions with literal commit tests.
//
// A history satisfies a level when for some subset of the indeterminate transactions there is
// one execution (a permutation of these and the committed ones) in which every transaction
// passes the commit test. Tests, with s_p the state before T and RS(r) the states before T in
// which read r is true:
//   read-committed        PREREAD: RS(r) is not empty for any r                      [I2]
//   snapshot-isolation    in some s of all RS(r): what T writes is as it is in s_p   [I5]
//   serializable          s_p is in all RS(r)                                        [I9]
//   strict-serializable   also s_T' before s_T where T' ended before T started       [I10]
//   strong-session-       serializable: also s_T' before s_T for T' earlier in T's session;
//                         snapshot: also s_T' ->* s for these
//   strong-snapshot-      also s_T' ->* s where T' ended before T started
//   monotonic-atomic-view axiom "read committed" of Biswas and Enea (OOPSLA 2019), where co is
//                         the order of the execution: session order and read-from agree with
//                         co, and if T reads x from t1 after having read from t2, and t2
//                         writes x, then t2 is before t1. A read comes from a transaction
//                         whose state shows the value.
// Reads of what the transaction itself wrote must return it at every level (INT). Values are
// compared as values: where two transactions wrote the same one, a read may come from either.
#include "oracle/brute.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::oracle {
namespace {

const Cell& cell_at(const State& state, KeyId key) {
  static const Cell kInitial;
  const auto found = state.find(key);
  return found == state.end() ? kInitial : found->second;
}

void apply(State& state, const Effects& effects, const History& history) {
  for (const auto& [key, written] : effects.writes) {
    Cell& cell = state[key];
    if (!history.is_list(key)) cell.clear();
    cell.insert(cell.end(), written.begin(), written.end());
  }
}

Cell result_of(const History& history, const Op& op) {
  if (op.kind == OpKind::kReadList) {
    const std::span<const Value> list = history.list(op);
    return {list.begin(), list.end()};
  }
  if (op.value.is_null()) return {};
  return {op.value};
}

void add_read(Effects& effects, const History& history, const Op& op) {
  Cell result = result_of(history, op);
  const auto own = effects.writes.find(op.key);
  if (own == effects.writes.end()) {
    effects.reads.push_back({op.key, std::move(result)});
    return;
  }
  if (!history.is_list(op.key)) {
    if (result != own->second) effects.is_consistent = false;
    return;
  }
  const Cell& elements = own->second;
  if (result.size() < elements.size() ||
      !std::equal(elements.rbegin(), elements.rend(), result.rbegin())) {
    effects.is_consistent = false;
    return;
  }
  result.resize(result.size() - elements.size());
  effects.reads.push_back({op.key, std::move(result)});
}

}  // namespace

Effects effects_of(const History& history, TxnId txn) {
  Effects effects;
  for (const Op& op : history.ops(txn)) {
    if (op.is_read()) add_read(effects, history, op);
    if (op.kind == OpKind::kWrite) effects.writes[op.key] = {op.value};
    if (op.kind == OpKind::kAppend) effects.writes[op.key].push_back(op.value);
  }
  return effects;
}

Execution::Execution(const History& history, std::vector<TxnId> included,
                     std::int64_t clock_error_ns)
    : history_(&history), included_(std::move(included)), clock_error_ns_(clock_error_ns) {
  for (const TxnId txn : included_) effects_[txn] = effects_of(history, txn);
  states_.push_back({});
}

bool Execution::contains(TxnId txn) const {
  return std::find(order_.begin(), order_.end(), txn) != order_.end();
}

void Execution::push(TxnId txn) {
  State next = states_.back();
  apply(next, effects(txn), *history_);
  states_.push_back(std::move(next));
  order_.push_back(txn);
}

void Execution::pop() {
  states_.pop_back();
  order_.pop_back();
}

std::vector<std::size_t> Execution::read_states(const Effects::Read& read) const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (cell_at(states_[s], read.key) == read.cell) found.push_back(s);
  }
  return found;
}

std::vector<std::size_t> Execution::complete_states(TxnId txn) const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (reads_hold_at(txn, s)) found.push_back(s);
  }
  return found;
}

bool Execution::reads_hold_at(TxnId txn, std::size_t state) const {
  const std::vector<Effects::Read>& reads = effects(txn).reads;
  return std::all_of(reads.begin(), reads.end(), [&](const Effects::Read& read) {
    return cell_at(states_[state], read.key) == read.cell;
  });
}

bool Execution::preread(TxnId txn) const {
  const std::vector<Effects::Read>& reads = effects(txn).reads;
  return std::all_of(reads.begin(), reads.end(),
                     [&](const Effects::Read& read) { return !read_states(read).empty(); });
}

// The commit test says "the states differ on no key of the write set". With unique values that
// is the same as "nobody wrote one of them in between"; where a value is written again, it is
// Adya's versions that count, not whether the values differ.
bool Execution::no_conflict(TxnId txn, std::size_t state) const {
  const std::map<KeyId, Cell>& writes = effects(txn).writes;
  for (std::size_t between = state + 1; between <= parent(); ++between) {
    for (const auto& [key, cell] : effects(order_[between - 1]).writes) {
      if (writes.contains(key)) return false;
    }
  }
  return true;
}

bool Execution::precedes_in_session(TxnId a, TxnId b) const {
  return history_->session_of(a) == history_->session_of(b) &&
         history_->position_of(a) < history_->position_of(b);
}

// Real time counts from the end of a transaction that its client knows to be committed. Where
// the client gave up, the database may still have committed at any later time.
bool Execution::precedes_in_time(TxnId a, TxnId b) const {
  if (history_->status(a) != TxnStatus::kCommitted) return false;
  const std::int64_t end = history_->times(a).end;
  const std::int64_t start = history_->times(b).start;
  return end != kNoTime && start != kNoTime && end + clock_error_ns_ < start;
}

// Every included T' that precedes `txn` is among the first `position` transactions.
template <typename Precedes>
bool Execution::all_placed_by(std::size_t position, TxnId txn, const Precedes& precedes) const {
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(position);
  return std::all_of(included_.begin(), included_.end(), [&](TxnId other) {
    return other == txn || !precedes(other, txn) ||
           std::find(order_.begin(), end, other) != end;
  });
}

template <typename Precedes>
bool Execution::serializable(TxnId txn, const Precedes& precedes) const {
  return reads_hold_at(txn, parent()) && all_placed_by(parent(), txn, precedes);
}

template <typename Precedes>
std::vector<std::size_t> Execution::snapshots(TxnId txn, const Precedes& precedes) const {
  std::vector<std::size_t> states = complete_states(txn);
  std::erase_if(states, [&](std::size_t s) {
    return !no_conflict(txn, s) || !all_placed_by(s, txn, precedes);
  });
  return states;
}

std::vector<std::size_t> Execution::snapshot_states(Level level, TxnId txn) const {
  switch (level) {
    case Level::kSnapshotIsolation:
      return snapshots(txn, [](TxnId, TxnId) { return false; });
    case Level::kStrongSessionSnapshotIsolation:
      return snapshots(txn, [this](TxnId a, TxnId b) { return precedes_in_session(a, b); });
    case Level::kStrongSnapshotIsolation:
      return snapshots(txn, [this](TxnId a, TxnId b) { return precedes_in_time(a, b); });
    default:
      ISOLDE_CHECK(false);
      return {};
  }
}

bool Execution::reads_atomic_view(TxnId txn) const {
  std::vector<std::size_t> sources;
  return choose_sources(effects(txn).reads, sources);
}

// Chooses for each read the position of the transaction it comes from, 0 for the initial value,
// such that the axiom holds; tries all choices.
bool Execution::choose_sources(std::span<const Effects::Read> reads,
                               std::vector<std::size_t>& sources) const {
  if (sources.size() == reads.size()) return true;
  const Effects::Read& read = reads[sources.size()];
  for (std::size_t source = 0; source < states_.size(); ++source) {
    if (cell_at(states_[source], read.key) != read.cell) continue;
    if (source > 0 && !effects(order_[source - 1]).writes.contains(read.key)) continue;
    const bool is_monotonic =
        std::all_of(sources.begin(), sources.end(), [&](std::size_t earlier) {
          const bool writes_key =
              earlier > 0 && effects(order_[earlier - 1]).writes.contains(read.key);
          return !writes_key || earlier <= source;
        });
    if (!is_monotonic) continue;
    sources.push_back(source);
    if (choose_sources(reads, sources)) return true;
    sources.pop_back();
  }
  return false;
}

bool Execution::passes(Level level, TxnId txn) const {
  if (!effects(txn).is_consistent) return false;
  const auto session = [this](TxnId a, TxnId b) { return precedes_in_session(a, b); };
  const auto time = [this](TxnId a, TxnId b) { return precedes_in_time(a, b); };
  switch (level) {
    case Level::kReadCommitted:
      return preread(txn);
    case Level::kStrongSessionMonotonicAtomicView:
      return all_placed_by(parent(), txn, session) && reads_atomic_view(txn);
    case Level::kSnapshotIsolation:
    case Level::kStrongSessionSnapshotIsolation:
    case Level::kStrongSnapshotIsolation:
      return !snapshot_states(level, txn).empty();
    case Level::kSerializable:
      return reads_hold_at(txn, parent());
    case Level::kStrongSessionSerializable:
      return serializable(txn, session);
    case Level::kStrictSerializable:
      return serializable(txn, time);
  }
  ISOLDE_CHECK(false);
  return false;
}

namespace {

bool complete(Execution& execution, Level level) {
  if (execution.is_complete()) return true;
  for (const TxnId txn : execution.included()) {
    if (execution.contains(txn) || !execution.passes(level, txn)) continue;
    execution.push(txn);
    if (complete(execution, level)) return true;
    execution.pop();
  }
  return false;
}

}  // namespace

std::optional<std::vector<TxnId>> brute_force_execution(const History& history, Level level,
                                                        std::int64_t clock_error_ns) {
  std::vector<TxnId> committed;
  std::vector<TxnId> indeterminate;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kCommitted) committed.push_back(txn);
    if (history.status(txn) == TxnStatus::kIndeterminate) indeterminate.push_back(txn);
  }
  ISOLDE_CHECK(committed.size() + indeterminate.size() <= 8);

  for (std::uint32_t subset = 0; subset < (1U << indeterminate.size()); ++subset) {
    std::vector<TxnId> included = committed;
    for (std::size_t i = 0; i < indeterminate.size(); ++i) {
      if ((subset >> i & 1U) != 0) included.push_back(indeterminate[i]);
    }
    Execution execution(history, std::move(included), clock_error_ns);
    if (complete(execution, level)) {
      return std::vector<TxnId>(execution.order().begin(), execution.order().end());
    }
  }
  return std::nullopt;
}

bool brute_force_holds(const History& history, Level level, std::int64_t clock_error_ns) {
  return brute_force_execution(history, level, clock_error_ns).has_value();
}

}  // namespace isolde::oracle

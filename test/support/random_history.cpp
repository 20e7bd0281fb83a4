// Random histories by running random executions. Purely random values nearly always break every
// level and purely simulated ones nearly none, so the generator runs a small imaginary database
// of one of several strengths and then spoils the result a little.
//
// A history is made in steps: what the transactions ask (plan), what the database answers
// (answer), small changes (mutate), the order of the input (reorder), and times.
#include "support/random_history.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace isolde::support {
namespace {

using Words = std::vector<std::string>;
using State = std::map<std::string, Words>;

bool is_write(const PlainOp& op) {
  return op.kind == OpKind::kWrite || op.kind == OpKind::kAppend;
}

Words written_to(const PlainHistory& history, const std::string& key) {
  Words written;
  for (const PlainOp& held : history.start) {
    if (held.key != key) continue;
    if (held.kind == OpKind::kWrite) written.push_back(held.value);
    written.insert(written.end(), held.list.begin(), held.list.end());
  }
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.key == key && is_write(op)) written.push_back(op.value);
    }
  }
  return written;
}

// Gives a read any result that it might have had.
void scramble(PlainOp& op, Words written, base::Rng& rng) {
  const std::size_t count = rng.below(written.size() + 1);
  if (op.kind == OpKind::kRead) op.value = count == written.size() ? "" : written[count];
  if (op.kind != OpKind::kReadList) return;
  if (rng.chance(0.3)) {
    for (std::size_t i = written.size(); i > 1; --i) {
      std::swap(written[i - 1], written[rng.below(i)]);
    }
  }
  written.resize(count);
  op.list = std::move(written);
}

// Spoils the result of a list read a little.
void change_list(Words& list, const Words& written, base::Rng& rng) {
  const std::uint64_t what = rng.below(4);
  if (what == 0 && !written.empty()) {
    list.push_back(written[rng.below(written.size())]);
  } else if (what == 1 && list.size() > 1) {
    std::swap(list[list.size() - 2], list.back());
  } else if (what == 2 && !list.empty()) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(rng.below(list.size())));
  } else if (!list.empty()) {
    list.pop_back();
  }
}

// Takes a row out, puts one in or changes one. Mostly the condition is kept to.
void change_selection(const PlainHistory& history, PlainSelection& selection, base::Rng& rng) {
  std::vector<std::pair<std::string, std::string>> writes;
  for (const PlainOp& held : history.start) {
    const bool fits = selects_key(selection, held.key) && selects_value(selection, held.value);
    if (fits) writes.emplace_back(held.key, held.value);
  }
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.kind != OpKind::kWrite || op.value.empty()) continue;
      const bool fits = selects_key(selection, op.key) && selects_value(selection, op.value);
      if (fits || rng.chance(0.05)) {
        writes.emplace_back(op.key, op.value);
      }
    }
  }
  auto& rows = selection.rows;
  if (writes.empty() || (!rows.empty() && rng.chance(0.4))) {
    if (rows.empty()) return;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(rng.below(rows.size())));
    return;
  }
  const auto& chosen = writes[rng.below(writes.size())];
  const auto same = std::find_if(rows.begin(), rows.end(),
                                 [&](const auto& row) { return row.first == chosen.first; });
  if (same != rows.end()) {
    *same = chosen;
  } else {
    rows.push_back(chosen);
  }
}

void shift(std::int64_t& time, base::Rng& rng) {
  if (time != kNoTime) time += static_cast<std::int64_t>(rng.below(31)) - 15;
}

class Generator {
 public:
  Generator(base::Rng& rng, const RandomHistoryOptions& options)
      : rng_(rng),
        options_(options),
        snapshot_(options.txn_count),
        past_(options.txn_count),
        next_op_(options.txn_count) {}

  PlainHistory make() {
    choose_keys();
    if (options_.start_share > 0) choose_contents();
    for (std::uint64_t t = 0; t < options_.txn_count; ++t) plan(txns_.emplace_back());
    if (options_.reads == ReadSource::kShared) {
      take_turns_on_one_state();
    } else {
      for (std::size_t t = 0; t < txns_.size(); ++t) answer(t);
    }
    if (options_.reads == ReadSource::kAnything) answer_with_anything();
    add_times();
    add_database_times();
    add_levels();
    if (rng_.chance(options_.reorder_share)) reorder();
    double mutations = options_.mutation_count;
    for (; rng_.chance(std::min(mutations, 1.0)); mutations -= 1) change_something(txns_, rng_);
    if (options_.times == TimeSource::kExecution && options_.sessions_take_turns) take_turns();
    if (options_.has_rows) tell_columns();
    return std::move(txns_);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return rng_.below(bound); }
  template <typename T>
  T& any_of(std::vector<T>& items) {
    return items[below(items.size())];
  }

  void choose_keys() {
    for (std::uint64_t k = 0; k < options_.key_count; ++k) {
      const bool has_name = k < 3 && options_.selection_share == 0;
      keys_.push_back(has_name ? std::string(1, static_cast<char>('x' + k))
                               : std::to_string(k));
      if (rng_.chance(options_.list_share)) lists_.insert(keys_.back());
    }
    // Equal values of different keys are different writes, and a good trap.
    values_per_key_ = rng_.chance(0.3);
  }

  void choose_contents() {
    for (const std::string& key : keys_) {
      if (!rng_.chance(options_.start_share)) continue;
      PlainOp& held = txns_.start.emplace_back();
      held.kind = lists_.contains(key) ? OpKind::kReadList : OpKind::kWrite;
      held.key = key;
      if (held.kind == OpKind::kWrite) {
        held.value = fresh_value(key);
        states_[0][key] = {held.value};
        continue;
      }
      held.list.push_back(fresh_value(key));
      if (rng_.chance(0.5)) held.list.push_back(fresh_value(key));
      states_[0][key] = held.list;
    }
  }

  std::string fresh_value(const std::string& key) {
    Words& known = written_[key];
    if (!known.empty() && rng_.chance(options_.duplicate_share)) return any_of(known);
    known.push_back(std::to_string(++value_count_[values_per_key_ ? key : ""]));
    if (options_.has_rows && !lists_.contains(key)) known.back() = row(known.back());
    return known.back();
  }

  /// A row with these numbers, or null, in some columns.
  std::string row(const std::string& number) {
    if (rng_.chance(0.05)) return number;  // a value without columns
    const auto small = [&] { return rng_.chance(0.2) ? "_" : std::to_string(1 + below(2)); };
    std::string columns = "a:" + small() + "/b:" + small();
    return rng_.chance(0.4) ? columns + "/n:" + number : columns;
  }

  /// Some columns of what a read found, or all.
  std::string told_of(const std::string& found) {
    if (!is_row(found)) return rng_.chance(0.1) ? "/" : found;
    const bool is_whole = rng_.chance(options_.whole_share);
    const std::map<std::string, std::string> held = columns_of(found);
    std::string told;
    for (const char* const name : {"a", "b", "n"}) {
      if (!is_whole && rng_.chance(0.5)) continue;
      const auto column = held.find(name);
      told += (told.empty() ? "" : "/") + std::string(name) + ":" +
              (column == held.end() ? "_" : column->second);
    }
    return told.empty() ? "/" : told;
  }

  void tell_columns() {
    for (PlainTxn& txn : txns_) {
      for (PlainOp& op : txn.ops) {
        if (op.kind == OpKind::kRead && !op.value.empty()) op.value = told_of(op.value);
        for (auto& [key, found] : op.selection.rows) found = told_of(found);
      }
    }
  }

  PlainOp read_op(const std::string& key) {
    if (options_.selection_share > 0 && rng_.chance(options_.selection_share)) {
      return selection_op();
    }
    if (options_.exclusion_share > 0 && !lists_.contains(key) &&
        rng_.chance(options_.exclusion_share)) {
      return {OpKind::kReadExcept, key, std::to_string(1 + below(6)), {}};
    }
    if (rng_.chance(options_.unknown_read_share)) return {OpKind::kReadUnknown, key, {}, {}};
    return {lists_.contains(key) ? OpKind::kReadList : OpKind::kRead, key, {}, {}};
  }
  PlainOp write_op(const std::string& key) {
    if (options_.delete_share > 0 && !lists_.contains(key) &&
        rng_.chance(options_.delete_share)) {
      return {OpKind::kWrite, key, {}, {}};
    }
    return {lists_.contains(key) ? OpKind::kAppend : OpKind::kWrite, key, fresh_value(key), {}};
  }

  std::string range(std::uint64_t first, std::uint64_t most) {
    const std::uint64_t low = first + below(most);
    return std::to_string(low) + ".." + std::to_string(low + below(most));
  }

  PlainOp selection_op() {
    PlainOp op;
    op.kind = OpKind::kReadAbsent;
    if (rng_.chance(0.4)) op.selection.keys = range(0, options_.key_count);
    if (options_.has_rows) {
      op.selection.columns = tests();
      return op;
    }
    if (!options_.selects_values) return op;
    if (rng_.chance(0.4)) op.selection.values = range(1, 4);
    if (rng_.chance(0.2)) op.selection.equal = std::to_string(1 + below(5));
    return op;
  }

  std::string tests() {
    std::string all;
    const auto add = [&](const std::string& column) {
      const std::string number = std::to_string(1 + below(2));
      const auto kTests = std::to_array(
          {number, number, "!" + number, std::string("_"), std::string("!_"), range(1, 2)});
      all += (all.empty() ? "" : "/") + column + ":" + kTests[below(kTests.size())];
    };
    if (rng_.chance(0.7)) add("a");
    if (rng_.chance(0.3)) add("b");
    return all;
  }

  /// Answers the selection from what `seen(key)` and the own writes of the transaction are.
  template <typename Seen>
  void select(PlainSelection& selection, const State& own, const Seen& seen) {
    for (const std::string& key : keys_) {
      const auto mine = own.find(key);
      const Words cell = mine != own.end() && !mine->second.empty() ? mine->second : seen(key);
      if (cell.empty() || !selects_key(selection, key)) continue;
      if (selects_value(selection, cell.back())) {
        selection.rows.emplace_back(key, cell.back());
      }
      if (options_.doubled_share == 0 || !rng_.chance(options_.doubled_share)) continue;
      const Words other = at(below(states_.size()), key);
      if (!other.empty() && selects_value(selection, other.back())) {
        selection.rows.emplace_back(key, other.back());
      }
    }
  }

  void plan(PlainTxn& txn) {
    txn.session = std::string(1, static_cast<char>('A' + below(options_.session_count)));
    if (rng_.chance(options_.aborted_share)) {
      txn.status = TxnStatus::kAborted;
    } else if (rng_.chance(options_.indeterminate_share)) {
      txn.status = TxnStatus::kIndeterminate;
    }
    const bool has_observers = options_.has_observers;
    if (has_observers && 2 * txns_.size() > options_.txn_count + 1) return observe(txn);
    // Reading much and then writing a little invites skew.
    if (!has_observers && rng_.chance(0.3)) {
      for (const std::string& key : keys_) txn.ops.push_back(read_op(key));
      if (rng_.chance(0.8)) txn.ops.push_back(write_op(any_of(keys_)));
      return;
    }
    const double read_share =
        has_observers ? 0.2 : std::to_array({0.5, 0.5, 0.6, 0.6, 0.7, 1.0})[below(6)];
    for (std::uint64_t left = 1 + below(options_.ops_max); left > 0; --left) {
      const std::string& key = any_of(keys_);
      const bool is_read = rng_.chance(read_share);
      if (is_read || rng_.chance(0.3)) txn.ops.push_back(read_op(key));
      if (!is_read) txn.ops.push_back(write_op(key));
    }
  }

  void observe(PlainTxn& txn) {
    const std::size_t first = below(keys_.size());
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      txn.ops.push_back(read_op(keys_[(first + k) % keys_.size()]));
    }
  }

  static bool writes(const PlainTxn& txn, const std::string& key) {
    return std::any_of(txn.ops.begin(), txn.ops.end(),
                       [&](const PlainOp& op) { return op.key == key && is_write(op); });
  }

  // The last state that differs from the current one on something `txn` writes, plus one. Where
  // a row was deleted anyone may insert it again.
  std::size_t oldest_snapshot(const PlainTxn& txn) const {
    std::size_t oldest = states_.size() - 1;
    while (oldest > 0 && std::none_of(keys_.begin(), keys_.end(), [&](const std::string& key) {
             const Words now = at(states_.size() - 1, key);
             return writes(txn, key) && !is_deletion(now) && at(oldest - 1, key) != now;
           })) {
      --oldest;
    }
    return oldest;
  }

  static bool is_deletion(const Words& cell) { return !cell.empty() && cell.back().empty(); }

  Words at(std::size_t state, const std::string& key) const {
    const auto found = states_[state].find(key);
    return found == states_[state].end() ? Words() : found->second;
  }

  std::size_t choose_snapshot(const PlainTxn& txn) {
    const std::size_t current = states_.size() - 1;
    if (options_.reads != ReadSource::kSnapshot) return current;
    const std::size_t oldest = rng_.chance(options_.stale_share) ? 0 : oldest_snapshot(txn);
    return rng_.chance(0.6) ? oldest : oldest + below(current - oldest + 1);
  }

  std::size_t choose_state(std::size_t snapshot) {
    const std::size_t current = states_.size() - 1;
    if (options_.reads == ReadSource::kAnyBefore) return below(current + 1);
    if (options_.reads == ReadSource::kSerial && rng_.chance(options_.stale_share)) {
      return below(current + 1);
    }
    return snapshot;
  }

  // kCausal: which of the transactions that took effect this one sees.
  void choose_past(std::size_t position) {
    const PlainTxn& txn = txns_[position];
    std::vector<bool>& past = past_[position];
    past.resize(effective_.size());
    const double seen_share = std::to_array({0.2, 0.5, 0.8})[below(3)];
    for (std::size_t i = effective_.size(); i-- > 0;) {
      const PlainTxn& other = txns_[effective_[i]];
      const bool is_conflict =
          std::any_of(keys_.begin(), keys_.end(), [&](const std::string& key) {
            return writes(txn, key) && writes(other, key) &&
                   !is_deletion(at(states_.size() - 1, key));
          });
      // Who wrote nothing is not seen itself, only what it saw.
      const bool is_writer = !own_writes(other).empty();
      const bool is_wanted = (is_writer && rng_.chance(seen_share)) ||
                             (other.session == txn.session && rng_.chance(0.9)) ||
                             (is_conflict && !rng_.chance(options_.stale_share));
      if (!is_wanted && !past[i]) continue;
      past[i] = true;
      const std::vector<bool>& more = past_[effective_[i]];
      for (std::size_t j = 0; j < more.size(); ++j) past[j] = past[j] || more[j];
    }
  }

  // What the past of a transaction makes of the keys, in the order of commits.
  State state_of_past(std::size_t position) {
    State state = states_[0];
    const std::vector<bool>& past = past_[position];
    for (std::size_t i = 0; i < past.size(); ++i) {
      if (past[i]) state = after(state, own_writes(txns_[effective_[i]]));
    }
    return state;
  }

  static State own_writes(const PlainTxn& txn) {
    State own;
    for (const PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kWrite) own[op.key] = {op.value};
      if (op.kind == OpKind::kAppend) own[op.key].push_back(op.value);
    }
    return own;
  }

  // kShared: runs the transactions, up to three of different sessions at a time. Nothing is
  // undone when one aborts.
  void take_turns_on_one_state() {
    State shared = states_[0];
    std::vector<std::size_t> active;
    std::size_t next = 0;
    while (true) {
      while (active.size() < 3 && next < txns_.size() && has_free_session(next, active)) {
        active.push_back(next++);
      }
      if (active.empty()) return;
      const std::size_t chosen = below(active.size());
      const std::size_t position = active[chosen];
      std::vector<PlainOp>& ops = txns_[position].ops;
      if (next_op_[position] < ops.size()) run(ops[next_op_[position]++], shared);
      if (next_op_[position] < ops.size()) continue;
      active.erase(active.begin() + static_cast<std::ptrdiff_t>(chosen));
      states_.push_back(shared);
    }
  }

  bool has_free_session(std::size_t next, const std::vector<std::size_t>& active) const {
    return std::none_of(active.begin(), active.end(), [&](std::size_t other) {
      return txns_[other].session == txns_[next].session;
    });
  }

  void run(PlainOp& op, State& shared) {
    if (op.kind == OpKind::kReadAbsent) {
      return select(op.selection, shared, [](const std::string&) { return Words(); });
    }
    Words& cell = shared[op.key];
    if (op.kind == OpKind::kWrite) cell = {op.value};
    if (op.kind == OpKind::kAppend) cell.push_back(op.value);
    if (op.kind == OpKind::kRead) op.value = cell.empty() ? "" : cell.back();
    if (op.kind == OpKind::kReadList) op.list = cell;
  }

  // The value of a key that the transaction sees.
  Words seen_by(std::size_t position, const std::string& key) {
    if (options_.reads != ReadSource::kCausal)
      return at(choose_state(snapshot_[position]), key);
    const State state = state_of_past(position);
    const auto found = state.find(key);
    return found == state.end() ? Words() : found->second;
  }

  void answer(std::size_t position) {
    PlainTxn& txn = txns_[position];
    snapshot_[position] = choose_snapshot(txn);
    if (options_.reads == ReadSource::kCausal) {
      choose_past(position);
      const std::vector<bool>& past = past_[position];
      snapshot_[position] =
          static_cast<std::size_t>(std::find(past.begin(), past.end(), false) - past.begin());
    }
    State own;
    for (PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kReadAbsent) {
        select(op.selection, own,
               [&](const std::string& key) { return seen_by(position, key); });
        continue;
      }
      Words& mine = own[op.key];
      if (op.kind == OpKind::kWrite) mine = {op.value};
      if (op.kind == OpKind::kAppend) mine.push_back(op.value);
      if (op.kind == OpKind::kRead) {
        const Words seen = mine.empty() ? seen_by(position, op.key) : mine;
        op.value = seen.empty() ? "" : seen.back();
      }
      if (op.kind == OpKind::kReadList) {
        op.list = seen_by(position, op.key);
        op.list.insert(op.list.end(), mine.begin(), mine.end());
      }
    }
    if (!takes_effect(txn)) return;
    effective_.push_back(position);
    states_.push_back(after(states_.back(), own));
  }

  bool takes_effect(const PlainTxn& txn) {
    if (txn.status == TxnStatus::kAborted) return rng_.chance(options_.dirty_share);
    return txn.status == TxnStatus::kCommitted || rng_.chance(0.5);
  }

  State after(State state, const State& own) const {
    for (const auto& [key, words] : own) {
      if (words.empty()) continue;
      Words& cell = state[key];
      if (!lists_.contains(key)) cell.clear();
      cell.insert(cell.end(), words.begin(), words.end());
    }
    return state;
  }

  void answer_with_anything() {
    for (PlainTxn& txn : txns_) {
      for (PlainOp& op : txn.ops) {
        if (op.kind == OpKind::kReadAbsent) {
          for (int change = 0; change < 2; ++change)
            change_selection(txns_, op.selection, rng_);
          continue;
        }
        scramble(op, written_[op.key], rng_);
      }
    }
  }

  void reorder() {
    for (std::size_t i = txns_.size(); i > 1; --i) {
      // Mostly neighbours, so that much of the order stays.
      const std::size_t other = rng_.chance(0.5) ? i - 2 : below(i);
      if (rng_.chance(0.5)) std::swap(txns_[i - 1], txns_[other]);
    }
  }

  void add_times() {
    if (options_.times == TimeSource::kNone) return;
    const double missing_share = rng_.chance(0.3) ? 0.2 : 0.0;
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      TxnTimes& times = txns_[t].times;
      times = options_.times == TimeSource::kAnything ? any_times() : execution_times(t);
      if (rng_.chance(missing_share)) times.start = kNoTime;
      const bool is_lost = txns_[t].status == TxnStatus::kIndeterminate && rng_.chance(0.8);
      if (rng_.chance(missing_share) || is_lost) times.end = kNoTime;
    }
  }

  // Commit times differ by their last digits; starts may fall on them.
  void add_database_times() {
    if (!rng_.chance(options_.database_times_share)) return;
    const bool is_exact = rng_.chance(0.4);
    for (std::size_t t = 0; t < txns_.size(); ++t) {
      DatabaseTimes& times = txns_[t].database_times;
      const auto place = static_cast<std::int64_t>(t);
      const auto lag = static_cast<std::int64_t>(std::min(t, lag_of(t)));
      times.commit = 100 * (place + 1) + place;
      times.start = times.commit - 100 * lag - static_cast<std::int64_t>(1 + below(100));
      if (is_exact) continue;
      if (rng_.chance(0.2)) times.commit += 100 * static_cast<std::int64_t>(below(4)) - 150;
      if (rng_.chance(0.3)) times.start = times.commit - static_cast<std::int64_t>(below(400));
      times.start = std::min(times.start, times.commit - 1);
    }
  }

  void add_levels() {
    if (!rng_.chance(options_.levels_share)) return;
    constexpr auto kMixable =
        std::to_array({Level::kSerializable, Level::kSerializable, Level::kRepeatableRead,
                       Level::kSnapshotIsolation, Level::kSnapshotIsolation,
                       Level::kPrefixConsistency, Level::kTransactionalCausal,
                       Level::kReadAtomic, Level::kMonotonicAtomicView, Level::kReadCommitted});
    for (PlainTxn& txn : txns_) txn.level = kMixable[below(kMixable.size())];
    if (txns_.empty() || !rng_.chance(0.1)) return;
    std::optional<Level>& odd = txns_[below(txns_.size())].level;
    odd = rng_.chance(0.5) ? std::nullopt : std::optional(Level::kLinearizable);
  }

  TxnTimes any_times() {
    const auto start = static_cast<std::int64_t>(below(40));
    return {start, start + static_cast<std::int64_t>(below(25))};
  }

  // Transaction t commits at 10 (t + 1); a snapshot is state number s, which lasts from the
  // commit of the s-th transaction that took effect. Both lie inside the interval.
  TxnTimes execution_times(std::size_t t) {
    const auto commit = static_cast<std::int64_t>(10 * (t + 1));
    const auto behind = static_cast<std::int64_t>(10 * std::min(t, lag_of(t)));
    const std::int64_t longer = rng_.chance(0.3) ? 25 : 4;
    const auto slack = [&] {
      return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(longer)));
    };
    return {commit - behind - 1 - slack(), commit + 1 + slack()};
  }

  std::size_t lag_of(std::size_t t) const {
    const std::size_t known = std::min(t, states_.size() - 1);
    return known > snapshot_[t] ? known - snapshot_[t] : 0;
  }

  // Cuts intervals short where the next transaction of the session has started already.
  void take_turns() {
    std::map<std::string, TxnTimes*> last;
    for (PlainTxn& txn : txns_) {
      TxnTimes*& before = last[txn.session];
      if (before != nullptr && before->end != kNoTime && txn.times.start != kNoTime &&
          before->end >= txn.times.start) {
        const std::int64_t cut = (before->end + txn.times.start) / 2;
        if (before->start == kNoTime || before->start < cut) before->end = cut;
        if (txn.times.end == kNoTime || txn.times.end > cut) txn.times.start = cut + 1;
      }
      before = &txn.times;
    }
  }

  base::Rng& rng_;
  const RandomHistoryOptions& options_;
  Words keys_;
  std::set<std::string> lists_;
  bool values_per_key_ = false;
  std::map<std::string, int> value_count_;
  std::map<std::string, Words> written_;
  PlainHistory txns_;
  std::vector<State> states_ = {State()};
  std::vector<std::size_t> snapshot_;
  std::vector<std::size_t> effective_;   // transactions that took effect, in order
  std::vector<std::vector<bool>> past_;  // kCausal: which of effective_ each one sees
  std::vector<std::size_t> next_op_;     // kShared
};

}  // namespace

RandomHistoryOptions random_options(base::Rng& rng) {
  RandomHistoryOptions options;
  constexpr auto kReads = std::to_array(
      {ReadSource::kSerial, ReadSource::kSerial, ReadSource::kSnapshot, ReadSource::kSnapshot,
       ReadSource::kSnapshot, ReadSource::kSnapshot, ReadSource::kAnyBefore,
       ReadSource::kAnyBefore, ReadSource::kAnything, ReadSource::kAnything,
       ReadSource::kAnything, ReadSource::kCausal, ReadSource::kCausal, ReadSource::kCausal,
       ReadSource::kShared, ReadSource::kShared, ReadSource::kShared, ReadSource::kShared});
  options.reads = kReads[rng.below(kReads.size())];
  options.times = std::to_array({TimeSource::kNone, TimeSource::kExecution,
                                 TimeSource::kExecution, TimeSource::kAnything})[rng.below(4)];
  options.session_count = 1 + rng.below(4);
  options.txn_count = std::to_array({2U, 3U, 4U, 4U, 5U, 5U, 6U, 6U})[rng.below(8)];
  options.ops_max = std::to_array({1U, 2U, 3U, 4U, 4U})[rng.below(5)];
  options.database_times_share = 0.3;
  options.levels_share = 0.4;
  options.key_count = std::to_array({1U, 2U, 2U, 3U, 3U})[rng.below(5)];
  options.list_share = std::to_array({0.0, 0.0, 0.5, 1.0})[rng.below(4)];
  options.aborted_share = rng.chance(0.3) ? 0.2 : 0.0;
  options.indeterminate_share = rng.chance(0.3) ? 0.3 : 0.0;
  options.unknown_read_share = rng.chance(0.1) ? 0.2 : 0.0;
  options.stale_share = std::to_array({0.0, 0.1, 0.3})[rng.below(3)];
  options.dirty_share = rng.chance(0.5) ? 0.5 : 0.0;
  options.reorder_share = std::to_array({0.0, 0.5, 1.0})[rng.below(3)];
  options.mutation_count = std::to_array({0.0, 0.5, 1.0, 2.0})[rng.below(4)];
  options.sessions_take_turns = rng.chance(0.7);
  if (options.reads == ReadSource::kCausal && rng.chance(0.7)) {
    // It takes two writers of different keys and two observers to see more than one order.
    options.txn_count = std::max<std::uint64_t>(options.txn_count, 4);
    options.session_count = 4;
    options.key_count = 2;
    options.ops_max = 1;
    options.has_observers = true;
    options.aborted_share = 0;
    options.indeterminate_share = 0;
  }
  options.start_share = rng.chance(0.25) ? 0.7 : 0.0;
  if (options.reads == ReadSource::kShared && rng.chance(0.8)) {
    // Only lists show that writes were mixed, when there are enough of them.
    options.list_share = 1.0;
    options.txn_count = std::max<std::uint64_t>(options.txn_count, 4);
    options.session_count = 3 + rng.below(2);
    options.key_count = 1 + rng.below(2);
    options.ops_max = 4;
    options.has_observers = true;
    options.aborted_share /= 2;
  }
  return options;
}

RandomHistoryOptions random_selection_options(base::Rng& rng, bool on_values) {
  RandomHistoryOptions options = random_options(rng);
  options.list_share = 0;
  if (options.reads == ReadSource::kShared) options.reads = ReadSource::kSnapshot;
  options.selection_share = std::to_array({0.2, 0.5, 0.8})[rng.below(3)];
  options.exclusion_share = on_values && rng.chance(0.3) ? 0.3 : 0.0;
  options.delete_share = on_values && rng.chance(0.4) ? 0.4 : 0.0;
  options.selects_values = on_values;
  options.doubled_share = rng.chance(0.3) ? 0.2 : 0.0;
  return options;
}

RandomHistoryOptions random_row_options(base::Rng& rng) {
  RandomHistoryOptions options = random_options(rng);
  options.has_rows = true;
  options.list_share = 0;
  if (options.reads == ReadSource::kShared) options.reads = ReadSource::kSnapshot;
  options.selection_share = std::to_array({0.0, 0.0, 0.3, 0.6})[rng.below(4)];
  options.delete_share = rng.chance(0.3) ? 0.3 : 0.0;
  options.whole_share = std::to_array({0.0, 0.3, 1.0})[rng.below(3)];
  return options;
}

PlainHistory random_history(base::Rng& rng, const RandomHistoryOptions& options) {
  return Generator(rng, options).make();
}

PlainHistory random_history(std::uint64_t seed) {
  base::Rng rng(seed);
  const RandomHistoryOptions options = random_options(rng);
  return random_history(rng, options);
}

void change_something(PlainHistory& history, base::Rng& rng) {
  PlainTxn& txn = history[rng.below(history.size())];
  const std::uint64_t what = rng.below(12);
  if (what == 0) std::swap(txn.session, history[rng.below(history.size())].session);
  if (what == 1) {
    txn.status = std::to_array(
        {TxnStatus::kCommitted, TxnStatus::kAborted, TxnStatus::kIndeterminate})[rng.below(3)];
  }
  if (what == 2) {
    shift(txn.times.start, rng);
    shift(txn.times.end, rng);
    if (txn.times.start != kNoTime && txn.times.end != kNoTime) {
      txn.times.end = std::max(txn.times.start, txn.times.end);
    }
  }
  if (txn.level && what > 8 && rng.chance(0.3)) {
    txn.level = history[rng.below(history.size())].level;
    return;
  }
  if (txn.ops.empty()) return;
  PlainOp& op = txn.ops[rng.below(txn.ops.size())];
  if (what == 3) std::swap(op, txn.ops[rng.below(txn.ops.size())]);
  if (what < 4) return;
  if (op.kind == OpKind::kReadAbsent) return change_selection(history, op.selection, rng);
  const Words written = written_to(history, op.key);
  if (op.kind == OpKind::kReadExcept) {
    if (written.empty()) return;
    const std::string& value = written[rng.below(written.size())];
    if (!value.empty() && !is_row(value)) op.value = value;
    return;
  }
  if (op.kind == OpKind::kReadList) {
    change_list(op.list, written, rng);
  } else {
    scramble(op, written, rng);
  }
}

bool has_duplicate_writes(const PlainHistory& history) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const PlainOp& held : history.start) seen.insert({held.key, held.value});
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (is_write(op) && !seen.insert({op.key, op.value}).second) return true;
    }
  }
  return false;
}

bool sessions_respect_time(const PlainHistory& history, std::int64_t clock_error_ns) {
  for (std::size_t later = 0; later < history.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      if (history[earlier].session != history[later].session) continue;
      if (history[earlier].status == TxnStatus::kIndeterminate) return false;
      const std::int64_t end = history[earlier].times.end;
      const std::int64_t start = history[later].times.start;
      if (end == kNoTime || start == kNoTime || end + clock_error_ns >= start) return false;
    }
  }
  return true;
}

}  // namespace isolde::support

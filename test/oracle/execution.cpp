#include "oracle/execution.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "oracle/level_tests.hpp"
#include "oracle/rows.hpp"

namespace isolde::oracle {

// Whether a transaction at the level reads what is there now: when it commits, or when its
// statement runs.
static bool refusals_count(const History& history, TxnId txn, std::optional<Level> level) {
  if (level && level_test(info(*level).base).asks == Asks::kOwnLevel) {
    level = history.stated_level(txn);
  }
  return level && level_test(info(*level).base).refusals_count;
}

Execution::Execution(const History& history, std::vector<TxnId> included,
                     std::int64_t clock_error_ns, std::optional<KeyId> only,
                     bool with_absent_rows, std::optional<Level> level)
    : history_(&history), included_(std::move(included)), clock_error_ns_(clock_error_ns) {
  for (const TxnId txn : included_) {
    effects_[txn] =
        effects_of(history, txn, only, with_absent_rows, refusals_count(history, txn, level));
  }
  states_.push_back(first_state(history));
}

bool Execution::contains(TxnId txn) const {
  return std::find(order_.begin(), order_.end(), txn) != order_.end();
}

void Execution::push(Step step) {
  states_.push_back(transition(states_.back(), effects(step.txn), *history_));
  order_.push_back(step.txn);
  steps_.push_back(std::move(step));
}

void Execution::pop() {
  states_.pop_back();
  order_.pop_back();
  steps_.pop_back();
}

std::vector<std::size_t> Execution::read_states(const Effects::Read& read) const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (read.shows(cell_at(states_[s], read.key))) found.push_back(s);
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
  // Selections literally, as what they return in that state.
  const Effects& own = effects(txn);
  return std::all_of(own.reads.begin(), own.reads.end(),
                     [&](const Effects::Read& read) {
                       return read.shows(cell_at(states_[state], read.key));
                     }) &&
         std::all_of(own.queries.begin(), own.queries.end(), [&](const Effects::Query& query) {
           return is_answer(*history_, query, states_[state]);
         });
}

bool Execution::rows_were_replaced(TxnId txn) const {
  const std::vector<Effects::Replaced>& rows = effects(txn).replaced;
  return std::all_of(rows.begin(), rows.end(), [&](const Effects::Replaced& row) {
    return std::any_of(states_.begin(), states_.end(), [&](const State& state) {
      const Cell& cell = cell_at(state, row.key);
      return !meets(*history_, row.predicate, cell.empty() ? Value() : cell.back());
    });
  });
}

// Whether the transaction that made the state wrote the key; nobody made the first state.
bool Execution::writes(std::size_t position, KeyId key) const {
  return position > 0 && effects(order_[position - 1]).writes.contains(key);
}

std::vector<StateRange> Execution::possible_ranges(const Effects::Read& read) const {
  std::vector<StateRange> ranges;
  for (const std::size_t source : read_states(read)) {
    if (source > 0 && !writes(source, read.key)) continue;
    std::size_t last = source;
    while (last < parent() && !writes(last + 1, read.key)) ++last;
    ranges.push_back({source, last});
  }
  return ranges;
}

Step Execution::bare_step(TxnId txn) const {
  Step step;
  step.txn = txn;
  step.position = states_.size();
  return step;
}

std::vector<Step> Execution::explained_steps(TxnId txn) const {
  std::vector<Step> steps = {bare_step(txn)};
  for (const Effects::Read& read : effects(txn).reads) {
    const std::vector<StateRange> ranges = possible_ranges(read);
    std::vector<Step> longer;
    for (const Step& step : steps) {
      for (const StateRange& range : ranges) {
        longer.push_back(step);
        longer.back().reads.push_back(range);
      }
    }
    steps = std::move(longer);
  }
  for (Step& step : steps) {
    step.is_explained = true;
    for (const std::size_t read : effects(txn).ops) {
      step.ops.push_back(read == Effects::kNoRead ? StateRange{0, parent()} : step.reads[read]);
    }
  }
  return steps;
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

bool Execution::precedes(const LevelInfo& level, TxnId a, TxnId b) const {
  return (level.session_order && precedes_in_session(a, b)) ||
         (level.real_time && precedes_in_time(a, b)) ||
         (level_test(level.base).in_time_by_key && share_a_key(a, b) && precedes_in_time(a, b));
}

// Asked where real time binds by key: there refused inserts count.
bool Execution::share_a_key(TxnId a, TxnId b) const {
  const auto uses = [&](const Op& op) {
    return op.uses_item() || (history_->is_refused_insert(op) && !history_->is_list(op.key));
  };
  for (const Op& one : history_->ops(a)) {
    for (const Op& two : history_->ops(b)) {
      if (uses(one) && uses(two) && one.key == two.key) return true;
    }
  }
  return false;
}

bool Execution::all_placed_by(std::size_t position, TxnId txn, const LevelInfo& level) const {
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(position);
  return std::all_of(included_.begin(), included_.end(), [&](TxnId other) {
    return other == txn || !precedes(level, other, txn) ||
           std::find(order_.begin(), end, other) != end;
  });
}

}  // namespace isolde::oracle

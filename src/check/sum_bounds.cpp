#include "check/sum_bounds.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/budget.hpp"
#include "history/base_levels.hpp"
#include "infer/event_graph.hpp"

namespace isolde::checker {
namespace {

/// The number that a read of a counted key returned, if it tells one.
std::optional<std::int64_t> number_read(const History& history, const Op& op) {
  const Value value = op.kind == OpKind::kRead ? history.seen(op) : history.read_value(op);
  if (value.kind() != Value::Kind::kInteger) return std::nullopt;
  return value.as_integer();
}

}  // namespace

void SumBounds::Totals::add(Wide by) {
  all += by;
  (by < 0 ? less : more) += by;
}

SumBounds::Totals SumBounds::Totals::operator-(const Totals& other) const {
  return {all - other.all, less - other.less, more - other.more};
}

void SumBounds::Line::sum_up() {
  sums.resize(1);
  for (const Step& step : steps) {
    sums.push_back(sums.back());
    sums.back().add(step.by);
  }
}

template <typename Predicate>
const SumBounds::Totals& SumBounds::Line::while_true(const Predicate& predicate) const {
  const auto end = std::partition_point(steps.begin(), steps.end(),
                                        [&](const Step& step) { return predicate(step.txn); });
  return sums[static_cast<std::size_t>(end - steps.begin())];
}

SumBounds::SumBounds(const History& history, std::int64_t clock_error_ns, base::Budget& budget)
    : history_(history),
      clock_error_ns_(clock_error_ns),
      budget_(budget),
      is_counted_(history.key_count()),
      steps_(history.key_count()),
      changed_by_(history.key_count()),
      read_by_(history.key_count()) {
  // What is missing may have added more.
  if (history.origin().truncated) return;
  note_steps();
  for (std::size_t t = 0; t < history.txn_count() && !budget.exhausted(); ++t) {
    note_reads(TxnId::at(t));
  }
  for (const LevelInfo& level : all_levels()) {
    if (const auto rules = rules_of(level)) found_.try_emplace(*rules);
  }
  // Sums of one group at a time: there may be as many groups as transactions that read.
  for (auto& [keys, group] : groups_) {
    if (budget.exhausted()) return;
    sum_up(keys, group);
    for (auto& [rules, finding] : found_) {
      if (!finding && (keys.size() == 1 || rules.together))
        finding = find_in(keys, group, rules);
    }
    group = {};
  }
}

void SumBounds::note_steps() {
  auto next = history_.increments().begin();
  const auto end = history_.increments().end();
  for (auto each = next; each != end; ++each) {
    is_counted_[history_.all_ops()[each->op].key.raw()] = 1;
  }
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    const std::span<const Op> ops = history_.ops(txn);
    const bool is_aborted = history_.status(txn) == TxnStatus::kAborted;
    for (std::size_t at = 0; at < ops.size(); ++at) {
      const bool adds = next != end && next->op == history_.first_op(txn) + at;
      if (!adds && ops[at].is_write() && !is_aborted) is_counted_[ops[at].key.raw()] = 0;
      if (!adds) continue;
      std::vector<Step>& steps = steps_[ops[at].key.raw()];
      const std::int64_t by = (next++)->by;
      ++at;  // the write that belongs to it
      if (is_aborted) continue;
      if (steps.empty() || steps.back().txn != txn) steps.push_back({txn});
      steps.back().by += by;
    }
    budget_.spend(ops.size());
  }
}

/// What the transaction read of counted keys before it added to them: each read, and the first
/// of each key together.
void SumBounds::note_reads(TxnId txn) {
  if (history_.status(txn) != TxnStatus::kCommitted) return;
  const std::span<const Op> ops = history_.ops(txn);
  std::vector<KeyId> keys;
  Reading all{txn};
  for (std::uint32_t at = 0; at < ops.size(); ++at) {
    const Op& op = ops[at];
    if (is_counted_[op.key.raw()] == 0 || changed_by_[op.key.raw()] == txn) continue;
    if (op.is_write()) changed_by_[op.key.raw()] = txn;
    const std::optional<std::int64_t> number = number_read(history_, op);
    if (!number) continue;
    groups_[{op.key}].readings.push_back({txn, at, *number});
    if (std::exchange(read_by_[op.key.raw()], txn) == txn) continue;
    keys.push_back(op.key);
    all.op = at;
    all.total += *number;
  }
  if (keys.size() > 1) {
    std::sort(keys.begin(), keys.end());
    groups_[std::move(keys)].readings.push_back(all);
  }
  budget_.spend(ops.size());
}

void SumBounds::sum_up(const std::vector<KeyId>& keys, Group& group) {
  std::vector<Step> all;
  for (const KeyId key : keys) {
    group.begin += history_.initial(key).as_integer();
    const std::vector<Step>& steps = steps_[key.raw()];
    all.insert(all.end(), steps.begin(), steps.end());
  }
  budget_.spend(all.size() * 8);
  const auto sort_by = [](Line& line, const auto& place) {
    std::sort(line.steps.begin(), line.steps.end(),
              [&](const Step& a, const Step& b) { return place(a.txn) < place(b.txn); });
  };
  const auto in_session = [this](TxnId txn) {
    return std::pair(history_.session_of(txn).raw(), txn.raw());
  };
  const auto end = [this](TxnId txn) { return infer::certain_end(history_, txn); };
  const auto start = [this](TxnId txn) { return history_.times(txn).start; };
  std::vector<Step>& steps = group.by_session.steps;
  sort_by(group.by_session = {std::move(all), {}}, in_session);
  for (std::size_t from = 0, to = 0; from < steps.size(); ++from) {
    if (to > 0 && steps[to - 1].txn == steps[from].txn) {
      steps[to - 1].by += steps[from].by;
    } else {
      steps[to++] = steps[from];
    }
    if (from + 1 == steps.size()) steps.resize(to);
  }
  std::erase_if(steps, [](const Step& step) { return step.by == 0; });
  for (const Step& step : steps) {
    if (history_.status(step.txn) == TxnStatus::kCommitted)
      group.committed.steps.push_back(step);
    if (end(step.txn) != kNoTime) group.by_end.steps.push_back(step);
    if (start(step.txn) != kNoTime) group.by_start.steps.push_back(step);
  }
  sort_by(group.by_end, end);
  sort_by(group.by_start, start);
  for (Line* line : {&group.by_session, &group.committed, &group.by_end, &group.by_start}) {
    line->sum_up();
  }
}

bool SumBounds::explains(const Group& group, const Reading& reading, const Rules& rules) const {
  const TxnId reader = reading.txn;
  const SessionId session = history_.session_of(reader);
  const auto place = [this](TxnId txn) {
    return std::pair(history_.session_of(txn).raw(), txn.raw());
  };
  const auto up_to = [&](const Line& line, std::pair<std::uint32_t, std::uint32_t> end) {
    return line.while_true([&](TxnId txn) { return place(txn) < end; });
  };
  const std::pair here = place(reader);
  const std::pair behind(here.first, here.second + 1);
  const Totals own = up_to(group.by_session, behind) - up_to(group.by_session, here);
  Totals before;
  Totals after;
  if (rules.order == Order::kSession) {
    const std::pair first(session.raw(), std::uint32_t{0});
    const std::pair last(session.raw() + 1, std::uint32_t{0});
    before = up_to(group.committed, here) - up_to(group.committed, first);
    after = up_to(group.by_session, last) - up_to(group.by_session, behind);
  } else if (rules.order == Order::kTime) {
    before = group.by_end.while_true(
        [&](TxnId txn) { return infer::ended_before(history_, txn, reader, clock_error_ns_); });
    after = group.by_start.all() - group.by_start.while_true([&](TxnId txn) {
      return !infer::ended_before(history_, reader, txn, clock_error_ns_);
    });
  }
  if (!rules.sees_all_before) before = {};
  const Totals open = group.by_session.all() - own - before - after;
  const Wide known = group.begin + before.all;
  return known + open.less <= reading.total && reading.total <= known + open.more;
}

std::optional<SumBounds::Rules> SumBounds::rules_of(const LevelInfo& level) {
  if (!implies(level.level, Level::kReadCommitted, false) &&
      level.base != BaseLevel::kLinearizable) {
    return std::nullopt;
  }
  Rules rules;
  // A session guarantee binds reads and updates of the session apart.
  if (level.session_order && !explains_sessions_apart(level.base))
    rules.order = Order::kSession;
  if (needs_times(level)) rules.order = Order::kTime;
  rules.sees_all_before = forbids_lost_updates(level.base);
  rules.together = rules.sees_all_before && level.base != BaseLevel::kLinearizable;
  return rules;
}

std::optional<Finding> SumBounds::find_in(const std::vector<KeyId>& keys, const Group& group,
                                          const Rules& rules) const {
  const FindingKind kind =
      keys.size() == 1 ? FindingKind::kImpossibleNumber : FindingKind::kImpossibleTotal;
  for (const Reading& reading : group.readings) {
    if (!budget_.spend(16)) break;
    if (!explains(group, reading, rules))
      return Finding{kind, reading.txn, reading.op, 0, {}, 0};
  }
  return std::nullopt;
}

std::optional<Finding> SumBounds::find(const LevelInfo& level) const {
  const std::optional<Rules> rules = rules_of(level);
  const auto found = rules ? found_.find(*rules) : found_.end();
  return found == found_.end() ? std::nullopt : found->second;
}

}  // namespace isolde::checker

// "No order of the operations on this key explains what had returned when U returned": decided
// again, by trying all orders. The operations are followed from one return to the next, with
// all configurations that are possible there: the state of the key and what of the running
// operations is in the order. Whatever returns must be in the order by then; so some sequence
// of running operations that ends with it comes next. When no configuration is left, none of
// the orders exists. docs/formats/certificate.md says why some configurations need not be
// followed.
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "certify/external_reads.hpp"
#include "certify/proof_parts.hpp"

namespace isolde::certify {
namespace {

/// What a key holds: nothing, a register's value, or a list's elements.
using Cell = std::vector<Value>;

/// One transaction's operations on the key.
struct Step {
  TxnId txn;
  std::vector<Op> ops;
  bool writes = false;
  bool possible = true;  // no row of it is one that its selection does not select
  std::map<std::uint32_t, std::optional<std::uint32_t>> outcomes;  // by state: the next one
};

struct Configuration {
  std::uint32_t state = 0;
  std::vector<TxnId> done;          // running and in the order, ascending
  std::vector<std::uint32_t> used;  // by kind of step with unknown outcome
};

/// Invariants: E1 states_ numbers the cells, each differently; E2 a configuration says of each
/// kind how many of its members it used.
class ExhaustionCheck {
 public:
  ExhaustionCheck(const History& history, std::int64_t clock_error_ns,
                  const KeyExhaustion& claim, std::uint64_t limit)
      : history_(history), clock_error_ns_(clock_error_ns), claim_(claim), limit_(limit) {}

  Objection run();

 private:
  /// Steps of unknown outcome that are alike, by start.
  struct Kind {
    Step step;
    std::vector<TxnId> members;
  };

  void collect();
  void add_unknown(const Step& step);
  bool alike(const Step& a, const Step& b) const;
  bool may_matter(const Step& step) const;
  void unify_unseen(Step& step);
  /// True when the step can have begun before `returning` returned.
  bool overlaps(TxnId txn, TxnId returning) const {
    return !ended_before(history_, returning, txn, clock_error_ns_);
  }
  std::optional<std::uint32_t> after(Step& step, std::uint32_t state);
  std::optional<Cell> carry_out(const Step& step, Cell cell) const;
  std::vector<Step*> running_at(std::size_t returned);
  bool pass(std::size_t returned);
  void put_reads(Configuration& at, const std::vector<Step*>& running);
  void extend(const Configuration& at, const std::vector<Step*>& running, TxnId returning);

  const History& history_;
  const std::int64_t clock_error_ns_;
  const KeyExhaustion claim_;
  const std::uint64_t limit_;
  std::vector<Step> committed_;        // by return
  std::vector<std::size_t> to_start_;  // of these, the first to start at the end
  std::set<std::size_t> open_;         // of these, started and not returned
  std::vector<Kind> kinds_;
  std::set<std::uint64_t> seen_;  // values and elements that reads returned
  std::set<Partial> told_;
  std::map<std::set<Partial>, Value> unseen_;  // one of each class, by what it fits
  std::vector<Cell> cells_ = {Cell()};
  std::map<std::vector<std::uint64_t>, std::uint32_t> states_ = {{{}, 0}};
  std::vector<Configuration> front_ = {Configuration()};
  std::deque<Configuration> work_;
  std::uint64_t count_ = 0;
};

/// Of configurations that differ only in how many steps of unknown outcome they used, one with
/// fewer of each leaves open whatever the other does.
class Tried {
 public:
  bool is_new(const Configuration& at) {
    std::vector<std::vector<std::uint32_t>>& like = used_[{at.state, at.done}];
    for (const std::vector<std::uint32_t>& used : like) {
      ISOLDE_INVARIANT(used.size() == at.used.size());
      if (std::equal(used.begin(), used.end(), at.used.begin(), std::less_equal<>())) {
        return false;
      }
    }
    like.push_back(at.used);
    return true;
  }

 private:
  std::map<std::pair<std::uint32_t, std::vector<TxnId>>,
           std::vector<std::vector<std::uint32_t>>>
      used_;
};

Objection ExhaustionCheck::run() {
  if (!exists(history_, claim_.key)) return "there is no such key";
  if (!exists(history_, claim_.until)) return "there is no such transaction";
  if (history_.origin().truncated) return "the history is cut off";
  collect();
  const auto last = std::find_if(committed_.begin(), committed_.end(),
                                 [&](const Step& step) { return step.txn == claim_.until; });
  if (last == committed_.end()) {
    return name_of(history_, claim_.until) + " did not commit or does not use the key";
  }
  front_[0].used.assign(kinds_.size(), 0);
  const auto returns = static_cast<std::size_t>(last - committed_.begin()) + 1;
  for (std::size_t returned = 0; returned < returns; ++returned) {
    if (!pass(returned)) return "there are too many orders to try all";
    if (front_.empty()) return kNoObjection;
  }
  return "an order explains what had returned when " + name_of(history_, claim_.until) +
         " returned";
}

void ExhaustionCheck::collect() {
  std::vector<Step> unknown;
  for (std::size_t i = 0; i < history_.txn_count(); ++i) {
    Step step;
    step.txn = TxnId::at(i);
    const TxnStatus status = history_.status(step.txn);
    if (status == TxnStatus::kAborted) continue;
    for (std::uint32_t at = 0; at < history_.ops(step.txn).size(); ++at) {
      const Op& op = history_.ops(step.txn)[at];
      if (op.key != claim_.key || op.kind == OpKind::kReadUnknown) continue;
      step.possible = step.possible && !is_wrong_row(history_, step.txn, at);
      step.ops.push_back(op);
      step.writes = step.writes || op.is_write();
      if (op.kind == OpKind::kRead) seen_.insert(op.value.bits());
      if (op.is_partial()) told_.insert(op.partial());
      if (op.kind != OpKind::kReadList) continue;
      for (const Value element : history_.list(op)) seen_.insert(element.bits());
    }
    if (step.ops.empty()) continue;
    (status == TxnStatus::kCommitted ? committed_ : unknown).push_back(std::move(step));
  }
  const auto end_of = [&](const Step& step) {
    const std::int64_t end = history_.times(step.txn).end;
    return std::pair(end == kNoTime, end);
  };
  std::stable_sort(committed_.begin(), committed_.end(),
                   [&](const Step& a, const Step& b) { return end_of(a) < end_of(b); });
  std::stable_sort(unknown.begin(), unknown.end(), [&](const Step& a, const Step& b) {
    return history_.times(a.txn).start < history_.times(b.txn).start;
  });
  for (std::size_t at = 0; at < committed_.size(); ++at) to_start_.push_back(at);
  std::stable_sort(to_start_.begin(), to_start_.end(), [&](std::size_t a, std::size_t b) {
    return history_.times(committed_[a].txn).start > history_.times(committed_[b].txn).start;
  });
  for (Step& step : committed_) unify_unseen(step);
  for (Step& step : unknown) {
    if (!step.possible || !step.writes || !may_matter(step)) continue;
    unify_unseen(step);
    add_unknown(step);
  }
}

/// A step of unknown outcome whose writes nobody saw changes nothing for others, unless it may
/// be what a partial read saw.
bool ExhaustionCheck::may_matter(const Step& step) const {
  if (!told_.empty()) return true;
  return std::any_of(step.ops.begin(), step.ops.end(), [&](const Op& op) {
    return op.is_write() && seen_.contains(op.value.bits());
  });
}

/// Takes the same value for all that no read returned as a whole and that fit the same partial
/// reads: an order that explains the history with one explains it with the other.
void ExhaustionCheck::unify_unseen(Step& step) {
  for (Op& op : step.ops) {
    if (op.kind != OpKind::kWrite || seen_.contains(op.value.bits())) continue;
    std::set<Partial> fits;
    for (const Partial& partial : told_) {
      if (history_.fits(op.key, partial, op.value)) fits.insert(partial);
    }
    op.value = unseen_.try_emplace(std::move(fits), op.value).first->second;
  }
}

void ExhaustionCheck::add_unknown(const Step& step) {
  for (Kind& kind : kinds_) {
    if (alike(kind.step, step)) return kind.members.push_back(step.txn);
  }
  kinds_.push_back({step, {step.txn}});
}

bool ExhaustionCheck::alike(const Step& a, const Step& b) const {
  return std::equal(
      a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), [&](const Op& x, const Op& y) {
        if (x.kind != y.kind) return false;
        if (x.kind != OpKind::kReadList) return x.value == y.value;
        const std::span<const Value> first = history_.list(x);
        const std::span<const Value> second = history_.list(y);
        return std::equal(first.begin(), first.end(), second.begin(), second.end());
      });
}

std::optional<Cell> ExhaustionCheck::carry_out(const Step& step, Cell cell) const {
  if (!step.possible) return std::nullopt;
  for (const Op& op : step.ops) {
    switch (op.kind) {
      case OpKind::kWrite:
        cell = {op.value};
        break;
      case OpKind::kAppend:
        cell.push_back(op.value);
        break;
      case OpKind::kRead:
        if ((cell.empty() ? Value() : cell.front()) != op.value) return std::nullopt;
        break;
      case OpKind::kReadList: {
        const std::span<const Value> list = history_.list(op);
        if (!std::equal(list.begin(), list.end(), cell.begin(), cell.end())) {
          return std::nullopt;
        }
        break;
      }
      case OpKind::kReadAbsent:
      case OpKind::kReadExcept:
      case OpKind::kReadMatch:
        if (!history_.fits(op, cell.empty() ? Value() : cell.front())) {
          return std::nullopt;
        }
        break;
      case OpKind::kReadUnknown:
        break;
    }
  }
  return cell;
}

/// The state that the step leaves behind, or none when its reads do not fit.
std::optional<std::uint32_t> ExhaustionCheck::after(Step& step, std::uint32_t state) {
  const auto known = step.outcomes.find(state);
  if (known != step.outcomes.end()) return known->second;
  ISOLDE_INVARIANT(state < cells_.size());
  std::optional<std::uint32_t> next;
  if (const std::optional<Cell> cell = carry_out(step, cells_[state])) {
    std::vector<std::uint64_t> bits;
    for (const Value value : *cell) bits.push_back(value.bits());
    const auto fresh = static_cast<std::uint32_t>(cells_.size());
    const auto [entry, inserted] = states_.try_emplace(bits, fresh);
    if (inserted) cells_.push_back(*cell);
    ISOLDE_INVARIANT(states_.size() == cells_.size() && entry->second < cells_.size());  // E1
    next = entry->second;
  }
  step.outcomes[state] = next;
  return next;
}

/// Steps that have not returned before this one and that can have begun. REQUIRES: called for
/// one return after the other.
std::vector<Step*> ExhaustionCheck::running_at(std::size_t returned) {
  ISOLDE_ASSERT(returned < committed_.size());
  if (returned > 0) open_.erase(returned - 1);
  // Those before it have returned.
  ISOLDE_ASSERT(open_.empty() || *open_.begin() >= returned);
  while (!to_start_.empty() &&
         overlaps(committed_[to_start_.back()].txn, committed_[returned].txn)) {
    open_.insert(to_start_.back());
    to_start_.pop_back();
  }
  std::vector<Step*> running;
  for (const std::size_t at : open_) running.push_back(&committed_[at]);
  return running;
}

bool contains(const std::vector<TxnId>& txns, TxnId txn) {
  return std::binary_search(txns.begin(), txns.end(), txn);
}

void insert(std::vector<TxnId>& txns, TxnId txn) {
  ISOLDE_INVARIANT(!contains(txns, txn));
  txns.insert(std::lower_bound(txns.begin(), txns.end(), txn), txn);
}

/// A step that only reads takes nothing from the others: it may come as soon as it fits.
void ExhaustionCheck::put_reads(Configuration& at, const std::vector<Step*>& running) {
  for (Step* step : running) {
    if (!step->writes && !contains(at.done, step->txn) && after(*step, at.state)) {
      insert(at.done, step->txn);
    }
  }
}

void ExhaustionCheck::extend(const Configuration& at, const std::vector<Step*>& running,
                             TxnId returning) {
  for (Step* step : running) {
    if (!step->writes || contains(at.done, step->txn)) continue;
    const std::optional<std::uint32_t> state = after(*step, at.state);
    if (!state) continue;
    Configuration next = at;
    next.state = *state;
    insert(next.done, step->txn);
    work_.push_back(std::move(next));
  }
  ISOLDE_INVARIANT(at.used.size() == kinds_.size());  // E2
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    Kind& kind = kinds_[k];
    ISOLDE_INVARIANT(at.used[k] <= kind.members.size());
    if (at.used[k] == kind.members.size()) continue;
    if (!overlaps(kind.members[at.used[k]], returning)) continue;
    const std::optional<std::uint32_t> state = after(kind.step, at.state);
    if (!state) continue;
    Configuration next = at;
    next.state = *state;
    ++next.used[k];
    work_.push_back(std::move(next));
  }
}

/// Moves the front behind the return of one step. False when the limit is reached.
bool ExhaustionCheck::pass(std::size_t returned) {
  const TxnId returning = committed_[returned].txn;
  const std::vector<Step*> running = running_at(returned);
  Tried tried;
  Tried passed;
  work_.assign(front_.begin(), front_.end());
  front_.clear();
  while (!work_.empty()) {
    if (++count_ > limit_) return false;
    Configuration at = std::move(work_.front());
    work_.pop_front();
    put_reads(at, running);
    if (contains(at.done, returning)) {
      at.done.erase(std::lower_bound(at.done.begin(), at.done.end(), returning));
      if (passed.is_new(at)) front_.push_back(std::move(at));
    } else if (tried.is_new(at)) {
      extend(at, running, returning);
    }
  }
  return true;
}

}  // namespace

Objection check_key_exhaustion(const History& history, std::int64_t clock_error_ns,
                               const KeyExhaustion& exhaustion, std::uint64_t limit) {
  return ExhaustionCheck(history, clock_error_ns, exhaustion, limit).run();
}

}  // namespace isolde::certify

// Aggregates over conditions, decided when they matter.
//
// An aggregate says something of what all its items read together. Like the rows that
// selections left out, most aggregates come out right in an execution that explains everything
// else. So a level is first decided on the history without them; an execution found there is
// tried on them, and those that it gets wrong count from then on. What a history without some
// reads refutes is refuted, and an execution that gets all aggregates right is one of the whole
// history.
//
// At the levels from parallel snapshot isolation to monotonic atomic view, and the mixed ones,
// what one read returned binds the others, so a witness without the items is none with them:
// there only violations are found in this way, and the rest is decided with all aggregates.
//
// No order of transactions tells what reads returned at sequential consistency and at the
// levels that explain sessions or keys apart. They are violated where the history without
// aggregates violates them, or where no versions explain an aggregate; they hold where a
// stronger level holds. Else they stay open.
#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <variant>

#include "base/ways.hpp"
#include "check/pipeline.hpp"
#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "search/groups.hpp"

namespace isolde::checker {
namespace {

constexpr int kMostResultRounds = 64;
constexpr const char* kOpenResults =
    "its executions do not tell what the aggregates of the history saw";

/// Places in History::all_ops() of all reads of rows that selections left out. Aggregates of
/// nothing are such selections; not those of which more is known than what their items read.
std::vector<std::uint32_t> all_left_out(const History& history) {
  std::vector<std::uint32_t> places;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::uint32_t first = history.first_op(TxnId::at(t));
    for (const Selection& selection : history.selections(TxnId::at(t))) {
      const Aggregate* const computed = history.aggregate(selection);
      if (computed != nullptr && !computed->is_of_nothing()) continue;
      for (std::uint32_t op = selection.first + selection.rows; op < selection.end(); ++op) {
        places.push_back(first + op);
      }
    }
  }
  return places;
}

/// They use no key in such a way that the second may not come first at repeatable read, where a
/// row that matched at the start and was left out must have been replaced before.
bool may_swap(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
              TxnId a, TxnId b) {
  if (level.session_order && history.session_of(a) == history.session_of(b)) return false;
  if (level.real_time && infer::ended_before(history, a, b, clock_error_ns)) return false;
  std::map<KeyId, bool> used;  // true: written
  for (const Op& op : history.ops(a)) {
    if (op.uses_item() && op.kind != OpKind::kReadAbsent) {
      bool& is_written = used.try_emplace(op.key, false).first->second;
      is_written = is_written || op.is_write();
    }
  }
  return std::ranges::none_of(history.ops(b), [&](const Op& op) {
    if (!op.uses_item()) return false;
    if (op.kind == OpKind::kReadAbsent && history.fits_initial(op)) return false;
    const auto found = used.find(op.key);
    return found != used.end() && (found->second || op.is_write());
  });
}

/// Moves the transaction behind all those that its place does not depend on, so that it may
/// count what they wrote.
void move_back(const History& history, const LevelInfo& level, std::int64_t clock_error_ns,
               TxnId txn, std::vector<TxnId>& order, base::Budget& budget) {
  auto at = std::ranges::find(order, txn);
  const auto may_come_later = [&] {
    return at + 1 != order.end() && may_swap(history, level, clock_error_ns, txn, *(at + 1));
  };
  for (; may_come_later(); ++at) {
    std::iter_swap(at, at + 1);
    if (!budget.spend(16 * (history.ops(txn).size() + history.ops(*at).size()))) return;
  }
}

}  // namespace

/// At repeatable read what an aggregate missed does not matter, so the transaction may come as
/// late as its other operations let it.
bool Pipeline::has_items_read(const LevelInfo& level, Proof& proof) {
  const auto* const found = std::get_if<Witness>(&proof);
  if (found == nullptr || found->mentions != 1)
    return verdicts_.has_right_results(level, proof);
  Witness moved = *found;
  Witness tried = *found;  // gets the sources that explain results
  const std::vector<WrongResult> wrong = wrong_results(history_, level, tried, budget_);
  if (!wrong.empty()) {
    for (const WrongResult& each : wrong) {
      move_back(history_, level, options_.clock_error_ns, each.txn, moved.order, budget_);
    }
    tried = std::move(moved);
    if (!wrong_results(history_, level, tried, budget_).empty()) return false;
  }
  proof = std::move(tried);
  return !budget_.exhausted();
}

/// Adds the items of these aggregates to what counts. False: all of them counted before.
bool Pipeline::count_results(const std::vector<WrongResult>& wrong) {
  std::vector<std::uint32_t> items;
  for (const WrongResult& each : wrong) {
    const Selection& selection = history_.selections(each.txn)[each.selection];
    const std::uint32_t first = history_.first_op(each.txn);
    for (std::uint32_t op = selection.first; op < selection.end(); ++op) {
      items.push_back(first + op);
    }
  }
  return count_rows(items);
}

bool Pipeline::count_rows(const std::vector<std::uint32_t>& places) {
  std::vector<std::uint32_t> all;
  std::ranges::set_union(rows_that_count_, places, std::back_inserter(all));
  const bool any = all.size() > rows_that_count_.size();
  rows_that_count_ = std::move(all);
  return any;
}

void Pipeline::decide_results_when_needed() {
  if (!verdicts_.has_results()) return;
  const std::vector<std::uint32_t> left_out = all_left_out(history_);
  verdicts_.in_turn([&](std::size_t i) {
    const LevelInfo& row = verdicts_.row(i);
    if (is_uncommitted(row.level)) return;
    if (tests_each_read(row.base)) return decide_without_results(i, left_out);
    if (base::ways().rows_when_needed) decide_results_when_needed(i, left_out);
  });
}

void Pipeline::decide_results_when_needed(std::size_t i,
                                          const std::vector<std::uint32_t>& left_out) {
  const LevelInfo& row = verdicts_.row(i);
  for (int round = 0; round < kMostResultRounds && !budget_.exhausted(); ++round) {
    verdicts_.say("deciding with the aggregates that matter", row);
    std::vector<std::uint32_t> kept;
    std::ranges::set_union(rows_that_count_, left_out, std::back_inserter(kept));
    Reduced reduced = decide_without_rows(row.level, kept);
    if (!reduced.proof) return;
    auto* const witness = std::get_if<Witness>(&*reduced.proof);
    if (witness == nullptr) return verdicts_.settle(i, std::move(*reduced.proof));
    // What the items read may show more than the level lets be seen, and where time orders the
    // users of a key they are among them.
    if (binds_real_time_by_key(row.base)) return;
    if (!reads_one_state(row.base) && !reads_bind_apart(row.base)) return;
    const std::vector<WrongResult> wrong = wrong_results(history_, row, *witness, budget_);
    if (budget_.exhausted()) return;
    if (wrong.empty()) return verdicts_.settle(i, std::move(*reduced.proof));
    if (!count_results(wrong)) return;
  }
}

/// A level whose executions do not tell results.
void Pipeline::decide_without_results(std::size_t i,
                                      const std::vector<std::uint32_t>& left_out) {
  Reduced reduced = decide_without_rows(verdicts_.row(i).level, left_out);
  if (reduced.proof && !proves_holding(*reduced.proof)) {
    return verdicts_.settle(i, std::move(*reduced.proof));
  }
  if (!budget_.exhausted()) settle_impossible_or_leave(i);
}

void Pipeline::settle_impossible_or_leave(std::size_t i) {
  if (!stages_.settle_impossible(i)) verdicts_.leave_undecided(i, kOpenResults);
}

}  // namespace isolde::checker

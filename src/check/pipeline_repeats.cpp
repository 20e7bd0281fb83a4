// Values repeat: the search also chooses the open sources of reads. In rounds, so that a hard
// level does not delay the others.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/pipeline.hpp"
#include "history/base_levels.hpp"
#include "infer/partial_sources.hpp"
#include "level/level_traits.hpp"
#include "level/transfer.hpp"
#include "linear/joined_keys.hpp"
#include "linear/linear.hpp"
#include "session/session_level.hpp"
#include "weak/timed.hpp"

namespace isolde::checker {
namespace {

/// A base of which a witness is found sooner where most databases give one: of snapshots for
/// parallel snapshots, of prefixes for sequential histories and sessions.
BaseLevel stricter_base(BaseLevel base) {
  if (checker::allows_long_forks(base)) return BaseLevel::kSnapshotIsolation;
  return checker::tests_each_read(base) ? BaseLevel::kPrefixConsistency : base;
}

}  // namespace

void Pipeline::decide_open() {
  if (budget_.exhausted()) return;
  const Observations seen = infer::observe_open(history_, budget_);
  if (!budget_.exhausted()) decide_open(seen);
}

void Pipeline::decide_open(const Observations& seen) {
  if (seen.finding()) {
    // The first pass stops at what it cannot resolve, and may miss what lists show.
    decide_all(*seen.finding(), [&](Level level) {
      return !is_uncommitted(level) &&
             !checker::is_excused(history_, *seen.finding(), info(level).base);
    });
    // What is left looks at each session's lists alone.
    return search_sources(seen);
  }
  if (!seen.ambiguity().empty()) return;
  if (seen.non_repeatable()) {
    decide_all(*seen.non_repeatable(),
               [](Level level) { return reads_repeatably(info(level).base); });
  }
  find_lost_update(seen);
  decide_by_keys(seen);
  // Whether these levels apply depends on which doubtful transactions took effect.
  leave_out_timed(checker::why_not_timed(seen), Verdict::kUnknown);
  search_sources(seen);
}

/// The first resolution of reads would only find that some are open. What it tells besides is
/// known here, unless outcomes are unknown, or a level asks for more.
bool Pipeline::decide_open_at_once() {
  if (!expects_open_reads_ || !chooses_sources_ || has_results_) return false;
  const auto needs_more = [](const LevelReport& level) {
    const LevelInfo& row = info(level.level);
    return goes_by_database_times(row.base) || !traits(row.base).searches_sources;
  };
  if (std::ranges::any_of(report_.levels, needs_more)) return false;
  std::uint64_t committed = 0;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    if (history_.status(TxnId::at(t)) == TxnStatus::kIndeterminate) return false;
    committed += history_.status(TxnId::at(t)) == TxnStatus::kCommitted ? 1 : 0;
  }
  say("resolving reads");
  const Observations seen = infer::observe_open(history_, budget_);
  if (budget_.exhausted()) return true;
  if (seen.finding() || !seen.ambiguity().empty()) return false;
  const auto op_of = [&](const infer::OpenRead& read) -> const Op& {
    return history_.ops(read.txn)[read.op];
  };
  const auto open = std::ranges::find_if(
      seen.open_reads(), [&](const infer::OpenRead& read) { return op_of(read).is_partial(); });
  if (open == seen.open_reads().end()) return false;
  report_.statistics.included_txns = committed;
  has_observed_ = true;
  ambiguity_ = infer::why_open(history_, open->txn, op_of(*open));
  decide_open(seen);
  return true;
}

/// In rounds, strong levels first: a hard one does not delay the others, and one proof often
/// closes many levels.
void Pipeline::search_sources(const Observations& seen) {
  values_repeat_ = !seen.open_reads().empty();
  const auto is_searched = [&](std::size_t i) {
    return traits(info(report_.levels[i].level).base).searches_sources;
  };
  in_turn([&](std::size_t i) {
    if (is_searched(i)) guess_sources(seen, i);
  });
  bool any = true;
  for (std::uint64_t conflicts = options_.first_conflicts; any && !budget_.exhausted();
       conflicts *= 4) {
    any = false;
    in_turn([&](std::size_t i) {
      if (!is_searched(i)) return;
      if (!seen.finding()) search_stricter_sources(seen, i, conflicts);
      if (open_[i]) search_sources(seen, i, conflicts);
      any = any || may_work(i);
    });
  }
  try_again([&](std::size_t i) {
    if (is_searched(i)) search_sources(seen, i, 0);
  });
  // They refer to `seen`, which ends here.
  for (std::size_t i = 0; i < report_.levels.size(); ++i) release(i);
}

void Pipeline::decide_by_keys(const Observations& seen) {
  if (!history_.has_times() || !checker::each_uses_one_key(history_)) return;
  const KeyWitness* keys = nullptr;
  for (const LevelReport& level : report_.levels) {
    if (!is_told_by_key(level.level)) continue;
    if (level.verdict == Verdict::kViolated) return;
    if (level.verdict == Verdict::kHolds) {
      keys = std::get_if<KeyWitness>(&report_.proofs[level.proof]);
    }
  }
  checker::LinearAnswer answer;
  if (keys == nullptr) {
    answer = checker::decide_linear(
        history_, options_.clock_error_ns,
        [this](const History& key) { return decide_strict(key); }, budget_);
    if (answer.proof) keys = std::get_if<KeyWitness>(&*answer.proof);
  }
  if (keys == nullptr) return;
  const Witness witness = checker::join_keys(history_, *keys);
  // An indeterminate transaction that nobody can have read from must not be in it.
  const bool may_be_included = std::all_of(witness.order.begin(), witness.order.end(),
                                           [&](TxnId txn) { return seen.is_included(txn); });
  if (!may_be_included) return;
  const LevelInfo& proved = info(Level::kStrictSerializable);
  for_each_open([&](std::size_t i) {
    const LevelInfo& level = info(report_.levels[i].level);
    if (!implies(proved.level, level.level, report_.sessions_respect_time)) return;
    const checker::Fit fit = checker::fit(witness, proved, level);
    if (fit == checker::Fit::kNone) return;
    Proof found = fit == checker::Fit::kAsIs ? witness : checker::commits_only(witness);
    if (has_right_results(level, found)) settle(i, std::move(found));
  });
}

/// What a session level can do before anything is searched, also in a stricter form.
void Pipeline::guess_sources(const Observations& seen, std::size_t i) {
  const LevelInfo& row = info(report_.levels[i].level);
  if (traits(row.base).method != Method::kSessions) return;
  say("guessing", row);
  choices_[i] = checker::make_source_search(seen, {row, chains_bind(row)}, options_,
                                            report_.statistics, budget_);
  if (auto proof = choices_[i]->guess()) settle(i, std::move(*proof));
  if (!may_work(i)) choices_[i].reset();
}

void Pipeline::search_stricter_sources(const Observations& seen, std::size_t i,
                                       std::uint64_t conflict_limit) {
  std::unique_ptr<StricterChoice>& stricter = stricter_[i];
  const LevelInfo& row = info(report_.levels[i].level);
  const bool timed = history_.has_times();
  const BaseLevel base = stricter_base(row.base);
  const bool binds = row.session_order && (row.real_time || !timed) && base == row.base;
  if (!reads_one_state(base) || binds || stricter_form_is_searched(row)) return;
  if (!stricter) {
    stricter = std::make_unique<StricterChoice>(StricterChoice{row, nullptr});
    stricter->level.base = base;
    stricter->level.session_order = true;
    stricter->level.real_time = timed;
    stricter->engine = std::make_unique<checker::ChoiceLevel>(
        seen, checker::Question{stricter->level, true}, options_, report_.statistics, budget_);
  }
  if (!stricter->engine) return;
  const std::optional<Proof> proof = stricter->engine->search(conflict_limit);
  if (proof || !stricter->engine->stopped().empty()) stricter->engine.reset();
  if (!proof) return;
  if (const auto* witness = std::get_if<Witness>(&*proof)) {
    Proof found = reads_one_state(row.base) ? *witness : checker::commits_only(*witness);
    if (has_right_results(row, found)) settle(i, std::move(found));
  }
}

bool Pipeline::stricter_form_is_searched(const LevelInfo& row) const {
  const BaseLevel base = stricter_base(row.base);
  const bool sessions_bind = row.session_order || checker::tests_each_read(row.base);
  return std::any_of(report_.levels.begin(), report_.levels.end(),
                     [&](const LevelReport& level) {
                       const LevelInfo& other = info(level.level);
                       const bool is_form = other.base == row.base || other.base == base;
                       return is_form && other.session_order >= sessions_bind &&
                              other.real_time >= row.real_time && other.level != row.level;
                     });
}

void Pipeline::search_sources(const Observations& seen, std::size_t i,
                              std::uint64_t conflict_limit) {
  std::unique_ptr<checker::SourceSearch>& engine = choices_[i];
  const LevelInfo& row = info(report_.levels[i].level);
  say("searching", row);
  if (!engine) {
    engine = checker::make_source_search(seen, {row, chains_bind(row)}, options_,
                                         report_.statistics, budget_);
  }
  if (auto proof = engine->search(conflict_limit)) settle(i, std::move(*proof));
  if (!engine->stopped().empty()) shares_->stop(i, engine->stopped());
  if (!may_work(i)) engine.reset();
}

}  // namespace isolde::checker

// Values repeat: the search also chooses the open sources of reads. In rounds, so that a hard
// level does not delay the others.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "check/stages.hpp"
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
  if (allows_long_forks(base)) return BaseLevel::kSnapshotIsolation;
  return tests_each_read(base) ? BaseLevel::kPrefixConsistency : base;
}

}  // namespace

void Stages::decide_open() {
  if (budget_.exhausted()) return;
  const Observations seen = infer::observe_open(history_, budget_);
  if (!budget_.exhausted()) decide_open(seen);
}

void Stages::decide_open(const Observations& seen) {
  if (seen.finding()) {
    // The first pass stops at what it cannot resolve, and may miss what lists show.
    decide_by_finding(*seen.finding());
    // What is left looks at each session's lists alone.
    return search_sources(seen);
  }
  if (!seen.ambiguity().empty()) return;
  if (seen.non_repeatable()) {
    verdicts_.decide_all(*seen.non_repeatable(),
                         [](Level level) { return reads_repeatably(info(level).base); });
  }
  find_lost_update(seen);
  decide_by_keys(seen);
  // Whether these levels apply depends on which doubtful transactions took effect.
  verdicts_.leave_out_timed(why_not_timed(seen), Verdict::kUnknown);
  search_sources(seen);
}

/// The first resolution of reads would only find that some are open. What it tells besides is
/// known here, unless outcomes are unknown, or a level asks for more.
bool Stages::decide_open_at_once() {
  if (extract_ != Extract::kOpenRows || verdicts_.has_results()) return false;
  const auto needs_more = [](const LevelReport& level) {
    const LevelInfo& row = info(level.level);
    return goes_by_database_times(row.base) || !traits(row.base).searches_sources;
  };
  if (std::ranges::any_of(verdicts_.levels(), needs_more)) return false;
  std::uint64_t committed = 0;
  for (std::size_t t = 0; t < history_.txn_count(); ++t) {
    if (history_.status(TxnId::at(t)) == TxnStatus::kIndeterminate) return false;
    committed += history_.status(TxnId::at(t)) == TxnStatus::kCommitted ? 1 : 0;
  }
  verdicts_.say("resolving reads");
  const Observations seen = infer::observe_open(history_, budget_);
  if (budget_.exhausted()) return true;
  if (seen.finding() || !seen.ambiguity().empty()) return false;
  const auto op_of = [&](const infer::OpenRead& read) -> const Op& {
    return history_.ops(read.txn)[read.op];
  };
  const auto open = std::ranges::find_if(
      seen.open_reads(), [&](const infer::OpenRead& read) { return op_of(read).is_partial(); });
  if (open == seen.open_reads().end()) return false;
  verdicts_.note_observed(committed);
  ambiguity_ = infer::why_open(history_, open->txn, op_of(*open));
  decide_open(seen);
  return true;
}

/// In rounds, strong levels first: a hard one does not delay the others, and one proof often
/// closes many levels.
void Stages::search_sources(const Observations& seen) {
  verdicts_.note_open_reads(!seen.open_reads().empty());
  const auto is_searched = [&](std::size_t i) {
    return traits(verdicts_.row(i).base).searches_sources;
  };
  verdicts_.in_turn([&](std::size_t i) {
    if (is_searched(i)) guess_sources(seen, i);
  });
  bool any = true;
  for (std::uint64_t conflicts = options_.first_conflicts; any && !budget_.exhausted();
       conflicts *= 4) {
    any = false;
    verdicts_.in_turn([&](std::size_t i) {
      if (!is_searched(i)) return;
      if (!seen.finding()) search_stricter_sources(seen, i, conflicts);
      if (verdicts_.is_open(i)) search_sources(seen, i, conflicts);
      any = any || verdicts_.may_work(i);
    });
  }
  verdicts_.try_again([&](std::size_t i) {
    if (is_searched(i)) search_sources(seen, i, 0);
  });
  // They refer to `seen`, which ends here.
  release_all();
}

void Stages::decide_by_keys(const Observations& seen) {
  if (!history_.has_times() || !each_uses_one_key(history_)) return;
  const KeyWitness* keys = nullptr;
  for (const LevelReport& level : verdicts_.levels()) {
    if (!is_told_by_key(level.level)) continue;
    if (level.verdict == Verdict::kViolated) return;
    if (level.verdict == Verdict::kHolds) {
      keys = std::get_if<KeyWitness>(&verdicts_.proof(level.proof));
    }
  }
  LinearAnswer answer;
  if (keys == nullptr) {
    answer = decide_linear(
        history_, options_.clock_error_ns,
        [this](const History& key) { return check_key(key, options_, budget_); }, budget_);
    if (answer.proof) keys = std::get_if<KeyWitness>(&*answer.proof);
  }
  if (keys == nullptr) return;
  const Witness witness = join_keys(history_, *keys);
  // An indeterminate transaction that nobody can have read from must not be in it.
  const bool may_be_included = std::all_of(witness.order.begin(), witness.order.end(),
                                           [&](TxnId txn) { return seen.is_included(txn); });
  if (!may_be_included) return;
  const LevelInfo& proved = info(Level::kStrictSerializable);
  verdicts_.for_each_open([&](std::size_t i) {
    const LevelInfo& level = verdicts_.row(i);
    if (!verdicts_.implies(proved.level, level.level)) return;
    const Fit fit = checker::fit(witness, proved, level);
    if (fit == Fit::kNone) return;
    Proof found = fit == Fit::kAsIs ? witness : commits_only(witness);
    if (verdicts_.has_right_results(level, found)) verdicts_.settle(i, std::move(found));
  });
}

/// What a session level can do before anything is searched, also in a stricter form.
void Stages::guess_sources(const Observations& seen, std::size_t i) {
  const LevelInfo& row = verdicts_.row(i);
  if (traits(row.base).method != Method::kSessions) return;
  verdicts_.say("guessing", row);
  choices_[i] = make_source_search(seen, {row, verdicts_.chains_bind(row)}, options_,
                                   verdicts_.statistics(), budget_);
  if (auto proof = choices_[i]->guess()) verdicts_.settle(i, std::move(*proof));
  if (!verdicts_.may_work(i)) choices_[i].reset();
}

void Stages::search_stricter_sources(const Observations& seen, std::size_t i,
                                     std::uint64_t conflict_limit) {
  std::unique_ptr<StricterChoice>& stricter = stricter_[i];
  const LevelInfo& row = verdicts_.row(i);
  const bool timed = history_.has_times();
  const BaseLevel base = stricter_base(row.base);
  const bool binds = row.session_order && (row.real_time || !timed) && base == row.base;
  if (!reads_one_state(base) || binds || stricter_form_is_searched(row)) return;
  if (!stricter) {
    stricter = std::make_unique<StricterChoice>(StricterChoice{row, nullptr});
    stricter->level.base = base;
    stricter->level.session_order = true;
    stricter->level.real_time = timed;
    stricter->engine = std::make_unique<ChoiceLevel>(seen, Question{stricter->level, true},
                                                     options_, verdicts_.statistics(), budget_);
  }
  if (!stricter->engine) return;
  const std::optional<Proof> proof = stricter->engine->search(conflict_limit);
  if (proof || !stricter->engine->stopped().empty()) stricter->engine.reset();
  if (!proof) return;
  if (const auto* witness = std::get_if<Witness>(&*proof)) {
    Proof found = reads_one_state(row.base) ? *witness : commits_only(*witness);
    if (verdicts_.has_right_results(row, found)) verdicts_.settle(i, std::move(found));
  }
}

bool Stages::stricter_form_is_searched(const LevelInfo& row) const {
  const BaseLevel base = stricter_base(row.base);
  const bool sessions_bind = row.session_order || tests_each_read(row.base);
  return std::any_of(verdicts_.levels().begin(), verdicts_.levels().end(),
                     [&](const LevelReport& level) {
                       const LevelInfo& other = info(level.level);
                       const bool is_form = other.base == row.base || other.base == base;
                       return is_form && other.session_order >= sessions_bind &&
                              other.real_time >= row.real_time && other.level != row.level;
                     });
}

void Stages::search_sources(const Observations& seen, std::size_t i,
                            std::uint64_t conflict_limit) {
  std::unique_ptr<SourceSearch>& engine = choices_[i];
  const LevelInfo& row = verdicts_.row(i);
  verdicts_.say("searching", row);
  if (!engine) {
    engine = make_source_search(seen, {row, verdicts_.chains_bind(row)}, options_,
                                verdicts_.statistics(), budget_);
  }
  if (auto proof = engine->search(conflict_limit)) verdicts_.settle(i, std::move(*proof));
  if (!engine->stopped().empty()) verdicts_.stop(i, engine->stopped());
  if (!verdicts_.may_work(i)) engine.reset();
}

}  // namespace isolde::checker

#include "prop/engine_run.hpp"

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "certify/verify.hpp"
#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "oracle/brute.hpp"
#include "support/applies.hpp"
#include "support/random_history.hpp"
#include "support/shrink.hpp"

namespace isolde::prop {
namespace {

CheckOptions options_of(const Settings& settings) {
  CheckOptions options;
  if (settings.only) options.levels.push_back(*settings.only);
  options.clock_error_ns = settings.clock_error_ns;
  options.skip_guess = (settings.variant & 1U) != 0;
  options.skip_saturation = (settings.variant & 2U) != 0;
  if ((settings.variant & 4U) != 0) options.first_conflicts = 1;
  return options;
}

// Some selection left out a row.
bool has_absent_rows(const History& history) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    for (const Op& op : history.ops(TxnId::at(t))) {
      if (op.kind == OpKind::kReadAbsent) return true;
    }
  }
  return false;
}

// An element appended twice, or lists of a transaction that may have been read from in doubt.
bool has_unclear_lists(const support::PlainHistory& plain) {
  std::set<std::pair<std::string, std::string>> elements;
  for (const support::PlainTxn& txn : plain) {
    for (const support::PlainOp& op : txn.ops) {
      const bool is_list = op.kind == OpKind::kAppend || op.kind == OpKind::kReadList;
      if (is_list && txn.status == TxnStatus::kIndeterminate) return true;
      if (op.kind == OpKind::kAppend && !elements.insert({op.key, op.value}).second)
        return true;
    }
  }
  return false;
}

// Partial reads; a deletion makes one of each read that found nothing, and any row with columns
// may be read in part.
bool has_exclusions(const support::PlainHistory& plain, bool with_several_versions) {
  const auto had_contents = [&](const support::PlainOp& op) {
    return std::ranges::any_of(plain.start, [&](const support::PlainOp& held) {
      return held.key == op.key && held.kind == OpKind::kWrite;
    });
  };
  for (const support::PlainTxn& txn : plain) {
    for (const support::PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kReadExcept) return true;
      if (op.kind == OpKind::kWrite && op.value.empty()) return true;
      if (support::is_row(op.value)) return true;
      const bool found_nothing = op.kind == OpKind::kRead && op.value.empty();
      if (!with_several_versions && found_nothing && had_contents(op)) return true;
      if (op.kind != OpKind::kReadAbsent) continue;
      // A condition on keys alone leaves out rows that have never been written.
      if (!with_several_versions) return true;
      if (!op.selection.values.empty() || !op.selection.equal.empty()) return true;
      if (!op.selection.columns.empty()) return true;
    }
  }
  return false;
}

bool has_aggregates(const support::PlainHistory& plain, bool only_of_unknown_outcome = false) {
  for (const support::PlainTxn& txn : plain) {
    if (only_of_unknown_outcome && txn.status != TxnStatus::kIndeterminate) continue;
    for (const support::PlainOp& op : txn.ops) {
      if (!op.selection.get.empty()) return true;
    }
  }
  return false;
}

std::string complaint_about(const History& history, const Settings& settings,
                            const CheckReport& report, const LevelReport& row,
                            bool may_be_open) {
  const LevelInfo& level = info(row.level);
  const std::string at = std::string(level.name) + ": " + std::string(name(row.verdict));
  if (row.verdict == Verdict::kNotApplicable) {
    if (support::applies(row.level, history)) return at + " without need: " + row.reason;
    return row.reason.empty() ? at + " without a reason" : "";
  }
  // A limit may come before that is known.
  const bool may_apply = settings.are_limits() && row.verdict == Verdict::kUnknown;
  if (!support::applies(row.level, history) && !may_apply) {
    return at + " where it does not apply";
  }
  if (row.verdict == Verdict::kUnknown) {
    const bool was_inserted_again = row.reason == checker::kInsertedAgain;
    if (!may_be_open && !was_inserted_again) return at + " without need: " + row.reason;
    return row.reason.empty() ? at + " without a reason" : "";
  }
  if (row.proof >= report.proofs.size()) return at + ", but the proof does not exist";
  const Certificate certificate{row.level, history.digest(), settings.clock_error_ns,
                                report.proofs[row.proof]};
  if (certificate.holds() != (row.verdict == Verdict::kHolds)) {
    return at + ", but the proof proves the opposite";
  }
  const certify::VerifyResult result = certify::verify(history, certificate);
  return result.proves ? "" : at + ", but the proof does not verify: " + result.reason;
}

// Levels with snapshots let a transaction write a deleted row again that has not seen that it
// was deleted; on its key alone that is no atomic operation.
bool may_miss_deletions(const LevelInfo& strong, const LevelInfo& weak,
                        const History& history) {
  const bool is_serial = strong.base == BaseLevel::kSerializable ||
                         strong.base == BaseLevel::kPerKeyStrict ||
                         strong.base == BaseLevel::kLinearizable;
  const bool asks_each_read = weak.base == BaseLevel::kCausal ||
                              weak.base == BaseLevel::kMonotonicReads ||
                              weak.base == BaseLevel::kReadYourWrites;
  return history.origin().rows_are_deleted &&
         ((weak.base == BaseLevel::kLinearizable && !is_serial) ||
          (asks_each_read && strong.base == BaseLevel::kParallelSnapshot));
}

bool is_at_most_read_committed(const LevelInfo& level) {
  return std::ranges::any_of(all_levels(), [&](const LevelInfo& other) {
    return other.base == BaseLevel::kReadCommitted && implies(other.level, level.level, false);
  });
}

// Repeatable read alone does not look at rows that a selection left out, and then implies read
// committed but none of the levels between.
std::string complaint_about_order(const std::vector<Verdict>& verdicts, bool sessions_in_turn,
                                  bool leaves_out_rows, const History& history) {
  for (const LevelInfo& strong : all_levels()) {
    if (verdicts[static_cast<std::size_t>(strong.level)] != Verdict::kHolds) continue;
    for (const LevelInfo& weak : all_levels()) {
      if (verdicts[static_cast<std::size_t>(weak.level)] != Verdict::kViolated) continue;
      const bool asks_less = disregards_left_out_rows(strong.base) && leaves_out_rows &&
                             !is_at_most_read_committed(weak);
      if (asks_less || may_miss_deletions(strong, weak, history)) continue;
      if (implies(strong.level, weak.level, sessions_in_turn)) {
        return std::string(strong.name) + " holds, but the weaker " + std::string(weak.name) +
               " is violated";
      }
    }
  }
  return "";
}

std::string complaint_about_closure(const CheckReport& report, const Settings& settings,
                                    bool leaves_out_rows, const History& history) {
  // Where the check was stopped, whether these apply may not be known.
  const auto may_not_apply = [&](const LevelReport& row) {
    return settings.are_limits() && row.verdict == Verdict::kUnknown &&
           goes_by_database_times(info(row.level).base);
  };
  const auto is_closed = [&](const LevelReport& strong, const LevelReport& weak) {
    const bool is_consistent =
        strong.verdict == Verdict::kHolds
            ? weak.verdict != Verdict::kUnknown && weak.verdict != Verdict::kViolated
            : weak.verdict != Verdict::kViolated || strong.verdict != Verdict::kUnknown;
    if (is_consistent || may_not_apply(strong) || may_not_apply(weak)) return true;
    const bool asks_less = disregards_left_out_rows(info(strong.level).base) &&
                           leaves_out_rows && !is_at_most_read_committed(info(weak.level));
    return asks_less || may_miss_deletions(info(strong.level), info(weak.level), history) ||
           !implies(strong.level, weak.level, report.sessions_respect_time);
  };
  for (const LevelReport& strong : report.levels) {
    for (const LevelReport& weak : report.levels) {
      if (is_closed(strong, weak)) continue;
      return std::string(info(strong.level).name) + ": " + std::string(name(strong.verdict)) +
             " (" + strong.reason + "), but the weaker " + std::string(info(weak.level).name) +
             ": " + std::string(name(weak.verdict)) + " (" + weak.reason + ")";
    }
  }
  return "";
}

}  // namespace

bool may_stay_open(const support::PlainHistory& plain, const LevelReport& row) {
  if (plain.truncated) return true;
  const BaseLevel base = info(row.level).base;
  const bool is_told_apart = base == BaseLevel::kSequential ||
                             base == BaseLevel::kLinearizable ||
                             disregards_left_out_rows(base) || explains_sessions_apart(base);
  if (is_told_apart && has_aggregates(plain)) return true;
  // The executions that were found have the transaction, which need not have taken effect.
  if (row.reason == "an aggregate is not explained by the executions that were found" &&
      has_aggregates(plain, true)) {
    return true;
  }
  if (base == BaseLevel::kLinearizable && has_exclusions(plain, false)) return true;
  if (!support::has_duplicate_writes(plain) && !has_exclusions(plain, true)) return false;
  // That no set of indeterminate transactions serves all sessions is not shown.
  const bool sessions_differ = explains_sessions_apart(base) &&
                               row.reason.find("no choice of indeterminate transactions") == 0;
  return base == BaseLevel::kLinearizable || has_unclear_lists(plain) || sessions_differ;
}

std::string describe(const Settings& settings) {
  std::string out = "clock error " + std::to_string(settings.clock_error_ns);
  if ((settings.variant & 1U) != 0) out += ", skip_guess";
  if ((settings.variant & 2U) != 0) out += ", skip_saturation";
  if ((settings.variant & 4U) != 0) out += ", in rounds";
  if (settings.stop_after > 0)
    out += ", stopped in stage " + std::to_string(settings.stop_after);
  if (settings.no_memory) (out += ", no memory for ") += info(*settings.no_memory).name;
  if (settings.only) (out += ", only ") += info(*settings.only).name;
  return out;
}

Answer run_engine(const support::PlainHistory& plain, const Settings& settings) {
  const History history = support::build(plain);
  base::Budget budget;
  CheckOptions options = options_of(settings);
  std::uint64_t stages = 0;
  if (settings.stop_after > 0) {
    options.progress = [&](std::string_view) {
      if (++stages < settings.stop_after) return;
      budget.cancel();
      budget.look();
    };
  }
  if (settings.no_memory) {
    const std::string name = " " + std::string(info(*settings.no_memory).name);
    options.progress = [name](std::string_view stage) {
      if (stage.ends_with(name)) throw std::bad_alloc();
    };
  }
  const CheckReport report = check(history, options, budget);

  Answer answer;
  answer.verdicts.assign(all_levels().size(), Verdict::kNotApplicable);
  std::size_t next = 0;
  for (const LevelInfo& level : all_levels()) {
    if (settings.only && *settings.only != level.level) continue;
    // To a history without stated levels the mixed ones mean nothing.
    const bool is_asked = settings.only || history.has_stated_levels();
    if (level.base == BaseLevel::kMixed && !is_asked) continue;
    if (next >= report.levels.size() || report.levels[next].level != level.level) {
      answer.complaint = std::string(level.name) + " is missing or not in its place";
      return answer;
    }
    const LevelReport& row = report.levels[next++];
    answer.verdicts[static_cast<std::size_t>(level.level)] = row.verdict;
    const bool may_be_open = settings.are_limits() || may_stay_open(plain, row);
    std::string complaint = complaint_about(history, settings, report, row, may_be_open);
    if (answer.complaint.empty()) answer.complaint = std::move(complaint);
  }
  if (next != report.levels.size()) answer.complaint = "more levels than asked for";
  if (answer.complaint.empty()) {
    answer.complaint = complaint_about_order(
        answer.verdicts, support::sessions_respect_time(plain, settings.clock_error_ns),
        has_exclusions(plain, false), history);
  }
  if (answer.complaint.empty()) {
    answer.complaint =
        complaint_about_closure(report, settings, has_absent_rows(history), history);
  }
  return answer;
}

void try_changes(const support::PlainHistory& plain, const CheckOptions& options,
                 std::uint64_t seed, Survival& survival) {
  base::Budget budget;
  const CheckReport report = check(support::build(plain), options, budget);
  base::Rng rng(seed);
  for (int change = 0; change < 5; ++change) {
    support::PlainHistory changed = plain;
    support::change_something(changed, rng);
    const History history = support::build(changed);
    for (const LevelReport& row : report.levels) {
      if (row.verdict != Verdict::kHolds && row.verdict != Verdict::kViolated) continue;
      const Certificate certificate{row.level, history.digest(), options.clock_error_ns,
                                    report.proofs[row.proof]};
      const bool stands = certify::verify(history, certificate).proves;
      ++(stands ? survival.survived : survival.fell);
      if (!stands || certificate.holds() == oracle::brute_force_holds(history, row.level,
                                                                      options.clock_error_ns)) {
        continue;
      }
      survival.complaint = std::string(info(row.level).name) + ": the proof of " +
                           std::string(name(row.verdict)) + " for\n" + support::to_text(plain) +
                           "verifies also for\n" + support::to_text(changed) + "seed " +
                           std::to_string(seed);
      return;
    }
  }
}

std::string report_failure(
    const support::PlainHistory& plain, std::uint64_t seed,
    const std::function<std::string(const support::PlainHistory&)>& complain) {
  const support::PlainHistory shrunk = support::shrink(
      plain, [&](const support::PlainHistory& smaller) { return !complain(smaller).empty(); });
  return complain(shrunk) + "\nshrunk history:\n" + support::to_text(shrunk) +
         "originally: " + complain(plain) + "\nhistory of seed " + std::to_string(seed) +
         ":\n" + support::to_text(plain);
}

}  // namespace isolde::prop

// Goal: the number of threads changes nothing, nor does any other switch between two ways to
// the same result (base/ways.hpp): not what is observed, not a verdict, not a proof. Method:
// random histories, small and with long transactions; everything that one thread gives against
// what 2, 3 and 8 give, and each switch forced both ways.
#include <gtest/gtest.h>

#include "base/hash.hpp"
#include "check/check.hpp"
#include "infer/observations.hpp"
#include "prop/engine_run.hpp"
#include "support/forced_ways.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using infer::Observations;
using support::PlainHistory;

template <typename A, typename B>
bool same(const A& a, const B& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

bool same_reads(const Observations& a, const Observations& b, TxnId txn) {
  return std::equal(a.reads(txn).begin(), a.reads(txn).end(), b.reads(txn).begin(),
                    b.reads(txn).end(), [](const auto& one, const auto& other) {
                      return one.key == other.key && one.source == other.source;
                    });
}

std::string compare(const Observations& a, const Observations& b) {
  if (a.finding() != b.finding()) return "another finding";
  if (a.non_repeatable() != b.non_repeatable()) return "another non-repeatable read";
  if (a.ambiguity() != b.ambiguity()) return "another ambiguity: " + b.ambiguity();
  if (a.included_count() != b.included_count()) return "other transactions included";
  if (a.finding() || !a.ambiguity().empty()) return "";
  if (a.write_count() != b.write_count()) return "other writes";
  for (std::size_t t = 0; t < a.txn_count(); ++t) {
    if (!same_reads(a, b, TxnId::at(t))) return "other reads";
    if (a.first_write(TxnId::at(t)) != b.first_write(TxnId::at(t))) return "other numbers";
  }
  for (std::size_t w = 0; w < a.write_count(); ++w) {
    const infer::WriteId write = infer::WriteId::at(w);
    if (a.writer(write) != b.writer(write)) return "another writer";
    if (a.written_key(write) != b.written_key(write)) return "another key";
    if (!same(a.readers(write), b.readers(write))) return "other readers";
  }
  for (std::size_t k = 0; k < a.history().key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    if (!same(a.initial_readers(key), b.initial_readers(key))) return "other initial readers";
    if (!same(a.writes_of(key), b.writes_of(key))) return "other writes of a key";
    if (!same(a.list_order(key), b.list_order(key))) return "another order of a list";
  }
  return "";
}

std::string compare(const CheckReport& a, const CheckReport& b) {
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const std::string at = std::string(info(a.levels[i].level).name) + ": ";
    if (a.levels[i].verdict != b.levels[i].verdict) return at + "another verdict";
    if (a.levels[i].reason != b.levels[i].reason) return at + "another reason";
    if (a.levels[i].proof != b.levels[i].proof) return at + "another proof's number";
  }
  return a.proofs == b.proofs ? "" : "another proof";
}

/// What several threads make different; empty when nothing.
std::string complain(const PlainHistory& plain) {
  const History history = support::build(plain);
  base::Budget budget;
  const Observations seen = infer::observe(history, budget);
  // Weak levels by themselves, so that no stronger one's proof serves them.
  std::vector<CheckOptions> asked(5);  // the last one: all levels
  asked[0].levels = {Level::kStrongSessionMonotonicAtomicView};
  asked[1].levels = {Level::kStrongSessionReadAtomic};
  asked[2].levels = {Level::kStrongReadAtomic};
  asked[3].levels = {Level::kTransactionalCausal};
  std::vector<CheckReport> reports;
  for (const CheckOptions& options : asked) reports.push_back(check(history, options, budget));
  for (const unsigned threads : {2U, 3U, 8U}) {
    const std::string with = std::to_string(threads) + " threads: ";
    const std::string other = compare(seen, infer::observe(history, budget, threads));
    if (!other.empty()) return with + other;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      asked[i].threads = threads;
      const std::string wrong = compare(reports[i], check(history, asked[i], budget));
      if (!wrong.empty()) return with + wrong;
    }
  }
  return "";
}

/// Also those that are to be decided without guessing, which asks for all that is known.
std::vector<CheckReport> all_reports(const History& history) {
  std::vector<CheckReport> reports;
  for (const bool skip_guess : {false, true}) {
    CheckOptions options;
    options.skip_guess = skip_guess;
    base::Budget budget;
    reports.push_back(check(history, options, budget));
  }
  return reports;
}

/// What ways make different; empty when nothing.
std::string complain_about_ways(const PlainHistory& plain) {
  const History history = support::build(plain);
  base::Budget budget;
  const Observations seen = infer::observe(history, budget);
  const std::vector<CheckReport> reports = all_reports(history);
  for (const support::NamedWays& each : support::ways_of_checking()) {
    const support::ForcedWays forced(each.ways);
    const History again = support::build(plain);
    if (again.digest() != history.digest()) return each.name + ": another history";
    for (const unsigned threads : {1U, 3U}) {
      const Observations other = infer::observe(again, budget, threads);
      const std::string wrong = compare(seen, other);
      if (!wrong.empty()) return each.name + ": " + wrong;
    }
    const std::vector<CheckReport> others = all_reports(again);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const std::string wrong = compare(reports[i], others[i]);
      if (!wrong.empty()) return each.name + ": " + wrong;
    }
  }
  return "";
}

/// Guesses differ with what they may use, rounds with the rows that count in them, and proofs
/// with both; verdicts do not.
std::string complain_about_verdicts(const PlainHistory& plain) {
  const History history = support::build(plain);
  base::Budget budget;
  const CheckReport report = check(history, {}, budget);
  base::Ways no_clocks;
  no_clocks.guess_entries = 0;
  base::Ways all_rows;
  all_rows.rows_when_needed = false;
  for (const base::Ways& ways : {no_clocks, all_rows}) {
    const support::ForcedWays forced(ways);
    const CheckReport other = check(history, {}, budget);
    for (std::size_t i = 0; i < report.levels.size(); ++i) {
      if (report.levels[i].verdict != other.levels[i].verdict) {
        return std::string(info(report.levels[i].level).name) + ": another verdict";
      }
    }
  }
  return "";
}

PlainHistory make_case(std::uint64_t seed, std::uint64_t number) {
  base::Rng rng(seed);
  support::RandomHistoryOptions options = support::random_options(rng);
  if (number % 8 == 2) {
    options = support::random_selection_options(rng, rng.chance(0.5));
    options.duplicate_share = rng.chance(0.3) ? 0.3 : 0.0;
  } else if (number % 8 == 3) {
    options = support::random_row_options(rng);
  } else if (number % 8 == 0) {
    // Long enough for the ways that long transactions take.
    options.ops_max = 60;
    options.key_count = 2 + rng.below(30);
  } else if (number % 8 == 1) {
    options.txn_count = 40;
    options.session_count = 5;
    options.key_count = 4;
  }
  return support::random_history(rng, options);
}

TEST(Threads, StopWhenTheBudgetHasRunOut) {
  const History history = support::parse("A: w(x=1) ; B: r(x=2)");  // a finding, given time
  for (const unsigned threads : {1U, 3U}) {
    base::Budget budget;
    budget.cancel();
    EXPECT_FALSE(budget.look());
    const Observations seen = infer::observe(history, budget, threads);
    EXPECT_EQ(seen.ambiguity(), "interrupted");
    EXPECT_FALSE(seen.finding());
  }
}

TEST(Threads, ChangeNothing) {
  for (std::uint64_t i = 0; i < support::case_count(60); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    const PlainHistory plain = make_case(seed, i);
    if (complain(plain).empty()) continue;
    ADD_FAILURE() << report_failure(plain, seed, complain);
    return;
  }
}

TEST(Ways, ChangeNothing) {
  for (std::uint64_t i = 0; i < support::case_count(60); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    const PlainHistory plain = make_case(seed, i);
    if (complain_about_ways(plain).empty()) continue;
    ADD_FAILURE() << report_failure(plain, seed, complain_about_ways);
    return;
  }
}

TEST(Ways, OfGuessingChangeNoVerdict) {
  for (std::uint64_t i = 0; i < support::case_count(60); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    const PlainHistory plain = make_case(seed, i);
    if (complain_about_verdicts(plain).empty()) continue;
    ADD_FAILURE() << report_failure(plain, seed, complain_about_verdicts);
    return;
  }
}

}  // namespace
}  // namespace isolde::prop

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "oracle/brute.hpp"
#include "oracle/second_opinion.hpp"
#include "support/applies.hpp"
#include "support/oracle_histories.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "support/shrink.hpp"

namespace isolde::oracle {
namespace {

using support::PlainHistory;

constexpr std::size_t kLevelCount = static_cast<std::size_t>(Level::kMixed) + 1;
/// Verdict of each level; nothing where it does not apply.
using Verdicts = std::array<std::optional<bool>, kLevelCount>;

std::size_t at(Level level) { return static_cast<std::size_t>(level); }

Verdicts verdicts_of(const History& history, std::int64_t clock_error_ns) {
  Verdicts verdicts;
  for (const LevelInfo& row : all_levels()) {
    if (!support::applies(row.level, history)) continue;
    verdicts[at(row.level)] = brute_force_holds(history, row.level, clock_error_ns);
  }
  return verdicts;
}

struct Case {
  std::uint64_t seed;
  PlainHistory plain;
  std::int64_t clock_error_ns;
};

// Every fourth one with values that repeat, where `duplicates` allows them.
Case make_case(std::uint64_t number, bool duplicates, std::uint64_t txn_count_max) {
  Case made{base::mix2(support::run_seed(), number), {}, 0};
  base::Rng rng(made.seed);
  support::RandomHistoryOptions options = support::random_options(rng);
  options.txn_count = std::min(options.txn_count, txn_count_max);
  if (duplicates && number % 4 == 0) options.duplicate_share = 0.3;
  made.plain = support::random_history(rng, options);
  made.clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
  return made;
}

// With one key or two, and about every second write a deletion.
Case make_deletions(std::uint64_t number, std::uint64_t txn_count_max) {
  Case made{base::mix2(support::run_seed(), number), {}, 0};
  base::Rng rng(made.seed);
  support::RandomHistoryOptions options = support::random_options(rng);
  options.txn_count = std::min(options.txn_count, txn_count_max);
  options.key_count = 1 + rng.below(2);
  options.ops_max = std::min<std::uint64_t>(options.ops_max, 3);
  options.list_share = rng.chance(0.1) ? 0.3 : 0;
  options.delete_share = rng.chance(0.5) ? 0.3 : 0.6;
  made.plain = support::random_history(rng, options);
  made.clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
  if (!rng.chance(0.4)) return made;
  // Of the levels that mix, only one asks who writes a deleted row.
  for (support::PlainTxn& txn : made.plain) {
    txn.level = std::to_array({Level::kSnapshotIsolation, Level::kSnapshotIsolation,
                               Level::kReadCommitted, Level::kSerializable})[rng.below(4)];
  }
  return made;
}

// Goal: random histories are worth testing with. Method: count verdicts of the oracle.
TEST(RandomHistory, GivesBothVerdictsOftenAtEveryLevel) {
  std::array<int, kLevelCount> held = {};
  std::array<int, kLevelCount> all = {};
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    const Verdicts verdicts = verdicts_of(support::build(support::random_history(seed)), 0);
    for (std::size_t level = 0; level < kLevelCount; ++level) {
      all[level] += verdicts[level].has_value() ? 1 : 0;
      held[level] += verdicts[level].value_or(false) ? 1 : 0;
    }
  }
  for (const LevelInfo& row : all_levels()) {
    const int count = all[at(row.level)];
    if (count == 0) continue;
    std::printf("%-42s %4d of %d (%2d %%)\n", std::string(row.name).c_str(),
                held[at(row.level)], count, 100 * held[at(row.level)] / count);
    EXPECT_GE(held[at(row.level)] * 100, count * 15) << row.name;
    EXPECT_LE(held[at(row.level)] * 100, count * 95) << row.name;
  }
}

// Where one level holds and another does not, in all histories given.
class Separations {
 public:
  // Reports pairs that implies() claims all the same, once each, by the smallest history.
  void add(const Case& tried) {
    const Verdicts verdicts = verdicts_of(support::build(tried.plain), tried.clock_error_ns);
    const bool timed = in_turn(tried);
    for (const LevelInfo& strong : all_levels()) {
      if (!verdicts[at(strong.level)].value_or(false)) continue;
      for (const LevelInfo& weak : all_levels()) {
        if (verdicts[at(weak.level)].value_or(true)) continue;
        const std::pair pair(strong.level, weak.level);
        separated_[0].insert(pair);
        if (timed) separated_[1].insert(pair);
        if (!is_claimed(tried, strong.level, weak.level)) continue;
        if (complained_.insert(pair).second) complain(tried, strong, weak);
      }
    }
  }

  /// With `timed`: in histories whose sessions take turns.
  bool has(Level strong, Level weak, bool timed) const {
    return separated_[timed ? 1 : 0].contains({strong, weak});
  }

 private:
  static bool in_turn(const Case& tried) {
    return support::sessions_respect_time(tried.plain, tried.clock_error_ns);
  }

  // implies() is about histories in which nothing is deleted. Where who inserts a deleted row
  // again need not have seen the deletion, one key does not tell an order of all its users,
  // nor, at parallel snapshot isolation, all keys together one that a session follows.
  static bool is_claimed(const Case& tried, Level strong, Level weak) {
    return implies(strong, weak, in_turn(tried)) &&
           !(deletes(tried.plain) && needs_all_writers_in_order(info(strong).base, weak));
  }

  static bool needs_all_writers_in_order(BaseLevel strong, Level weak) {
    if (strong == BaseLevel::kSnapshotIsolation) return weak == Level::kLinearizable;
    return strong == BaseLevel::kParallelSnapshot &&
           (weak == Level::kLinearizable || weak == Level::kCausal ||
            weak == Level::kMonotonicReads || weak == Level::kReadYourWrites);
  }

  static bool deletes(const PlainHistory& history) {
    return std::any_of(history.begin(), history.end(), [](const support::PlainTxn& txn) {
      return std::any_of(txn.ops.begin(), txn.ops.end(), [](const support::PlainOp& op) {
        return op.kind == OpKind::kWrite && op.value.empty();
      });
    });
  }

  static void complain(Case tried, const LevelInfo& strong, const LevelInfo& weak) {
    tried.plain = support::shrink(tried.plain, [&](const PlainHistory& smaller) {
      const Case other{tried.seed, smaller, tried.clock_error_ns};
      const Verdicts verdicts = verdicts_of(support::build(smaller), tried.clock_error_ns);
      return is_claimed(other, strong.level, weak.level) &&
             verdicts[at(strong.level)].value_or(false) &&
             !verdicts[at(weak.level)].value_or(true);
    });
    ADD_FAILURE() << strong.name << " holds, " << weak.name << " does not; clock error "
                  << tried.clock_error_ns << ", seed " << tried.seed << "\n"
                  << support::to_text(tried.plain);
  }

  std::array<std::set<std::pair<Level, Level>>, 2> separated_;
  std::set<std::pair<Level, Level>> complained_;
};

// Goal: implies() claims nothing that is not so. Method: the oracle's verdicts on random
// histories, all pairs of levels, with and without values that repeat.
TEST(Oracle, StrongerLevelsImplyWeakerOnes) {
  Separations separations;
  for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
    separations.add(make_case(i, /*duplicates=*/true, /*txn_count_max=*/6));
  }
  for (std::uint64_t i = 0; i < support::case_count(5'000); ++i) {
    separations.add(make_deletions((std::uint64_t{5} << 32) + i, /*txn_count_max=*/6));
  }
}

// Pairs that only selections tell apart: repeatable-read and serializable in the same form.
// implies() is about histories without them.
bool need_predicates(const LevelInfo& strong, Level weak, bool sessions_in_turn) {
  return strong.base == BaseLevel::kRepeatableRead &&
         std::ranges::any_of(all_levels(), [&](const LevelInfo& other) {
           return other.base == BaseLevel::kSerializable &&
                  other.session_order == strong.session_order &&
                  other.real_time == strong.real_time &&
                  implies(other.level, weak, sessions_in_turn);
         });
}

// Goal: implies() misses nothing. Method: for each pair that it does not claim, the table of
// known histories has one that holds at the one level and not at the other.
TEST(Oracle, KnownHistoriesTellLevelsApart) {
  Separations separations;
  for (const support::OracleHistory& row : support::oracle_histories()) {
    separations.add({0, support::parse_plain(row.text), 0});
  }
  const History some = support::parse("A: nop @1,2");
  for (const LevelInfo& strong : all_levels()) {
    for (const LevelInfo& weak : all_levels()) {
      if (!support::applies(strong.level, some) || !support::applies(weak.level, some))
        continue;
      for (const bool timed : {false, true}) {
        if (need_predicates(strong, weak.level, timed)) continue;
        EXPECT_TRUE(implies(strong.level, weak.level, timed) ||
                    separations.has(strong.level, weak.level, timed))
            << "no history where " << strong.name << " holds and " << weak.name << " does not"
            << (timed ? ", sessions in turn" : "")
            << ": a row of oracle_histories.cpp that shows it, or of levels.def that says that "
            << "there is none, is missing";
      }
    }
  }
}

// Goal: the oracle agrees with definitions that share neither idea nor code with it. Method:
// random histories without repeated values.
TEST(Oracle, AgreesWithSecondDefinitions) {
  const auto differ = [](const PlainHistory& plain, Level level, std::int64_t clock_error_ns) {
    const History history = support::build(plain);
    return support::applies(level, history) &&
           brute_force_holds(history, level, clock_error_ns) !=
               second_opinion(plain, level, clock_error_ns);
  };
  for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
    Case tried = make_case((std::uint64_t{1} << 32) + i, false, i % 10 == 0 ? 5 : 4);
    ASSERT_FALSE(support::has_duplicate_writes(tried.plain)) << tried.seed;
    for (const LevelInfo& row : all_levels()) {
      if (!differ(tried.plain, row.level, tried.clock_error_ns)) continue;
      tried.plain = support::shrink(tried.plain, [&](const PlainHistory& smaller) {
        return differ(smaller, row.level, tried.clock_error_ns);
      });
      FAIL() << row.name << ": the oracle says "
             << brute_force_holds(support::build(tried.plain), row.level, tried.clock_error_ns)
             << ", clock error " << tried.clock_error_ns << ", seed " << tried.seed << "\n"
             << support::to_text(tried.plain);
    }
  }
}

// Goal: the same for selections, and for rows with columns. Here the second definitions choose
// a version for every row that was left out or read in part.
TEST(Oracle, AgreesWithSecondDefinitionsOnSelections) {
  const auto differ = [](const PlainHistory& plain, Level level) {
    return brute_force_holds(support::build(plain), level, 0) !=
           second_opinion(plain, level, 0);
  };
  std::uint64_t held = 0;
  std::uint64_t violated = 0;
  for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{3} << 32) + i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options =
        i % 3 == 2 ? support::random_row_options(rng)
                   : support::random_selection_options(rng, i % 2 == 0);
    options.txn_count = std::min<std::uint64_t>(options.txn_count, 4);
    options.ops_max = std::min<std::uint64_t>(options.ops_max, 2);
    PlainHistory plain = support::random_history(rng, options);
    for (const LevelInfo& row : all_levels()) {
      if (!support::applies(row.level, support::build(plain))) continue;
      ++(brute_force_holds(support::build(plain), row.level, 0) ? held : violated);
      if (!differ(plain, row.level)) continue;
      plain = support::shrink(
          plain, [&](const PlainHistory& smaller) { return differ(smaller, row.level); });
      FAIL() << row.name << ": the oracle says "
             << brute_force_holds(support::build(plain), row.level, 0) << ", seed " << seed
             << "\n"
             << support::to_text(plain);
    }
  }
  EXPECT_GT(held, 0U);
  EXPECT_GT(violated, 0U);
}

// Goal: the same for deletions. Rows that are written, deleted and written again need writers
// of few keys, and readers that tell what was when.
TEST(Oracle, AgreesWithSecondDefinitionsOnDeletions) {
  const auto differ = [](const PlainHistory& plain, Level level, std::int64_t clock_error_ns) {
    const History history = support::build(plain);
    return support::applies(level, history) &&
           brute_force_holds(history, level, clock_error_ns) !=
               second_opinion(plain, level, clock_error_ns);
  };
  for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
    Case tried = make_deletions((std::uint64_t{4} << 32) + i, i % 10 == 0 ? 5 : 4);
    for (const LevelInfo& row : all_levels()) {
      if (!differ(tried.plain, row.level, tried.clock_error_ns)) continue;
      tried.plain = support::shrink(tried.plain, [&](const PlainHistory& smaller) {
        return differ(smaller, row.level, tried.clock_error_ns);
      });
      FAIL() << row.name << ": the oracle says "
             << brute_force_holds(support::build(tried.plain), row.level, tried.clock_error_ns)
             << ", clock error " << tried.clock_error_ns << ", seed " << tried.seed << "\n"
             << support::to_text(tried.plain);
    }
  }
}

// Goal: a step's ranges of read states are those of the thesis. Method: where values are
// unique, compare them with the states that show the value, in random executions.
TEST(Oracle, RangesAreReadStates) {
  int reads = 0;
  for (std::uint64_t i = 0; i < support::case_count(1'000, 100); ++i) {
    const Case tried = make_case((std::uint64_t{2} << 32) + i, false, 6);
    const History history = support::build(tried.plain);
    std::vector<TxnId> included;
    for (std::size_t t = 0; t < history.txn_count(); ++t) included.push_back(TxnId::at(t));
    Execution execution(history, included, 0);
    for (const TxnId txn : included) {
      for (const Step& step : execution.explained_steps(txn)) {
        for (std::size_t read = 0; read < step.reads.size(); ++read) {
          const auto states = execution.read_states(execution.effects(txn).reads[read]);
          ASSERT_FALSE(states.empty());
          ASSERT_EQ(step.reads[read].first, states.front()) << support::to_text(tried.plain);
          ASSERT_EQ(step.reads[read].last, states.back()) << support::to_text(tried.plain);
          ++reads;
        }
      }
      execution.push(txn);
    }
  }
  EXPECT_GT(reads, 100);
}

// Goal: the rows of one selection have no order. Method: histories that differ from a violation
// only there, by both definitions.
TEST(Oracle, RowsOfASelectionHaveNoOrder) {
  constexpr auto kLevels =
      std::to_array({Level::kMonotonicAtomicView, Level::kStrongSessionMonotonicAtomicView,
                     Level::kSequential, Level::kCausal, Level::kMonotonicReads});
  const auto verdicts = [&](const char* text) {
    std::string out;
    const PlainHistory plain = support::parse_plain(text);
    for (const Level level : kLevels) {
      const bool holds = brute_force_holds(support::build(plain), level, 0);
      EXPECT_EQ(second_opinion(plain, level, 0), holds) << text << " at " << info(level).name;
      out += holds ? 'Y' : 'n';
    }
    return out;
  };
  EXPECT_EQ(verdicts("A: w(1=1) w(2=1) ; B: s(: 1=1)"), "YYYYY");
  EXPECT_EQ(verdicts("A: w(1=1) w(2=1) ; B: s(: 1=1) r(2=_)"), "nnnnn");
  EXPECT_EQ(verdicts("A: w(1=1) w(2=1) ; B: r(1=1) s(: 1=1)"), "nnnnn");
  EXPECT_EQ(verdicts("A: w(1=1) w(2=1) ; B: s(keys=1..1: 1=1) s(keys=2..2:)"), "nnnnn");
  EXPECT_EQ(verdicts("A: w(1=1) w(2=1) ; B: s(: 1=1) | s(: 1=1)"), "YYnnn");
  EXPECT_EQ(verdicts("A: w(1=1) w(2=1) | w(1=2) w(2=2) ; B: s(: 1=2 2=1)"), "YYYYY");
  EXPECT_EQ(verdicts("A: w(1=1) w(2=1) | w(1=2) w(2=2) ; B: s(: 1=2 2=1) r(1=1)"), "YnnnY");
  const auto mixed = [&](const char* text) {
    const PlainHistory plain = support::parse_plain(text);
    const bool holds = brute_force_holds(support::build(plain), Level::kMixed, 0);
    EXPECT_EQ(second_opinion(plain, Level::kMixed, 0), holds) << text;
    return holds;
  };
  EXPECT_TRUE(mixed("A: w(1=1) w(2=1) %ser ; B: s(: 1=1) %mav"));
  // A selection does not read a key for which nobody writes what it selects, so D is no cause
  // of what A did.
  EXPECT_TRUE(
      mixed("D: w(1=2) %ra ; A: s(equal=4:) w(0=1) %ser | r(1=_) %tcc ; "
            "B: s(: 1=2) %ser"));
  EXPECT_FALSE(mixed("A: w(1=1) w(2=1) %ser ; B: s(: 1=1) r(2=_) %mav"));
  EXPECT_FALSE(mixed("A: w(1=1) w(2=1) %ser ; B: s(: 1=1) %ra"));
}

// D must not have seen A, and E not B, but C read what both wrote: from B, says the execution
// of D, from A that of E.
TEST(Oracle, EachSessionsExecutionHasItsOwnSources) {
  const History history = support::build(
      support::parse_plain("A: w(x=1) w(y=1) ; B: w(x=1) w(z=1) ; C: r(x=1) w(p=1) ; "
                           "D: r(p=1) r(y=_) ; E: r(p=1) r(z=_)"));
  EXPECT_TRUE(brute_force_holds(history, Level::kCausal, 0));
  EXPECT_FALSE(brute_force_holds(history, Level::kSequential, 0));
  EXPECT_FALSE(brute_force_holds(history, Level::kTransactionalCausal, 0));
}

}  // namespace
}  // namespace isolde::oracle

// Goal: histories in which values repeat are decided, and the proofs convince the verifier.
// Method: hand histories in which every choice of sources works, only one does, or none does.
// The oracle's word on random ones is in prop/engine_prop.cpp.
#include <gtest/gtest.h>

#include "source/session_choices.hpp"
#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::proved;
using test::txn;
using enum Level;

Proof searched(const History& history, Level level, bool skip_guess = false) {
  base::Budget budget;
  CheckStatistics statistics;
  CheckOptions options;
  options.skip_guess = skip_guess;
  const infer::Observations seen = infer::observe_open(history, budget);
  EXPECT_EQ(seen.ambiguity(), "");
  const LevelInfo& row = info(level);
  const std::unique_ptr<SourceSearch> engine = make_source_search(
      seen, {row, row.session_order || row.real_time}, options, statistics, budget);
  std::optional<Proof> proof = engine->search(0);
  EXPECT_TRUE(proof.has_value()) << row.name;
  return proof ? *proof : Proof();
}

std::string decide(std::string_view text, Level level, bool skip_guess = false) {
  const History history = support::parse(text);
  return proved(history, level, searched(history, level, skip_guess));
}

struct ChoiceCase {
  const char* what;
  const char* text;
  Level holds;     // kReadUncommitted: nothing is asked
  Level violated;  // likewise
};

// A's third transaction counts two rows, but it comes after its second.
TEST(Choices, WrongResultsAreWrongOnlyOfWhatTookEffect) {
  const std::string writers = "A: w(1=5) | w(1=1) w(2=5) | ";
  const std::string count = "s(values=5..5 get=count: 2) w(3=1)";
  // Which rows it found is derived here, and a choice elsewhere.
  for (const Level level : {kStrongSessionSerializable, kStrongSessionSnapshotIsolation,
                            kStrongSessionPrefixConsistency}) {
    EXPECT_EQ(decide(writers + count, level), "violated");
    EXPECT_EQ(decide(writers + count + " ?", level), "holds");
    // It was seen, and so took effect.
    EXPECT_EQ(decide(writers + count + " ? ; B: r(3=1)", level), "violated");
  }
  // Another row may or may not count, whichever write was read.
  const std::string more = "s(values=5..5 get=count: 3) w(3=1) ?";
  const std::string others = " ; B: w(4=5) ; C: w(4=5) ; D: w(4=1)";
  for (const Level level : {kStrongSessionSerializable, kStrongSessionSnapshotIsolation,
                            kStrongSessionPrefixConsistency}) {
    EXPECT_EQ(decide(writers + more + others, level), "holds");
    EXPECT_EQ(decide(writers + more + others + " ; E: r(3=1)", level), "violated");
  }
}

// One of both was seen. The first cannot have taken effect, whatever it read of two keys.
TEST(Choices, AnotherOneTookEffectWhereAResultIsImpossible) {
  const std::string writers = "A: w(1=5) | w(1=5) ; B: w(2=5) | w(2=5) ; ";
  const std::string first = "C: s(keys=1..2 values=5..5 get=count: 7) w(3=1) ? ; ";
  const std::string second = "D: s(keys=1..2 values=5..5 get=count: 1) w(3=1) ? ; ";
  for (const Level level :
       {kSerializable, kSnapshotIsolation, kPrefixConsistency, kParallelSnapshotIsolation,
        kTransactionalCausal, kReadAtomic, kMonotonicAtomicView, kReadCommitted}) {
    for (const bool skip_guess : {false, true}) {
      EXPECT_EQ(decide(writers + first + second + "E: r(3=1)", level, skip_guess), "holds");
      EXPECT_EQ(decide(writers + second + first + "E: r(3=1)", level, skip_guess), "holds");
      EXPECT_EQ(decide(writers + first + "E: r(3=1)", level, skip_guess), "violated");
    }
  }
}

TEST(Choices, HandMadeHistories) {
  constexpr Level kNothing = kReadUncommitted;
  const ChoiceCase cases[] = {
      {"either source will do", "A: w(x=1) ; B: w(x=1) ; C: r(x=1)", kSerializable, kNothing},
      {"only the source that did not see the first",
       "A: w(x=1) w(y=1) ; B: w(x=1) ; C: r(x=1) r(y=_)", kSerializable, kNothing},
      {"none: both wrote what the reader missed",
       "A: w(x=1) w(y=1) ; B: w(x=1) w(y=2) ; C: r(x=1) r(y=_)", kReadCommitted,
       kMonotonicAtomicView},
      {"a lost update from any source",
       "A: w(x=1) ; B: w(x=1) ; C: r(x=1) w(x=2) ; D: r(x=1) w(x=3) ; E: r(x=1) w(x=4)",
       kPrefixConsistency, kSnapshotIsolation},
      {"where forks are allowed, too",
       "A: w(x=1) ; B: w(x=1) ; C: r(x=1) w(x=2) ; D: r(x=1) w(x=3) ; E: r(x=1) w(x=4)",
       kReadAtomic, kParallelSnapshotIsolation},
      {"a fork with two sources of each value",
       "A: w(x=1) ; B: w(y=1) ; C: r(x=1) r(y=_) ; D: r(x=_) r(y=1) ; E: w(x=1) ; F: w(y=1)",
       kParallelSnapshotIsolation, kNothing},
      {"both sources were overwritten before",
       "A: w(x=1) w(p=1) ; B: w(x=1) w(q=1) ; C: r(p=1) r(q=1) w(x=2) w(z=1) ; D: r(z=1) "
       "r(x=1)",
       kReadCommitted, kParallelSnapshotIsolation},
      {"two sources for two updates",
       "A: w(x=1) ; B: w(x=1) ; C: r(x=1) w(x=2) ; D: r(x=1) w(x=3)", kSerializable, kNothing},
      {"circular flow whichever is chosen",
       "A: r(y=1) w(x=1) ; B: r(y=1) w(x=1) ; C: r(x=1) w(y=1)", kNothing, kReadCommitted},
      {"what would be write skew",
       "A: w(x=1) w(y=1) | w(x=1) w(y=1) ; B: r(x=1) r(y=1) w(x=2) ; "
       "C: r(x=1) r(y=1) w(y=2)",
       kStrongSessionSerializable, kNothing},
      {"sessions leave one source", "A: w(x=1) | w(x=2) ; B: r(x=2) | r(x=1) ; C: w(x=1)",
       kStrongSessionSerializable, kNothing},
      {"and without it none", "A: w(x=1) | w(x=1) | w(x=2) ; B: r(x=2) | r(x=1)", kSerializable,
       kTransactionalCausal},
      {"a source that may not have taken effect",
       "A: w(x=1) w(y=1) ; B: w(x=1) ? ; C: r(x=1) r(y=_)", kSerializable, kNothing},
      {"a source that cannot have taken effect",
       "A: w(x=1) w(y=1) ; B: r(z=7) w(x=1) ? ; C: r(x=1) r(y=_)", kReadCommitted,
       kMonotonicAtomicView},
      {"nor at levels that order versions",
       "A: w(x=1) w(y=1) ; B: r(z=7) w(x=1) ? ; C: r(x=1) r(y=_)", kReadCommitted,
       kSerializable},
      {"or do without it", "A: w(x=1) ; B: r(z=7) w(x=1) ? ; C: r(x=1) | r(x=1)",
       kStrongSessionSerializable, kNothing},
      {"a source that brings another one with it",
       "A: w(x=1) w(y=1) ; B: r(z=1) w(x=1) ? ; D: w(z=1) w(y=2) ? ; C: r(x=1) r(y=_)",
       kReadAtomic, kTransactionalCausal},
  };
  for (const ChoiceCase& each : cases) {
    if (each.holds != kNothing) {
      EXPECT_EQ(decide(each.text, each.holds), "holds") << each.what;
    }
    if (each.violated != kNothing) {
      EXPECT_EQ(decide(each.text, each.violated), "violated") << each.what;
    }
  }
}

TEST(Choices, RealTimeLeavesOneSource) {
  EXPECT_EQ(decide("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: w(x=1) @5,9 ; D: r(x=1) @6,7",
                   kStrictSerializable),
            "holds");
  EXPECT_EQ(decide("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: w(x=1) @8,9 ; D: r(x=1) @6,7",
                   kStrictSerializable),
            "violated");
}

TEST(Choices, RealTimeOfAKeyLeavesOneSource) {
  EXPECT_EQ(decide("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: w(x=1) @5,9 ; D: r(x=1) @6,7",
                   kPerKeyStrictSerializable),
            "holds");
  EXPECT_EQ(decide("A: w(x=1) @1,2 ; B: w(x=2) @3,4 ; C: w(x=1) @8,9 ; D: r(x=1) @6,7",
                   kPerKeyStrictSerializable),
            "violated");
  // Other keys do not bind.
  EXPECT_EQ(decide("A: w(x=1) @1,2 ; B: w(x=2) @8,9 ; C: w(x=1) @8,9 ; D: r(x=1) w(y=3) @3,4 ; "
                   "E: r(y=_) @5,6",
                   kPerKeyStrictSerializable),
            "violated");
  EXPECT_EQ(decide("A: w(x=1) @1,2 ; B: w(x=1) @1,2 ; D: r(x=1) w(y=3) @3,4 ; E: w(z=1) @5,6",
                   kPerKeyStrictSerializable),
            "holds");
}

TEST(Choices, TheDatabasesTimesLeaveOneSource) {
  const std::string writers = "A: w(x=1) ~1,2 ; B: w(x=1) w(y=5) ~3,4 ; C: w(x=2) ~5,6 ; ";
  for (const Level level : {kAnsiSnapshotIsolation, kPrefixConsistentSnapshotIsolation}) {
    EXPECT_EQ(decide(writers + "D: r(x=1) r(y=5) ~7,8", level), "holds");
    EXPECT_EQ(decide(writers + "D: r(x=1) r(y=_) ~7,8", level), "holds");
    EXPECT_EQ(decide(writers + "D: r(x=2) r(y=_) ~7,8", level), "violated");
    EXPECT_EQ(decide(writers + "D: r(x=1) r(y=5) ~3,8", level), "violated");
    EXPECT_EQ(decide(writers + "D: r(x=1) w(x=3) ~7,8", level), "violated");
  }
  const Level all = kCommitOrderedStrongSnapshotIsolation;
  EXPECT_EQ(decide(writers + "D: r(x=1) ~7,8", all), "violated");
  EXPECT_EQ(decide(writers + "D: r(x=1) ~5,8", all), "holds");
}

TEST(Choices, EachTransactionAtItsOwnLevel) {
  const std::string writers = "A: w(x=1) w(y=1) %ser ; B: w(x=1) w(z=1) %ser ; ";
  EXPECT_EQ(decide(writers + "C: r(x=1) r(y=_) %ra", kMixed), "holds");
  EXPECT_EQ(decide(writers + "C: r(x=1) r(y=_) r(z=_) %ra", kMixed), "violated");
  EXPECT_EQ(decide(writers + "C: r(x=1) r(y=_) r(z=_) %rc", kMixed), "holds");
  EXPECT_EQ(decide(writers + "C: r(x=1) r(y=_) r(z=_) %si", kMixed), "violated");
  // What a snapshot held is the source: D's x is B's, so z is visible to E.
  const std::string snapshot =
      "A: w(x=1) w(y=1) %ser | w(y=2) %ser ; B: w(x=1) w(z=1) %ser ; "
      "C: r(y=1) r(z=1) r(x=1) w(p=1) %si ; ";
  EXPECT_EQ(decide(snapshot + "E: r(p=1) r(z=_) %tcc", kMixed), "violated");
  EXPECT_EQ(decide(snapshot + "E: r(p=1) r(z=_) %ra", kMixed), "holds");
}

TEST(Choices, ReadByRead) {
  const std::string writers = "B: w(x=1) | w(x=2) ; C: w(x=2) ; ";
  EXPECT_EQ(decide(writers + "A: r(x=2) r(x=1) r(x=2)", kSequential), "holds");
  EXPECT_EQ(decide("B: w(x=1) | w(x=2) ; C: w(x=2) ; D: r(x=1) r(x=2) r(x=1)", kSequential),
            "violated");
  EXPECT_EQ(decide("B: w(x=1) w(y=1) | w(x=1) w(y=2) ; D: r(y=2) | r(x=1) r(y=1)", kSequential),
            "violated");
  EXPECT_EQ(decide("B: w(x=1) ; D: w(x=1) ; C: r(x=1) r(x=_)", kSequential), "violated");
}

// Where a transaction may see a key change, equal reads of it may have different sources: here
// the first x is from before y, the second one from after it.
TEST(Choices, EqualReadsOfDifferentSources) {
  const std::string reader = "D: r(x=1) r(z=_) r(y=1) r(x=1)";
  EXPECT_EQ(decide("A: w(x=1) | w(x=2) w(y=1) | w(x=1) w(z=1) ; " + reader,
                   kStrongSessionMonotonicAtomicView),
            "holds");
  EXPECT_EQ(
      decide("A: w(x=1) %rc | w(x=2) w(y=1) %rc | w(x=1) w(z=1) %rc ; " + reader + " %mav",
             kMixed),
      "holds");
}

// The snapshot of C held what B wrote, whatever the witness names.
TEST(Choices, TheVerifierTakesTheVersionOfASnapshot) {
  const History history = support::parse(
      "A: w(x=1) %ser ; B: w(x=1) w(z=1) %ser ; C: r(x=1) w(p=1) %ser ; E: r(p=1) r(z=_) %tcc");
  Witness witness{1, {txn(1), txn(0), txn(2), txn(3)}, {}};
  EXPECT_EQ(proved(history, kMixed, witness), "holds");
  witness.order = {txn(0), txn(1), txn(2), txn(3)};
  EXPECT_NE(proved(history, kMixed, witness), "holds");
  witness.sources = {{txn(2), 0, txn(0)}};
  EXPECT_NE(proved(history, kMixed, witness), "holds");
}

TEST(Choices, WitnessesNameTheSources) {
  const History history = support::parse("A: w(x=1) w(y=1) ; B: w(x=1) ; C: r(x=1) r(y=_)");
  const Proof proof = searched(history, kReadAtomic);
  ASSERT_TRUE(std::holds_alternative<Witness>(proof));
  const std::vector<ReadSource> expected = {{txn(2), 0, txn(1)}};
  EXPECT_EQ(std::get<Witness>(proof).sources, expected);
}

// Without the named source the latest one counts, and here it is the wrong one.
TEST(Choices, TheVerifierGoesByTheNamedSources) {
  const History history = support::parse("A: w(x=1) w(y=1) ; B: w(x=1) ; C: r(x=1) r(y=_)");
  Witness witness{1, {txn(1), txn(0), txn(2)}, {{txn(2), 0, txn(1)}}};
  for (const Level level : {kReadAtomic, kParallelSnapshotIsolation}) {
    witness.sources = {{txn(2), 0, txn(1)}};
    EXPECT_EQ(proved(history, level, witness), "holds");
    witness.sources.clear();
    EXPECT_NE(proved(history, level, witness), "holds");
    for (const TxnId wrong : {txn(0), txn(2), TxnId::none()}) {
      witness.sources = {{txn(2), 0, wrong}};
      EXPECT_NE(proved(history, level, witness), "holds");
    }
  }
}

// Goal: no step of a refutation with claims is idle. Method: leave out or turn one part.
TEST(Choices, BrokenRefutationsAreRefused) {
  const char* texts[] = {
      "A: w(x=1) w(y=1) ; B: w(x=1) w(y=2) ; C: r(x=1) r(y=_)",
      "A: w(x=1) w(y=1) ; B: r(z=1) w(x=1) ? ; D: w(z=1) w(y=2) ? ; C: r(x=1) r(y=_)",
  };
  for (const char* text : texts) {
    const History history = support::parse(text);
    for (const Level level : {kSerializable, kSnapshotIsolation, kParallelSnapshotIsolation,
                              kTransactionalCausal}) {
      const Proof proof = searched(history, level);
      ASSERT_TRUE(std::holds_alternative<Refutation>(proof));
      ASSERT_EQ(proved(history, level, proof), "violated");
      const auto& good = std::get<Refutation>(proof);
      std::size_t cycles = 0;
      for (std::size_t at = 0; at < good.steps.size(); ++at) {
        if (good.steps[at].cycle.empty()) continue;
        ++cycles;
        for (std::size_t i = 0; i < good.steps[at].claims.size(); ++i) {
          Refutation turned = good;
          turned.steps[at].claims[i].denied = !turned.steps[at].claims[i].denied;
          EXPECT_NE(proved(history, level, turned), "violated") << text;
          Refutation elsewhere = good;
          elsewhere.steps[at].claims[i].source.writer =
              elsewhere.steps[at].claims[i].source.txn;
          EXPECT_NE(proved(history, level, elsewhere), "violated") << text;
        }
        Refutation bold = good;
        bold.steps[at].claims.clear();
        EXPECT_NE(proved(history, level, bold), "violated") << text;
      }
      EXPECT_GE(cycles, 1U);
    }
  }
}

TEST(Choices, ClaimsMeanNothingWhereReadsMayBeDirty) {
  const History history =
      support::parse("A: w(x=1) w(y=1) ; B: w(x=1) w(y=2) ; C: r(x=1) r(y=_)");
  EXPECT_NE(proved(history, kReadUncommitted, searched(history, kSerializable)), "violated");
}

TEST(Choices, ListsOfDoubtfulTransactionsStayOpen) {
  base::Budget budget;
  const History history = support::parse("A: w(x=1) ; B: w(x=1) a(l=1) ? ; C: r(x=1)");
  EXPECT_NE(infer::observe_open(history, budget).ambiguity(), "");
}

}  // namespace
}  // namespace isolde::checker

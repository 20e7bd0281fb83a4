// Goal: sequential consistency by splitting off the reads. Method: the split itself, the
// histories of Crooks 2019, chapter 4, and the verifier's word on every proof.
#include "session/sequential.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"
#include "unit/infer/part_text.hpp"

namespace isolde::checker {
namespace {

using test::Observed;
using test::proved;
using test::txn;
using enum Level;

TEST(Sequential, SplitsReadsFromWrites) {
  const Observed observed(
      "A: a(l=7) w(x=1) r(x=1) ; B: r(x=1) a(l=8) r(l=[7 8]) w(x=2) ; C: w(x=3) !");
  const Split split = split_reads(observed.seen);
  EXPECT_EQ(infer::test::text(split.part),
            "0: of 0 w0=0 w1=1\n1: of 1 r1=1\n1: of 1 r0=0\n1: of 1 w0=2 w1=3\nlist 0: 0\n");
  EXPECT_EQ(split.has_writes, (std::vector<bool>{true, false, false, true}));
}

// The reads of a selection beside each other, initial values before the others; an empty part
// between two selections.
TEST(Sequential, SplitsSelectionsSideBySide) {
  const Observed observed(
      "A: w(1=1) w(2=1) ; B: w(3=1) w(4=1) ; C: w(4=2) ; D: w(5=1) s(: 1=1 2=1 3=1 5=1) "
      "s(keys=1..2: 1=1 2=1)");
  const Split split = split_reads(observed.seen);
  EXPECT_EQ(infer::test::text(split.part),
            "0: of 0 w0=0 w1=1\n1: of 1 w2=2 w3=3\n2: of 2 w3=4\n"
            "3: of 3 r3=_\n3: of 3 r0=0\n3.1: of 3 r1=1\n3.2: of 3 r2=2\n3: of 3\n"
            "3: of 3 r0=0\n3.1: of 3 r1=1\n3: of 3 w4=5\n");
  using Links = std::vector<std::pair<TxnId, TxnId>>;
  EXPECT_EQ(split.links, (Links{{txn(3), txn(5)},
                                {txn(3), txn(6)},
                                {txn(5), txn(7)},
                                {txn(6), txn(7)},
                                {txn(7), txn(9)},
                                {txn(9), txn(10)}}));
}

TEST(Sequential, HistoriesOfTheThesisAndSelections) {
  const struct {
    const char* id;
    const char* text;
    const char* verdict;
  } cases[] = {
      {"nothing", "A: nop", "holds"},
      {"O16", "A: w(x=1) ; B: r(x=1) w(x=2) ; C: r(x=1)", "holds"},
      {"O18", "A: w(a=1) ; B: w(b=1) ; C: r(a=1) | r(b=_) ; D: r(b=1) | r(a=_)", "violated"},
      {"O20", "A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) | r(x=1)", "violated"},
      {"O21", "A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) ; D: r(x=2) | r(x=1)", "violated"},
      {"O22", "A: w(x=1) | r(x=_)", "violated"},
      {"O25", "A: w(x=1) ; B: r(x=1) | w(y=1) ; C: r(y=1) | r(x=_)", "violated"},
      {"O34", "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)", "holds"},
      {"O35", "W: w(x=1) w(y=1) ; R: r(y=_) r(x=1)", "holds"},
      {"O35r", "W: w(x=1) w(y=1) ; R: r(x=1) r(y=_)", "violated"},
      {"O41", "A: w(x=1) | r(x=2) ; B: w(x=2)", "holds"},
      {"O42", "A: r(y=1) w(x=1) | w(y=1)", "violated"},
      {"rows", "A: w(1=1) w(2=1) ; B: s(: 1=1)", "holds"},
      {"row, row", "A: w(1=1) w(2=1) ; B: s(: 1=1) r(2=_)", "violated"},
      {"read, rows", "A: w(1=1) w(2=1) ; B: r(1=1) s(: 1=1)", "violated"},
      {"rows, rows", "A: w(1=1) w(2=1) ; B: s(keys=1..1: 1=1) s(keys=2..2:)", "violated"},
      {"rows | rows", "A: w(1=1) w(2=1) ; B: s(: 1=1) | s(: 1=1)", "violated"},
      {"new and old",
       "A: w(1=1) w(2=1) ; B: w(1=2) w(2=2) ; C: s(: 1=2 2=1) ; D: r(1=1) r(1=2)", "holds"},
      {"new and old, back",
       "A: w(1=1) w(2=1) ; B: w(1=2) w(2=2) ; C: s(: 1=2 2=1) r(1=1) ; D: r(1=1) r(1=2)",
       "violated"},
      {"rows both ways", "A: w(1=1) ; B: w(2=1) ; C: s(: 1=1) ; D: s(: 2=1)", "holds"},
      {"rows after each other",
       "A: w(1=1) ; B: w(2=1) ; C: s(: 1=1) | r(2=_) ; D: s(: 2=1) | r(1=_)", "violated"},
  };
  for (const auto& each : cases) {
    for (const bool skip : {false, true}) {
      const Observed observed(each.text);
      base::Budget budget;
      CheckOptions options;
      options.skip_guess = skip;
      options.skip_saturation = skip;
      CheckStatistics statistics;
      SequentialLevel level(observed.seen, options, statistics, budget);
      std::optional<Proof> proof = level.guess();
      if (!proof) proof = level.decide();
      ASSERT_TRUE(proof.has_value()) << each.id;
      EXPECT_EQ(proved(*observed.history, kSequential, *proof), each.verdict) << each.id;
    }
  }
}

}  // namespace
}  // namespace isolde::checker

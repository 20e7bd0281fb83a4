// Goal: the snapshot isolations by the database's own times. Method: the timed histories of
// Crooks 2019 (App. F and THEORY tables: names O14 to O39) with their published verdicts, and
// the verifier's word on every proof. The property tests compare with the oracle.
#include "weak/timed.hpp"

#include <gtest/gtest.h>

#include "support/proved.hpp"

namespace isolde::checker {
namespace {

using test::Observed;
using enum Level;

constexpr Level kLevels[] = {kAnsiSnapshotIsolation, kPrefixConsistentSnapshotIsolation,
                             kCommitOrderedStrongSnapshotIsolation};

/// A letter a level, in the order of kLevels; or what is wrong.
std::string verdicts_of(const Observed& observed) {
  std::string reason = why_not_timed(observed.seen);
  if (!reason.empty()) return reason;
  std::string letters;
  for (const Level level : kLevels) {
    base::Budget budget;
    const std::string found = test::proved(
        *observed.history, level, decide_timed(observed.seen, info(level), budget).value());
    letters += found == "holds" ? "Y" : found == "violated" ? "n" : found;
  }
  return letters;
}

TEST(Timed, HistoriesOfTheThesis) {
  struct Case {
    const char* what;
    const char* text;
    const char* verdicts;
  };
  const Case cases[] = {
      {"O14", "A: w(x=1) ~1,4 ; B: r(x=1) ~2,3", "nnn"},
      {"O15", "A: w(x=1) ~1,2 ; B: r(x=1) w(x=2) ~3,4 | r(x=1) ~5,6", "Ynn"},
      {"O16", "A: w(x=1) ~1,2 ; B: r(x=1) w(x=2) ~3,4 ; C: r(x=1) ~5,6", "YYn"},
      {"O8t write skew", "A: r(x=_) r(y=_) w(x=1) ~1,3 ; B: r(x=_) r(y=_) w(y=1) ~2,4", "YYY"},
      {"O32 inversion", "A: w(x=1) ~1,2 ; B: r(x=_) ~3,4", "YYn"},
      {"O32s in one session", "A: w(x=1) ~1,2 | r(x=_) ~3,4", "Ynn"},
      {"O37 committed after the start", "A: w(x=1) ~1,3 ; B: r(x=1) ~2,4", "nnn"},
      {"O38 overlapping blind writes", "A: w(x=1) ~1,3 ; B: w(x=2) ~2,4", "nnn"},
      {"O39 from the future", "A: w(x=1) ~5,6 ; B: r(x=1) ~1,2", "nnn"},
      {"a snapshot at the moment of a commit lacks it", "A: w(x=1) ~1,3 ; B: r(x=1) ~3,4",
       "nnn"},
      {"and may be taken then", "A: w(x=1) ~1,3 ; B: r(x=_) ~3,4", "YYY"},
      {"session against the order of commits", "A: w(x=1) ~1,5 | w(y=1) ~2,3", "YnY"},
      {"lists agree with the commits",
       "A: a(l=1) ~1,2 ; B: a(l=2) ~3,4 ; C: r(l=[1 2]) ~5,6 ; D: r(l=[1]) ~3,7", "YYY"},
      {"lists against the commits", "A: a(l=1) ~1,2 ; B: a(l=2) ~3,4 ; C: r(l=[2 1]) ~5,6",
       "nnn"},
      {"an append before the last one shown was not seen",
       "A: a(l=1) ~1,2 ; B: a(l=2) ~3,4 ; C: r(l=[2]) ~5,6", "nnn"},
      {"nothing", "A: nop ~1,2", "YYY"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(verdicts_of(Observed(each.text)), each.verdicts) << each.what;
  }
}

TEST(Timed, NeedsAllTimes) {
  EXPECT_EQ(verdicts_of(Observed("A: w(x=1)")), "the history has no times of the database");
  EXPECT_EQ(verdicts_of(Observed("A: w(x=1) ~1,2 ; B: w(y=1)")),
            "transaction B:0 has no times of the database");
  EXPECT_EQ(verdicts_of(Observed("A: w(x=1) ~1,_ ; B: w(y=1) ~1,2")),
            "transaction A:0 has no times of the database");
  EXPECT_EQ(verdicts_of(Observed("A: w(x=1) ~1,7 ; B: w(y=1) ~2,7")),
            "two transactions have the commit time 7 of the database");
  // Who aborted needs none, nor who was never seen.
  EXPECT_EQ(verdicts_of(Observed("A: w(x=1) ~1,2 ; B: w(y=1) ! ; C: w(z=1) ?")), "YYY");
}

}  // namespace
}  // namespace isolde::checker

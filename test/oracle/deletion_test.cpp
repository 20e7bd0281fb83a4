// Goal: what the levels ask of those who write a deleted row (docs/LEVELS.md, "Deletions").
// Method: small histories with known verdicts, by the oracle and by the second definitions.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "oracle/brute.hpp"
#include "oracle/second_opinion.hpp"
#include "support/history_dsl.hpp"

namespace isolde::oracle {
namespace {

template <std::size_t kCount>
std::string verdicts(const std::array<Level, kCount>& levels, const char* text) {
  std::string out;
  const support::PlainHistory plain = support::parse_plain(text);
  for (const Level level : levels) {
    const bool holds = brute_force_holds(support::build(plain), level, 0);
    EXPECT_EQ(second_opinion(plain, level, 0), holds) << text << " at " << info(level).name;
    out += holds ? 'Y' : 'n';
  }
  return out;
}

std::string by_snapshots(const char* text) {
  return verdicts(
      std::to_array({Level::kSerializable, Level::kStrongSessionSnapshotIsolation,
                     Level::kSnapshotIsolation, Level::kStrongSessionParallelSnapshotIsolation,
                     Level::kParallelSnapshotIsolation, Level::kPrefixConsistency}),
      text);
}

TEST(Deletions, AreWrites) {
  // The deletion came second, and had not seen the write.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) ; C: r(x=1) w(x=2) w(y=1) ; "
                         "D: r(y=1) r(x=_)"),
            "nnnnnY");
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) ; C: r(x=_) w(x=2) ; D: r(x=2)"),
            "YYYYYY");
}

TEST(Deletions, NeedNotBeSeenByWhoWritesTheRowAgain) {
  // C missed the deletion.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(y=1) ; C: r(y=_) r(x=1) w(x=2) ; "
                         "D: r(y=1) r(x=2)"),
            "nYYYYY");
  // It missed the insertion as well.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(y=1) ; C: r(y=_) r(x=_) w(x=2) ; "
                         "D: r(y=1) r(x=2)"),
            "nYYYYY");
  // Had it been an update that it missed.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) w(x=3) w(y=1) ; C: r(y=_) r(x=1) w(x=2) ; "
                         "D: r(y=1) r(x=2)"),
            "nnnnnY");
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) w(x=3) w(y=1) ; C: r(y=_) r(x=_) w(x=2) ; "
                         "D: r(y=1) r(x=2)"),
            "nnnnnY");
  // Who deletes the row and writes it in one transaction, leaves it there.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(x=3) w(y=1) ; "
                         "C: r(y=_) r(x=1) w(x=2) ; D: r(y=1) r(x=2)"),
            "nnnnnY");
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) w(x=3) d(x) w(y=1) ; "
                         "C: r(y=_) r(x=1) w(x=2) ; D: r(y=1) r(x=2)"),
            "nYYYYY");
  // Deleting what is deleted replaces nothing, either.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) ; C: r(x=1) d(x)"), "nYYYYY");
  // Sessions still bind.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) | r(x=1) w(x=2)"), "nnYnYY");
}

TEST(Deletions, CountNoLongerWhenTheRowIsBack) {
  // C brought the row back, and T replaced its version.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(y=1) ; C: r(y=1) r(x=_) w(x=2) w(z=1) ; "
                         "T: r(y=_) r(x=1) w(x=3) ; E: r(z=1) r(x=3)"),
            "nnnnnY");
  // It may replace what C wrote when it saw that.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(y=1) ; C: r(y=_) r(x=1) w(x=2) ; "
                         "T: r(x=2) w(x=3) ; E: r(y=1) r(x=3)"),
            "nYYYYY");
}

TEST(Deletions, HideWhatIsBehindThem) {
  // C replaced what B wrote, and B what A wrote.
  EXPECT_EQ(by_snapshots("A: w(x=1) w(a=1) ; B: r(x=1) w(x=2) w(b=1) ; C: r(a=_) w(x=3) ; "
                         "D: r(b=1) r(x=3)"),
            "nnnnnY");
  EXPECT_EQ(by_snapshots("A: w(x=1) w(a=1) ; B: r(x=1) d(x) w(b=1) ; C: r(a=_) w(x=3) ; "
                         "D: r(b=1) r(x=3)"),
            "nYYYYY");
  // E saw C, and so, where there is one order of commits, all before it.
  EXPECT_EQ(by_snapshots("A: w(x=1) w(a=1) ; B: r(x=1) d(x) w(b=1) ; C: r(a=_) w(x=3) ; "
                         "D: r(b=1) r(x=3) ; E: r(x=3) r(a=_) w(x=4)"),
            "nnnYYn");
  // The same without a reader that fixes the order: C may be the first one.
  EXPECT_EQ(by_snapshots("A: w(x=1) w(a=1) ; C: r(a=_) w(x=3) ; E: r(x=3) r(a=_) w(x=4)"),
            "YYYYYY");
}

TEST(Deletions, ComeBeforeWhatIsWrittenAfterThem) {
  // D knows of C, not of B. It must see what C wrote.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(b=1) ; C: r(x=1) w(x=2) w(y=1) ; "
                         "D: r(y=1) r(x=1) ; E: r(b=1) r(x=2)"),
            "nnnnnn");
  // Whoever knows of both sees what came second, at parallel snapshot isolation, too.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(b=1) ; C: r(x=1) w(x=2) w(y=1) ; "
                         "D: r(y=1) r(b=_) r(x=2) ; E: r(y=_) r(b=1) r(x=_)"),
            "nnnYYn");
  EXPECT_EQ(by_snapshots("A: w(x=1) ; B: r(x=1) d(x) w(b=1) ; C: r(x=1) w(x=2) w(y=1) ; "
                         "D: r(y=1) r(b=1) r(x=2) ; E: r(y=1) r(b=1) r(x=_)"),
            "nnnnnn");
  // In the order of commits the row was deleted before it was written again: B, which read y
  // from C, cannot be the first of the two.
  EXPECT_EQ(by_snapshots("A: w(x=1) ; C: r(x=1) w(x=2) w(y=1) ; B: r(y=1) d(x) ; "
                         "D: r(x=2)"),
            "YYYYYY");
  EXPECT_EQ(by_snapshots("A: w(x=1) ; C: r(x=1) w(x=2) w(y=1) ; B: r(y=1) d(x) w(b=1) ; "
                         "D: r(b=1) r(x=2)"),
            "nnnnnn");
}

// Goal: levels that snapshot levels imply only where nothing is deleted. Method: histories for
// each, two of them again without the deletion.
TEST(Deletions, CutSomeLevelsOff) {
  constexpr auto kSessions = std::to_array({Level::kStrongSessionSnapshotIsolation,
                                            Level::kStrongSessionParallelSnapshotIsolation,
                                            Level::kTransactionalCausal, Level::kCausal,
                                            Level::kMonotonicReads, Level::kReadYourWrites});
  // C wrote y after the deletion, and saw it, by x, only later.
  EXPECT_EQ(verdicts(kSessions, "C: w(y=1) | r(x=_) | r(x=2) r(y=1) ; D: w(x=2) d(y)"),
            "nYYnYY");
  EXPECT_EQ(verdicts(kSessions, "C: w(y=1) | r(x=_) | r(x=2) r(y=1) ; D: w(x=2) w(y=2)"),
            "nnYnYY");
  EXPECT_EQ(verdicts(kSessions,
                     "W: w(y=1) w(z=1) ; C: r(z=1) | r(x=_) | r(x=2) r(y=1) ; "
                     "D: w(x=2) d(y)"),
            "nYYnnY");
  EXPECT_EQ(verdicts(kSessions, "C: w(y=1) | r(x=_) | r(x=2) w(z=1) | r(y=1) ; D: w(x=2) d(y)"),
            "nYYnYn");
  constexpr auto kTimed =
      std::to_array({Level::kStrongSnapshotIsolation, Level::kStrongParallelSnapshotIsolation,
                     Level::kLinearizable});
  EXPECT_EQ(verdicts(kTimed, "A: w(x=1) @1,2 ; B: r(x=1) d(x) @3,9 ; C: r(x=1) w(x=2) @3,9"),
            "YYn");
  EXPECT_EQ(verdicts(kTimed, "A: w(x=1) @1,2 ; B: r(x=1) w(x=3) @3,9 ; C: r(x=1) w(x=2) @3,9"),
            "nnn");
}

TEST(Deletions, ByTheTimesOfTheDatabase) {
  const auto by_times = [](const char* text) {
    return verdicts(std::to_array({Level::kCommitOrderedStrongSnapshotIsolation,
                                   Level::kPrefixConsistentSnapshotIsolation,
                                   Level::kAnsiSnapshotIsolation}),
                    text);
  };
  EXPECT_EQ(by_times("A: w(x=1) ~1,2 ; B: r(x=1) d(x) ~3,5 ; C: r(x=1) w(x=2) ~4,6"), "YYY");
  EXPECT_EQ(by_times("A: w(x=1) ~1,2 ; B: r(x=1) w(x=3) ~3,5 ; C: r(x=1) w(x=2) ~4,6"), "nnn");
  EXPECT_EQ(by_times("A: w(x=1) ~1,2 ; B: r(x=1) w(x=3) ~3,5 ; C: r(x=1) d(x) ~4,6"), "nnn");
  // It began before the insertion, too.
  EXPECT_EQ(by_times("C: r(x=_) w(x=2) ~0,6 ; A: w(x=1) ~1,2 ; B: r(x=1) d(x) ~3,5"), "YYY");
  // Between the deletion and D the row was back.
  EXPECT_EQ(by_times("A: w(x=1) ~1,2 ; B: d(x) ~3,5 ; C: w(x=3) ~6,7 ; "
                     "D: r(x=1) w(x=2) ~4,8"),
            "nnn");
  EXPECT_EQ(by_times("A: w(x=1) ~1,2 ; B: d(x) ~3,5 ; C: w(x=3) ~6,7 ; E: d(x) ~8,9 ; "
                     "D: r(x=1) w(x=2) ~4,10"),
            "YYY");
  // An old snapshot, but no older than the session.
  EXPECT_EQ(by_times("A: w(x=1) ~1,2 ; B: r(x=1) d(x) ~3,5 | r(x=1) w(x=2) ~6,7"), "nnY");
}

TEST(Deletions, AtMixedLevels) {
  const auto mixed = [](const char* text) {
    return verdicts(std::to_array({Level::kMixed}), text);
  };
  EXPECT_EQ(mixed("A: w(x=1) %rc ; B: r(x=1) d(x) w(y=1) %rc ; C: r(y=_) r(x=1) w(x=2) %si ; "
                  "D: r(y=1) r(x=2) %ser"),
            "Y");
  EXPECT_EQ(mixed("A: w(x=1) %rc ; B: r(x=1) w(x=3) w(y=1) %rc ; "
                  "C: r(y=_) r(x=1) w(x=2) %si ; D: r(y=1) r(x=2) %ser"),
            "n");
  EXPECT_EQ(mixed("A: w(x=1) %rc ; B: r(x=1) w(x=3) w(y=1) %rc ; "
                  "C: r(y=_) r(x=1) w(x=2) %pc ; D: r(y=1) r(x=2) %ser"),
            "Y");
  EXPECT_EQ(mixed("A: w(x=1) %rc ; B: r(x=1) d(x) w(y=1) %rc ; C: r(y=_) r(x=1) w(x=2) %ser ; "
                  "D: r(y=1) r(x=2) %ser"),
            "n");
  // It missed the insertion as well.
  EXPECT_EQ(mixed("A: w(x=1) %rc ; B: r(x=1) d(x) w(y=1) %rc ; C: r(y=_) r(x=_) w(x=2) %si ; "
                  "D: r(y=1) r(x=2) %ser"),
            "Y");
  // The row was back, written by one that cares for nothing.
  EXPECT_EQ(mixed("A: w(x=1) %rc ; B: r(x=1) d(x) w(y=1) %rc ; B: w(x=4) w(z=1) %rc ; "
                  "C: r(y=_) r(x=1) w(x=2) %si ; D: r(z=1) r(x=2) %ser"),
            "n");
}

}  // namespace
}  // namespace isolde::oracle

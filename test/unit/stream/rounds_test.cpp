// What rounds settle, leave open and refuse. That they agree with a check of the whole is the
// subject of test/prop/stream_prop.cpp.
#include "stream/rounds.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <utility>
#include <vector>

#include "certify/verify.hpp"
#include "isolde/history_builder.hpp"
#include "stream/rounds_options.hpp"
#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

struct PartText {
  std::string text;
  std::int64_t open_since = kNoTime;
};

class RoundsTest : public testing::Test {
 protected:
  /// All parts one after the other; without the end.
  void take(const std::vector<PartText>& parts) {
    options_.left_open = left_open_;
    rounds_.emplace(options_, budget_);
    taken_.clear();
    settled_.clear();
    rounds_->on_settled = [this](std::span<const TxnNumber> order, std::uint64_t) {
      settled_.emplace_back(order.begin(), order.end());
    };
    suspected_.clear();
    rounds_->on_suspected = [this](const Suspicion& suspicion) {
      EXPECT_FALSE(rounds_->violation());
      suspected_.push_back(suspicion);
    };
    rounds_->reread = [this](const Visit& visit) {
      TxnNumber first = 0;
      for (const History& part : taken_) {
        visit(part, first);
        first += part.txn_count();
      }
      return ok_status();
    };
    for (const PartText& part : parts) {
      taken_.push_back(support::parse(part.text));
      rounds_->take(support::parse(part.text), part.open_since);
    }
  }

  RoundsOptions options_;
  std::size_t left_open_ = 0;
  base::Budget budget_;
  std::optional<Rounds> rounds_;
  std::deque<History> taken_;
  std::vector<std::vector<TxnNumber>> settled_;
  std::vector<Suspicion> suspected_;
};

using Orders = std::vector<std::vector<TxnNumber>>;

TEST_F(RoundsTest, SettleWhatEndedBeforeWhatComesStarts) {
  take({{"A: w(x=1) @0,10\nB: w(x=2) @0,20", 15}, {"A: r(x=2) @15,30\nB: r(x=2) @21,29", 40}});
  EXPECT_EQ(settled_, (Orders{{0}, {1, 3, 2}}));
  EXPECT_EQ(rounds_->open_count(), 0U);
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  EXPECT_EQ(rounds_->settled(), 4U);
  EXPECT_EQ(rounds_->txn_count(), 4U);
  EXPECT_EQ(rounds_->key_count(), 1U);
}

TEST_F(RoundsTest, LeaveOpenWhatEndedLast) {
  left_open_ = 2;
  // Had the first round settled these two, their order would have been 0, 1.
  take({{"A: w(x=1) @0,10\nB: w(x=2) @0,20", 40}, {"A: r(x=1) @50,60", 70}});
  EXPECT_EQ(settled_, (Orders{{}, {}}));
  EXPECT_EQ(rounds_->open_count(), 3U);
  rounds_->finish();
  EXPECT_EQ(settled_.back(), (std::vector<TxnNumber>{1, 0, 2}));
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, SuspectWhatTheyFindNoOrderOf) {
  take({{"A: w(x=1) @0,10", 15}, {"A: w(y=1) @16,18\nA: w(x=2) @20,30\nB: r(x=1) @40,50", 60}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kViolated);
  ASSERT_EQ(suspected_.size(), 1U);
  EXPECT_EQ(suspected_[0].first, 1U);
  EXPECT_EQ(suspected_[0].last, 3U);
  EXPECT_EQ(suspected_[0].begin, 16);
  EXPECT_EQ(suspected_[0].end, 50);
  EXPECT_EQ(suspected_[0].named, (std::vector<TxnNumber>{2, 3}));
}

TEST_F(RoundsTest, SuspectNobodyAnyMoreOnceThereIsAnOrder) {
  // B may have read from somebody who has not come yet: C.
  const PartText early{"A: w(x=1) @5,6\nA: w(x=2) @7,8\nB: r(x=1) @9,12", 9};
  take({early});
  EXPECT_EQ(suspected_.size(), 1U);
  EXPECT_EQ(rounds_->failures(), 1U);
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  take({early, {"C: w(x=1) @9,13", 20}});
  EXPECT_EQ(suspected_.size(), 1U);
  EXPECT_EQ(rounds_->failures(), 0U);
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  EXPECT_EQ(settled_.back(), (std::vector<TxnNumber>{0, 1, 3, 2}));
}

TEST_F(RoundsTest, SettleWhatASettledOneHasReadFrom) {
  // The writer's end is not known.
  take({{"A: w(x=1) ? @0,_\nB: r(x=1) @5,10", 20}});
  EXPECT_EQ(settled_, (Orders{{0, 1}}));
  EXPECT_EQ(rounds_->open_count(), 0U);
}

TEST_F(RoundsTest, WaitWithTheWriterWhomNobodyHasSeen) {
  take({{"A: w(x=1) ? @0,_\nB: r(x=_) @5,10", 20}, {"B: r(x=1) @21,22", 30}});
  EXPECT_EQ(settled_, (Orders{{1}, {0, 2}}));
}

TEST_F(RoundsTest, BindNoSession) {
  // Real time alone counts at this level: what nobody has seen may still take effect.
  take({{"A: w(x=1) ? @0,_\nA: w(y=1) @5,10\nB: r(y=1) r(x=_) @11,15", 20},
        {"B: r(x=1) @21,22", 30}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  EXPECT_EQ(settled_, (Orders{{1, 2}, {0, 3}}));
}

TEST_F(RoundsTest, RefuseWhatStartedBeforeItWasOpen) {
  take({{"A: w(x=1) @0,10", 15}, {"B: w(x=2) @14,20", 30}});
  EXPECT_EQ(rounds_->reason(), "a transaction started before those that were said to be open");
  take({{"A: w(x=1) @0,10", 15}, {"B: w(x=2) @_,20", 30}});
  EXPECT_EQ(rounds_->reason(), "a transaction started before those that were said to be open");
}

TEST_F(RoundsTest, WaitForTheWriterWhoComesLater) {
  take({{"A: r(x=1) @0,10\nB: r(y=_) @11,12", 5}, {"C: w(x=1) @5,20", 30}});
  EXPECT_EQ(settled_, (Orders{{}, {2, 0, 1}}));
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, GoOnWhereNobodyIsToBeChecked) {
  take({{"", 5}, {"A: r(x=1) @6,10", 7}, {"", 7}, {"B: w(x=1) @7,20", 30}});
  EXPECT_EQ(rounds_->reason(), "");
  EXPECT_EQ(settled_, (Orders{{1, 0}}));
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, CountClocksAsFarApartAsTheyMayBe) {
  options_.clock_error_ns = 5;
  take({{"A: w(x=1) @0,10\nB: w(x=2) @0,20", 25}});
  EXPECT_EQ(settled_, (Orders{{0}}));
}

TEST_F(RoundsTest, KnowThatMoreComesHoweverLate) {
  // By clocks that far apart, who starts at the last moment that there is may come first.
  options_.clock_error_ns = 5;
  take({{"A: r(x=1) @0,9223372036854775804", 9223372036854775807},
        {"B: w(x=1) @9223372036854775807,9223372036854775807", 9223372036854775807}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, TellAViolationAndWhatItRestsOn) {
  options_.kept_ops = 0;
  take({{"A: w(x=1) @0,10\nB: w(y=1) @0,10", 15},
        {"A: w(x=2) @15,20\nB: w(y=2) @16,20", 25},
        {"C: w(z=1) @26,27", 30},
        {"C: r(x=1) @31,40", 50}});
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated);
  const Violation& violation = *rounds_->violation();
  EXPECT_EQ(support::to_text(violation.history),
            "A: w(x=1) @0,10\nA: w(x=2) @15,20\nC: r(x=1) @31,40\n");
  EXPECT_EQ(violation.history.txn_name(TxnId::at(2)), "#6");
  EXPECT_TRUE(certify::verify(violation.history, violation.certificate).proves);
  // What comes after it is counted, and no more.
  rounds_->take(support::parse("A: w(x=9) @60,61"), 70);
  EXPECT_EQ(rounds_->txn_count(), 7U);
  EXPECT_EQ(rounds_->rounds(), 4U);
}

TEST_F(RoundsTest, TellAReadOfWhatNobodyWrote) {
  take({{"A: w(x=1) @0,10", 15}, {"B: r(x=7) @16,17", 30}});
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated);
  const auto* const finding = std::get_if<Finding>(&rounds_->violation()->certificate.proof);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->kind, FindingKind::kUnwrittenRead);
}

TEST_F(RoundsTest, BelieveNoViolationWhereSomebodyElseWroteTheSame) {
  // The last read may be from the first transaction or from the fourth, which a window of the
  // last parts does not show: with the former it would be stale.
  options_.kept_ops = 0;
  take({{"A: w(x=1) @0,10", 15},
        {"A: w(x=2) @15,20", 25},
        {"A: w(x=3) @25,100\nB: w(x=1) @26,99", 30},
        {"C: r(x=1) @101,102", 110}});
  rounds_->finish();
  EXPECT_NE(rounds_->verdict(), Verdict::kViolated);
}

TEST_F(RoundsTest, SayWhyTheyDoNotKnow) {
  const auto reason = [](const std::string& text) {
    base::Budget budget;
    Rounds rounds(RoundsOptions(), budget);
    rounds.take(support::parse(text), 100);
    rounds.finish();
    EXPECT_EQ(rounds.verdict(), Verdict::kUnknown) << text;
    return rounds.reason();
  };
  EXPECT_EQ(reason("A: w(x=1)"), "transactions have no times, which this level is about");
  EXPECT_EQ(reason("A: i(x+1) @0,1"), "increments are not checked in rounds");
  EXPECT_EQ(reason("A: d(x) @0,1"),
            "rows with columns and rows that are deleted are not checked in rounds");
  EXPECT_EQ(reason("A: s(keys=1..9: 1=2) @0,1"), "selections are not checked in rounds");
  // What is cut off may be so behind its last transaction.
  base::Budget budget;
  Rounds rounds(RoundsOptions(), budget);
  rounds.take(support::parse("A: w(x=1) @0,1"), 5);
  HistoryBuilder rest;
  rest.origin().truncated = true;
  rounds.take(std::move(rest.finish()).value(), 5);
  EXPECT_EQ(rounds.reason(), "the input is cut off");
}

TEST_F(RoundsTest, GiveUpWhereWhatWasSettledDoesNotFit) {
  // Which of the two writes comes first is open when the first round settles both; nothing can
  // be read once more.
  take({{"A: w(x=1) @0,10\nB: w(x=2) @0,11", 15}});
  rounds_->reread = nullptr;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rounds_->verdict(), Verdict::kHolds) << i;
    rounds_->take(support::parse(i == 0 ? "C: r(x=1) @15,20" : "C: r(y=_) @30,31"), 30);
  }
  EXPECT_EQ(rounds_->verdict(), Verdict::kUnknown);
  EXPECT_NE(rounds_->reason().find("no order of what came then"), std::string::npos);
  EXPECT_EQ(rounds_->settled(), 2U);
}

TEST_F(RoundsTest, BeginWithWhatWasThere) {
  take({{"start(x=5)\nA: r(x=5) w(y=1) @0,10", 15}, {"A: r(x=5) r(y=1) @15,20", 30}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  EXPECT_EQ(rounds_->settled(), 2U);
}

TEST_F(RoundsTest, TakeUnknownContentsFromTheFirstRead) {
  options_.initial_is_unknown = true;
  take({{"start(k=3)\nA: r(x=5) r(y=_) r(k=3) @0,10", 15}, {"A: r(x=5) w(x=6) @15,20", 30}});
  EXPECT_EQ(settled_, (Orders{{0}, {1}}));
  rounds_->take(support::parse("B: r(x=6) r(k=3) @31,32"), 40);
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  // Once it is known what they held, another value comes from nowhere.
  for (const char* const read : {"r(x=5)", "r(x=7)", "r(y=7)", "r(k=7)"}) {
    take({{"start(k=3)\nA: r(x=5) r(y=_) r(k=3) @0,10", 15}, {"A: w(x=6) @15,20", 30}});
    rounds_->take(support::parse(std::string("B: ") + read + " @31,32"), 40);
    rounds_->finish();
    EXPECT_NE(rounds_->verdict(), Verdict::kHolds) << read;
  }
}

TEST_F(RoundsTest, TakeTheReadThatEndedFirst) {
  options_.initial_is_unknown = true;
  left_open_ = 9;
  // Of unknown outcome, and not wanted; written later; the one; and then somebody has written.
  take({{"A: r(x=7) ? @0,1\nB: r(x=2) @0,5\nC: w(x=1) @3,6\nC: w(x=2) @7,8\nB: r(x=2) @9,9",
         20}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  // By clocks that far apart the writer of 2 may have been first.
  options_.clock_error_ns = 2;
  take({{"B: r(x=2) @0,5\nC: w(x=2) @7,8\nA: r(x=1) @0,9", 20}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, TellViolationsThatRestOnNoContentsAtTheStart) {
  options_.initial_is_unknown = true;
  const auto verdict_with = [&](const char* first, const char* last) {
    take({{first, 12}, {last, 100}});
    rounds_->finish();
    return rounds_->verdict();
  };
  EXPECT_EQ(verdict_with("A: w(x=1) @0,10", "B: r(x=7) @13,14"), Verdict::kViolated);
  EXPECT_EQ(verdict_with("A: w(x=1) @0,10", "B: r(x=_) @13,14"), Verdict::kViolated);
  EXPECT_EQ(verdict_with("A: w(x=1) @0,10\nB: w(x=2) @11,12", "B: r(x=1) @13,14"),
            Verdict::kViolated);
  EXPECT_EQ(verdict_with("A: r(x=7) @0,10", "B: r(x=8) @13,14"), Verdict::kUnknown);
  EXPECT_EQ(verdict_with("A: r(y=1) r(x=_) @0,10\nB: w(y=1) w(x=2) @0,9", "B: r(x=2) @13,14"),
            Verdict::kUnknown);  // y may have held 1
}

TEST_F(RoundsTest, EndAtTheLimits) {
  options_.most_open = 1;
  take({{"A: w(x=1) @0,10\nB: w(x=2) @0,20", 0}});
  EXPECT_EQ(rounds_->reason(), "more than 1 transactions are not settled");
  budget_.cancel();
  take({{"A: w(x=1) @0,10\nB: w(x=2) @0,20", 0}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kUnknown);
}

TEST_F(RoundsTest, KeepUnknownOutcomesApartUntilSomebodyReads) {
  take({{"A: w(x=1) ? @0,_\nB: w(y=1) ? @1,_\nC: w(z=1) @0,10", 15}, {"D: r(z=1) @20,21", 25}});
  EXPECT_EQ(rounds_->apart_count(), 2U);
  EXPECT_EQ(rounds_->open_count(), 0U);
  take({{"A: w(x=1) ? @0,_\nB: w(y=1) ? @1,_\nC: w(z=1) @0,10", 15},
        {"D: r(z=1) @20,21", 25},
        {"E: r(x=1) @30,31", 35}});
  EXPECT_EQ(rounds_->apart_count(), 1U);
  EXPECT_EQ(rounds_->settled(), 4U);
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  // All together they stay open.
  options_.keeps_apart = false;
  take({{"A: w(x=1) ? @0,_\nB: w(y=1) ? @1,_\nC: w(z=1) @0,10", 15}});
  EXPECT_EQ(rounds_->apart_count(), 0U);
  EXPECT_EQ(rounds_->open_count(), 2U);
}

TEST_F(RoundsTest, KeepOnlySoManyUnknownOutcomesApart) {
  options_.most_apart = 1;
  take(
      {{"A: w(x=1) ? @0,_\nB: w(y=1) @0,10", 15}, {"C: w(z=1) ? @20,_\nD: r(x=1) @20,30", 25}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  take({{"A: w(x=1) ? @0,_\nB: w(y=1) @0,10", 15}, {"C: w(z=1) ? @20,_", 25}});
  EXPECT_EQ(rounds_->reason(),
            "nobody knows whether more than 1 transactions took effect from which nobody has "
            "read");
  // At the end they do no harm: this one was kept for a reader who needed it not.
  options_.most_apart = 0;
  take({{"A: w(x=1) ? @0,_\nB: w(x=1) @0,5\nC: r(x=1) @6,30", 15}});
  EXPECT_EQ(rounds_->open_count(), 2U);
  rounds_->finish();
  EXPECT_EQ(rounds_->apart_count(), 1U);
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, KnowOfReadersThatUnknownOutcomesTookEffect) {
  options_.kept_ops = 0;
  const std::string first = "A: w(x=1) @0,1\nC: w(x=2) ? @2,_";
  const std::string other = "Z: w(y=1) @10,11";
  const std::string stale = "D: r(x=1) @20,21";
  take({{first + "\nB: r(x=2) @3,4", 9}, {other, 19}, {stale, 29}});
  rounds_->finish();
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated) << rounds_->reason();
  EXPECT_EQ(support::to_text(rounds_->violation()->history),
            first + "\nB: r(x=2) @3,4\n" + stale + "\n");
  take({{first, 9}, {other, 19}, {stale, 29}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, KnowWhatListsHeldAtTheStart) {
  options_.kept_ops = 0;
  const std::string start = "start(x=[8 9])\n";
  const std::string append = "A: a(x=1) @0,1";
  take({{start + append, 9}, {"Z: w(y=1) @10,11", 19}, {"D: r(x=[8 1]) @20,21", 29}});
  rounds_->finish();
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated) << rounds_->reason();
  EXPECT_EQ(support::to_text(rounds_->violation()->history),
            start + append + "\nD: r(x=[8 1]) @20,21\n");
  take({{start + append, 9}, {"Z: w(y=1) @10,11", 19}, {"D: r(x=[8 9 1]) @20,21", 29}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

/// How many are forgotten of one of unknown outcome, by what settled ones do later.
class DeadlinesTest : public RoundsTest {
 protected:
  std::uint64_t forgotten(const std::string& unknown, const std::string& later,
                          std::int64_t within_ns) {
    options_.takes_effect_within_ns = within_ns;
    take({{unknown, 12}, {later, 50}});
    EXPECT_EQ(rounds_->verdict(), Verdict::kHolds) << rounds_->reason();
    EXPECT_EQ(rounds_->apart_count() + rounds_->open_count() + rounds_->forgotten_count(), 1U);
    return rounds_->forgotten_count();
  }
};

TEST_F(DeadlinesTest, PassWhenOneBehindThemHasWritten) {
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: w(x=2) @20,21", 19), 1U);
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: w(x=2) @20,21", 20), 0U);
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: w(x=2) @20,21", kNoTime), 0U);
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: w(y=2) @20,21", 0), 0U);
  // The last that is known of it counts, and nothing tells of one without times.
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,10", "B: w(x=2) @20,21", 9), 1U);
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,10", "B: w(x=2) @20,21", 10), 0U);
  EXPECT_EQ(forgotten("A: w(x=1) ?\nB: w(z=1) @0,1", "C: w(x=2) @20,21", 0), 0U);
  // All that it wrote.
  EXPECT_EQ(forgotten("A: w(x=1) w(y=1) ? @0,_", "B: w(x=2) @20,21", 5), 0U);
  EXPECT_EQ(forgotten("A: w(x=1) w(y=1) ? @0,_", "B: w(x=2) w(y=2) @20,21", 5), 1U);
  // By clocks that are wrong the other was perhaps first.
  options_.clock_error_ns = 1;
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: w(x=2) @20,21", 18), 1U);
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: w(x=2) @20,21", 19), 0U);
}

TEST_F(DeadlinesTest, PassWhenOneBehindThemHasRead) {
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: r(x=_) @20,21", 19), 1U);
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: r(x=?) @20,21", 19), 0U);
  EXPECT_EQ(forgotten("A: w(x=1) ? @0,_", "B: r(x=<>7) @20,21", 19), 0U);
  // An append hides nothing.
  EXPECT_EQ(forgotten("A: a(x=1) ? @0,_", "B: a(x=2) @20,21", 5), 0U);
  EXPECT_EQ(forgotten("A: a(x=1) ? @0,_", "B: a(x=2) @20,21\nB: r(x=[2]) @22,23", 5), 1U);
  // One that has read a list stays open, not apart.
  EXPECT_EQ(forgotten("A: r(y=[]) a(x=1) ? @0,_", "B: w(z=2) @20,21", 5), 0U);
  EXPECT_EQ(rounds_->open_count(), 1U);
  EXPECT_EQ(forgotten("A: r(y=[]) a(x=1) ? @0,_", "B: a(x=2) r(x=[2]) @20,21", 5), 1U);
}

TEST_F(DeadlinesTest, ThatAreWrongLeaveUnknownWhatWasRead) {
  const std::vector<PartText> parts{
      {"A: w(x=1) ? @0,_", 12}, {"B: w(x=2) @20,21", 25}, {"C: r(x=1) @30,31", 50}};
  take(parts);
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  options_.takes_effect_within_ns = 5;
  take(parts);
  rounds_->finish();
  EXPECT_EQ(rounds_->reason(),
            "no order of what came then fits behind what was settled before, which may be more "
            "than the history says, or a transaction that was forgotten took effect after all");
}

TEST_F(RoundsTest, WaitForOpenTransactionsOnlySoLong) {
  options_.most_window_ns = 10;
  const PartText first{"A: w(x=1) @5,10\nB: w(x=2) @16,30", 6};
  const PartText next{"C: w(y=1) @18,20", 7};
  // When more comes, nobody is open any more who was for too long.
  take({first, {"C: w(y=1) @18,20", 6}, {"", 8}, {"", 8}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  take({first, next, {"", 7}});
  EXPECT_EQ(rounds_->reason(),
            "a transaction that started at 2ns of the history is still open 11ns later, which "
            "is longer than the window of 10ns that is allowed");
  // The last part does not say that nobody is open.
  take({first, next});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  take({{"A: w(x=1) @5,10\nB: w(x=2) @16,30", 4}, {"", 4}});
  EXPECT_EQ(rounds_->reason(),
            "a transaction from before the history is still open 12ns later, which is longer "
            "than the window of 10ns that is allowed");
  // Nobody knows who is open.
  take({{"A: w(x=1) @5,10\nB: w(x=2) @100,130", kNoTime}, {"", kNoTime}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  // Times whose difference does not fit.
  constexpr std::int64_t kLate = std::numeric_limits<std::int64_t>::max() - 9;
  take({{"A: w(x=1) @" + std::to_string(kLate) + ",_", -kLate}, {"", -kLate}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kUnknown);
}

TEST_F(RoundsTest, CutBetweenASnapshotAndItsCommit) {
  options_.level = Level::kStrongSnapshotIsolation;
  // Neither sees what the other one writes, and the second may still be read from by others.
  const PartText skew{"A: r(x=_) w(y=1) @0,10\nB: r(y=_) w(x=1) @0,30", 15};
  take({skew});
  EXPECT_EQ(settled_, (Orders{{0}}));
  EXPECT_EQ(rounds_->settled(), 0U);
  EXPECT_EQ(rounds_->open_count(), 2U);
  take({skew, {"C: r(x=1) r(y=1) w(y=2) @40,50", 60}});
  EXPECT_EQ(settled_, (Orders{{0}, {1, 0, 1, 2, 2}}));
  EXPECT_EQ(rounds_->settled(), 3U);
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

/// What has begun before holds its key until it commits, at a level that says so.
TEST_F(RoundsTest, KeysOfThoseThatHaveBegunAreTheirs) {
  const PartText first{"A: r(x=_) w(y=1) @0,10\nB: r(y=_) w(x=1) @0,30\nC: w(y=2) @0,40", 15};
  const PartText last{"D: r(y=1) @50,60", 70};
  options_.level = Level::kStrongPrefixConsistency;
  take({first, last});
  EXPECT_EQ(settled_, (Orders{{0}, {1, 2, 2, 0, 1, 3, 3}}));
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  // C would have had to commit before A began.
  options_.level = Level::kStrongSnapshotIsolation;
  take({first, last});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kUnknown);
}

TEST_F(RoundsTest, WhoseOutcomeIsNotKnownIsNotCutInTwo) {
  options_.level = Level::kStrongSnapshotIsolation;
  take({{"A: r(x=_) w(y=1) ? @0,_\nB: r(y=_) w(x=1) @0,30\nC: r(y=1) @0,10", 15}});
  EXPECT_EQ(settled_, (Orders{{}}));
}

TEST_F(RoundsTest, CutListsThatAreLeftOpen) {
  // D stays open while [1 2] is settled, of which it has read both.
  take({{"A: a(x=1) @0,5\nB: a(x=2) @6,9\nD: r(x=[1 2]) a(x=3) @7,40", 30},
        {"C: r(x=[1 2 3]) @41,50", 60}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  EXPECT_EQ(settled_, (Orders{{0, 1}, {2, 3}}));
}

TEST_F(RoundsTest, FindTheViolationOfAListThatDoesNotFit) {
  take({{"A: a(x=1) @0,5\nB: a(x=2) @6,9", 30}, {"C: r(x=[1]) @41,50", 60}});
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated);
  EXPECT_EQ(support::to_text(rounds_->violation()->history),
            "A: a(x=1) @0,5\nB: a(x=2) @6,9\nC: r(x=[1]) @41,50\n");
}

TEST_F(RoundsTest, LearnWhatListsBeganWith) {
  options_.initial_is_unknown = true;
  // What was appended is settled before anybody reads; B stays open meanwhile.
  take({{"A: a(x=1) @0,5", 10},
        {"A: a(x=2) @11,15\nB: r(x=[7 8 1 2]) @12,60", 30},
        {"C: r(x=[7 8 1 2]) a(x=3) @31,35", 70},
        {"C: r(x=[7 8 1 2 3]) @71,75", 80}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  EXPECT_EQ(rounds_->settled(), 5U);
  take({{"A: a(x=1) @0,5", 10}, {"C: r(x=[7 1]) @11,15", 20}, {"C: r(x=[8 1]) @21,25", 30}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kViolated);
}

TEST_F(RoundsTest, ShowAViolationWhateverListsBeganWith) {
  options_.initial_is_unknown = true;
  // D misses what C had appended. Of 7 and 1 nobody need say anything, for D has them.
  take({{"A: a(x=1) @0,5\nB: r(x=[7 1]) @6,9", 10},
        {"C: a(x=2) @11,15\nB: r(x=[7 1 2]) @16,20", 30},
        {"D: r(x=[7 1]) @31,35", 40}});
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated);
  EXPECT_EQ(support::to_text(rounds_->violation()->history),
            "C: a(x=2) @11,15\nD: r(x=[]) @31,35\n");
  // B has read nothing of what C has, so that was not there at the start.
  take({{"B: r(x=[7]) r(y=_) @0,5\nA: a(x=1) a(y=1) ! @6,9", 10},
        {"C: r(x=[7 1]) r(y=[1]) @11,15", 30}});
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated);
  EXPECT_EQ(support::to_text(rounds_->violation()->history),
            "B: r(x=[]) r(y=[]) @0,5\nA: a(x=1) a(y=1) ! @6,9\nC: r(x=[1]) r(y=[1]) @11,15\n");
}

TEST_F(RoundsTest, LeaveOutListsOfWritersWhoAreNotRecorded) {
  options_.is_incomplete = true;
  take({{"A: a(x=1) a(y=1) @0,5\nA: a(x=2) a(y=2) @6,9", 10},
        {"B: r(x=[1 7 2]) r(y=[1 2]) @11,15", 20}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  ASSERT_EQ(rounds_->incomplete_keys().size(), 1U);
  EXPECT_EQ(rounds_->incomplete_keys().front().name, "x");
  EXPECT_EQ(rounds_->incomplete_keys().front().reads, 1U);
  // What is wrong with elements that are all recorded is a violation.
  take({{"A: a(x=1) @0,5\nA: a(x=2) @6,9", 10}, {"B: r(x=[1]) @11,15", 20}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kViolated);
  take({{"A: a(x=1) ! @0,5", 10}, {"B: r(x=[1]) @11,15", 20}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kViolated);
  EXPECT_TRUE(rounds_->incomplete_keys().empty());
  // Of a list that was there before, which a read told, nobody need have appended anything.
  options_.initial_is_unknown = true;
  take({{"A: r(x=[7]) a(x=1) @0,5\nA: a(x=2) @6,9", 10},
        {"A: r(x=[7 1 2]) @10,11", 11},
        {"B: r(x=[7 1]) @12,15", 20}});
  EXPECT_EQ(rounds_->verdict(), Verdict::kViolated);
  EXPECT_TRUE(rounds_->incomplete_keys().empty());
}

TEST_F(RoundsTest, EndASearchThatTakesTooLong) {
  options_.most_ticks = 0;
  options_.most_ticks_per_op = 0;
  const std::vector<PartText> parts{{"A: w(x=1) @0,10\nB: r(x=1) @20,30", 40}};
  take(parts);
  EXPECT_EQ(rounds_->verdict(), Verdict::kUnknown);
  EXPECT_EQ(rounds_->reason(),
            "a round takes very long, as where many values repeat; with --timeout it takes as "
            "long as that allows");
  EXPECT_FALSE(budget_.exhausted());
  // Who gives a time says how long it may take.
  base::Budget limited(1000, 0);
  Rounds rounds(options_, limited);
  rounds.take(support::parse(parts.front().text), 40);
  rounds.finish();
  EXPECT_EQ(rounds.verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, KeepListsAndRegistersApart) {
  take({{"A: a(x=1) @0,5", 30}, {"A: w(x=1) @31,40", 60}});
  EXPECT_EQ(rounds_->reason(),
            "key x is used both as a register and as a list; use one of them");
}

TEST_F(RoundsTest, TellOfAWeakerLevelWhatTheyKnow) {
  // B sees an older state than A's, which had ended: against real time alone.
  const std::vector<PartText> stale{{"A: w(x=1) @0,10\nB: r(x=_) @20,30", 40}};
  const std::vector<PartText> skew{{"A: r(x=_) w(y=1) @0,10\nB: r(y=_) w(x=1) @0,10", kNoTime}};
  options_.level = Level::kSerializable;
  take(stale);
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kUnknown);
  EXPECT_EQ(rounds_->reason(),
            "strict-serializable is violated, and only an order that keeps it can be settled");
  take(skew);
  rounds_->finish();
  ASSERT_EQ(rounds_->verdict(), Verdict::kViolated);
  EXPECT_EQ(rounds_->violation()->certificate.level, Level::kSerializable);
  options_.level = Level::kReadCommitted;
  take(skew);
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
}

TEST_F(RoundsTest, GoByRealTimeForTheOrderOfSessions) {
  options_.level = Level::kStrongSessionSnapshotIsolation;
  take({{"A: w(x=1) @0,10\nA: r(x=1) @11,20", 15}});
  rounds_->finish();
  EXPECT_EQ(rounds_->verdict(), Verdict::kHolds);
  take({{"A: w(x=1) @0,10\nA: r(x=1) @9,20", 15}});
  EXPECT_EQ(rounds_->reason(),
            "transactions of a session overlap in time, so that an order of all need not keep "
            "that of the session");
}

TEST(Rounds, GoByTheWeakestLevelThatIsEnough) {
  EXPECT_EQ(level_of_rounds(Level::kSerializable), Level::kStrictSerializable);
  EXPECT_EQ(level_of_rounds(Level::kStrongSessionSerializable), Level::kStrictSerializable);
  EXPECT_EQ(level_of_rounds(Level::kSnapshotIsolation), Level::kStrongSnapshotIsolation);
  EXPECT_EQ(level_of_rounds(Level::kReadCommitted), Level::kStrongPrefixConsistency);
  EXPECT_EQ(level_of_rounds(Level::kAnsiSnapshotIsolation), std::nullopt);
  EXPECT_EQ(level_of_rounds(Level::kMixed), std::nullopt);
}

}  // namespace
}  // namespace isolde::stream

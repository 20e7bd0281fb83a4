// Goal: rounds that begin anew say nothing wrong of what comes, and find an order of it where
// there is one. Method: histories of correct stores, in which they begin anew at random,
// through checkpoints, too; and of stores that go wrong for a while, in which they begin anew
// behind each violation.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "certify/verify.hpp"
#include "prop/stream_judge.hpp"
#include "sim/simulate.hpp"
#include "stream/checkpoint.hpp"
#include "stream/rounds.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using stream::Rounds;

class AnewTest : public testing::Test {
 protected:
  void begin() {
    rounds_.emplace(options_, budget_);
    rounds_->reread = reread_of(parts_, taken_);
  }

  /// The next part.
  void take() {
    const Part& part = parts_[taken_++];
    rounds_->take(History(part.history), part.open_since);
  }

  /// In a process of its own from here on.
  std::string restart() {
    Result<stream::RoundsState> state = rounds_->state();
    if (!state) return state.error().message;
    const Result<std::string> text = stream::checkpoint_text(
        {.options = options_, .rounds = std::move(*state), .position = {}, .segments = {}});
    if (!text) return text.error().message;
    Result<stream::Checkpoint> read = stream::parse_checkpoint(*text, "checkpoint", budget_);
    if (!read) return read.error().message;
    begin();
    const Status restored = rounds_->restore(std::move(read->rounds));
    return restored ? "" : restored.error().message;
  }

  /// What is not right of what was found, and whether it is about what came since.
  std::string complaint_of_violation(stream::TxnNumber since) const {
    const stream::Violation& violation = *rounds_->violation();
    const certify::VerifyResult verified =
        certify::verify(violation.history, violation.certificate);
    if (!verified.proves) return "the violation is none: " + verified.reason;
    bool is_new = since == 0;
    for (std::size_t t = 0; t < violation.history.txn_count(); ++t) {
      is_new = is_new || violation.history.position_in_input(TxnId::at(t)) > since;
    }
    return is_new ? "" : "the violation was told before";
  }

  void expect_an_order_wherever_they_begin(std::uint64_t cases, std::string_view workload);
  void expect_that_random_ones_hold(std::uint64_t cases, bool has_lists);
  void expect_an_order_behind_a_fault(std::uint64_t cases, std::string_view workload);

  stream::RoundsOptions options_;
  base::Budget budget_;
  std::deque<Part> parts_;
  std::size_t taken_ = 0;
  std::optional<Rounds> rounds_;
};

/// At which rounds can tell a violation whatever keys held, and times of sessions do not
/// matter.
Level random_strong_level(base::Rng& rng) {
  constexpr std::array kLevels{Level::kStrictSerializable, Level::kStrongSnapshotIsolation,
                               Level::kStrongPrefixConsistency};
  return kLevels[rng.below(kLevels.size())];
}

std::deque<Part> parts_of(const sim::SimulationOptions& simulation, std::size_t size) {
  std::deque<Part> parts;
  const Status made = sim::simulate_in_parts(
      simulation, size, [&](const History& part, std::int64_t open_since, bool) {
        parts.push_back({part, open_since});
        return ok_status();
      });
  EXPECT_TRUE(made.ok()) << made.error().message;
  return parts;
}

void AnewTest::expect_an_order_wherever_they_begin(std::uint64_t cases,
                                                   std::string_view workload) {
  std::uint64_t begun = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    sim::SimulationOptions simulation = random_simulation(rng, workload);
    simulation.fault = sim::Fault::kNone;
    if (rng.chance(0.2)) simulation.lost_reply_rate = 0.2;
    parts_ = parts_of(simulation, 1 + rng.below(12));
    options_.level = random_strong_level(rng);
    options_.clock_error_ns = 2 * simulation.clock_error_ns;
    // Where little stays open, more may be settled than the history says.
    const bool must_hold = rng.chance(0.7);
    options_.left_open = must_hold ? 1000 : rng.below(10);
    options_.kept_ops = rng.below(400);
    taken_ = 0;
    begin();
    const auto heed = [&] {
      ASSERT_FALSE(rounds_->violation()) << "case " << i;
      if (rounds_->verdict() == Verdict::kHolds) return;
      ASSERT_FALSE(must_hold) << "case " << i << ": " << rounds_->reason();
      ASSERT_TRUE(rounds_->begin_anew().ok());
    };
    const double begins = rng.chance(0.5) ? 0.05 : 0.3;
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      take();
      heed();
      if (HasFatalFailure()) return;
      if (rng.chance(begins)) {
        ASSERT_TRUE(rounds_->begin_anew().ok());
        ++begun;
      }
      const std::string trouble = rng.chance(0.1) ? restart() : "";
      ASSERT_EQ(trouble, "") << "case " << i;
    }
    rounds_->finish();
    heed();
    if (HasFatalFailure()) return;
  }
  std::printf("begun anew %llu times\n", static_cast<unsigned long long>(begun));
  EXPECT_TRUE(support::met(begun, 100, cases));
}

TEST_F(AnewTest, WhatIsRightHasAnOrderWhereverTheyBegin) {
  expect_an_order_wherever_they_begin(support::case_count(250), {});
}

TEST_F(AnewTest, ListsThatAreRightHaveAnOrderWhereverTheyBegin) {
  expect_an_order_wherever_they_begin(support::case_count(250), "list-append");
}

void AnewTest::expect_that_random_ones_hold(std::uint64_t cases, bool has_lists) {
  std::uint64_t begun = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    support::RandomHistoryOptions random = support::random_options(rng);
    random.txn_count = 4 + rng.below(10);
    random.key_count = 1 + rng.below(2);
    random.times = support::TimeSource::kExecution;
    random.list_share = has_lists ? 1.0 : 0;
    random.duplicate_share = 0;
    random.indeterminate_share = rng.chance(0.5) ? 0.3 : 0;
    const History whole = support::build(support::random_history(rng, random));
    if (!whole.has_times()) continue;
    options_ = {};
    options_.level = random_strong_level(rng);
    if (rng.chance(0.3)) options_.clock_error_ns = static_cast<std::int64_t>(rng.below(20));
    if (verdict_of(whole, options_) != Verdict::kHolds) continue;
    parts_ = cut(whole, rng);
    const bool must_hold = rng.chance(0.8);
    if (!must_hold) options_.left_open = rng.below(6);
    taken_ = 0;
    begin();
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      take();
      if (rounds_->verdict() != Verdict::kHolds) break;
      if (rng.chance(0.4)) {
        ASSERT_TRUE(rounds_->begin_anew().ok());
        ++begun;
      }
      const std::string trouble = rng.chance(0.1) ? restart() : "";
      ASSERT_EQ(trouble, "") << "case " << i;
    }
    rounds_->finish();
    ASSERT_NE(name(rounds_->verdict()), name(Verdict::kViolated)) << "case " << i << "\n"
                                                                  << support::to_text(whole);
    // Where little stays open, more may be settled than the history says; and what one of
    // unknown outcome has read, who took no effect, may be chosen for what was there.
    if (!must_hold || !rounds_->can_begin_anew()) continue;
    ++lost;
    ASSERT_GT(random.indeterminate_share, 0)
        << "case " << i << ": " << rounds_->reason() << "\n"
        << support::to_text(whole);
  }
  EXPECT_LE(lost, 2 + cases / 100'000);
  EXPECT_TRUE(support::met(begun, 50, cases));
}

TEST_F(AnewTest, RandomHistoriesThatHoldDoSoWhereverTheyBegin) {
  expect_that_random_ones_hold(support::case_count(40'000), false);
}

TEST_F(AnewTest, RandomListsThatHoldDoSoWhereverTheyBegin) {
  expect_that_random_ones_hold(support::case_count(20'000), true);
}

void AnewTest::expect_an_order_behind_a_fault(std::uint64_t cases, std::string_view workload) {
  std::uint64_t found = 0;
  std::uint64_t lost = 0;
  std::uint64_t further = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(support::run_seed() + i);
    sim::SimulationOptions simulation = random_simulation(rng, workload);
    const auto faults = sim::all_faults();
    simulation.fault = faults[rng.below(faults.size())].fault;
    simulation.workload.txns = 100 + rng.below(200);
    simulation.fault_rate = 0.1;
    simulation.fault_after = 0;
    simulation.fault_before = 0.3;
    if (!sim::validate(simulation).ok()) continue;
    parts_ = parts_of(simulation, 1 + rng.below(12));
    std::size_t count = 0;
    for (const Part& part : parts_) count += part.history.txn_count();
    options_ = {};
    options_.level = random_strong_level(rng);
    options_.clock_error_ns = 2 * simulation.clock_error_ns;
    const bool must_hold = rng.chance(0.7);
    options_.left_open = must_hold ? 1000 : rng.below(10);
    options_.kept_ops = 50 + rng.below(400);
    taken_ = 0;
    begin();
    stream::TxnNumber since = 0;
    const auto heed = [&](const char* when) {
      if (rounds_->verdict() == Verdict::kHolds) return;
      if (rounds_->violation()) {
        ASSERT_EQ(complaint_of_violation(since), "") << "case " << i;
        ++(since == 0 ? found : further);
      } else {
        ++lost;
      }
      // The fault is over, and whoever it has met is left out.
      ASSERT_TRUE(since < count * 3 / 4 || (!must_hold && !rounds_->violation()))
          << "case " << i << ", " << when << ": " << rounds_->reason();
      ASSERT_TRUE(rounds_->can_begin_anew()) << "case " << i << ": " << rounds_->reason();
      ASSERT_TRUE(rounds_->begin_anew().ok());
      since = rounds_->txn_count();
    };
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      take();
      heed("in the middle");
      if (HasFatalFailure()) return;
      const std::string trouble = rng.chance(0.05) ? restart() : "";
      ASSERT_EQ(trouble, "") << "case " << i;
    }
    rounds_->finish();
    heed("at the end");
    if (HasFatalFailure()) return;
  }
  std::printf("%llu violations, %llu more behind them, no order without one %llu times\n",
              static_cast<unsigned long long>(found), static_cast<unsigned long long>(further),
              static_cast<unsigned long long>(lost));
  EXPECT_TRUE(support::met(found, 20, cases));
  EXPECT_TRUE(support::met(further, 10, cases));
}

TEST_F(AnewTest, BehindAFaultWhatIsRightHasAnOrderAgain) {
  expect_an_order_behind_a_fault(support::case_count(250), {});
}

TEST_F(AnewTest, BehindAFaultListsThatAreRightHaveAnOrderAgain) {
  expect_an_order_behind_a_fault(support::case_count(250), "list-append");
}

}  // namespace
}  // namespace isolde::prop

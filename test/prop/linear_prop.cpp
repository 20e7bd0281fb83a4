// Goal: linearizability is decided rightly, whatever values repeat. Method: small random
// histories against the oracle; longer ones of one key, whose unique values let the fast way
// through, against the complete search; every proof must convince the verifier.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "linear/joined_keys.hpp"
#include "linear/key_search.hpp"
#include "oracle/brute.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "support/shrink.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;
using support::TimeSource;

LevelReport decide(const History& history, std::int64_t clock_error_ns,
                   std::vector<Proof>& proofs) {
  CheckOptions options;
  options.levels = {Level::kLinearizable};
  options.clock_error_ns = clock_error_ns;
  base::Budget budget;
  CheckReport report = check(history, options, budget);
  proofs = std::move(report.proofs);
  return report.levels.at(0);
}

/// "holds" or "violated" with a proof that verifies, or what is wrong.
std::string proved(const History& history, std::int64_t clock_error_ns) {
  std::vector<Proof> proofs;
  const LevelReport level = decide(history, clock_error_ns, proofs);
  if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) {
    return std::string(name(level.verdict)) + ": " + level.reason;
  }
  const Certificate certificate{Level::kLinearizable, history.digest(), clock_error_ns,
                                proofs.at(level.proof)};
  if (certificate.holds() != (level.verdict == Verdict::kHolds)) return "the opposite proof";
  const certify::VerifyResult result = certify::verify(history, certificate);
  return result.proves ? std::string(name(level.verdict)) : "not proved: " + result.reason;
}

std::string complaint(const PlainHistory& plain, std::int64_t clock_error_ns) {
  const History history = support::build(plain);
  if (!history.has_times()) return "";
  const bool holds = oracle::brute_force_holds(history, Level::kLinearizable, clock_error_ns);
  const std::string verdict = proved(history, clock_error_ns);
  if (verdict == (holds ? "holds" : "violated")) return "";
  return "the engine says " + verdict + ", the oracle says " + (holds ? "holds" : "violated");
}

support::RandomHistoryOptions small_options(base::Rng& rng) {
  support::RandomHistoryOptions options = support::random_options(rng);
  options.times = rng.chance(0.8) ? TimeSource::kExecution : TimeSource::kAnything;
  options.txn_count = 3 + rng.below(5);
  options.session_count = 2 + rng.below(4);
  options.ops_max = 1 + rng.below(2);
  options.key_count = 1 + rng.below(2);
  options.indeterminate_share = rng.chance(0.5) ? 0.3 : 0;
  if (rng.chance(0.5)) options.duplicate_share = 0.2 + rng.unit() * 0.6;
  if (rng.chance(0.3)) options.exclusion_share = 0.5;
  if (rng.chance(0.3)) options.delete_share = 0.5;
  options.has_rows = rng.chance(0.4);
  return options;
}

TEST(Linearizable, AgreesWithTheOracle) {
  std::uint64_t held = 0, violated = 0;
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{70} << 32) + i);
    base::Rng rng(seed);
    const PlainHistory plain = support::random_history(rng, small_options(rng));
    const auto clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
    const std::string wrong = complaint(plain, clock_error_ns);
    if (wrong.empty()) {
      const History history = support::build(plain);
      if (!history.has_times()) continue;
      ++(proved(history, clock_error_ns) == "holds" ? held : violated);
      continue;
    }
    const PlainHistory small = support::shrink(plain, [&](const PlainHistory& part) {
      return !complaint(part, clock_error_ns).empty();
    });
    FAIL() << complaint(small, clock_error_ns) << "\nclock error " << clock_error_ns
           << ", shrunk:\n"
           << support::to_text(small) << "seed " << seed << ", originally:\n"
           << support::to_text(plain);
  }
  std::printf("%llu held, %llu violated\n", static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(violated));
}

/// A register that works, seen by clients: some operations are wrong afterwards.
class Register {
 public:
  explicit Register(base::Rng& rng) : rng_(rng) {}

  PlainHistory make(std::size_t count) {
    const std::uint64_t overlap = 1 + rng_.below(8);
    const double updates = rng_.unit();
    for (std::size_t i = 0; i < count; ++i) {
      PlainTxn txn;
      txn.session = "s" + std::to_string(rng_.below(6));
      const auto point = static_cast<std::int64_t>(100 + i * 10);
      txn.times = {point - static_cast<std::int64_t>(rng_.below(10 * overlap)),
                   point + static_cast<std::int64_t>(rng_.below(10 * overlap))};
      const bool reads = rng_.chance(0.5);
      if (rng_.chance(0.1)) txn.status = TxnStatus::kIndeterminate;
      if (reads || rng_.chance(updates)) txn.ops.push_back({OpKind::kRead, "x", value(), {}});
      const bool took_effect = txn.status == TxnStatus::kCommitted || rng_.chance(0.5);
      if (!reads) {
        txn.ops.push_back({OpKind::kWrite, "x", std::to_string(++last_), {}});
        if (took_effect) values_.push_back(last_);
      }
      history_.push_back(std::move(txn));
    }
    return std::move(history_);
  }

 private:
  /// The present value, seldom an older one.
  std::string value() {
    if (values_.empty()) return "";
    const std::size_t back = rng_.chance(0.04) ? rng_.below(values_.size()) : 0;
    return std::to_string(values_[values_.size() - 1 - back]);
  }

  base::Rng& rng_;
  PlainHistory history_;
  std::vector<int> values_;
  int last_ = 0;
};

TEST(Linearizable, BothWaysToDecideARegisterAgree) {
  std::uint64_t held = 0, violated = 0;
  for (std::uint64_t i = 0; i < support::case_count(4'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{71} << 32) + i);
    base::Rng rng(seed);
    const PlainHistory plain = Register(rng).make(2 + rng.below(60));
    const History history = support::build(plain);
    const std::string fast = proved(history, 0);
    base::Budget budget;
    const checker::KeyTable table(history);
    const checker::KeySearchAnswer answer =
        checker::search_key(history, table.entries(KeyId::at(0)), 0, budget);
    if (answer.outcome == checker::KeySearchAnswer::Outcome::kStopped) continue;
    const bool holds = answer.outcome == checker::KeySearchAnswer::Outcome::kHolds;
    ASSERT_EQ(fast, holds ? "holds" : "violated") << "seed " << seed << "\n"
                                                  << support::to_text(plain);
    ++(holds ? held : violated);
    if (holds) continue;
    const Certificate searched{Level::kLinearizable, history.digest(), 0,
                               KeyExhaustion{KeyId::at(0), answer.until}};
    const certify::VerifyResult result = certify::verify(history, searched);
    ASSERT_TRUE(result.proves) << result.reason << "\nseed " << seed << "\n"
                               << support::to_text(plain);
  }
  EXPECT_GT(held, 0U);
  EXPECT_GT(violated, 0U);
  std::printf("%llu held, %llu violated\n", static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(violated));
}

/// Decided first, its refutations go on to other levels.
TEST(Linearizable, ItsProofsServeOtherLevels) {
  std::uint64_t shared = 0;
  for (std::uint64_t i = 0; i < support::case_count(5'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{73} << 32) + i);
    base::Rng rng(seed);
    const PlainHistory plain = support::random_history(rng, small_options(rng));
    const History history = support::build(plain);
    base::Budget budget;
    const CheckReport report = check(history, {}, budget);
    const auto of_linearizable = [&](std::size_t proof) {
      const LevelReport& row = report.levels[static_cast<std::size_t>(Level::kLinearizable)];
      return row.verdict == Verdict::kViolated && row.proof == proof;
    };
    for (const LevelReport& level : report.levels) {
      if (level.verdict != Verdict::kViolated || !of_linearizable(level.proof)) continue;
      if (level.level != Level::kLinearizable) ++shared;
      const Certificate certificate{level.level, history.digest(), 0,
                                    report.proofs.at(level.proof)};
      const certify::VerifyResult result = certify::verify(history, certificate);
      ASSERT_TRUE(result.proves) << info(level.level).name << ": " << result.reason << "\nseed "
                                 << seed << "\n"
                                 << support::to_text(plain);
      ASSERT_FALSE(oracle::brute_force_holds(history, level.level, 0))
          << info(level.level).name << "\nseed " << seed << "\n"
          << support::to_text(plain);
    }
  }
  EXPECT_GT(shared, 0U);
}

/// Where no transaction uses two keys, its orders go on to other levels as one.
TEST(Linearizable, ItDecidesOtherLevelsWhereEachTransactionUsesOneKey) {
  std::uint64_t held = 0, violated = 0, open = 0;
  for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{78} << 32) + i);
    base::Rng rng(seed);
    PlainHistory plain = support::random_history(rng, small_options(rng));
    for (PlainTxn& txn : plain) {
      const std::string key = txn.ops.empty() ? "" : txn.ops.front().key;
      std::erase_if(txn.ops, [&](const PlainOp& op) { return op.key != key; });
    }
    const History history = support::build(plain);
    base::Budget budget;
    const CheckReport report = check(history, {}, budget);
    for (const LevelReport& level : report.levels) {
      if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
      const Certificate certificate{level.level, history.digest(), 0,
                                    report.proofs.at(level.proof)};
      const certify::VerifyResult result = certify::verify(history, certificate);
      ASSERT_TRUE(result.proves) << info(level.level).name << ": " << result.reason << "\nseed "
                                 << seed << "\n"
                                 << support::to_text(plain);
    }
    const auto row = [&](Level level) {
      return report.levels[static_cast<std::size_t>(level)];
    };
    if (row(Level::kLinearizable).verdict == Verdict::kNotApplicable) continue;
    const Verdict verdict = row(Level::kStrictSerializable).verdict;
    if (verdict == Verdict::kUnknown) {
      ++open;
      continue;
    }
    ASSERT_EQ(verdict, row(Level::kLinearizable).verdict) << "seed " << seed << "\n"
                                                          << support::to_text(plain);
    ++(verdict == Verdict::kHolds ? held : violated);
  }
  EXPECT_GT(held, 0U);
  EXPECT_GT(violated, 0U);
  std::printf("%llu held, %llu violated, %llu open\n", static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(violated), static_cast<unsigned long long>(open));
}

TEST(Linearizable, OrdersOfKeysAreJoinedByTime) {
  const History history = support::parse(
      "A: w(x=1) @10,20 | r(y=_) @30,90\nB: w(y=2) @15,80\nC: r(x=?) @40,41\nD: r(x=1) @50,51");
  EXPECT_TRUE(checker::each_uses_one_key(history));
  const KeyWitness keys{{0, 2, 4}, {TxnId(0), TxnId(4), TxnId(1), TxnId(2)}};
  EXPECT_EQ(checker::join_keys(history, keys).order,
            (std::vector<TxnId>{TxnId(0), TxnId(1), TxnId(2), TxnId(3), TxnId(4)}));
  EXPECT_FALSE(checker::each_uses_one_key(support::parse("A: r(x=_) w(y=1)")));
  EXPECT_TRUE(checker::each_uses_one_key(support::parse("A: r(x=?) w(y=1) | w(x=1) w(y=2) !")));
}

/// A proof must not survive a change that makes its claim wrong.
TEST(Linearizable, ProofsThatSurviveAChangeAreStillTrue) {
  std::uint64_t survived = 0, fell = 0;
  for (std::uint64_t i = 0; i < support::case_count(3'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{72} << 32) + i);
    base::Rng rng(seed);
    const PlainHistory plain = support::random_history(rng, small_options(rng));
    const History before = support::build(plain);
    if (!before.has_times()) continue;
    std::vector<Proof> proofs;
    const LevelReport level = decide(before, 0, proofs);
    for (int change = 0; change < 5 && !proofs.empty(); ++change) {
      PlainHistory changed = plain;
      support::change_something(changed, rng);
      const History after = support::build(changed);
      // Keys are numbered by first use, and a proof may name one that is no more.
      if (after.key_count() != before.key_count()) continue;
      const Certificate certificate{Level::kLinearizable, after.digest(), 0,
                                    proofs.at(level.proof)};
      const bool stands = certify::verify(after, certificate).proves;
      ++(stands ? survived : fell);
      ASSERT_TRUE(!stands || certificate.holds() ==
                                 oracle::brute_force_holds(after, Level::kLinearizable, 0))
          << "seed " << seed << ": the proof of " << name(level.verdict) << " for\n"
          << support::to_text(plain) << "verifies also for\n"
          << support::to_text(changed);
    }
  }
  EXPECT_GT(survived, 0U);
  EXPECT_GT(fell, 0U);
}

}  // namespace
}  // namespace isolde::prop

// Goal: the engine is right at sequential and causal consistency and the session guarantees.
// Method: random small histories; its verdicts must be the oracle's, and each of its proofs
// must convince the verifier, also after it has been a file, but not for another history for
// which the verdict would be wrong. Failures are shrunk before they are printed.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "oracle/brute.hpp"
#include "prop/engine_run.hpp"
#include "support/oracle_histories.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;
using enum Level;

constexpr Level kSessionLevels[] = {kSequential,      kCausal,         kWritesFollowReads,
                                    kMonotonicWrites, kMonotonicReads, kReadYourWrites};

CheckOptions options_for(std::uint64_t variant) {
  CheckOptions options;
  // One level alone, or all of them, which then share their proofs.
  const std::uint64_t which = variant / kVariantCount % 7;
  for (std::uint64_t i = 0; i < 6; ++i) {
    if (which == 6 || which == i) options.levels.push_back(kSessionLevels[i]);
  }
  options.skip_guess = (variant & 1U) != 0;
  options.skip_saturation = (variant & 2U) != 0;
  if ((variant & 4U) != 0) options.first_conflicts = 1;
  return options;
}

// One that asks for all levels.
std::uint64_t with_all(std::uint64_t i) { return 6 * kVariantCount + i % kVariantCount; }

// Counts of verdicts, so that a test can tell that it has seen everything.
using Tally = std::map<std::string, std::uint64_t>;

std::string complain(const PlainHistory& plain, std::uint64_t variant, Tally& tally) {
  const History history = support::build(plain);
  base::Budget budget;
  const CheckReport report = check(history, options_for(variant), budget);
  for (const LevelReport& row : report.levels) {
    const std::string level(info(row.level).name);
    if (row.verdict == Verdict::kUnknown && may_stay_open(plain, row)) continue;
    if (row.verdict != Verdict::kHolds && row.verdict != Verdict::kViolated) {
      return level + ": " + std::string(name(row.verdict)) + ", " + row.reason;
    }
    const Certificate certificate{row.level, history.digest(), 0, report.proofs[row.proof]};
    if (certificate.holds() != (row.verdict == Verdict::kHolds)) return level + ": wrong proof";
    const certify::VerifyResult result = certify::verify(history, certificate);
    if (!result.proves) {
      return level + ": " + std::string(name(row.verdict)) + ", but " + result.reason;
    }
    const std::string text = certify::certificate_text(history, certificate);
    const Result<Certificate> read = certify::parse_certificate(text, "text", history);
    if (!read) return level + ": " + read.error().message;
    if (read->proof != certificate.proof) return level + ": the file has another proof";
    if (oracle::brute_force_holds(history, row.level, 0) != certificate.holds()) {
      return level + ": " + std::string(name(row.verdict)) +
             ", but the oracle says the opposite";
    }
    ++tally[level + " " + std::string(name(row.verdict))];
    if (std::holds_alternative<SessionWitness>(certificate.proof)) ++tally["apart"];
    const auto* refutation = std::get_if<Refutation>(&certificate.proof);
    if (refutation != nullptr && refutation->steps.size() > 1) ++tally["steps"];
  }
  return "";
}

PlainHistory make_history(std::uint64_t seed, double duplicate_share) {
  base::Rng rng(seed);
  support::RandomHistoryOptions options = support::random_options(rng);
  options.duplicate_share = duplicate_share;
  if (duplicate_share > 0) options.has_rows = rng.chance(0.3);
  return support::random_history(rng, options);
}

void run_cases(std::uint64_t first, std::uint64_t count, double duplicate_share, Tally& tally) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), first + i);
    const PlainHistory plain = make_history(seed, duplicate_share);
    if (complain(plain, i, tally).empty()) continue;
    Tally unused;
    ADD_FAILURE() << "variant " << i << "\n"
                  << report_failure(plain, seed, [&](const PlainHistory& smaller) {
                       return complain(smaller, i, unused);
                     });
    return;
  }
}

TEST(SessionLevels, AreDecidedAsTheOracleDoes) {
  const std::uint64_t cases = support::case_count(60'000);
  Tally tally;
  run_cases(std::uint64_t{21} << 32, cases, 0, tally);
  for (const auto& [what, count] : tally) {
    std::printf("%s: %llu\n", what.c_str(), static_cast<unsigned long long>(count));
  }
  for (const Level level : kSessionLevels) {
    EXPECT_TRUE(support::met(tally[std::string(info(level).name) + " holds"], 20, cases));
    EXPECT_TRUE(support::met(tally[std::string(info(level).name) + " violated"], 20, cases));
  }
  EXPECT_TRUE(support::met(tally["apart"], 20, cases));
  EXPECT_TRUE(support::met(tally["steps"], 300, cases));
}

TEST(SessionLevels, AreRightOrUndecidedWhereValuesRepeat) {
  Tally tally;
  run_cases(std::uint64_t{22} << 32, support::case_count(10'000), 0.15, tally);
}

TEST(SessionLevels, ProofsThatSurviveAChangeAreStillTrue) {
  std::uint64_t survived = 0, fell = 0;
  for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{23} << 32) + i);
    const PlainHistory plain = make_history(seed, 0);
    base::Budget budget;
    const CheckReport report = check(support::build(plain), options_for(with_all(i)), budget);
    base::Rng rng(seed);
    for (int change = 0; change < 5; ++change) {
      PlainHistory changed = plain;
      support::change_something(changed, rng);
      const History history = support::build(changed);
      for (const LevelReport& row : report.levels) {
        const Certificate certificate{row.level, history.digest(), 0, report.proofs[row.proof]};
        const bool stands = certify::verify(history, certificate).proves;
        ++(stands ? survived : fell);
        ASSERT_TRUE(!stands ||
                    certificate.holds() == oracle::brute_force_holds(history, row.level, 0))
            << info(row.level).name << ": the proof of " << name(row.verdict) << " for\n"
            << support::to_text(plain) << "verifies also for\n"
            << support::to_text(changed) << "seed " << seed;
      }
    }
  }
  std::printf("%llu proofs survived, %llu fell\n", static_cast<unsigned long long>(survived),
              static_cast<unsigned long long>(fell));
}

// Larger than the oracle can decide: the verifier is the judge, and nothing is left open.
TEST(SessionLevels, LargerHistoriesHaveProofsThatVerify) {
  Tally tally;
  for (std::uint64_t i = 0; i < support::case_count(3'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{25} << 32) + i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.session_count = 2 + rng.below(5);
    options.txn_count = 10 + rng.below(30);
    options.key_count = 2 + rng.below(4);
    options.mutation_count = static_cast<double>(rng.below(3));
    const PlainHistory plain = support::random_history(rng, options);
    const History history = support::build(plain);
    base::Budget budget;
    const CheckReport report = check(history, options_for(i), budget);
    for (const LevelReport& row : report.levels) {
      ASSERT_TRUE(row.verdict == Verdict::kHolds || row.verdict == Verdict::kViolated)
          << info(row.level).name << ": " << row.reason << "\n"
          << support::to_text(plain);
      const Certificate certificate{row.level, history.digest(), 0, report.proofs[row.proof]};
      const certify::VerifyResult result = certify::verify(history, certificate);
      ASSERT_TRUE(result.proves && certificate.holds() == (row.verdict == Verdict::kHolds))
          << info(row.level).name << ": " << result.reason << ", variant " << i << "\n"
          << support::to_text(plain) << "seed " << seed;
      const auto* refutation = std::get_if<Refutation>(&certificate.proof);
      if (refutation != nullptr && refutation->steps.size() > 3) ++tally["long"];
      if (std::holds_alternative<SessionWitness>(certificate.proof)) ++tally["apart"];
    }
  }
  std::printf("%llu long refutations, %llu witnesses apart\n",
              static_cast<unsigned long long>(tally["long"]),
              static_cast<unsigned long long>(tally["apart"]));
}

TEST(SessionLevels, AgreeWithTheLiterature) {
  for (const support::OracleHistory& row : support::oracle_histories()) {
    const History history = support::parse(row.text);
    for (std::uint64_t variant = 24; variant < 28; ++variant) {
      base::Budget budget;
      for (const LevelReport& level : check(history, options_for(variant), budget).levels) {
        const std::optional<bool> expected = support::expected_verdict(row, level.level);
        ASSERT_TRUE(expected.has_value());
        EXPECT_EQ(level.verdict, *expected ? Verdict::kHolds : Verdict::kViolated)
            << row.id << " at " << info(level.level).name;
      }
    }
  }
}

// A proof of one level, offered for another, for another session, or with a kind of edge or a
// neighbour changed.
TEST(SessionLevels, ForgedProofsThatVerifyAreTrue) {
  std::uint64_t stood = 0, fell = 0;
  for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{24} << 32) + i);
    const PlainHistory plain = make_history(seed, 0);
    const History history = support::build(plain);
    if (history.txn_count() == 0) continue;
    base::Budget budget;
    const CheckReport report = check(history, options_for(with_all(i)), budget);
    base::Rng rng(seed);
    for (const LevelReport& row : report.levels) {
      for (int forgery = 0; forgery < 6; ++forgery) {
        Certificate forged{kSessionLevels[rng.below(6)], history.digest(), 0,
                           report.proofs[row.proof]};
        if (auto* refutation = std::get_if<Refutation>(&forged.proof)) {
          const std::uint64_t sessions = history.session_count();
          refutation->session =
              rng.below(3) == 0 ? SessionId::none() : SessionId::at(rng.below(sessions));
          RefutationStep& step = refutation->steps[rng.below(refutation->steps.size())];
          if (!step.cycle.empty()) {
            const std::size_t at = rng.below(step.cycle.size());
            const TxnId other = TxnId::at(rng.below(history.txn_count()));
            switch (rng.below(5)) {
              case 0:
                step.cycle[at].to = other;
                step.cycle[(at + 1) % step.cycle.size()].from = other;
                break;
              case 1:
                step.cycle[at].kind = static_cast<EdgeKind>(rng.below(kEdgeKindCount));
                break;
              case 2:
                step.cycle[at].to = step.cycle[(at + 1) % step.cycle.size()].to;
                step.cycle.erase(step.cycle.begin() +
                                 static_cast<std::ptrdiff_t>((at + 1) % step.cycle.size()));
                break;
              case 3:
                step.clause.clear();
                break;
              default:
                break;
            }
          }
        } else if (auto* witness = std::get_if<Witness>(&forged.proof)) {
          if (witness->order.size() > 1) {
            const std::size_t at = rng.below(witness->order.size() - 1);
            std::swap(witness->order[at], witness->order[at + 1]);
          }
        } else if (auto* apart = std::get_if<SessionWitness>(&forged.proof)) {
          auto& one = apart->executions[rng.below(apart->executions.size())];
          if (rng.below(2) == 0 && one.order.size() > 1) {
            const std::size_t at = rng.below(one.order.size() - 1);
            std::swap(one.order[at], one.order[at + 1]);
          } else {
            one.sessions.assign(1, SessionId::at(rng.below(history.session_count())));
          }
        }
        const bool stands = certify::verify(history, forged).proves;
        ++(stands ? stood : fell);
        ASSERT_TRUE(!stands ||
                    forged.holds() == oracle::brute_force_holds(history, forged.level, 0))
            << certify::certificate_text(history, forged) << "verifies for\n"
            << support::to_text(plain) << "seed " << seed;
      }
    }
  }
  std::printf("%llu proofs stood, %llu fell\n", static_cast<unsigned long long>(stood),
              static_cast<unsigned long long>(fell));
  EXPECT_GT(stood, 0U);
  EXPECT_GT(fell, 0U);
}

}  // namespace
}  // namespace isolde::prop

// Goal: locks of reads decide nothing; refused inserts count at the levels that read what is
// current, and nowhere else. Method: random histories, once as they are, once with locks put on
// reads and selections, once with refused inserts put between the operations, and once with
// reads of some row in place of these. Locks must change no certificate. With refused inserts
// the levels that disregard them must have the verdicts of the bare history, and the others
// those of the one with reads; all certificates must verify, and the oracle must agree.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "history/base_levels.hpp"
#include "oracle/brute.hpp"
#include "support/added_notes.hpp"
#include "support/applies.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

struct Decided {
  std::vector<Level> levels;
  std::vector<Verdict> verdicts;
  std::string certificates;
  std::string complaint;
};

Decided decide(const History& history) {
  base::Budget budget;
  const CheckReport report = check(history, {}, budget);
  Decided decided;
  for (const LevelReport& level : report.levels) {
    decided.levels.push_back(level.level);
    decided.verdicts.push_back(level.verdict);
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    const Certificate made{level.level, history.digest(), 0, report.proofs[level.proof]};
    const std::string text = certify::certificate_text(history, made);
    decided.certificates += text;
    // Through the file, as anybody would have it.
    const Result<Certificate> read = certify::parse_certificate(text, "c", history);
    if (!read) {
      decided.complaint = "the certificate cannot be read back: " + read.error().message;
      return decided;
    }
    const certify::VerifyResult result = certify::verify(history, *read);
    if (!result.proves) {
      decided.complaint = std::string(info(level.level).name) + ": " + result.reason;
      return decided;
    }
  }
  return decided;
}

struct Tally {
  std::uint64_t held = 0;
  std::uint64_t violated = 0;
  std::uint64_t locked = 0;
  std::uint64_t refused = 0;
  std::uint64_t decisive = 0;  ///< refused inserts made a violation
};

bool is_decided(Verdict verdict) {
  return verdict == Verdict::kHolds || verdict == Verdict::kViolated;
}

std::string complain_of_level(const LevelInfo& level, const History& history, Verdict bare,
                              Verdict refused, Verdict read) {
  if (level.base == BaseLevel::kMixed) return "";
  // What a stronger level has proved elsewhere, where rows were inserted again.
  if (history.origin().rows_are_deleted && refused == Verdict::kUnknown) return "";
  const Verdict expected = counts_refused_inserts(level.base) ? read : bare;
  return refused == expected || !is_decided(expected)
             ? ""
             : std::string(level.name) + ": " + std::string(name(refused)) + ", expected " +
                   std::string(name(expected));
}

std::string complain(const support::PlainHistory& plain, base::Rng& rng, Tally& tally) {
  const History drawn = support::build(plain);
  const History bare = support::with_added(drawn, support::Added::kNothing, rng);
  const Decided as_it_is = decide(bare);
  if (!as_it_is.complaint.empty()) return as_it_is.complaint;
  const History locked = support::with_added(drawn, support::Added::kLocks, rng);
  const Decided with_locks = decide(locked);
  tally.locked += locked.has_locks() ? 1 : 0;
  if (locked.digest() != bare.digest()) return "locks have made another digest";
  if (with_locks.verdicts != as_it_is.verdicts) return "locks have made other verdicts";
  if (with_locks.certificates != as_it_is.certificates) return "locks are in certificates";
  const History refused = support::with_added(drawn, support::Added::kRefusals, rng);
  const Decided with_refusals = decide(refused);
  tally.refused += refused.has_refused_inserts() ? 1 : 0;
  if (!with_refusals.complaint.empty()) return "refused: " + with_refusals.complaint;
  const History again = support::with_added(refused, support::Added::kNothing, rng);
  if (again.has_refused_inserts() != refused.has_refused_inserts()) {
    return "a copy has lost its refused inserts";
  }
  const History reads =
      support::with_added(refused, support::Added::kNothing, rng, support::Refusals::kReads);
  const Decided with_reads = decide(reads);
  if (!with_reads.complaint.empty()) return "reads: " + with_reads.complaint;
  // Levels are mixed where transactions state some, and then all three are.
  if (with_refusals.levels != as_it_is.levels) return "other levels were decided";
  for (std::size_t i = 0; i < as_it_is.levels.size(); ++i) {
    const LevelInfo& level = info(as_it_is.levels[i]);
    const Verdict verdict = with_refusals.verdicts[i];
    const std::string complaint = complain_of_level(level, refused, as_it_is.verdicts[i],
                                                    verdict, with_reads.verdicts[i]);
    if (!complaint.empty()) return complaint;
    tally.decisive +=
        as_it_is.verdicts[i] == Verdict::kHolds && verdict == Verdict::kViolated ? 1 : 0;
    if (!support::applies(level.level, refused) || refused.origin().truncated) continue;
    if (!is_decided(verdict)) continue;
    ++(verdict == Verdict::kHolds ? tally.held : tally.violated);
    if (oracle::brute_force_holds(refused, level.level, 0) == (verdict == Verdict::kHolds)) {
      continue;
    }
    return std::string(level.name) + ": " + std::string(name(verdict)) +
           ", and the oracle says the opposite";
  }
  return "";
}

TEST(Locks, DecideNothingAndRefusedInsertsWhereReadsAreCurrent) {
  Tally tally;
  for (std::uint64_t i = 0; i < support::case_count(1'500); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options = i % 2 == 0
                                                ? support::random_selection_options(rng, true)
                                                : support::random_options(rng);
    if (i % 4 == 1) options.delete_share = 0.2;
    if (i % 4 == 1) options.list_share = 0;
    const support::PlainHistory plain = support::random_history(rng, options);
    const std::string complaint = complain(plain, rng, tally);
    if (complaint.empty()) continue;
    FAIL() << complaint << "\nseed " << seed << ", case " << i << " of\n"
           << support::to_text(plain);
  }
  std::printf("%llu held, %llu violated; %llu locked, %llu refused, %llu violated by that\n",
              static_cast<unsigned long long>(tally.held),
              static_cast<unsigned long long>(tally.violated),
              static_cast<unsigned long long>(tally.locked),
              static_cast<unsigned long long>(tally.refused),
              static_cast<unsigned long long>(tally.decisive));
  EXPECT_GT(tally.held, 0U);
  EXPECT_GT(tally.violated, 0U);
  EXPECT_GT(tally.locked, 0U);
  EXPECT_GT(tally.refused, 0U);
  EXPECT_TRUE(support::met(tally.decisive, 100, support::case_count(1'500)));
}

}  // namespace
}  // namespace isolde::prop

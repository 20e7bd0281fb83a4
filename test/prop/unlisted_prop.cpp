// Goal: rows that selections left out may stay unlisted: what is decided without them is what
// is decided with them, and is proved; and listed later they are what they would have been at
// once. Method: random small histories with selections, of which those that say the same of all
// levels and of each by itself are compared, every proof verified against the history with all
// rows.
#include <gtest/gtest.h>

#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "check/unlisted_rows.hpp"
#include "history/evidence.hpp"
#include "history/stats.hpp"
#include "prop/engine_run.hpp"
#include "support/forced_ways.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;

struct Tally {
  std::uint64_t unlisted = 0;  ///< histories with such rows
  std::uint64_t held = 0, alone = 0, left = 0;
};

bool same_ops(const History& a, const History& b) {
  const auto as = a.all_ops();
  const auto bs = b.all_ops();
  return std::equal(as.begin(), as.end(), bs.begin(), bs.end(), [](const Op& x, const Op& y) {
    return x.kind == y.kind && x.key == y.key && x.value == y.value;
  });
}

/// `only_left_out`: UnlistedReport::only_left_out.
bool has_same_evidence(const History& listed, const History& unlisted,
                       std::span<const TxnId> only_left_out) {
  base::Budget budget;
  const history::Evidence with = history::evidence_of(listed, budget);
  const history::Evidence without =
      history::evidence_of(unlisted, budget, history::kEnoughOps, only_left_out);
  return with.in_effect == without.in_effect && with.meetings >= without.meetings &&
         with.overlapping_meetings >= without.overlapping_meetings && !without.exact &&
         with.reads_from_others == without.reads_from_others &&
         with.reads_are_sure == without.reads_are_sure &&
         with.versions_replaced == without.versions_replaced;
}

std::string compare_histories(const History& listed, History unlisted) {
  if (unlisted.digest() != listed.digest()) return "another digest";
  if (history::operation_count(listed) != history::operation_count(unlisted)) {
    return "another number of operations";
  }
  std::uint64_t looked = 0;
  const Status status = unlisted.list_rows([&](std::uint64_t rows) {
    looked += rows;
    return true;
  });
  if (!status) return status.error().message;
  if (looked == 0) return "nobody was told of the rows looked at";
  if (unlisted.has_unlisted_rows() || !same_ops(listed, unlisted)) return "other operations";
  if (unlisted.digest() != listed.digest()) return "another digest once listed";
  return "";
}

std::string complain_of(const History& listed, const CheckReport& all,
                        const CheckReport& found) {
  for (const LevelReport& level : found.levels) {
    const std::string at(info(level.level).name);
    const LevelReport& other = all.levels[static_cast<std::size_t>(level.level)];
    if (level.verdict == Verdict::kUnknown) return at + ": nothing is left open";
    // With all rows listed too much may be left open; the proof tells.
    const bool is_more = level.verdict == Verdict::kHolds && other.verdict == Verdict::kUnknown;
    if (level.verdict != other.verdict && !is_more) return at + ": another verdict";
    if (level.verdict != Verdict::kHolds) continue;
    const Certificate certificate{level.level, listed.digest(), 0,
                                  found.proofs.at(level.proof)};
    const certify::VerifyResult result = certify::verify(listed, certificate);
    if (!result.proves) return at + ": the proof does not verify: " + result.reason;
  }
  return "";
}

std::string complain(const PlainHistory& plain, Tally& tally) {
  const History listed = support::build(plain);
  History unlisted = support::build(plain, true);
  if (!unlisted.has_unlisted_rows()) return same_ops(listed, unlisted) ? "" : "not the same";
  ++tally.unlisted;
  if (std::string wrong = compare_histories(listed, unlisted); !wrong.empty()) return wrong;
  base::Budget budget;
  CheckOptions options;
  // Mixed levels have their place, too.
  for (const LevelInfo& row : all_levels()) options.levels.push_back(row.level);
  const CheckReport all = check(listed, options, budget);
  // Places are looked for in all values, or through samples; executions are played as a whole,
  // or in parts.
  for (const base::Ways& ways : {support::ways_of_small(), support::ways_of_large()}) {
    base::Ways forced;
    forced.value_stride = ways.value_stride;
    const support::ForcedWays here(forced);
    CheckOptions settings;
    settings.threads = ways.value_stride > 1 ? 1 : 3;
    if (const auto found = checker::check_unlisted(unlisted, settings, budget)) {
      ++tally.held;
      if (std::string wrong = complain_of(listed, all, found->levels); !wrong.empty()) {
        return wrong;
      }
      if (!has_same_evidence(listed, unlisted, found->only_left_out)) return "other evidence";
    }
  }
  for (const LevelInfo& row : all_levels()) {
    CheckOptions alone;
    alone.levels = {row.level};
    const auto found = checker::check_unlisted(unlisted, alone, budget);
    if (!found) {
      ++tally.left;
      continue;
    }
    ++tally.alone;
    if (std::string wrong = complain_of(listed, all, found->levels); !wrong.empty()) {
      return wrong;
    }
    if (!has_same_evidence(listed, unlisted, found->only_left_out)) return "other evidence";
  }
  // Rows were listed and taken out again.
  return compare_histories(listed, unlisted);
}

PlainHistory make_case(base::Rng& rng, std::uint64_t number) {
  support::RandomHistoryOptions options = number % 3 == 0
                                              ? support::random_row_options(rng)
                                              : support::random_selection_options(rng, true);
  if (number % 5 == 0) {
    options.txn_count = 30;
    options.session_count = 4;
    options.key_count = 2 + rng.below(12);
  }
  options.duplicate_share = rng.chance(0.3) ? 0.3 : 0.0;
  return support::random_history(rng, options);
}

TEST(UnlistedRows, AreDecidedAsListedOnes) {
  Tally tally;
  const std::uint64_t cases = support::case_count(1'500);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    const PlainHistory plain = make_case(rng, i);
    const auto wrong = [&](const PlainHistory& each) {
      Tally ignored;
      return complain(each, ignored);
    };
    if (complain(plain, tally).empty()) continue;
    ADD_FAILURE() << report_failure(plain, seed, wrong);
    return;
  }
  std::printf("%llu with unlisted rows: %llu hold at all levels, single levels %llu of %llu\n",
              static_cast<unsigned long long>(tally.unlisted),
              static_cast<unsigned long long>(tally.held),
              static_cast<unsigned long long>(tally.alone),
              static_cast<unsigned long long>(tally.alone + tally.left));
  EXPECT_TRUE(support::met(tally.held, 50, cases));
  EXPECT_TRUE(support::met(tally.alone, 10, cases));
  EXPECT_TRUE(support::met(tally.left, 10, cases));
}

}  // namespace
}  // namespace isolde::prop

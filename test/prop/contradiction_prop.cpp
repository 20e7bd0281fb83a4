// Goal: two reads that tell a row in part, and that no version of it explains together, are
// found, and are violations. Method: random histories with rows, selections and refused
// inserts. Every pair of such reads goes to the verifier, at every level: where it accepts one,
// the oracle must know no execution. The engine must find a pair exactly where a plain look at
// all of them does, and with and without looking for them come to the same verdicts, but for
// unknown ones.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "base/ways.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "history/base_levels.hpp"
#include "history/current_reads.hpp"
#include "infer/contradictions.hpp"
#include "oracle/brute.hpp"
#include "support/added_notes.hpp"
#include "support/applies.hpp"
#include "support/forced_ways.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

struct Tally {
  std::map<std::string, std::uint64_t> accepted;  // by level
  std::uint64_t refused = 0;
  std::uint64_t found = 0, items = 0, decided = 0;
};

template <typename Visit>
void for_each_pair(const History& history, const Visit& visit) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::span<const Op> ops = history.ops(TxnId::at(t));
    for (std::uint32_t later = 0; later < ops.size(); ++later) {
      for (std::uint32_t earlier = 0; earlier < later; ++earlier) {
        const bool is_pair = ops[earlier].is_partial() && ops[later].is_partial() &&
                             ops[earlier].key == ops[later].key;
        if (!is_pair) continue;
        visit(Finding{FindingKind::kNonRepeatableRead, TxnId::at(t), later, 0, TxnId::none(),
                      earlier});
      }
    }
  }
}

/// Some version is what the read returned.
bool is_explained(const History& history, TxnId reader, const Op& read) {
  if (history.fits_initial(read)) return true;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (txn == reader || history.status(txn) == TxnStatus::kAborted) continue;
    std::optional<Value> last;
    for (const Op& op : history.ops(txn)) {
      if (op.kind == OpKind::kWrite && op.key == read.key) last = op.value;
    }
    if (last && history.fits(read, *last)) return true;
  }
  return false;
}

bool proves(const History& history, Level level, const Finding& finding) {
  return certify::verify(history, {level, history.digest(), 0, finding}).proves;
}

std::string complain_of_findings(const History& history, Tally& tally) {
  for (const LevelInfo& level : all_levels()) {
    if (!support::applies(level.level, history)) continue;
    const History reading = history::as_read_at(history, level.level);
    bool any = false;
    bool any_explained = false;
    for_each_pair(reading, [&](const Finding& finding) {
      if (!proves(history, level.level, finding)) {
        ++tally.refused;
        return;
      }
      any = true;
      ++tally.accepted[std::string(level.name)];
      const std::span<const Op> ops = reading.ops(finding.txn);
      any_explained =
          any_explained || (reading.status(finding.txn) == TxnStatus::kCommitted &&
                            is_explained(reading, finding.txn, ops[finding.op]) &&
                            is_explained(reading, finding.txn, ops[finding.other_op]));
    });
    if (any && oracle::brute_force_holds(history, level.level, 0)) {
      return std::string(level.name) + " holds, and the verifier accepts a finding";
    }
    const bool of_items = level.level == Level::kRepeatableRead;
    if (level.level != Level::kSerializable && !of_items) continue;
    base::Budget budget;
    const infer::Contradictions all = infer::find_contradictions(reading, of_items, budget);
    const std::optional<Finding>& found = of_items ? all.first_of_items : all.first;
    if (found.has_value() != any_explained) {
      return std::string(level.name) + (found ? ": found none such" : ": found none");
    }
    if (found && !proves(history, level.level, *found)) return "what was found is refused";
    if (found) ++(of_items ? tally.items : tally.found);
  }
  return "";
}

std::string complain_of_verdicts(const History& history, Tally& tally) {
  base::Budget budget;
  const CheckReport found = check(history, {}, budget);
  base::Ways ways;
  ways.find_contradictions = false;
  const support::ForcedWays forced(ways);
  const CheckReport searched = check(history, {}, budget);
  for (std::size_t i = 0; i < found.levels.size(); ++i) {
    const LevelReport& level = found.levels[i];
    const std::string name(info(level.level).name);
    const Verdict other = searched.levels[i].verdict;
    if (other == Verdict::kUnknown && level.verdict != other) ++tally.decided;
    if (other != Verdict::kUnknown && level.verdict != other) return name + ": other verdicts";
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    const certify::VerifyResult result =
        certify::verify(history, {level.level, history.digest(), 0, found.proofs[level.proof]});
    if (!result.proves) return name + ": " + result.reason;
  }
  return "";
}

TEST(Contradictions, AreFoundAndAreViolations) {
  Tally tally;
  const std::uint64_t cases = support::case_count(3'000);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options = i % 2 == 0
                                                ? support::random_row_options(rng)
                                                : support::random_selection_options(rng, true);
    if (i % 3 == 0) options.delete_share = 0.3;
    if (i % 7 == 0) options.start_share = 0.5;
    if (i % 5 == 0) options.levels_share = 1;
    if (i % 11 == 0 || i % 26 == 0) options.indeterminate_share = 0.3;
    if (i % 13 == 0) options.database_times_share = 1;
    options.ops_max += rng.below(3);
    const support::PlainHistory plain = support::random_history(rng, options);
    const auto added = i % 4 == 3 ? support::Added::kNothing : support::Added::kRefusals;
    const History history = support::with_added(support::build(plain), added, rng);
    std::string complaint = complain_of_findings(history, tally);
    if (complaint.empty()) complaint = complain_of_verdicts(history, tally);
    ASSERT_EQ(complaint, "") << "seed " << seed << ", case " << i << " of\n"
                             << support::to_text(plain);
  }
  std::printf("%llu refused; %llu histories with one, %llu of items; %llu levels decided\n",
              static_cast<unsigned long long>(tally.refused),
              static_cast<unsigned long long>(tally.found),
              static_cast<unsigned long long>(tally.items),
              static_cast<unsigned long long>(tally.decided));
  for (const LevelInfo& level : all_levels()) {
    const std::uint64_t accepted = tally.accepted[std::string(level.name)];
    std::printf("%s %llu\n", std::string(level.name).c_str(),
                static_cast<unsigned long long>(accepted));
    const bool is_mixed = level.base == BaseLevel::kMixed;
    if (reads_repeatably(level.base) && !goes_by_database_times(level.base)) {
      EXPECT_TRUE(support::met(accepted, 50, cases)) << level.name;
    } else if (!is_mixed && !goes_by_database_times(level.base)) {
      EXPECT_EQ(accepted, 0U) << level.name;
    }
  }
  EXPECT_TRUE(support::met(tally.found, 100, cases));
  EXPECT_TRUE(support::met(tally.items, 20, cases));
}

}  // namespace
}  // namespace isolde::prop

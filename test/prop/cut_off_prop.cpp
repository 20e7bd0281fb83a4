// Goal: what is missing of a cut-off input repairs no violation. Method: random small histories
// without the last transactions of one session or two. Each verdict of the engine has a proof
// that the verifier accepts, and a level that it calls violated is not one that the oracle lets
// hold on the whole; nor does the verifier accept a proof of it that looks at what is there
// alone. Only where what is there repeats no value is what is missing taken to
// repeat none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "isolde/history_builder.hpp"
#include "oracle/brute.hpp"
#include "prop/engine_run.hpp"
#include "support/applies.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;

struct Tally {
  std::uint64_t held = 0;
  std::uint64_t violated = 0;
  std::uint64_t open = 0;
  std::uint64_t doubtful = 0;  ///< histories in which what is left repeats values
  std::uint64_t stood = 0;     ///< proofs about what is there alone
  std::uint64_t fell = 0;
};

bool is_deletion(const PlainOp& op) { return op.kind == OpKind::kWrite && op.value.empty(); }

/// Whether some key holds or is written a value, or an element, twice.
bool repeats(const PlainHistory& plain) {
  std::set<std::pair<std::string, std::string>> seen;
  const auto is_new = [&](const std::string& key, const std::string& value) {
    return seen.insert({key, value}).second;
  };
  for (const PlainOp& held : plain.start) {
    if (held.kind == OpKind::kWrite) is_new(held.key, held.value);
    for (const std::string& element : held.list) {
      if (!is_new(held.key, element)) return true;
    }
  }
  for (const PlainTxn& txn : plain) {
    for (const PlainOp& op : txn.ops) {
      if (op.kind != OpKind::kWrite && op.kind != OpKind::kAppend) continue;
      if (!is_deletion(op) && !is_new(op.key, op.value)) return true;
    }
  }
  return false;
}

bool deletes(const PlainHistory& plain) {
  return std::ranges::any_of(
      plain, [](const PlainTxn& txn) { return std::ranges::any_of(txn.ops, is_deletion); });
}

/// Ends the session that the transaction is of with the one before it.
PlainHistory cut_at(const PlainHistory& whole, std::size_t first) {
  PlainHistory cut;
  cut.start = whole.start;
  cut.truncated = true;
  cut.lacks_deletions = deletes(whole);
  for (std::size_t t = 0; t < whole.size(); ++t) {
    if (t < first || whole[t].session != whole[first].session) cut.push_back(whole[t]);
  }
  return cut;
}

struct Case {
  std::uint64_t seed = 0;
  PlainHistory whole;
  std::size_t first = 0;  ///< transaction that is missing, with those behind it
  Settings settings;
};

enum class Kind : std::uint8_t { kValues, kSelections, kRows };

Case make_case(std::uint64_t number, Kind kind) {
  Case made{base::mix2(support::run_seed(), number), {}, 0, {}};
  base::Rng rng(made.seed);
  support::RandomHistoryOptions options =
      kind == Kind::kRows         ? support::random_row_options(rng)
      : kind == Kind::kSelections ? support::random_selection_options(rng, rng.chance(0.7))
                                  : support::random_options(rng);
  if (rng.chance(0.4)) options.duplicate_share = 0.4;
  if (rng.chance(0.5)) options.indeterminate_share = 0.3;
  if (kind != Kind::kValues || options.list_share == 0) {
    options.start_share = rng.chance(0.5) ? 0.8 : 0;
    if (rng.chance(0.3)) options.delete_share = 0.3;
  }
  made.whole = support::random_history(rng, options);
  made.first = made.whole.size() - 1 - rng.below(std::min<std::size_t>(made.whole.size(), 3));
  made.settings.clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
  made.settings.variant = number % kVariantCount;
  return made;
}

/// Proofs about what is there, as if nothing were missing: which of them prove something about
/// a part is the verifier's to say.
std::string complain_of_verifier(const PlainHistory& cut, const History& whole,
                                 const Settings& settings, Tally* tally) {
  PlainHistory bare = cut;
  bare.truncated = false;
  bare.lacks_deletions = false;
  const History part = support::build(cut);
  base::Budget budget;
  CheckOptions options;
  options.clock_error_ns = settings.clock_error_ns;
  const CheckReport report = check(support::build(bare), options, budget);
  for (const LevelReport& row : report.levels) {
    if (row.verdict != Verdict::kViolated || !support::applies(row.level, whole)) continue;
    const Certificate certificate{row.level, part.digest(), settings.clock_error_ns,
                                  report.proofs[row.proof]};
    const bool stands = certify::verify(part, certificate).proves;
    if (tally != nullptr) ++(stands ? tally->stood : tally->fell);
    if (!stands || !oracle::brute_force_holds(whole, row.level, settings.clock_error_ns)) {
      continue;
    }
    return std::string(info(row.level).name) +
           ": the verifier accepts of a part that the oracle lets the whole hold";
  }
  return "";
}

std::string complain(const PlainHistory& whole, std::size_t first, const Settings& settings,
                     Tally* tally = nullptr) {
  const PlainHistory cut = cut_at(whole, first);
  const Answer answer = run_engine(cut, settings);
  if (!answer.complaint.empty()) return answer.complaint + " (" + describe(settings) + ")";
  if (tally != nullptr) tally->doubtful += repeats(cut) ? 1 : 0;
  const bool is_supposed = !repeats(cut) && repeats(whole);
  const History history = support::build(whole);
  if (!is_supposed) {
    const std::string wrong = complain_of_verifier(cut, history, settings, tally);
    if (!wrong.empty()) return wrong;
  }
  for (const LevelInfo& level : all_levels()) {
    const Verdict verdict = answer.verdicts[static_cast<std::size_t>(level.level)];
    if (tally != nullptr && verdict == Verdict::kHolds) ++tally->held;
    if (tally != nullptr && verdict == Verdict::kUnknown) ++tally->open;
    if (verdict != Verdict::kViolated) continue;
    if (tally != nullptr) ++tally->violated;
    if (is_supposed || !support::applies(level.level, history)) continue;
    if (oracle::brute_force_holds(history, level.level, settings.clock_error_ns)) {
      return std::string(level.name) +
             ": violated where the end is cut off, and the oracle lets the whole hold (" +
             describe(settings) + ")";
    }
  }
  return "";
}

void try_cases(Kind kind, std::uint64_t numbers, const char* what) {
  Tally tally;
  for (std::uint64_t i = 0; i < support::case_count(2'000); ++i) {
    const Case tried = make_case(numbers + i, kind);
    if (complain(tried.whole, tried.first, tried.settings, &tally).empty()) continue;
    ADD_FAILURE() << report_failure(tried.whole, tried.seed, [&](const PlainHistory& smaller) {
      if (smaller.empty()) return std::string();
      const std::size_t first = std::min(tried.first, smaller.size() - 1);
      return complain(smaller, first, tried.settings);
    });
    return;
  }
  std::printf("%s: %llu held, %llu violated, %llu open; %llu histories repeat values\n", what,
              static_cast<unsigned long long>(tally.held),
              static_cast<unsigned long long>(tally.violated),
              static_cast<unsigned long long>(tally.open),
              static_cast<unsigned long long>(tally.doubtful));
  std::printf("proofs as if nothing were missing: %llu stood, %llu fell\n",
              static_cast<unsigned long long>(tally.stood),
              static_cast<unsigned long long>(tally.fell));
  if (support::case_count(2'000) < 500) return;  // too few to tell
  EXPECT_GT(tally.stood, 0U);
  EXPECT_GT(tally.fell, 0U);
  EXPECT_GT(tally.violated, 0U);
  EXPECT_GT(tally.open, 0U);
  EXPECT_GT(tally.doubtful, 0U);
}

/// A history that the level holds for, and which of its transactions are missing.
struct Repaired {
  Level level;
  const char* whole;
  std::size_t first;
};

// As the random cases would be, had they been shrunk for each rule of the verifier.
TEST(CutOff, WhatIsMissingExplainsIt) {
  const std::vector<Repaired> all = {
      {Level::kMonotonicWrites, "D: a(x=1) a(y=6)\nD: a(x=1) a(y=5)\nA: r(y=[5])\nC: a(y=5)",
       3},
      {Level::kStrongSessionSerializable,
       "D: a(x=1) a(y=6)\nD: a(x=1) a(y=5)\nA: r(y=[5])\nC: a(y=5)", 3},
      {Level::kStrongSessionReadUncommitted,
       "A: a(x=1) a(x=1)\nB: a(x=2) a(x=3)\nB: r(x=[2 1 3])\nC: a(x=1)", 3},
      {Level::kSerializable,
       "start(x=1)\nA: w(y=1)\nA: w(y=1) w(z=1) w(x=2)\n"
       "B: r(z=1) r(x=1)\nC: w(x=1)",
       3},
      {Level::kReadCommitted, "A: w(x=1) w(x=2)\nA: w(y=1)\nA: w(y=1)\nB: r(x=1)\nC: w(x=1)",
       4},
      {Level::kReadCommitted, "A: w(x=1) !\nA: w(x=2)\nA: w(x=2)\nB: r(x=1)\nC: w(x=1)", 4},
      {Level::kSnapshotIsolation, "start(x=1)\nA: r(x=1) w(x=2)\nB: r(x=1) w(x=3)\nC: d(x)", 2},
  };
  for (const Repaired& each : all) {
    const PlainHistory whole = support::parse_plain(each.whole);
    const History history = support::build(whole);
    const PlainHistory cut = cut_at(whole, each.first);
    PlainHistory bare = cut;
    bare.truncated = bare.lacks_deletions = false;
    EXPECT_TRUE(oracle::brute_force_holds(history, each.level, 0)) << each.whole;
    EXPECT_FALSE(oracle::brute_force_holds(support::build(bare), each.level, 0)) << each.whole;
    EXPECT_EQ(complain(whole, each.first, {}), "") << each.whole;
  }
}

// Sums meet whoever computes them.
TEST(CutOff, SumsMayRepeat) {
  HistoryBuilder builder;
  builder.origin().truncated = true;
  const KeyId key = builder.key(Value::integer(1));
  builder.begin_txn(builder.session("a"));
  builder.increment(key, 1, 1);
  const History history = std::move(builder.finish()).value();
  EXPECT_TRUE(history.origin().values_repeat);
}

// No version is written twice, so what is missing may repeat values and explains nothing.
TEST(CutOff, TrustedVersionsDoNotRepeat) {
  for (const bool tells_all : {true, false}) {
    HistoryBuilder builder;
    builder.origin().truncated = true;
    const KeyId key = builder.key(Value::integer(1));
    const auto write = [&](std::int64_t version) {
      builder.begin_txn(builder.session("a"));
      builder.write(key, Value::integer(5));
      builder.set_version(Value::integer(version));
    };
    write(1);
    write(2);
    builder.begin_txn(builder.session("b"));
    builder.read(builder.key(Value::integer(2)), Value::integer(7));
    if (tells_all) builder.set_version(Value::integer(3));
    const History history = std::move(builder.finish()).value();
    EXPECT_TRUE(history.origin().values_repeat);
    const Result<History> trusting = history.with_trusted_versions();
    ASSERT_TRUE(trusting.ok());
    EXPECT_EQ(trusting.value().origin().values_repeat, !tells_all);
  }
}

TEST(CutOff, HistoriesOfValues) { try_cases(Kind::kValues, std::uint64_t{91} << 32, "values"); }

TEST(CutOff, HistoriesWithSelections) {
  try_cases(Kind::kSelections, std::uint64_t{92} << 32, "selections");
}

TEST(CutOff, HistoriesOfRows) { try_cases(Kind::kRows, std::uint64_t{93} << 32, "rows"); }

}  // namespace
}  // namespace isolde::prop

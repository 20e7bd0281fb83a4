// Goal: the engine is right about aggregates over conditions. Method: random small histories
// whose selections become counts, sums, minima and maxima of what they returned, now and then
// with another result. The oracle knows no aggregates: it is asked about every history in which
// each aggregate is replaced by a read of the same rows, in one of the versions that give its
// result. An aggregate is what some such reads can be, so a level holds when it holds for one.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "history/base_levels.hpp"
#include "level/level_traits.hpp"
#include "oracle/brute.hpp"
#include "prop/engine_run.hpp"
#include "support/forced_ways.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;
using support::PlainOp;
using support::PlainSelection;
using support::PlainTxn;

using Versions = std::map<std::string, std::set<std::string>>;

/// What each key held at the start or was written to it, and that there may be no row.
Versions versions_of(const PlainHistory& plain) {
  Versions versions;
  for (const PlainOp& held : plain.start) {
    if (held.kind == OpKind::kWrite) versions[held.key] = {held.value, ""};
  }
  for (const PlainTxn& txn : plain) {
    for (const PlainOp& op : txn.ops) {
      if (op.kind != OpKind::kWrite) continue;
      versions[op.key].insert(op.value);
      versions[op.key].insert("");
    }
  }
  return versions;
}

std::optional<std::int64_t> number(const std::string& word) {
  if (word.empty() || word == "_") return std::nullopt;
  return std::stoll(word);
}

/// What the row puts into the aggregate.
std::optional<std::int64_t> part(const PlainSelection& selection, const std::string& key,
                                 const std::string& value) {
  if (!support::is_selected(selection, key, value)) return std::nullopt;
  if (selection.get == "count" || selection.get == "exists") return 1;
  const std::size_t dot = selection.get.find('.');
  if (dot == std::string::npos) return number(value);
  const auto columns = support::columns_of(value);
  const auto held = columns.find(selection.get.substr(dot + 1));
  return held == columns.end() ? std::nullopt : number(held->second);
}

/// The aggregate of these rows, as a word.
std::string result_of(const PlainSelection& selection,
                      const std::map<std::string, std::string>& rows) {
  std::vector<std::int64_t> parts;
  for (const auto& [key, value] : rows) {
    if (const auto one = part(selection, key, value)) parts.push_back(*one);
  }
  const std::string kind = selection.get.substr(0, selection.get.find('.'));
  if (kind == "count") return std::to_string(parts.size());
  if (kind == "exists") return parts.empty() ? "0" : "1";
  if (parts.empty()) return "";
  if (kind == "min") return std::to_string(*std::min_element(parts.begin(), parts.end()));
  if (kind == "max") return std::to_string(*std::max_element(parts.begin(), parts.end()));
  std::int64_t sum = 0;
  for (const std::int64_t each : parts) sum += each;
  return std::to_string(sum);
}

/// Keys in the range of the selection that hold something at the start or later; none when one
/// of them never holds what is selected, so that the aggregate does not read it, but the
/// selection by keys would.
std::optional<std::vector<std::string>> items_of(const PlainSelection& selection,
                                                 const Versions& versions) {
  std::vector<std::string> items;
  for (const auto& [key, values] : versions) {
    if (!support::selects_key(selection, key)) continue;
    const bool any =
        std::any_of(values.begin(), values.end(), [&, name = key](const auto& value) {
          return support::is_selected(selection, name, value);
        });
    if (!any) return std::nullopt;
    items.push_back(key);
  }
  return items;
}

/// Calls visit(history) with each history without the aggregates; stops when it says true.
template <typename Visit>
bool any_reading(PlainHistory& plain, const Versions& versions, const Visit& visit,
                 std::size_t txn = 0, std::size_t at = 0) {
  for (; txn < plain.size(); ++txn, at = 0) {
    for (; at < plain[txn].ops.size(); ++at) {
      if (plain[txn].ops[at].selection.get.empty()) continue;
      const PlainOp aggregate = plain[txn].ops[at];
      if (plain[txn].status != TxnStatus::kCommitted) {
        // It need not have taken effect.
        const TxnStatus status = std::exchange(plain[txn].status, TxnStatus::kAborted);
        PlainOp& nothing = plain[txn].ops[at];
        nothing.selection = {};
        nothing.selection.keys = "9..8";
        const bool is_possible = any_reading(plain, versions, visit, txn, at + 1);
        plain[txn].ops[at] = aggregate;
        plain[txn].status = status;
        if (is_possible || status == TxnStatus::kAborted) return is_possible;
      }
      const std::vector<std::string> items = *items_of(aggregate.selection, versions);
      std::vector<std::set<std::string>::const_iterator> chosen;
      for (const std::string& key : items) chosen.push_back(versions.at(key).begin());
      bool found = false;
      bool more = true;
      while (more && !found) {
        std::map<std::string, std::string> rows;
        for (std::size_t i = 0; i < items.size(); ++i) rows[items[i]] = *chosen[i];
        if (result_of(aggregate.selection, rows) == aggregate.selection.result) {
          PlainOp& read = plain[txn].ops[at];
          read.selection = {};
          read.selection.keys = aggregate.selection.keys;
          for (const auto& [key, value] : rows) {
            if (!value.empty()) read.selection.rows.emplace_back(key, value);
          }
          found = any_reading(plain, versions, visit, txn, at + 1);
        }
        more = false;
        for (std::size_t i = 0; i < items.size() && !more; ++i) {
          more = ++chosen[i] != versions.at(items[i]).end();
          if (!more) chosen[i] = versions.at(items[i]).begin();
        }
      }
      plain[txn].ops[at] = aggregate;
      return found;
    }
  }
  return visit(plain);
}

/// Those of the levels that hold for some reading.
std::set<Level> oracle_holds(const PlainHistory& plain, std::set<Level> levels,
                             std::int64_t clock_error_ns) {
  std::set<Level> hold;
  PlainHistory copy = plain;
  any_reading(copy, versions_of(plain), [&](const PlainHistory& readings) {
    const History history = support::build(readings);
    std::erase_if(levels, [&](Level level) {
      const bool holds = oracle::brute_force_holds(history, level, clock_error_ns);
      if (holds) hold.insert(level);
      return holds;
    });
    return levels.empty();
  });
  return hold;
}

PlainHistory without_aggregates(PlainHistory plain) {
  for (PlainTxn& txn : plain) {
    std::erase_if(txn.ops, [](const PlainOp& op) { return !op.selection.get.empty(); });
  }
  return plain;
}

/// At repeatable read the items of an aggregate are no item reads. What is left is bounded from
/// both sides by what the oracle knows.
/// `hold`: levels that hold for some reading.
bool contradicts_oracle(const PlainHistory& plain, Level level, Verdict verdict,
                        const std::set<Level>& hold, std::int64_t clock_error_ns) {
  const bool holds = verdict == Verdict::kHolds;
  // A transaction of unknown outcome may be in the orders of some keys alone, and its
  // aggregates then say nothing; no reading tells the oracle so.
  if (holds && level == Level::kLinearizable &&
      std::ranges::any_of(plain, [](const PlainTxn& txn) {
        return txn.status == TxnStatus::kIndeterminate &&
               std::ranges::any_of(txn.ops,
                                   [](const PlainOp& op) { return !op.selection.get.empty(); });
      })) {
    return false;
  }
  if (info(level).base == BaseLevel::kReadUncommitted) {  // restricts no reads of registers
    return oracle::brute_force_holds(support::build(without_aggregates(plain)), level,
                                     clock_error_ns) != holds;
  }
  if (!disregards_left_out_rows(info(level).base)) return hold.contains(level) != holds;
  if (!holds) return hold.contains(level);
  return !hold.contains(Level::kReadCommitted) ||
         !oracle::brute_force_holds(support::build(without_aggregates(plain)), level,
                                    clock_error_ns);
}

struct Case {
  std::uint64_t seed = 0;
  PlainHistory plain;
  Settings settings;
};

/// For each of them the oracle is asked about all levels.
constexpr std::uint64_t kMostReadings = 2'000;

/// Selections become aggregates of what they returned, unless there would be too many readings.
void aggregate_selections(PlainHistory& plain, base::Rng& rng, bool has_rows) {
  const Versions versions = versions_of(plain);
  const std::vector<std::string> kinds = {"count", "count", "exists", "sum",
                                          "sum",   "min",   "max"};
  std::uint64_t readings = 1;
  for (PlainTxn& txn : plain) {
    for (PlainOp& op : txn.ops) {
      if (op.kind != OpKind::kReadAbsent || rng.chance(0.15)) continue;
      PlainSelection selection = op.selection;
      const auto items = items_of(selection, versions);
      if (!items) continue;
      std::uint64_t of_this = 1;
      for (const std::string& key : *items) of_this *= versions.at(key).size();
      if (readings * of_this > kMostReadings) continue;
      readings *= of_this;
      std::map<std::string, std::string> rows(selection.rows.begin(), selection.rows.end());
      selection.rows.clear();
      selection.get = kinds[rng.below(kinds.size())];
      const bool of_values = selection.get != "count" && selection.get != "exists";
      if (of_values && has_rows) selection.get += rng.chance(0.8) ? ".a" : ".b";
      // What a row did not tell is made up.
      for (auto& [key, value] : rows) {
        const std::set<std::string>& written = versions.at(key);
        if (!has_rows || written.empty()) continue;
        std::vector<std::string> fitting;
        for (const std::string& version : written) {
          if (!version.empty() && support::agrees(value, version)) fitting.push_back(version);
        }
        if (!fitting.empty()) value = fitting[rng.below(fitting.size())];
      }
      selection.result = result_of(selection, rows);
      if (rng.chance(0.12) && selection.get != "exists") {
        const std::int64_t off =
            number(selection.result).value_or(0) + (rng.chance(0.5) ? 1 : -1);
        selection.result =
            std::to_string(selection.get == "count" ? std::max<std::int64_t>(off, 0) : off);
      }
      op.selection = selection;
    }
  }
}

Case make_case(std::uint64_t number, bool has_rows) {
  Case made{base::mix2(support::run_seed(), number), {}, {}};
  base::Rng rng(made.seed);
  support::RandomHistoryOptions options =
      has_rows ? support::random_row_options(rng)
               : support::random_selection_options(rng, rng.chance(0.7));
  options.selection_share = 0.5;
  options.delete_share = rng.chance(0.3) ? 0.2 : 0;
  options.exclusion_share = 0;
  if (rng.chance(0.5)) options.duplicate_share = 0.4;
  options.start_share = rng.chance(0.5) ? 0.8 : 0;
  made.plain = support::random_history(rng, options);
  aggregate_selections(made.plain, rng, has_rows);
  made.settings.clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
  made.settings.variant = number % kVariantCount;
  return made;
}

struct Tally {
  std::uint64_t held = 0;
  std::uint64_t violated = 0;
  std::uint64_t open = 0;
  std::uint64_t aggregates = 0;
  std::uint64_t initial = 0;  ///< aggregates of which an item held something at the start
};

std::string complain(const PlainHistory& plain, const Settings& settings,
                     Tally* tally = nullptr) {
  const Answer answer = run_engine(plain, settings);
  if (!answer.complaint.empty()) return answer.complaint + " (" + describe(settings) + ")";
  const auto verdict_of = [&](Level level) {
    return answer.verdicts[static_cast<std::size_t>(level)];
  };
  std::set<Level> decided;
  for (const LevelInfo& level : all_levels()) {
    const Verdict verdict = verdict_of(level.level);
    if (tally != nullptr && verdict == Verdict::kUnknown) ++tally->open;
    if (verdict != Verdict::kHolds && verdict != Verdict::kViolated) continue;
    if (tally != nullptr) ++(verdict == Verdict::kHolds ? tally->held : tally->violated);
    decided.insert(level.level);
  }
  std::set<Level> asked = decided;
  if (std::ranges::any_of(
          asked, [](Level level) { return disregards_left_out_rows(info(level).base); })) {
    asked.insert(Level::kReadCommitted);
  }
  std::erase_if(asked,
                [](Level level) { return info(level).base == BaseLevel::kReadUncommitted; });
  const std::set<Level> hold = oracle_holds(plain, asked, settings.clock_error_ns);
  for (const LevelInfo& level : all_levels()) {
    if (!decided.contains(level.level)) continue;
    const Verdict verdict = verdict_of(level.level);
    if (contradicts_oracle(plain, level.level, verdict, hold, settings.clock_error_ns)) {
      return std::string(level.name) + ": the engine says " + std::string(name(verdict)) +
             ", the oracle says the opposite (" + describe(settings) + ")";
    }
  }
  return "";
}

/// Shrinking may leave keys that the oracle's readings cannot do without.
bool has_readings(const PlainHistory& plain) {
  const Versions versions = versions_of(plain);
  for (const PlainTxn& txn : plain) {
    for (const PlainOp& op : txn.ops) {
      if (!op.selection.get.empty() && !items_of(op.selection, versions)) return false;
    }
  }
  return true;
}

bool counts_contents(const PlainHistory& plain, const PlainSelection& selection) {
  return std::ranges::any_of(plain.start, [&](const PlainOp& held) {
    return support::is_selected(selection, held.key, held.value);
  });
}

bool passes(const Case& tried, Tally& tally) {
  for (const PlainTxn& txn : tried.plain) {
    for (const PlainOp& op : txn.ops) {
      if (op.selection.get.empty()) continue;
      ++tally.aggregates;
      tally.initial += counts_contents(tried.plain, op.selection) ? 1 : 0;
    }
  }
  if (complain(tried.plain, tried.settings, &tally).empty()) return true;
  ADD_FAILURE() << report_failure(tried.plain, tried.seed, [&](const PlainHistory& smaller) {
    return has_readings(smaller) ? complain(smaller, tried.settings) : "";
  });
  return false;
}

void print(const char* what, const Tally& tally) {
  std::printf(
      "%s: %llu aggregates, %llu of initial contents; %llu held, %llu violated, "
      "%llu open\n",
      what, static_cast<unsigned long long>(tally.aggregates),
      static_cast<unsigned long long>(tally.initial),
      static_cast<unsigned long long>(tally.held),
      static_cast<unsigned long long>(tally.violated),
      static_cast<unsigned long long>(tally.open));
}

TEST(Aggregates, OfValuesAreClassifiedAsTheOracleDoes) {
  Tally tally;
  for (std::uint64_t i = 0; i < support::case_count(2'000); ++i) {
    if (!passes(make_case((std::uint64_t{81} << 32) + i, false), tally)) return;
  }
  print("all levels", tally);
  EXPECT_GT(tally.initial, tally.aggregates / 8);
  EXPECT_GT(tally.held, 0U);
  EXPECT_GT(tally.violated, 0U);
  EXPECT_LT(tally.open, (tally.held + tally.violated) / 4);
}

TEST(Aggregates, OfColumnsAreClassifiedAsTheOracleDoes) {
  Tally tally;
  for (std::uint64_t i = 0; i < support::case_count(2'000); ++i) {
    if (!passes(make_case((std::uint64_t{82} << 32) + i, true), tally)) return;
  }
  print("all levels", tally);
  EXPECT_GT(tally.initial, tally.aggregates / 8);
  EXPECT_GT(tally.held, 0U);
  EXPECT_GT(tally.violated, 0U);
  EXPECT_LT(tally.open, (tally.held + tally.violated) / 4);
}

/// The input without the last transaction of a session: what the verifier does not accept there
/// is no verdict.
std::string complain_of_cut(const PlainHistory& plain, std::size_t last,
                            const Settings& settings, Tally& tally) {
  PlainHistory cut = plain;
  cut.erase(cut.begin() + static_cast<std::ptrdiff_t>(last));
  cut.truncated = true;
  const Answer answer = run_engine(cut, settings);
  if (!answer.complaint.empty()) return answer.complaint + " (" + describe(settings) + ")";
  for (const Verdict verdict : answer.verdicts) {
    tally.open += verdict == Verdict::kUnknown ? 1 : 0;
    tally.violated += verdict == Verdict::kViolated ? 1 : 0;
  }
  return "";
}

TEST(Aggregates, OfCutOffInputsHaveProofsThatVerify) {
  Tally tally;
  for (std::uint64_t i = 0; i < support::case_count(2'000); ++i) {
    const Case tried = make_case((std::uint64_t{84} << 32) + i, i % 2 == 0);
    base::Rng rng(tried.seed);
    std::size_t last = rng.below(tried.plain.size());
    for (std::size_t t = last + 1; t < tried.plain.size(); ++t) {
      if (tried.plain[t].session == tried.plain[last].session) last = t;
    }
    const auto complain_of = [&](const PlainHistory& plain) {
      return last < plain.size() && has_readings(plain)
                 ? complain_of_cut(plain, last, tried.settings, tally)
                 : "";
    };
    if (complain_of(tried.plain).empty()) continue;
    ADD_FAILURE() << report_failure(tried.plain, tried.seed, complain_of);
    return;
  }
  print("cut off", tally);
  EXPECT_GT(tally.violated, 0U);
}

/// What the sums that are kept make different; empty when nothing.
std::string complain_about_tallies(const PlainHistory& plain, CheckOptions options,
                                   bool all_count) {
  const History history = support::build(plain);
  base::Ways ways;
  ways.rows_when_needed = !all_count;
  std::array<CheckReport, 2> reports;
  for (const bool keeps : {false, true}) {
    ways.keep_tallies = keeps;
    const support::ForcedWays forced(ways);
    base::Budget budget;
    reports[keeps ? 1 : 0] = check(history, options, budget);
  }
  for (std::size_t i = 0; i < reports[0].levels.size(); ++i) {
    const LevelReport& plain_way = reports[0].levels[i];
    const LevelReport& kept = reports[1].levels[i];
    if (plain_way.verdict == kept.verdict && plain_way.proof == kept.proof) continue;
    return std::string(info(kept.level).name) + ": another verdict or proof";
  }
  return reports[0].proofs == reports[1].proofs ? "" : "another proof";
}

TEST(Aggregates, TalliesChangeNothing) {
  for (std::uint64_t i = 0; i < support::case_count(2'000); ++i) {
    const Case tried = make_case((std::uint64_t{85} << 32) + i, i % 2 == 0);
    CheckOptions options;
    options.skip_guess = i % 4 < 2;
    options.skip_saturation = i % 8 < 4;
    const auto complain_of = [&](const PlainHistory& plain) {
      return complain_about_tallies(plain, options, i % 3 > 0);
    };
    if (complain_of(tried.plain).empty()) continue;
    ADD_FAILURE() << report_failure(tried.plain, tried.seed, complain_of);
    return;
  }
}

// Alone, a level gets nothing from the proofs of others.
TEST(Aggregates, SingleLevelsAreDecidedAsTheOracleDoes) {
  Tally without;  // of levels whose executions do not tell what aggregates saw
  for (const LevelInfo& level : all_levels()) {
    Tally tally;
    for (std::uint64_t i = 0; i < support::case_count(200); ++i) {
      const auto row = static_cast<std::uint64_t>(level.level);
      Case tried = make_case((std::uint64_t{83} << 32) + (row << 20) + i, i % 2 == 0);
      tried.settings.only = level.level;
      if (!passes(tried, tally)) return;
    }
    print(std::string(level.name).c_str(), tally);
    if (!checker::tests_each_read(level.base)) continue;
    without.held += tally.held;
    without.violated += tally.violated;
    without.open += tally.open;
  }
  // Most follow from an order at a level that was not asked for. Few cases tell nothing of
  // that.
  constexpr std::uint64_t kEnough = 100;
  if (without.held + without.violated < kEnough) return;
  EXPECT_LT(without.open, (without.held + without.violated) / 2);
}

}  // namespace
}  // namespace isolde::prop

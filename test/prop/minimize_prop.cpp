// Goal: a part of a history satisfies what the whole does, so that a violation found in a part
// is one of the whole; and what minimisation makes of a violated history is such a part,
// violates the level, and has nothing to spare. Method: random histories of all kinds and
// random parts of them, all levels, against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "level/level_traits.hpp"
#include "minimize/minimize.hpp"
#include "minimize/restriction.hpp"
#include "oracle/brute.hpp"
#include "support/added_notes.hpp"
#include "support/applies.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using minimize::Choice;
using minimize::Minimized;
using minimize::Part;
using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;

History random_case(base::Rng& rng) {
  support::RandomHistoryOptions options;
  const std::uint64_t kind = rng.below(4);
  if (kind == 0) {
    options = support::random_selection_options(rng, rng.below(2) == 0);
  } else {
    options = support::random_options(rng);
  }
  if (kind <= 1) options.duplicate_share = 0.3;
  if (kind == 2) options.exclusion_share = 0.3;
  if (kind == 3 && rng.chance(0.5)) options = support::random_row_options(rng);
  History history = support::build(support::random_history(rng, options));
  if (rng.below(3) > 0) return history;
  return support::with_added(history, support::Added::kRefusals, rng);
}

void drop_op(const History& history, Choice& choice, TxnId txn, std::uint32_t op) {
  const Selection* const selection = history.selection_of(txn, op);
  const std::uint32_t begin = selection == nullptr ? op : selection->first;
  const std::uint32_t end = selection == nullptr ? op + 1 : selection->end();
  for (std::uint32_t i = begin; i < end; ++i) choice.ops[history.first_op(txn) + i] = 0;
}

Choice random_choice(const History& history, base::Rng& rng) {
  Choice choice(history);
  const std::uint64_t txn_share = rng.below(4);
  const std::uint64_t op_share = rng.below(5);
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (rng.below(10) < txn_share) choice.txns[t] = 0;
    for (std::uint32_t op = 0; op < history.ops(txn).size(); ++op) {
      if (rng.below(10) < op_share) drop_op(history, choice, txn, op);
    }
  }
  return choice;
}

template <typename T>
bool is_subsequence(const std::vector<T>& part, const std::vector<T>& whole) {
  std::size_t at = 0;
  for (const T& each : whole) {
    if (at < part.size() && part[at] == each) ++at;
  }
  return at == part.size();
}

// Lists may lack elements, selections rows; all else is as it was.
bool is_part_of(const PlainOp& part, const PlainOp& whole) {
  if (whole.kind == OpKind::kReadList && part.kind == OpKind::kRead) {
    return part.key == whole.key && part.value.empty();  // nobody appends any more
  }
  PlainOp like_part = whole;
  like_part.list = part.list;
  like_part.selection.rows = part.selection.rows;
  return part == like_part && is_subsequence(part.list, whole.list) &&
         is_subsequence(part.selection.rows, whole.selection.rows);
}

// Without columns that hold null: which of them a read of a whole row tells depends on what
// others wrote.
std::string without_nulls(const std::string& row) {
  if (!support::is_row(row)) return row;
  std::string out;
  for (const auto& [name, held] : support::columns_of(row)) {
    if (held != "_") out += (out.empty() ? "" : "/") + name + ":" + held;
  }
  return out.empty() ? "/" : out;
}

PlainOp without_nulls(PlainOp op) {
  op.value = without_nulls(op.value);
  for (auto& [key, row] : op.selection.rows) row = without_nulls(row);
  return op;
}

// Whether the one can be made of the other by leaving out.
bool is_part_of(const PlainTxn& part, const PlainTxn& whole) {
  std::size_t at = 0;
  for (const PlainOp& op : whole.ops) {
    const bool is_it =
        at < part.ops.size() && is_part_of(without_nulls(part.ops[at]), without_nulls(op));
    if (is_it) ++at;
  }
  return at == part.ops.size() && part.session == whole.session &&
         part.status == whole.status && part.times.start == whole.times.start &&
         part.times.end == whole.times.end && part.level == whole.level &&
         part.database_times.start == whole.database_times.start &&
         part.database_times.commit == whole.database_times.commit;
}

// Somebody who may have taken effect, or the initial contents.
bool has_source(const PlainHistory& history, const PlainOp& read) {
  const auto is_source = [&](const PlainOp& op) {
    return op.kind == OpKind::kWrite && op.key == read.key &&
           support::agrees(read.value, op.value);
  };
  return std::ranges::any_of(history.start, is_source) ||
         std::ranges::any_of(history, [&](const PlainTxn& txn) {
           return txn.status != TxnStatus::kAborted && std::ranges::any_of(txn.ops, is_source);
         });
}

// Two reads of one transaction of the part that contradict each other, in the whole as well.
struct Contradiction {
  std::size_t txn = 0;
  std::string key;
};

// Empty when the transactions of `part` are parts of those of `whole` with these numbers, and
// every value and element that they read has the writers that it has there. For a
// contradiction one source is enough, a writer or the initial contents.
std::string complaint_about_part(const History& whole, const History& part,
                                 const std::vector<TxnId>& txns, minimize::RealTime time = {},
                                 const std::optional<Contradiction>& alone = {}) {
  const PlainHistory plain_whole = support::to_plain(whole);
  const PlainHistory plain_part = support::to_plain(part);
  if (txns.size() != plain_part.size()) return "not a number for each transaction";
  for (std::size_t t = 0; t < txns.size(); ++t) {
    if (t > 0 && txns[t] <= txns[t - 1]) return "not in the whole's order";
    if (!is_part_of(plain_part[t], plain_whole[txns[t].raw()])) {
      return "transaction " + std::to_string(t) + " is not a part of the whole's";
    }
  }
  // When its writers started, by key and value.
  using Versions = std::multimap<std::pair<std::string, std::string>, std::int64_t>;
  const auto written = [](const PlainHistory& history) {
    Versions versions;
    for (const PlainTxn& txn : history) {
      if (txn.status == TxnStatus::kAborted) continue;
      for (const PlainOp& op : txn.ops) {
        const bool is_write = op.kind == OpKind::kWrite || op.kind == OpKind::kAppend;
        if (is_write) versions.insert({{op.key, op.value}, txn.times.start});
      }
    }
    return versions;
  };
  const Versions there = written(plain_whole);
  const Versions here = written(plain_part);
  for (std::size_t t = 0; t < plain_part.size(); ++t) {
    const PlainTxn& txn = plain_part[t];
    std::set<std::string> own;
    for (const PlainOp& op : txn.ops) {
      const bool is_write = op.kind == OpKind::kWrite || op.kind == OpKind::kAppend;
      if (is_write) own.insert(op.key);
      if (own.contains(op.key)) continue;
      const bool needs_one = alone && alone->txn == t && alone->key == op.key;
      std::vector<std::string> values = op.list;
      for (const PlainOp& held : plain_part.start) {
        // What a list began with needs no writers.
        const bool begins = held.key == op.key && held.list.size() <= values.size() &&
                            std::equal(held.list.begin(), held.list.end(), values.begin());
        if (begins) values.erase(values.begin(), values.begin() + std::ssize(held.list));
      }
      if (op.kind == OpKind::kRead && !op.value.empty()) values.push_back(op.value);
      for (const std::string& value : values) {
        // Of registers those who started too late may be missing.
        const bool is_list = op.kind == OpKind::kReadList;
        const auto ended = txn.status == TxnStatus::kCommitted && time.binds && !is_list
                               ? txn.times.end
                               : kNoTime;
        const auto writers = [&](const Versions& versions) {
          const auto [begin, end] = versions.equal_range({op.key, value});
          return std::count_if(begin, end, [&](const auto& writer) {
            return ended == kNoTime || writer.second == kNoTime ||
                   writer.second - ended <= time.clock_error_ns;
          });
        };
        if (needs_one && has_source(plain_part, op)) continue;
        if (writers(here) != writers(there)) {
          return "a writer of " + op.key + " = " + value + " is missing";
        }
      }
    }
  }
  return "";
}

// Proofs name keys, transactions and operations by number, so a part of which nothing is left
// out must have those of its model.
void expect_same_numbers(const History& part, const std::string& about) {
  const History again = minimize::restrict(part, Choice(part)).history;
  ASSERT_EQ(support::to_text(again), support::to_text(part)) << about;
  ASSERT_EQ(again.key_count(), part.key_count()) << about << support::to_text(part);
  for (std::size_t k = 0; k < part.key_count(); ++k) {
    const KeyId key = KeyId::at(k);
    ASSERT_EQ(again.text(again.key_name(key)), part.text(part.key_name(key)))
        << about << support::to_text(part);
  }
}

TEST(Restriction, SatisfiesWhatTheWholeDoes) {
  std::uint64_t held = 0;
  std::uint64_t more_reads = 0;
  for (std::uint64_t i = 0; i < support::case_count(20'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    const History whole = random_case(rng);
    const Choice choice = random_choice(whole, rng);
    const auto clock_error = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
    // With and without leaving out writers who started too late.
    const minimize::RealTime real_time =
        minimize::RealTime::of(Level::kLinearizable, clock_error);
    const Part plain = minimize::restrict(whole, choice);
    const Part timed = minimize::restrict(whole, choice, real_time);
    const std::string seed_text = "seed " + std::to_string(seed) + "\n";
    ASSERT_EQ(complaint_about_part(whole, plain.history, plain.txns), "")
        << seed_text << support::to_text(whole);
    ASSERT_EQ(complaint_about_part(whole, timed.history, timed.txns, real_time), "")
        << seed_text << support::to_text(whole);
    expect_same_numbers(plain.history, seed_text + support::to_text(whole) + "part:\n");
    if (::testing::Test::HasFatalFailure()) return;
    more_reads += timed.history.op_count() > plain.history.op_count() ? 1 : 0;
    for (const LevelInfo& level : all_levels()) {
      const bool binds = minimize::RealTime::of(level.level, clock_error).binds;
      const Part& part = binds ? timed : plain;
      const std::string texts =
          seed_text + support::to_text(whole) + "part:\n" + support::to_text(part.history);
      if (!support::applies(level.level, whole)) continue;
      if (!support::applies(level.level, part.history)) continue;
      // Without a deletion a later write may be a violation, so minimize() refuses them.
      if (whole.origin().rows_are_deleted && checker::lets_insert_again(level.base)) continue;
      if (oracle::brute_force_holds(part.history, level.level, clock_error)) continue;
      ASSERT_FALSE(oracle::brute_force_holds(whole, level.level, clock_error))
          << level.name << " holds, but not of the part; " << texts;
      ++held;
    }
  }
  std::printf("%llu violations of parts, all of the whole; %llu parts kept reads by time\n",
              static_cast<unsigned long long>(held),
              static_cast<unsigned long long>(more_reads));
}

std::optional<Certificate> violation(const History& history, Level level,
                                     std::int64_t clock_error) {
  base::Budget budget;
  CheckOptions options;
  options.levels = {level};
  options.clock_error_ns = clock_error;
  CheckReport report = check(history, options, budget);
  if (report.levels[0].verdict != Verdict::kViolated) return std::nullopt;
  return Certificate{level, history.digest(), clock_error,
                     std::move(report.proofs[report.levels[0].proof])};
}

// What could be left out of the history and it would still violate the level, by as short an
// argument if it is an operation; empty: nothing.
std::string spare_part(const History& history, const Certificate& proof) {
  const auto violation_without = [&](const Choice& choice) {
    const Part part = minimize::restrict(
        history, choice, minimize::RealTime::of(proof.level, proof.clock_error_ns));
    return violation(part.history, proof.level, proof.clock_error_ns);
  };
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    Choice choice(history);
    choice.txns[t] = 0;
    if (violation_without(choice)) return history.txn_name(txn);
    for (std::uint32_t op = 0; op < history.ops(txn).size(); ++op) {
      Choice without(history);
      drop_op(history, without, txn, op);
      const auto found = violation_without(without);
      if (found && minimize::argument_steps(*found) <= minimize::argument_steps(proof)) {
        return history.op_text(history.ops(txn)[op]);
      }
    }
  }
  return "";
}

bool may_stay_undecided(const PlainHistory& plain) {
  if (support::has_duplicate_writes(plain)) return true;
  for (const PlainTxn& txn : plain) {
    for (const PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kReadExcept || op.kind == OpKind::kReadAbsent) return true;
    }
  }
  return false;
}

// What the certificate proves, if it is about two reads in part of a register that contradict
// each other, of a transaction that has such reads in the whole. There each of them may have
// more sources than the part has, and in the part they may be of whole values: who wrote the
// columns, or what else they may have been, is left out.
std::optional<Contradiction> contradiction_in_both(const History& whole,
                                                   const Minimized& made) {
  const auto* const finding = std::get_if<Finding>(&made.certificate.proof);
  if (finding == nullptr || finding->kind != FindingKind::kNonRepeatableRead) return {};
  const auto name = [](const History& history, const Op& op) {
    return history.text(history.key_name(op.key));
  };
  const std::string key = name(made.history, made.history.ops(finding->txn)[finding->op]);
  Finding there = *finding;
  there.txn = made.origin[finding->txn.raw()];
  const std::span<const Op> ops = whole.ops(there.txn);
  for (there.op = 0; there.op < ops.size(); ++there.op) {
    for (there.other_op = 0; there.other_op < there.op; ++there.other_op) {
      const Op& read = ops[there.op];
      const Op& other = ops[there.other_op];
      const bool are_these = read.is_partial() && other.is_partial() &&
                             name(whole, read) == key && name(whole, other) == key;
      if (!are_these) continue;
      Certificate certificate = made.certificate;
      certificate.history_digest = whole.digest();
      certificate.proof = there;
      if (!certify::verify(whole, certificate).proves) continue;
      return Contradiction{finding->txn.raw(), key};
    }
  }
  return {};
}

std::string complaint_about_result(const History& whole, const Certificate& proof,
                                   const Minimized& made) {
  std::string complaint =
      complaint_about_part(whole, made.history, made.origin,
                           minimize::RealTime::of(proof.level, proof.clock_error_ns),
                           contradiction_in_both(whole, made));
  if (!complaint.empty()) return complaint;
  const certify::VerifyResult verified = certify::verify(made.history, made.certificate);
  if (!verified.proves) return "the proof does not verify: " + verified.reason;
  const bool is_about_it = made.certificate.level == proof.level &&
                           made.certificate.clock_error_ns == proof.clock_error_ns &&
                           !made.certificate.holds();
  if (!is_about_it) return "the proof proves something else";
  if (oracle::brute_force_holds(made.history, proof.level, proof.clock_error_ns)) {
    return "the level holds";
  }
  return "";
}

std::string complaint_about_size(const Minimized& made) {
  // Where equal values are written, some levels are not always decided.
  const bool may_be_open = may_stay_undecided(support::to_plain(made.history));
  if (!made.is_minimal && !may_be_open) return "not minimal: " + made.reason;
  const std::string spare = spare_part(made.history, made.certificate);
  return spare.empty() ? "" : "can do without " + spare;
}

TEST(Minimize, LeavesAViolationAndNothingElse) {
  std::uint64_t count = 0;
  std::uint64_t open = 0;
  std::uint64_t longer_forms = 0;
  std::uint64_t txns_before = 0;
  std::uint64_t txns_after = 0;
  for (std::uint64_t i = 0; i < support::case_count(2'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), (std::uint64_t{1} << 32) + i);
    base::Rng rng(seed);
    const History whole = random_case(rng);
    const auto clock_error = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
    for (const LevelInfo& level : all_levels()) {
      const auto proof = violation(whole, level.level, clock_error);
      if (!proof) continue;
      base::Budget budget;
      minimize::MinimizeOptions options;
      options.skip_proofs = i % 3 == 0;
      const Result<Minimized> made = minimize::minimize(whole, *proof, options, budget);
      if (whole.origin().rows_are_deleted && checker::lets_insert_again(level.base)) {
        EXPECT_FALSE(made);
        continue;
      }
      ASSERT_TRUE(made.ok()) << made.error().message << "\nseed " << seed << "\n"
                             << support::to_text(whole);
      ASSERT_EQ(complaint_about_result(whole, *proof, *made), "")
          << level.name << ", seed " << seed << "\n"
          << support::to_text(whole) << "minimised:\n"
          << support::to_text(made->history);
      ASSERT_EQ(complaint_about_size(*made), "") << level.name << ", seed " << seed << "\n"
                                                 << support::to_text(whole) << "minimised:\n"
                                                 << support::to_text(made->history);
      const auto longer = minimize::with_writers_between(whole, *made, options, budget);
      ASSERT_TRUE(longer.ok()) << longer.error().message << "\nseed " << seed;
      if (*longer) {
        ++longer_forms;
        ASSERT_EQ(complaint_about_result(whole, *proof, **longer), "")
            << level.name << ", seed " << seed << "\n"
            << support::to_text(whole) << "longer form:\n"
            << support::to_text((*longer)->history);
      }
      ++count;
      open += made->is_minimal ? 0U : 1U;
      txns_before += whole.txn_count();
      txns_after += made->history.txn_count();
    }
  }
  std::printf(
      "%llu violations, %llu of them perhaps not minimal, %llu with a longer form; of %llu "
      "transactions %llu were left\n",
      static_cast<unsigned long long>(count), static_cast<unsigned long long>(open),
      static_cast<unsigned long long>(longer_forms),
      static_cast<unsigned long long>(txns_before),
      static_cast<unsigned long long>(txns_after));
}

}  // namespace
}  // namespace isolde::prop

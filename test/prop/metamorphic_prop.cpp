// Goal: verdicts do not depend on what they should not depend on, also where histories are too
// large for the oracle. Method: change a random history in a way that keeps all verdicts, or
// run the engine in another way, and compare.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "prop/engine_run.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;
using support::PlainOp;
using support::PlainTxn;

PlainHistory rename(PlainHistory history, base::Rng& rng) {
  // One-to-one, and such that numbers become words and the other way round.
  std::map<std::string, std::string> keys, values, sessions;
  const std::uint64_t step = 1 + rng.below(1000);
  const auto renamed = [&](std::map<std::string, std::string>& names, std::string& word) {
    if (word.empty()) return;
    std::string& fresh = names[word];
    if (fresh.empty()) {
      fresh = std::to_string(names.size() * step);
      if (rng.chance(0.5)) fresh.insert(0, 1, 'n');
    }
    word = fresh;
  };
  for (PlainOp& held : history.start) {
    renamed(keys, held.key);
    renamed(values, held.value);
    for (std::string& element : held.list) renamed(values, element);
  }
  for (PlainTxn& txn : history) {
    renamed(sessions, txn.session);
    for (PlainOp& op : txn.ops) {
      renamed(keys, op.key);
      renamed(values, op.value);
      for (std::string& element : op.list) renamed(values, element);
    }
  }
  return history;
}

// Another interleaving of the same sessions.
PlainHistory interleave(const PlainHistory& history, base::Rng& rng) {
  std::vector<std::size_t> slots(history.size());
  for (std::size_t t = 0; t < slots.size(); ++t) slots[t] = t;
  for (std::size_t i = slots.size(); i > 1; --i) std::swap(slots[i - 1], slots[rng.below(i)]);
  std::map<std::string, std::vector<std::size_t>> slots_of;
  for (std::size_t t = 0; t < slots.size(); ++t)
    slots_of[history[t].session].push_back(slots[t]);
  for (auto& [session, mine] : slots_of) std::sort(mine.rbegin(), mine.rend());
  PlainHistory out(history.size());
  out.start = history.start;
  for (const PlainTxn& txn : history) {
    std::vector<std::size_t>& mine = slots_of[txn.session];
    out[mine.back()] = txn;
    mine.pop_back();
  }
  return out;
}

PlainHistory add_isolated(PlainHistory history, base::Rng& rng) {
  PlainTxn txn;
  txn.session = "isolated";
  const auto states = [](const PlainTxn& each) {
    return each.level.has_value() && each.status != TxnStatus::kAborted;
  };
  if (std::any_of(history.begin(), history.end(), states)) txn.level = Level::kSerializable;
  txn.ops = {{OpKind::kWrite, "isolated", "1", {}}, {OpKind::kRead, "isolated", "1", {}}};
  const bool has_times = support::build(history).has_times();
  if (has_times && rng.chance(0.7)) {
    txn.times.start = static_cast<std::int64_t>(rng.below(60));
    txn.times.end = txn.times.start + static_cast<std::int64_t>(rng.below(20));
  }
  const auto at = static_cast<std::ptrdiff_t>(rng.below(history.size() + 1));
  history.insert(history.begin() + at, txn);
  return history;
}

PlainHistory drop_unread_aborted(const PlainHistory& history, base::Rng&) {
  std::set<std::pair<std::string, std::string>> read;
  for (const PlainTxn& txn : history) {
    for (const PlainOp& op : txn.ops) {
      if (op.kind == OpKind::kRead) read.insert({op.key, op.value});
      for (const std::string& element : op.list) read.insert({op.key, element});
    }
  }
  PlainHistory out;
  out.start = history.start;
  for (const PlainTxn& txn : history) {
    const bool is_read = std::any_of(txn.ops.begin(), txn.ops.end(), [&](const PlainOp& op) {
      return (op.kind == OpKind::kWrite || op.kind == OpKind::kAppend) &&
             read.contains({op.key, op.value});
    });
    if (txn.status != TxnStatus::kAborted || is_read) out.push_back(txn);
  }
  return out;
}

// What is wrong when `change` must keep verdicts; empty when nothing is.
template <typename Change>
std::string complain(const PlainHistory& plain, const Settings& settings, std::uint64_t seed,
                     const Change& change) {
  base::Rng rng(seed);
  const PlainHistory changed = change(plain, rng);
  // Times are all or nothing for real-time levels; a change that removes the last one is
  // another question.
  if (support::build(plain).has_times() != support::build(changed).has_times()) return "";
  const Answer before = run_engine(plain, settings);
  const Answer after = run_engine(changed, settings);
  if (!before.complaint.empty()) return before.complaint;
  if (!after.complaint.empty()) return after.complaint + " in\n" + support::to_text(changed);
  for (const LevelInfo& level : all_levels()) {
    const auto row = static_cast<std::size_t>(level.level);
    if (before.verdicts[row] == after.verdicts[row]) continue;
    return std::string(level.name) + ": " + std::string(name(before.verdicts[row])) + ", but " +
           std::string(name(after.verdicts[row])) + " in\n" + support::to_text(changed);
  }
  return "";
}

template <typename Change>
void expect_kept_by(const Change& change) {
  for (std::uint64_t i = 0; i < support::case_count(3'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    if (i % 4 == 0) options.aborted_share = 0.3;
    if (i % 8 == 0) options.txn_count = 7 + rng.below(20);
    // Changes take no care of the database's times, which are all or nothing too.
    options.database_times_share = 0;
    const PlainHistory plain = support::random_history(rng, options);
    Settings settings;
    settings.variant = i % kVariantCount;
    const auto complain_about = [&](const PlainHistory& history) {
      return complain(history, settings, seed, change);
    };
    if (complain_about(plain).empty()) continue;
    ADD_FAILURE() << report_failure(plain, seed, complain_about);
    return;
  }
}

TEST(Metamorphic, RenamingKeepsVerdicts) { expect_kept_by(rename); }
TEST(Metamorphic, InterleavingSessionsDifferentlyKeepsVerdicts) { expect_kept_by(interleave); }
TEST(Metamorphic, AnIsolatedTransactionKeepsVerdicts) { expect_kept_by(add_isolated); }
TEST(Metamorphic, DroppingUnreadAbortedTransactionsKeepsVerdicts) {
  expect_kept_by(drop_unread_aborted);
}

// Histories of several dozen transactions: no oracle, but all variants must agree, and the
// verifier must be convinced by each proof.
TEST(Metamorphic, AllVariantsAgreeOnLargerHistories) {
  const auto complain_about = [](const PlainHistory& history) -> std::string {
    std::vector<Verdict> first;
    for (std::uint64_t variant = 0; variant < kVariantCount; ++variant) {
      Settings settings;
      settings.variant = variant;
      const Answer answer = run_engine(history, settings);
      if (!answer.complaint.empty()) return answer.complaint + ", " + describe(settings);
      if (variant == 0) first = answer.verdicts;
      if (answer.verdicts != first) return "verdicts differ with " + describe(settings);
    }
    return "";
  };
  std::vector<int> held(all_levels().size()), violated(all_levels().size());
  for (std::uint64_t i = 0; i < support::case_count(1'000); ++i) {
    const std::uint64_t seed = base::mix2(support::run_seed(), i);
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.txn_count = 10 + rng.below(50);
    options.session_count = 1 + rng.below(8);
    options.key_count = 2 + rng.below(10);
    // Few deviations: in a large history each one is likely to break all levels.
    options.reads =
        rng.chance(0.5) ? support::ReadSource::kSerial : support::ReadSource::kSnapshot;
    options.stale_share = rng.chance(0.5) ? 0 : 0.01;
    options.dirty_share = 0;
    options.mutation_count = rng.chance(0.5) ? 0 : 0.5;
    options.reorder_share = 0;
    const PlainHistory plain = support::random_history(rng, options);
    if (!complain_about(plain).empty()) {
      ADD_FAILURE() << report_failure(plain, seed, complain_about);
      return;
    }
    const Answer answer = run_engine(plain, {});
    for (std::size_t level = 0; level < held.size(); ++level) {
      held[level] += answer.verdicts[level] == Verdict::kHolds ? 1 : 0;
      violated[level] += answer.verdicts[level] == Verdict::kViolated ? 1 : 0;
    }
  }
  for (const LevelInfo& level : all_levels()) {
    const auto row = static_cast<std::size_t>(level.level);
    std::printf("%-36s holds for %4d of %4d\n", std::string(level.name).c_str(), held[row],
                held[row] + violated[row]);
  }
}

}  // namespace
}  // namespace isolde::prop

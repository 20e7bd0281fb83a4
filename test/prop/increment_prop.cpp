// Goal: the engine is right about increments whose sums are not known. Method: random small
// histories of increments, reads and writes of numbers, and refused inserts. The oracle knows
// no increments: it is asked about every history in which each increment is a read and a write
// of numbers, with each sum that its key can hold. A level holds when it holds for one of them.
// Every proof is given to the verifier, and once more with another sum.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"
#include "certify/sum_range.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "check/sum_bounds.hpp"
#include "isolde/history_builder.hpp"
#include "oracle/brute.hpp"
#include "support/applies.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

struct Operation {
  enum class Kind : std::uint8_t { kRead, kWrite, kAdd, kRefused };
  Kind kind = Kind::kRead;
  std::int64_t key = 0;
  std::int64_t number = 0;  ///< kAdd: what is added
  std::optional<std::int64_t> sum = {};
};

struct Transaction {
  std::string session;
  TxnStatus status = TxnStatus::kCommitted;
  TxnTimes times;
  std::vector<Operation> ops;
};

using Transactions = std::vector<Transaction>;

/// `sums`: in place of those that are not known; without them the increments stay increments.
History build(const Transactions& txns, const std::vector<std::int64_t>* sums) {
  HistoryBuilder builder;
  std::size_t next = 0;
  std::set<std::int64_t> counted;
  for (const Transaction& txn : txns) {
    for (const Operation& op : txn.ops) {
      if (op.kind == Operation::Kind::kAdd) counted.insert(op.key);
    }
  }
  for (const Transaction& txn : txns) {
    builder.begin_txn(builder.session(txn.session));
    builder.set_status(txn.status);
    builder.set_times(txn.times);
    for (const Operation& op : txn.ops) {
      const KeyId key = builder.key(Value::integer(op.key));
      if (op.kind == Operation::Kind::kRead) {
        builder.read(key, Value::integer(op.number));
      } else if (op.kind == Operation::Kind::kWrite) {
        builder.write(key, Value::integer(op.number));
      } else if (op.kind == Operation::Kind::kRefused) {
        builder.insert_refused(key);
      } else if (sums == nullptr) {
        builder.increment(key, op.number, op.sum);
      } else {
        const std::int64_t sum = op.sum ? *op.sum : sums->at(next++);
        builder.read(key, Value::integer(sum - op.number));
        builder.write(key, Value::integer(sum));
      }
    }
  }
  for (const std::int64_t key : counted) {
    if (sums != nullptr) {
      builder.set_initial(builder.key(Value::integer(key)), Value::integer(0));
    }
  }
  return std::move(builder.finish()).value();
}

/// With the sums that a transaction's own writes, reads and other increments tell.
Transaction with_own_sums(Transaction txn) {
  struct Own {
    std::optional<std::int64_t> number;
    std::vector<Operation*> open;
    void settle(std::int64_t sum) {
      for (; !open.empty(); open.pop_back()) {
        open.back()->sum = sum;
        sum -= open.back()->number;
      }
    }
  };
  std::map<std::int64_t, Own> keys;
  for (Operation& op : txn.ops) {
    if (op.kind == Operation::Kind::kRefused) continue;
    Own& own = keys[op.key];
    if (op.kind == Operation::Kind::kWrite) {
      own = {op.number, {}};
    } else if (op.kind == Operation::Kind::kRead) {
      if (own.open.empty()) continue;
      own.settle(op.number);
      own.number = op.number;
    } else if (op.sum) {
      own.settle(*op.sum - op.number);
      own.number = op.sum;
    } else if (own.number) {
      op.sum = own.number = *own.number + op.number;
    } else {
      own.open.push_back(&op);
    }
  }
  return txn;
}

/// The least and the greatest number that each increment without a sum can leave.
std::vector<std::pair<std::int64_t, std::int64_t>> ranges_of(const Transactions& told) {
  Transactions txns;
  for (const Transaction& txn : told) txns.push_back(with_own_sums(txn));
  struct Ends {
    std::int64_t least = 0, most = 0, less = 0, more = 0;
  };
  std::map<std::int64_t, Ends> keys;
  for (const Transaction& txn : txns) {
    for (const Operation& op : txn.ops) {
      if (op.kind == Operation::Kind::kRefused) continue;
      Ends& ends = keys[op.key];
      if (op.kind == Operation::Kind::kAdd && !op.sum) {
        if (txn.status != TxnStatus::kAborted) {
          (op.number < 0 ? ends.less : ends.more) += op.number;
        }
      } else if (op.kind != Operation::Kind::kRead) {
        const std::int64_t number = op.sum.value_or(op.number);
        ends.least = std::min(ends.least, number);
        ends.most = std::max(ends.most, number);
      }
    }
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (std::size_t t = 0; t < txns.size(); ++t) {
    const Transaction& txn = txns[t];
    for (std::size_t i = 0; i < txn.ops.size(); ++i) {
      const Operation& op = txn.ops[i];
      if (op.kind != Operation::Kind::kAdd || told[t].ops[i].sum) continue;
      if (op.sum) {
        ranges.emplace_back(*op.sum, *op.sum);
        continue;
      }
      const Ends& ends = keys[op.key];
      // Nobody may see what was aborted, whatever it is.
      const bool counts = txn.status != TxnStatus::kAborted;
      ranges.emplace_back(ends.least + ends.less,
                          counts ? ends.most + ends.more : ends.least + ends.less);
    }
  }
  return ranges;
}

std::uint64_t sum_count(const Transactions& txns) {
  std::uint64_t count = 1;
  for (const auto& [least, most] : ranges_of(txns)) {
    count *= static_cast<std::uint64_t>(most - least + 1);
  }
  return count;
}

/// Those of the levels that hold with some sums.
std::set<Level> oracle_holds(const Transactions& txns, std::set<Level> levels) {
  const auto ranges = ranges_of(txns);
  std::vector<std::int64_t> sums;
  for (const auto& range : ranges) sums.push_back(range.first);
  std::set<Level> hold;
  for (bool more = true; more && !levels.empty();) {
    const History history = build(txns, &sums);
    std::erase_if(levels, [&](Level level) {
      const bool holds = oracle::brute_force_holds(history, level, 0);
      if (holds) hold.insert(level);
      return holds;
    });
    more = false;
    for (std::size_t i = 0; i < sums.size() && !more; ++i) {
      more = ++sums[i] <= ranges[i].second;
      if (!more) sums[i] = ranges[i].first;
    }
  }
  return hold;
}

/// Transactions that run on one state each, an older one now and then, or in steps.
Transactions random_txns(base::Rng& rng) {
  const std::uint64_t keys = 1 + rng.below(2);
  const std::uint64_t count = 2 + rng.below(4);
  const std::uint64_t sessions = 1 + rng.below(3);
  const bool has_times = rng.chance(0.5);
  const double stale = rng.chance(0.5) ? 0.3 : 0;
  const double known = rng.chance(0.3) ? 0.5 : 0.1;
  const double odd = rng.chance(0.3) ? 0.15 : 0;
  const double refused = rng.chance(0.2) ? 0.2 : 0;
  std::vector<std::map<std::int64_t, std::int64_t>> states(1);
  Transactions txns;
  for (std::uint64_t t = 0; t < count; ++t) {
    Transaction txn;
    txn.session = std::string(1, static_cast<char>('a' + rng.below(sessions)));
    if (rng.chance(0.15)) txn.status = TxnStatus::kIndeterminate;
    if (rng.chance(0.1)) txn.status = TxnStatus::kAborted;
    if (has_times) {
      txn.times.start = static_cast<std::int64_t>(10 * t + rng.below(10));
      txn.times.end = txn.times.start + static_cast<std::int64_t>(1 + rng.below(25));
    }
    const std::size_t from = rng.chance(stale) ? rng.below(states.size()) : states.size() - 1;
    std::map<std::int64_t, std::int64_t> seen = states[from];
    std::map<std::int64_t, std::int64_t> written;
    for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) {
      Operation op;
      op.key = static_cast<std::int64_t>(rng.below(keys));
      std::int64_t& number = seen[op.key];
      const std::uint64_t what = rng.below(10);
      if (rng.chance(refused)) {
        op.kind = Operation::Kind::kRefused;
      } else if (what < 5) {
        op.kind = Operation::Kind::kAdd;
        op.number = rng.chance(0.7) ? 1 : rng.chance(0.5) ? 2 : -1;
        number += op.number;
        if (rng.chance(known)) op.sum = number;
        written[op.key] = number;
      } else if (what < 9) {
        op.number = number + (rng.chance(odd) ? 1 : 0);
      } else {
        op.kind = Operation::Kind::kWrite;
        op.number = number = static_cast<std::int64_t>(rng.below(3));
        written[op.key] = number;
      }
      txn.ops.push_back(op);
    }
    if (txn.status != TxnStatus::kAborted || rng.chance(0.2)) {
      std::map<std::int64_t, std::int64_t> state = states.back();
      for (const auto& [key, number] : written) state[key] = number;
      states.push_back(state);
    }
    txns.push_back(txn);
  }
  // Without times the order of the input says nothing.
  for (std::size_t i = has_times ? 1 : txns.size(); i > 1; --i) {
    std::swap(txns[i - 1], txns[rng.below(i)]);
  }
  return txns;
}

std::string text_of(const Transactions& txns) {
  std::string text;
  for (const Transaction& txn : txns) {
    text += txn.session + (txn.status == TxnStatus::kCommitted ? ""
                           : txn.status == TxnStatus::kAborted ? " aborted"
                                                               : " indeterminate");
    if (txn.times.start != kNoTime) {
      text +=
          " [" + std::to_string(txn.times.start) + "," + std::to_string(txn.times.end) + "]";
    }
    for (const Operation& op : txn.ops) {
      text += op.kind == Operation::Kind::kRead      ? " r"
              : op.kind == Operation::Kind::kWrite   ? " w"
              : op.kind == Operation::Kind::kRefused ? " refused"
                                                     : " inc";
      text += std::to_string(op.key) + "," + std::to_string(op.number);
      if (op.sum) text += "=" + std::to_string(*op.sum);
    }
    text += "\n";
  }
  return text;
}

struct Tally {
  std::uint64_t held = 0, violated = 0, open = 0, forged = 0, refused = 0;
  std::uint64_t numbers = 0, totals = 0;  ///< findings by whoever it was, accepted
};

/// Whether some read of a committed transaction, or all of its reads, cannot be what increments
/// come to: by the verifier's plain way, for each.
bool is_any_impossible(const History& history, const LevelInfo& level) {
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) != TxnStatus::kCommitted) continue;
    for (std::uint32_t op = 0; op < history.ops(txn).size(); ++op) {
      for (const bool together : {false, true}) {
        const auto range = certify::sum_range(history, level, 0, txn, op, together);
        if (range && !range->explains()) return true;
      }
    }
  }
  return false;
}

/// The engine finds in one go what the verifier finds read by read.
std::string complain_of_bounds(const History& history) {
  base::Budget budget;
  checker::SumBounds bounds(history, 0, budget);
  for (const LevelInfo& level : all_levels()) {
    const bool binds =
        level.base != BaseLevel::kReadUncommitted && history.open_increments() > 0;
    // Where both session order and time bind, the engine goes by time.
    if (!binds || (level.session_order && needs_times(level))) continue;
    if (bounds.find(level).has_value() != is_any_impossible(history, level)) {
      return std::string(level.name) + ": bounds found in one go are others than for each read";
    }
  }
  return "";
}

/// A level of which the verifier accepts, by one of these findings, that it is violated.
std::optional<Level> forge_finding(const History& history, base::Rng& rng, Tally& tally) {
  const std::span<const LevelInfo> levels = all_levels();
  const Level level = levels[rng.below(levels.size())].level;
  if (!support::applies(level, history)) return std::nullopt;
  const TxnId txn = TxnId::at(rng.below(history.txn_count()));
  const bool is_total = rng.chance(0.5);
  const Finding finding{
      is_total ? FindingKind::kImpossibleTotal : FindingKind::kImpossibleNumber,
      txn,
      static_cast<std::uint32_t>(rng.below(history.ops(txn).size() + 1)),
      0,
      {},
      0};
  if (!certify::verify(history, {level, history.digest(), 0, finding}).proves) {
    return std::nullopt;
  }
  ++(is_total ? tally.totals : tally.numbers);
  return level;
}

std::string complain(const Transactions& txns, base::Rng& rng, std::uint64_t variant,
                     Tally& tally) {
  const History history = build(txns, nullptr);
  if (std::string wrong = complain_of_bounds(history); !wrong.empty()) return wrong;
  CheckOptions options;
  options.skip_guess = (variant & 1U) != 0;
  options.skip_saturation = (variant & 2U) != 0;
  if ((variant & 4U) != 0) options.first_conflicts = 1;
  if (variant == 7) options.levels = {all_levels()[rng.below(all_levels().size())].level};
  base::Budget budget;
  const CheckReport report = check(history, options, budget);
  if (variant == 7 && report.levels.size() != 1) return "one level was asked for";
  std::set<Level> decided;
  for (const LevelReport& row : report.levels) {
    const std::string at(info(row.level).name);
    if (row.verdict == Verdict::kNotApplicable) continue;
    if (row.verdict == Verdict::kUnknown) {
      ++tally.open;
      const bool is_usual = row.reason.starts_with("no choice of indeterminate transactions");
      if (history.open_increments() == 0 && !is_usual) {
        return at + " is unknown: " + row.reason;
      }
      if (row.reason.empty()) return at + " is unknown without a reason";
      continue;
    }
    ++(row.verdict == Verdict::kHolds ? tally.held : tally.violated);
    if (support::applies(row.level, history)) decided.insert(row.level);
    Certificate certificate{row.level, history.digest(), 0, report.proofs.at(row.proof)};
    certificate.sums = sums_of(report, row);
    const certify::VerifyResult result = certify::verify(history, certificate);
    if (!result.proves) return at + ": the proof does not verify: " + result.reason;
    if (certificate.sums.empty()) continue;
    certificate.sums[rng.below(certificate.sums.size())] += rng.chance(0.5) ? 1 : -1;
    ++tally.forged;
    if (!certify::verify(history, certificate).proves) {
      ++tally.refused;
      continue;
    }
    // Of those that are not known to the engine either, so that the oracle can be asked.
    const Result<History> with_sums = history.with_sums(certificate.sums);
    if (!with_sums.ok() || !oracle::brute_force_holds(*with_sums, row.level, 0)) {
      return at + ": a forged proof is accepted";
    }
  }
  std::set<Level> refuted;
  for (int i = 0; i < 20; ++i) {
    if (const auto level = forge_finding(history, rng, tally)) refuted.insert(*level);
  }
  std::set<Level> asked = decided;
  asked.insert(refuted.begin(), refuted.end());
  const std::set<Level> hold = oracle_holds(txns, asked);
  for (const Level level : refuted) {
    if (hold.contains(level)) return std::string(info(level).name) + " holds, and is refuted";
  }
  for (const LevelReport& row : report.levels) {
    if (!decided.contains(row.level)) continue;
    const bool holds = row.verdict == Verdict::kHolds;
    if (hold.contains(row.level) != holds) {
      return std::string(info(row.level).name) + (holds ? " holds" : " is violated") +
             ", says the engine, and the oracle the opposite";
    }
  }
  return "";
}

TEST(IncrementProp, EngineAgreesWithOracleOnAllSums) {
  Tally tally;
  for (std::uint64_t number = 0; number < support::case_count(1500); ++number) {
    const std::uint64_t seed = base::mix2(support::run_seed(), number);
    base::Rng rng(seed);
    Transactions txns = random_txns(rng);
    while (sum_count(txns) > 400) txns = random_txns(rng);
    const std::string complaint = complain(txns, rng, number % 8, tally);
    ASSERT_EQ(complaint, "") << "case " << number << ", seed " << support::run_seed() << "\n"
                             << text_of(txns);
  }
  std::printf("%llu hold, %llu are violated, %llu stay open; %llu of %llu forged refused\n",
              static_cast<unsigned long long>(tally.held),
              static_cast<unsigned long long>(tally.violated),
              static_cast<unsigned long long>(tally.open),
              static_cast<unsigned long long>(tally.refused),
              static_cast<unsigned long long>(tally.forged));
  EXPECT_GT(tally.held, 0U);
  EXPECT_GT(tally.violated, 0U);
  EXPECT_GT(tally.refused, 0U);
  if (support::case_count(1500) < 500) return;  // too few for what is rare
  EXPECT_GT(tally.numbers, 0U);
  EXPECT_GT(tally.totals, 0U);
  EXPECT_LT(tally.open, (tally.held + tally.violated) / 2);
}

}  // namespace
}  // namespace isolde::prop

// Goal: the engine decides parallel snapshot isolation as the oracle does. Method: as in
// engine_prop.cpp, half of the histories from replicas that lag behind each other, where this
// level differs from its neighbours. The neighbours are decided together with it, because they
// lend each other their proofs.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "certify/verify.hpp"
#include "oracle/brute.hpp"
#include "prop/engine_run.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using support::PlainHistory;

constexpr std::array kForms = {Level::kStrongParallelSnapshotIsolation,
                               Level::kStrongSessionParallelSnapshotIsolation,
                               Level::kParallelSnapshotIsolation};

struct Case {
  std::uint64_t seed = 0;
  PlainHistory plain;
  CheckOptions options;
};

// Replicas that pass each transaction on together with all that it had seen, as parallel
// snapshot isolation was first described: readers of different replicas see forks. Now and then
// a write conflict goes through.
class Replicas {
 public:
  explicit Replicas(base::Rng& rng) : rng_(rng), lists_(rng.below(3) == 0) {}

  PlainHistory run() {
    const std::size_t count = 5 + rng_.below(3);
    const std::size_t session_count = 2 + rng_.below(4);
    const bool timed = rng_.below(2) == 0;
    seen_by_session_.assign(session_count, std::vector<bool>(count, false));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t session = rng_.below(session_count);
      std::vector<bool>& seen = seen_by_session_[session];
      if (rng_.chance(0.1)) seen.assign(count, false);  // a session that forgets
      for (std::size_t j = 0; j < i; ++j) {
        if (rng_.chance(0.25)) learn(seen, j);
      }
      support::PlainTxn txn;
      txn.session = std::string(1, static_cast<char>('A' + session));
      if (timed) {
        const auto now = static_cast<std::int64_t>(20 * i + 100);
        txn.times.start = now - static_cast<std::int64_t>(rng_.below(40));
        txn.times.end = now + 1 + static_cast<std::int64_t>(rng_.below(40));
      }
      fill(txn, i, seen);
      past_.push_back(seen);
      seen[i] = true;
      history_.push_back(std::move(txn));
    }
    return history_;
  }

 private:
  struct Version {
    std::size_t writer;
    std::string value;
  };

  void learn(std::vector<bool>& seen, std::size_t txn) const {
    seen[txn] = true;
    for (std::size_t j = 0; j < txn; ++j) seen[j] = seen[j] || past_[txn][j];
  }

  void fill(support::PlainTxn& txn, std::size_t number, const std::vector<bool>& seen) {
    if (rng_.chance(0.4)) {
      for (std::size_t key = 0; key < 3; ++key) read(txn, key, seen);
      return;
    }
    bool used[3] = {};
    for (std::size_t n = 1 + rng_.below(3); n > 0; --n) {
      const std::size_t key = rng_.below(3);
      if (used[key]) continue;
      used[key] = true;
      const bool current = versions_[key].empty() || seen[versions_[key].back().writer];
      if (!rng_.chance(0.5) || !(current || rng_.chance(0.1))) {
        read(txn, key, seen);
        continue;
      }
      if (rng_.chance(0.2)) read(txn, key, seen);
      const std::string value = std::to_string(number * 10 + key);
      txn.ops.push_back({lists_ ? OpKind::kAppend : OpKind::kWrite, name_of(key), value, {}});
      versions_[key].push_back({number, value});
    }
  }

  void read(support::PlainTxn& txn, std::size_t key, const std::vector<bool>& seen) const {
    std::vector<std::string> values;
    std::size_t length = 0;
    for (const Version& version : versions_[key]) {
      values.push_back(version.value);
      if (seen[version.writer]) length = values.size();
    }
    values.resize(length);
    if (lists_) {
      txn.ops.push_back({OpKind::kReadList, name_of(key), "", values});
    } else {
      txn.ops.push_back({OpKind::kRead, name_of(key), length == 0 ? "" : values.back(), {}});
    }
  }

  static std::string name_of(std::size_t key) {
    return std::string(1, static_cast<char>('x' + key));
  }

  base::Rng& rng_;
  bool lists_;
  PlainHistory history_;
  std::vector<std::vector<bool>> seen_by_session_;
  std::vector<std::vector<bool>> past_;  // by transaction: what it had seen
  std::vector<Version> versions_[3];     // by key
};

PlainHistory replicated(base::Rng& rng) {
  PlainHistory history = Replicas(rng).run();
  if (rng.chance(0.2)) support::change_something(history, rng);
  return history;
}

Case make_case(std::uint64_t number) {
  Case made;
  made.seed = base::mix2(support::run_seed(), number);
  base::Rng rng(made.seed);
  made.plain = number % 2 == 0 ? replicated(rng)
                               : support::random_history(rng, support::random_options(rng));
  made.options.clock_error_ns = static_cast<std::int64_t>(rng.below(2) * rng.below(12));
  made.options.skip_guess = (number / 2 & 1U) != 0;
  made.options.skip_saturation = (number / 2 & 2U) != 0;
  return made;
}

// What is wrong with the report; empty when nothing is.
std::string complain(const PlainHistory& plain, const CheckOptions& options) {
  const History history = support::build(plain);
  base::Budget budget;
  const CheckReport report = check(history, options, budget);
  for (const LevelReport& row : report.levels) {
    const LevelInfo& level = info(row.level);
    const std::string at = std::string(level.name) + ": " + std::string(name(row.verdict));
    if (row.verdict == Verdict::kNotApplicable && level.real_time && !history.has_times()) {
      continue;
    }
    if (row.verdict != Verdict::kHolds && row.verdict != Verdict::kViolated) {
      return at + " " + row.reason;
    }
    const Certificate certificate{row.level, history.digest(), options.clock_error_ns,
                                  report.proofs[row.proof]};
    if (certificate.holds() != (row.verdict == Verdict::kHolds)) return at + ", wrong proof";
    const certify::VerifyResult result = certify::verify(history, certificate);
    if (!result.proves) return at + ", but the proof does not verify: " + result.reason;
    const bool holds = oracle::brute_force_holds(history, row.level, options.clock_error_ns);
    if (holds != certificate.holds()) return at + ", the oracle says the opposite";
  }
  return "";
}

// True when the engine is right; reports otherwise.
bool passes(const Case& tried) {
  if (complain(tried.plain, tried.options).empty()) return true;
  ADD_FAILURE() << (tried.options.skip_guess ? "skip_guess " : "")
                << (tried.options.skip_saturation ? "skip_saturation " : "") << "clock error "
                << tried.options.clock_error_ns << "\n"
                << report_failure(tried.plain, tried.seed, [&](const PlainHistory& smaller) {
                     return complain(smaller, tried.options);
                   });
  return false;
}

TEST(Parallel, DecidesEachFormAsTheOracleDoes) {
  for (const Level form : kForms) {
    for (std::uint64_t i = 0; i < support::case_count(10'000); ++i) {
      Case tried = make_case((static_cast<std::uint64_t>(form) << 32) + i);
      tried.options.levels = {form};
      if (!passes(tried)) return;
    }
  }
}

TEST(Parallel, DecidesTheFormsAndTheirNeighboursAsTheOracleDoes) {
  const std::uint64_t cases = support::case_count(10'000);
  std::uint64_t forks = 0, causal = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    Case tried = make_case(i);
    tried.options.levels = {Level::kStrongSnapshotIsolation,
                            Level::kStrongSessionSnapshotIsolation,
                            Level::kSnapshotIsolation,
                            Level::kStrongParallelSnapshotIsolation,
                            Level::kStrongSessionParallelSnapshotIsolation,
                            Level::kParallelSnapshotIsolation,
                            Level::kTransactionalCausal,
                            Level::kReadAtomic};
    if (!passes(tried)) return;
    const History history = support::build(tried.plain);
    const auto holds = [&](Level level) {
      return oracle::brute_force_holds(history, level, tried.options.clock_error_ns);
    };
    const bool parallel = holds(Level::kParallelSnapshotIsolation);
    if (parallel && !holds(Level::kSnapshotIsolation)) ++forks;
    if (!parallel && holds(Level::kTransactionalCausal)) ++causal;
  }
  std::printf("%llu histories with forks, %llu causal ones that are violated\n",
              static_cast<unsigned long long>(forks), static_cast<unsigned long long>(causal));
  EXPECT_TRUE(support::met(forks, 150, cases));
  EXPECT_TRUE(support::met(causal, 150, cases));
}

}  // namespace
}  // namespace isolde::prop

// Goal: histories of workloads on tables, and of lists with appends that were taken back, hold
// what the store promises, and a phantom that was let in is found. Method: small simulated
// histories of each, with proofs that the verifier accepts. All of them where random tests have
// at least half of their cases; else some, others in each run.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "sim/simulate.hpp"
#include "support/seed.hpp"

namespace isolde::sim {
namespace {

SimulationOptions small(gen::Workload workload, StoreLevel level, std::uint64_t seed) {
  SimulationOptions options;
  options.workload = gen::default_options(workload);
  options.workload.sessions = 6;
  options.workload.txns = 60;
  options.workload.customers = 3;
  options.workload.items = 30;
  options.workload.seed = seed;
  options.level = level;
  options.lost_reply_rate = 0.02;
  return options;
}

std::string name_of(const SimulationOptions& options) {
  return std::string(gen::info(options.workload.workload).name) + " at " +
         std::string(info(options.level).name) + " " +
         std::string(info(options.staleness).name) + ", seed " +
         std::to_string(options.workload.seed);
}

Verdict verdict(const History& history, Level level, const std::string& what) {
  base::Budget budget;
  CheckOptions options;
  options.levels = {level};
  const CheckReport report = check(history, options, budget);
  for (const LevelReport& row : report.levels) {
    if (row.level != level) continue;
    if (row.proof < report.proofs.size()) {
      const Certificate certificate{level, history.digest(), 0, report.proofs[row.proof]};
      const certify::VerifyResult verified = certify::verify(history, certificate);
      EXPECT_TRUE(verified.proves) << what << ": " << verified.reason;
    }
    return row.verdict;
  }
  return Verdict::kUnknown;
}

TEST(SimulatedTables, HoldWhatTheStorePromises) {
  const double share = static_cast<double>(support::case_count(200, 10)) / 100;
  base::Rng rng(support::run_seed());
  for (const gen::WorkloadInfo& workload : gen::all_workloads()) {
    const bool goes_back = gen::takes(workload.workload(), "savepoints");
    if (!workload.needs.tables && !workload.needs.rows && !goes_back) continue;
    for (const StoreLevelInfo& level : all_store_levels()) {
      for (const StalenessInfo& stale : all_stalenesses()) {
        SimulationOptions options = small(workload.workload(), level.level, 7);
        options.staleness = stale.staleness;
        // So that most of what is done after a savepoint is taken back, too.
        if (goes_back) options.workload.savepoints = 0.5;
        if (workload.needs.lists) options.workload.keys = 5;  // so that sessions meet
        if (!validate(options).ok() || !rng.chance(share)) continue;
        const Result<History> history = simulate(options);
        ASSERT_TRUE(history.ok()) << name_of(options);
        const Level promised = guaranteed_level(level.level, stale.staleness);
        EXPECT_EQ(verdict(*history, promised, name_of(options)), Verdict::kHolds)
            << name_of(options) << ": " << info(promised).name;
      }
    }
  }
}

// Goal: an insert that meets a row is on record as one that was refused, at every level, and
// what the store promises holds with it. Method: few rows, so that inserts often meet one; not
// so few that it stays open which of a row's deletions a read has seen.
TEST(SimulatedTables, RecordInsertsThatAreRefused) {
  const std::uint64_t seed = support::run_seed();
  for (const StoreLevelInfo& level : all_store_levels()) {
    for (const StalenessInfo& stale : all_stalenesses()) {
      SimulationOptions options = small(gen::Workload("upsert"), level.level, seed);
      options.staleness = stale.staleness;
      options.workload.keys = 12;
      options.workload.txns = 100;
      if (!validate(options).ok()) continue;
      const Result<History> history = simulate(options);
      ASSERT_TRUE(history.ok()) << name_of(options);
      std::size_t refused = 0;
      for (std::uint32_t txn = 0; txn < history->txn_count(); ++txn) {
        for (const Op& op : history->ops(TxnId(txn)))
          refused += history->is_refused_insert(op) ? 1 : 0;
      }
      EXPECT_GT(refused, 0U) << name_of(options);
      const Level promised = guaranteed_level(level.level, stale.staleness);
      const Verdict answer = verdict(*history, promised, name_of(options));
      // Of old snapshots it may stay open which of a row's deletions a read has seen.
      const bool may_be_open = level.level == StoreLevel::kSnapshotIsolation &&
                               stale.staleness != Staleness::kFresh &&
                               answer != Verdict::kViolated;
      EXPECT_TRUE(answer == Verdict::kHolds || may_be_open)
          << name_of(options) << ": " << info(promised).name;
    }
  }
}

TEST(SimulatedTables, SameOptionsGiveTheSameHistory) {
  const SimulationOptions options =
      small(gen::Workload("upsert"), StoreLevel::kSnapshotIsolation, 3);
  const Result<History> once = simulate(options);
  const Result<History> again = simulate(options);
  ASSERT_TRUE(once.ok() && again.ok());
  EXPECT_EQ(once->digest(), again->digest());
}

// Some condition missed a row that somebody else inserted meanwhile.
TEST(SimulatedTables, PhantomsAreFound) {
  constexpr std::uint64_t kSeeds = 6;
  const std::uint64_t seeds = std::min(support::case_count(2 * kSeeds), kSeeds);
  const std::uint64_t first = support::run_seed() % kSeeds;
  int found_at_all = 0;
  for (const char* const name :
       {"booking", "usernames", "tenants", "ycsb-e", "blindw-pred", "phantom", "on-call"}) {
    int found = 0;
    for (std::uint64_t i = 0; i < seeds; ++i) {
      SimulationOptions options = small(*gen::parse_workload(name), StoreLevel::kSerializable,
                                        1 + (first + i) % kSeeds);
      options.workload.txns = 200;
      if (gen::takes(options.workload.workload, "savepoints"))
        options.workload.savepoints = 0.3;
      options.fault = Fault::kWriteSkew;
      options.fault_rate = 0.5;
      const Result<History> history = simulate(options);
      ASSERT_TRUE(history.ok());
      const Verdict answer = verdict(*history, Level::kSerializable, name_of(options));
      found += answer == Verdict::kViolated ? 1 : 0;
    }
    found_at_all += found;
    if (seeds == kSeeds) {
      EXPECT_GT(found, 0) << name;
    }
  }
  EXPECT_GT(found_at_all, 0);
}

TEST(SimulatedTables, LostUpdatesAreFound) {
  for (const char* const name : {"inventory", "smallbank", "upsert", "tpcc-tables"}) {
    SimulationOptions options =
        small(*gen::parse_workload(name), StoreLevel::kSnapshotIsolation, 3);
    options.workload.keys = 5;
    options.workload.txns = 300;
    if (gen::takes(options.workload.workload, "savepoints")) options.workload.savepoints = 0.3;
    options.fault = Fault::kLostUpdate;
    options.fault_rate = 0.5;
    const Result<History> history = simulate(options);
    ASSERT_TRUE(history.ok());
    EXPECT_EQ(verdict(*history, Level::kSnapshotIsolation, name_of(options)),
              Verdict::kViolated);
  }
}

}  // namespace
}  // namespace isolde::sim

// Goal: histories of every workload hold what the store promises, according to the engine, with
// proofs that the verifier accepts. Method: small simulated histories of all workloads at all
// levels of the store and of staleness, with enough contention that the weaker ones differ.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/budget.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "level/level_traits.hpp"
#include "sim/simulate.hpp"
#include "support/applies.hpp"
#include "support/probe.hpp"

namespace isolde::sim {
namespace {

SimulationOptions small(gen::Workload workload, StoreLevel level, Staleness staleness) {
  SimulationOptions options;
  options.workload = gen::default_options(workload);
  options.workload.sessions = 6;
  options.workload.txns = 120;
  options.workload.keys = support::is_probe(workload) ? 3 : 12;
  options.workload.users = 10;
  options.workload.items = 10;
  options.workload.customers = 3;
  options.workload.seed = 5;
  options.level = level;
  options.staleness = staleness;
  options.lost_reply_rate = 0.01;
  return options;
}

// The verdicts of all levels; proofs are verified on the way.
std::map<Level, Verdict> verdicts(const History& history, const std::string& what) {
  base::Budget budget;
  const CheckReport report = check(history, {}, budget);
  std::map<Level, Verdict> result;
  for (const LevelReport& row : report.levels) {
    if (!support::applies(row.level, history)) continue;
    result[row.level] = row.verdict;
    const bool is_open = row.reason == checker::kInsertedAgain;
    EXPECT_TRUE(row.verdict == Verdict::kHolds || row.verdict == Verdict::kViolated || is_open)
        << what << ": " << info(row.level).name << ": " << row.reason;
    if (is_open || row.proof >= report.proofs.size()) continue;
    const Certificate certificate{row.level, history.digest(), 0, report.proofs[row.proof]};
    const certify::VerifyResult verified = certify::verify(history, certificate);
    EXPECT_TRUE(verified.proves) << what << ": " << info(row.level).name << ": "
                                 << verified.reason;
    EXPECT_EQ(certificate.holds(), row.verdict == Verdict::kHolds);
  }
  return result;
}

std::string name_of(const SimulationOptions& options) {
  return std::string(gen::info(options.workload.workload).name) + " at " +
         std::string(info(options.level).name) + " " +
         std::string(info(options.staleness).name);
}

TEST(SimulatedLevels, EveryWorkloadHoldsWhatTheStorePromises) {
  for (const gen::WorkloadInfo& workload : gen::all_workloads()) {
    if (workload.needs.tables) continue;  // tables_test.cpp
    for (const StoreLevelInfo& level : all_store_levels()) {
      for (const StalenessInfo& stale : all_stalenesses()) {
        const SimulationOptions options =
            small(workload.workload(), level.level, stale.staleness);
        if (!validate(options).ok()) continue;
        const Result<History> history = simulate(options);
        ASSERT_TRUE(history.ok());
        const std::map<Level, Verdict> found = verdicts(*history, name_of(options));
        const Level promised = guaranteed_level(level.level, stale.staleness);
        for (const auto& [weak, verdict] : found) {
          if (!implies(promised, weak, false)) continue;
          EXPECT_EQ(verdict, Verdict::kHolds) << name_of(options) << ": " << info(weak).name;
        }
      }
    }
  }
}

// A probe has to show its anomaly soon at the levels that allow it, and never where not.
TEST(SimulatedLevels, ProbesShowTheirAnomaly) {
  const struct {
    gen::Workload workload;
    StoreLevel store;
    Staleness staleness;
    Level violated;
  } cases[] = {
      {gen::Workload("lost-update"), StoreLevel::kReadCommitted, Staleness::kFresh,
       Level::kSnapshotIsolation},
      {gen::Workload("write-skew"), StoreLevel::kSnapshotIsolation, Staleness::kFresh,
       Level::kSerializable},
      {gen::Workload("read-skew"), StoreLevel::kReadCommitted, Staleness::kFresh,
       Level::kSnapshotIsolation},
      {gen::Workload("long-fork"), StoreLevel::kReadCommitted, Staleness::kAny,
       Level::kSnapshotIsolation},
      {gen::Workload("causality"), StoreLevel::kReadCommitted, Staleness::kAny,
       Level::kSnapshotIsolation},
      {gen::Workload("bank"), StoreLevel::kReadCommitted, Staleness::kFresh,
       Level::kSnapshotIsolation},
      {gen::Workload("lwt"), StoreLevel::kSnapshotIsolation, Staleness::kAny,
       Level::kStrictSerializable},
      {gen::Workload("c-twitter"), StoreLevel::kReadCommitted, Staleness::kFresh,
       Level::kSnapshotIsolation},
      {gen::Workload("c-rubis"), StoreLevel::kReadCommitted, Staleness::kFresh,
       Level::kSnapshotIsolation},
      {gen::Workload("tpcc"), StoreLevel::kReadCommitted, Staleness::kFresh,
       Level::kSnapshotIsolation},
      {gen::Workload("bank-added"), StoreLevel::kReadCommitted, Staleness::kFresh,
       Level::kSnapshotIsolation},
  };
  for (const auto& row : cases) {
    SimulationOptions options = small(row.workload, row.store, row.staleness);
    options.workload.txns = 300;
    const Result<History> history = simulate(options);
    ASSERT_TRUE(history.ok());
    EXPECT_EQ(verdicts(*history, name_of(options))[row.violated], Verdict::kViolated)
        << name_of(options);
  }
}

/// What a fault has to show, given a workload that gives it opportunities.
struct Calibration {
  Fault fault;
  gen::Workload workload;
  /// What holds in spite of it at the snapshot-isolation store and stronger ones.
  std::optional<Level> keeps;
};

constexpr Calibration kCalibrations[] = {
    {Fault::kLostUpdate, gen::Workload("rmw"), Level::kStrongSessionMonotonicAtomicView},
    {Fault::kAbortedRead, gen::Workload("general"), std::nullopt},
    {Fault::kIntermediateRead, gen::Workload("general"), std::nullopt},
    {Fault::kFracturedRead, gen::Workload("general"), Level::kReadCommitted},
    {Fault::kWriteSkew, gen::Workload("write-skew"), Level::kReadCommitted},
    {Fault::kStaleRead, gen::Workload("general"), Level::kStrongSessionSnapshotIsolation},
    {Fault::kLongFork, gen::Workload("long-fork"), Level::kStrongSessionMonotonicAtomicView},
    {Fault::kThinAirRead, gen::Workload("general"), std::nullopt},
    {Fault::kFutureRead, gen::Workload("rmw"), std::nullopt},
    {Fault::kNotMyLastWrite, gen::Workload("general"), std::nullopt},
    {Fault::kNotMyOwnWrite, gen::Workload("general"), std::nullopt},
    {Fault::kNonRepeatableRead, gen::Workload("general"), Level::kReadCommitted},
    {Fault::kSessionViolation, gen::Workload("general"), Level::kSnapshotIsolation},
    {Fault::kNonMonotonicRead, gen::Workload("rmw"), Level::kReadCommitted},
    {Fault::kCausalityViolation, gen::Workload("general"), Level::kReadCommitted},
    {Fault::kReadSkew, gen::Workload("read-skew"), Level::kReadCommitted},
    {Fault::kDirtyWrite, gen::Workload("list-append"), std::nullopt},
    {Fault::kCircularFlow, gen::Workload("general"), std::nullopt},
};

TEST(SimulatedLevels, EveryFaultIsFoundAtItsLevel) {
  EXPECT_EQ(std::size(kCalibrations) + 1, all_faults().size());
  for (const Calibration& row : kCalibrations) {
    const FaultInfo& fault = info(row.fault);
    for (const StoreLevelInfo& level : all_store_levels()) {
      SimulationOptions options = small(row.workload, level.level, Staleness::kFresh);
      if (!support::is_probe(row.workload)) options.workload.keys = 16;
      options.workload.ops = 4;
      options.workload.txns = 1'500;
      options.fault = row.fault;
      options.fault_rate = 0.3;
      if (!validate(options).ok()) continue;
      SimulationTrace trace;
      const Result<History> history = simulate(options, &trace);
      ASSERT_TRUE(history.ok());
      const std::string what = name_of(options) + " with " + std::string(fault.name);
      EXPECT_GT(trace.statistics.faults_seen, 0U) << what;
      const std::map<Level, Verdict> found = verdicts(*history, what);
      for (const auto& [strong, verdict] : found) {
        if (implies(strong, *fault.violates, false)) {
          EXPECT_EQ(verdict, Verdict::kViolated) << what << ": " << info(strong).name;
        }
        if (!row.keeps || level.level == StoreLevel::kReadCommitted) continue;
        if (implies(*row.keeps, strong, false)) {
          EXPECT_EQ(verdict, Verdict::kHolds) << what << ": " << info(strong).name;
        }
      }
    }
  }
}

// Faults meet their opportunities in transactions of several stages, too.
TEST(SimulatedLevels, FaultsShowInApplications) {
  for (const gen::Workload workload :
       {gen::Workload("bank"), gen::Workload("c-twitter"), gen::Workload("tpcc")}) {
    for (const FaultInfo& fault : all_faults()) {
      if (!fault.violates) continue;
      // They need lists, and a read and a write that are planned together.
      if (fault.fault == Fault::kDirtyWrite || fault.fault == Fault::kFutureRead) continue;
      SimulationOptions options = small(workload, StoreLevel::kSerializable, Staleness::kFresh);
      // Where transactions write all that they read, nothing can skew.
      const bool skews = workload == gen::Workload("tpcc");
      if (fault.fault == Fault::kWriteSkew && !skews) continue;
      options.fault = fault.fault;
      options.fault_rate = 0.5;
      options.workload.txns = 1'000;
      if (!validate(options).ok()) continue;
      SimulationTrace trace;
      const Result<History> history = simulate(options, &trace);
      ASSERT_TRUE(history.ok());
      EXPECT_GT(trace.statistics.faults_seen, 0U) << name_of(options) << fault.name;
      const std::map<Level, Verdict> found =
          verdicts(*history, name_of(options) + " " + std::string(fault.name));
      EXPECT_EQ(found.at(Level::kStrictSerializable), Verdict::kViolated)
          << name_of(options) << fault.name;
    }
  }
}

}  // namespace
}  // namespace isolde::sim

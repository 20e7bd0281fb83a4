// Goal: each fault of the simulated store ends in a report that calls it by its name. Method:
// histories with the fault, decided at the level that the fault violates; the anomaly's plain
// name is compared with what literature calls the fault (MTC's table I where it has it).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "sim/simulate.hpp"
#include "support/probe.hpp"
#include "unit/explain/named.hpp"

namespace isolde::explain {
namespace {

struct Naming {
  sim::Fault fault;
  gen::Workload workload;
  Level level;
  /// What may be found first. The first of these has to be found with some seed.
  std::vector<std::string_view> names;
};

std::vector<Naming> namings() {
  using gen::Workload;
  using sim::Fault;
  const Level rc = Level::kReadCommitted;
  const Level si = Level::kSnapshotIsolation;
  const Level mav = Level::kStrongSessionMonotonicAtomicView;
  return {
      {Fault::kThinAirRead, Workload("general"), rc, {"thin-air read", "not my own write"}},
      {Fault::kAbortedRead, Workload("general"), rc, {"aborted read", "dirty update"}},
      {Fault::kFutureRead, Workload("rmw"), rc, {"future read"}},
      {Fault::kNotMyLastWrite, Workload("general"), rc, {"not my last write"}},
      {Fault::kNotMyOwnWrite, Workload("general"), rc, {"not my own write"}},
      {Fault::kIntermediateRead, Workload("general"), rc, {"intermediate read"}},
      {Fault::kNonRepeatableRead, Workload("general"), si, {"non-repeatable read"}},
      {Fault::kSessionViolation,
       Workload("general"),
       Level::kStrongSessionSnapshotIsolation,
       {"read-your-writes violation", "monotonic-reads violation",
        // Seen by a read of another key: what a session saw first is a cause of what it misses.
        "session guarantee violation", "causality violation"}},
      {Fault::kNonMonotonicRead, Workload("rmw"), mav, {"non-monotonic read"}},
      {Fault::kFracturedRead, Workload("general"), Level::kReadAtomic, {"fractured read"}},
      {Fault::kCausalityViolation,
       Workload("causality"),
       si,
       {"causality violation", "long fork"}},
      {Fault::kLongFork, Workload("long-fork"), si, {"long fork"}},
      {Fault::kLostUpdate, Workload("rmw"), si, {"lost update"}},
      {Fault::kWriteSkew, Workload("write-skew"), Level::kSerializable, {"write skew"}},
      {Fault::kStaleRead, Workload("general"), Level::kStrongSnapshotIsolation, {"stale read"}},
      {Fault::kReadSkew, Workload("read-skew"), si, {"fractured read", "read skew"}},
      {Fault::kDirtyWrite, Workload("list-append"), Level::kReadUncommitted, {"write cycle"}},
      {Fault::kCircularFlow,
       Workload("mini"),
       rc,
       {"cyclic information flow", "cyclic versions"}},
  };
}

Result<History> simulate(const Naming& row, std::uint64_t seed) {
  sim::SimulationOptions options;
  options.workload = gen::default_options(row.workload);
  const bool probe = support::is_probe(row.workload);
  // A circle needs two transactions that each see the other's first write in time.
  const bool crowded = row.fault == sim::Fault::kCircularFlow;
  options.workload.sessions = crowded ? 24 : 6;
  options.workload.txns = 1'500;
  options.workload.keys = probe ? 3 : crowded ? 8 : 16;
  options.workload.ops = 4;
  options.workload.seed = seed;
  // Where transactions abort, what others saw of them is an aborted read first of all.
  const bool calm =
      row.fault == sim::Fault::kIntermediateRead || row.fault == sim::Fault::kCircularFlow;
  options.level = calm ? sim::StoreLevel::kReadCommitted : sim::StoreLevel::kSerializable;
  options.user_abort_rate = calm ? 0 : 0.01;
  options.fault = row.fault;
  options.fault_rate = crowded ? 1 : 0.3;
  const Status valid = sim::validate(options);
  EXPECT_TRUE(valid.ok()) << sim::info(row.fault).name;
  return sim::simulate(options);
}

TEST(FaultNames, EveryFaultIsCalledByItsName) {
  EXPECT_EQ(namings().size() + 1, sim::all_faults().size());
  for (const Naming& row : namings()) {
    const std::string_view fault = sim::info(row.fault).name;
    std::set<std::string_view> seen;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Result<History> history = simulate(row, seed);
      ASSERT_TRUE(history.ok());
      const std::map<Level, Anomaly> found = named_anomalies(*history, {row.level});
      EXPECT_TRUE(found.contains(row.level) || row.fault == sim::Fault::kCircularFlow)
          << fault << ", seed " << seed;
      if (!found.contains(row.level)) continue;
      const std::string_view name = found.at(row.level).name;
      seen.insert(name);
      EXPECT_EQ(std::count(row.names.begin(), row.names.end(), name), 1)
          << fault << " is called " << name << ", seed " << seed;
    }
    std::string all;
    for (const std::string_view name : seen) all += std::string(name) + "; ";
    EXPECT_TRUE(seen.contains(row.names.front())) << fault << " is called " << all;
  }
}

}  // namespace
}  // namespace isolde::explain

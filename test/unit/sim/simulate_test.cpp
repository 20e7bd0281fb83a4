// Goal: histories are what a store of that level with concurrent clients yields, and the truth
// that comes with them is true. Method: replay every history literally, from nothing but the
// order of commits and the snapshots in the trace, by code that shares nothing with the store;
// for serializable, search the dependency graph for a cycle.
#include "sim/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/probe.hpp"

namespace isolde::sim {
namespace {

using gen::Workload;

// A register is a list of its one value here; nothing written yet is the empty list.
using Content = std::vector<std::int64_t>;

struct Simulated {
  History history;
  SimulationTrace trace;

  const TxnTruth& truth(TxnId txn) const { return trace.txns[txn.raw()]; }
  std::vector<TxnId> in_commit_order() const {
    std::vector<TxnId> order;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      if (truth(TxnId::at(i)).commit != 0) order.push_back(TxnId::at(i));
    }
    std::ranges::sort(order, {}, [&](TxnId txn) { return truth(txn).commit; });
    return order;
  }
};

Simulated run(const SimulationOptions& options) {
  Simulated result;
  Result<History> history = simulate(options, &result.trace);
  EXPECT_TRUE(history.ok()) << (history.ok() ? "" : history.error().message);
  if (history.ok()) result.history = std::move(*history);
  EXPECT_EQ(result.trace.txns.size(), result.history.txn_count());
  return result;
}

// Few keys and long transactions: conflicts everywhere.
SimulationOptions contended(Workload workload, StoreLevel level) {
  SimulationOptions options;
  options.workload = gen::default_options(workload);
  options.workload.sessions = 8;
  options.workload.txns = 600;
  const bool probe = support::is_probe(workload);
  options.workload.keys = probe ? 4 : 40;
  options.workload.ops = 4;
  options.workload.users = 20;
  options.workload.items = 20;
  options.workload.customers = 5;
  options.workload.seed = 11;
  options.level = level;
  options.lost_reply_rate = 0.01;
  return options;
}

Content content_of(const History& history, const Op& op) {
  Content content;
  if (op.kind == OpKind::kReadList) {
    for (const Value value : history.list(op)) content.push_back(value.as_integer());
    return content;
  }
  Value value = op.kind == OpKind::kReadMatch ? history.read_value(op) : op.value;
  if (value.is_null()) value = history.initial(op.key);
  if (!value.is_null()) content.push_back(value.as_integer());
  return content;
}

void apply(const Op& op, Content& content) {
  if (op.kind == OpKind::kWrite) content.clear();
  if (!op.is_delete()) content.push_back(op.value.as_integer());
}

struct Version {
  Seq seq = 0;
  TxnId writer;
  Content content;
};

// What the committed transactions did to each key, in commit order.
class Versions {
 public:
  Version at(KeyId key, Seq snapshot) const {
    Version found;
    const auto versions = keys_.find(key);
    if (versions == keys_.end()) return found;
    for (const Version& version : versions->second) {
      if (version.seq <= snapshot) found = version;
    }
    return found;
  }
  const std::vector<Version>& of(KeyId key) { return keys_[key]; }
  void add(KeyId key, Version version) { keys_[key].push_back(std::move(version)); }

 private:
  std::map<KeyId, std::vector<Version>> keys_;
};

Versions versions_of(const Simulated& run) {
  Versions versions;
  for (const TxnId txn : run.in_commit_order()) {
    std::map<KeyId, Content> written;
    for (const Op& op : run.history.ops(txn)) {
      if (!op.is_write()) continue;
      const auto [entry, fresh] = written.try_emplace(op.key);
      if (fresh) entry->second = versions.at(op.key, run.truth(txn).commit).content;
      apply(op, entry->second);
    }
    for (auto& [key, content] : written) {
      versions.add(key, {run.truth(txn).commit, txn, std::move(content)});
    }
  }
  return versions;
}

// Reads that differ from the snapshot (with the transaction's own writes), plus writes of keys
// that somebody else wrote after the snapshot.
template <typename SnapshotOf>
int replay_mismatches(const Simulated& run, SnapshotOf snapshot_of) {
  Versions versions = versions_of(run);
  int mismatches = 0;
  for (const TxnId txn : run.in_commit_order()) {
    const Seq snapshot = snapshot_of(txn);
    std::map<KeyId, Content> view;
    for (const Op& op : run.history.ops(txn)) {
      const auto [entry, fresh] = view.try_emplace(op.key);
      if (fresh) entry->second = versions.at(op.key, snapshot).content;
      const Value initial = run.history.initial(op.key);
      if (entry->second.empty() && !initial.is_null()) entry->second = {initial.as_integer()};
      if (op.is_write()) {
        apply(op, entry->second);
        const Version before = versions.at(op.key, run.truth(txn).commit - 1);
        mismatches += before.seq > snapshot ? 1 : 0;
      } else if (op.is_exclusion()) {
        const Content& content = entry->second;
        const Value held = content.empty() ? Value() : Value::integer(content.back());
        mismatches += run.history.predicate(op).selects_value(held) ? 1 : 0;
      } else {
        mismatches += content_of(run.history, op) != entry->second ? 1 : 0;
      }
    }
  }
  return mismatches;
}

int snapshot_mismatches(const Simulated& result) {
  return replay_mismatches(result, [&](TxnId txn) { return result.truth(txn).snapshot; });
}

// One after the other in commit order.
int serial_mismatches(const Simulated& result) {
  return replay_mismatches(result, [&](TxnId txn) { return result.truth(txn).commit - 1; });
}

enum class Extra { kNone, kSessionOrder, kRealTime };

// True when the graph of ww, wr and rw dependencies, and of the extra order, has a cycle.
class Graph {
 public:
  Graph(const Simulated& result, Extra extra)
      : run_(result), edges_(result.history.txn_count()) {
    Versions versions = versions_of(result);
    const std::vector<TxnId> order = result.in_commit_order();
    for (const TxnId txn : order) {
      std::set<KeyId> written;
      for (const Op& op : result.history.ops(txn)) {
        if (op.is_write()) {
          written.insert(op.key);
        } else if (!written.contains(op.key)) {
          add_read(txn, op, versions.of(op.key));
        }
      }
      for (const KeyId key : written) {
        const Version before = versions.at(key, result.truth(txn).commit - 1);
        if (before.seq != 0) add(before.writer, txn);
      }
    }
    if (extra == Extra::kNone) return;
    for (const TxnId a : order) {
      for (const TxnId b : order) {
        if (extra == Extra::kRealTime) {
          const std::int64_t end = result.history.times(a).end;
          if (end != kNoTime && end < result.history.times(b).start) add(a, b);
        } else if (result.history.session_of(a) == result.history.session_of(b) &&
                   result.history.position_of(a) < result.history.position_of(b)) {
          add(a, b);
        }
      }
    }
  }

  bool has_cycle() const {
    std::vector<int> incoming(edges_.size(), 0);
    for (const auto& targets : edges_) {
      for (const TxnId target : targets) ++incoming[target.raw()];
    }
    std::vector<TxnId> ready;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (incoming[i] == 0) ready.push_back(TxnId::at(i));
    }
    std::size_t done = 0;
    while (!ready.empty()) {
      const TxnId txn = ready.back();
      ready.pop_back();
      ++done;
      for (const TxnId target : edges_[txn.raw()]) {
        if (--incoming[target.raw()] == 0) ready.push_back(target);
      }
    }
    return done < edges_.size();
  }

 private:
  void add(TxnId from, TxnId to) {
    if (from != to) edges_[from.raw()].insert(to);
  }

  void add_read(TxnId reader, const Op& op, const std::vector<Version>& versions) {
    const Content seen = content_of(run_.history, op);
    std::size_t next = 0;
    if (!seen.empty()) {
      while (next < versions.size() && versions[next].content != seen) ++next;
      ASSERT_LT(next, versions.size()) << "a read of something that was never a version";
      add(versions[next].writer, reader);
      ++next;
    }
    if (next < versions.size()) add(reader, versions[next].writer);
  }

  const Simulated& run_;
  std::vector<std::set<TxnId>> edges_;
};

bool has_cycle(const Simulated& result, Extra extra) {
  return Graph(result, extra).has_cycle();
}

constexpr Workload kConflicting[] = {Workload("general"), Workload("rmw"), Workload("mini"),
                                     Workload("ycsb"), Workload("list-append")};

TEST(Simulate, SameSeedSameDigest) {
  for (const gen::WorkloadInfo& row : gen::all_workloads()) {
    if (row.needs.tables) continue;  // tables_test.cpp
    SimulationOptions options = contended(row.workload(), StoreLevel::kSerializable);
    options.workload.txns = 300;
    const std::uint64_t digest = run(options).history.digest();
    EXPECT_EQ(digest, run(options).history.digest()) << row.name;
    options.workload.seed = 12;
    EXPECT_NE(digest, run(options).history.digest()) << row.name;
  }
}

// Part of the promise "same seed, same history, on every machine".
/// A line for each transaction, without what other parts tell: which rows selections left out,
/// and whether a key that nothing was found of is a list.
std::string txns_of(const History& history) {
  std::string text;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    text += history.session_name(history.session_of(txn)) + " " +
            std::to_string(static_cast<int>(history.status(txn))) + " " +
            std::to_string(history.times(txn).start) + " " +
            std::to_string(history.times(txn).end);
    for (const Op& op : history.ops(txn)) {
      if (op.kind == OpKind::kReadAbsent) continue;
      const bool found_nothing =
          op.kind == OpKind::kReadList ? history.list(op).empty() : op.value.is_null();
      const Value initial = history.initial(op.key);
      if (found_nothing && initial.is_null()) {
        text += " nothing in " + history.text(op.key);
      } else if (found_nothing) {
        text += " r(" + history.text(op.key) + ")=" + history.text(initial);
      } else {
        text += " " + history.op_text(op);
      }
    }
    text += "\n";
  }
  return text;
}

TEST(Simulate, PartsAreTheHistory) {
  for (const gen::WorkloadInfo& row : gen::all_workloads()) {
    SimulationOptions options = contended(row.workload(), StoreLevel::kSerializable);
    options.workload.txns = 100;
    if (!can_be_taken_in_parts(options)) continue;
    SCOPED_TRACE(row.name);
    const Result<History> whole = simulate(options);
    ASSERT_TRUE(whole.ok()) << whole.error().message;
    for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1000}}) {
      std::string text;
      bool at_end = false;
      const Status made = simulate_in_parts(
          options, size, [&](const History& part, std::int64_t, bool is_last) {
            EXPECT_TRUE(part.txn_count() <= size && !at_end);
            at_end = is_last;
            text += txns_of(part);
            return ok_status();
          });
      ASSERT_TRUE(made.ok() && at_end);
      EXPECT_EQ(text, txns_of(*whole));
    }
  }
}

TEST(Simulate, PartsEndWhereNobodyTakesThem) {
  SimulationOptions options;
  options.workload.txns = 100;
  std::size_t parts = 0;
  const Status made = simulate_in_parts(options, 10, [&](const History&, std::int64_t, bool) {
    return ++parts < 3 ? ok_status() : Status(Error{ErrorCode::kEnvironment, "full"});
  });
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "full");
  EXPECT_EQ(parts, 3U);
}

TEST(Simulate, HistoriesAreTheSameEverywhere) {
  const Simulated result = run(contended(Workload("ycsb"), StoreLevel::kSnapshotIsolation));
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < result.history.txn_count(); ++i) {
    const TxnId txn = TxnId::at(i);
    hash = hash * 1'000'003 + static_cast<std::uint64_t>(result.history.times(txn).start);
    for (const Op& op : result.history.ops(txn)) hash = hash * 1'000'003 + op.value.bits();
  }
  EXPECT_EQ(hash, 16132423360338905835U);
}

TEST(Simulate, CommitsAsManyAsAskedForAndCountsTheRest) {
  for (const StoreLevelInfo& row : all_store_levels()) {
    const Simulated result = run(contended(Workload("general"), row.level));
    std::map<TxnStatus, std::uint64_t> counts;
    for (std::size_t i = 0; i < result.history.txn_count(); ++i) {
      ++counts[result.history.status(TxnId::at(i))];
    }
    const SimulationStatistics& statistics = result.trace.statistics;
    EXPECT_EQ(counts[TxnStatus::kCommitted], 600U);
    EXPECT_EQ(statistics.committed, 600U);
    EXPECT_EQ(counts[TxnStatus::kAborted], statistics.conflict_aborts + statistics.user_aborts);
    EXPECT_EQ(counts[TxnStatus::kIndeterminate], statistics.indeterminate);
    EXPECT_GT(statistics.indeterminate, 0U);
    EXPECT_GT(statistics.user_aborts, 0U);
    EXPECT_EQ(statistics.conflict_aborts > 0, row.level != StoreLevel::kReadCommitted);
    EXPECT_EQ(statistics.faults_injected, 0U);
    EXPECT_EQ(statistics.faults_seen, 0U);
  }
}

TEST(Simulate, SmallRunsEndToo) {
  for (const std::uint64_t txns : {0U, 1U, 5U}) {
    SimulationOptions options = contended(Workload("rmw"), StoreLevel::kSerializable);
    options.workload.txns = txns;
    options.workload.keys = 2;
    const Simulated result = run(options);
    EXPECT_EQ(result.trace.statistics.committed, txns);
    EXPECT_LE(result.history.session_count(), txns);
  }
}

TEST(Simulate, RefusesFaultsThatTablesHaveNot) {
  SimulationOptions options;
  options.workload = gen::default_options(Workload("inventory"));
  EXPECT_TRUE(validate(options).ok());
  options.fault = Fault::kIntermediateRead;
  const Status valid = validate(options);
  ASSERT_FALSE(valid.ok());
  EXPECT_EQ(valid.error().code, ErrorCode::kUsage);
  EXPECT_NE(valid.error().message.find("intermediate-read"), std::string::npos);
}

TEST(Simulate, RefusesNumbersThatNobodyCanAddTo) {
  SimulationOptions options;
  options.workload = gen::default_options(Workload("counter"));
  options.fault = Fault::kStaleRead;
  EXPECT_TRUE(validate(options).ok());
  options.fault = Fault::kThinAirRead;
  const Status valid = validate(options);
  ASSERT_FALSE(valid.ok());
  EXPECT_NE(valid.error().message.find("thin-air-read"), std::string::npos);
}

// Goal: between what an increment finds and what it leaves nothing comes, at any isolation; and
// something does where updates get lost.
TEST(Simulate, IncrementsAreAtomicUntilUpdatesGetLost) {
  const auto clashes = [](const SimulationOptions& options) {
    const Result<History> history = simulate(options);
    EXPECT_TRUE(history.ok());
    EXPECT_GT(history->increments().size(), 500U);
    EXPECT_EQ(history->open_increments(), 0U);
    std::set<std::pair<KeyId, std::uint64_t>> found;  // by committed increments
    int twice = 0;
    for (std::size_t t = 0; t < history->txn_count(); ++t) {
      if (history->status(TxnId::at(t)) != TxnStatus::kCommitted) continue;
      const std::span<const Op> ops = history->ops(TxnId::at(t));
      for (std::size_t i = 1; i < ops.size(); ++i) {
        if (!ops[i].is_write()) continue;
        EXPECT_TRUE(ops[i - 1].is_read());
        twice += found.insert({ops[i].key, history->seen(ops[i - 1]).bits()}).second ? 0 : 1;
      }
    }
    return twice;
  };
  SimulationOptions options;
  options.workload = gen::default_options(Workload("counter"));
  options.workload.sessions = 8;
  options.workload.txns = 1'000;
  for (const StoreLevelInfo& level : all_store_levels()) {
    options.level = level.level;
    EXPECT_EQ(clashes(options), 0) << level.name;
  }
  options.level = StoreLevel::kSnapshotIsolation;
  options.fault = Fault::kLostUpdate;
  options.fault_rate = 0.5;
  EXPECT_GT(clashes(options), 10);
}

TEST(Simulate, ValuesAreUnique) {
  for (const gen::WorkloadInfo& row : gen::all_workloads()) {
    if (row.needs.tables) continue;      // tables_test.cpp
    if (row.needs.increments) continue;  // sums
    const Simulated result = run(contended(row.workload(), StoreLevel::kStrictSerializable));
    std::set<std::uint64_t> values;
    for (std::size_t i = 0; i < result.history.txn_count(); ++i) {
      for (const Op& op : result.history.ops(TxnId::at(i))) {
        if (op.is_write() && !op.is_delete()) {
          EXPECT_TRUE(values.insert(op.value.bits()).second);
        }
      }
    }
  }
}

TEST(Simulate, SessionsAreSequentialAndOverlapEachOther) {
  const Simulated result = run(contended(Workload("general"), StoreLevel::kSnapshotIsolation));
  std::int64_t busy_ns = 0;
  for (std::size_t s = 0; s < result.history.session_count(); ++s) {
    std::int64_t previous = kNoTime;
    for (const TxnId txn : result.history.session_txns(SessionId::at(s))) {
      const TxnTimes times = result.history.times(txn);
      EXPECT_LT(previous, times.start);
      const bool known = result.history.status(txn) != TxnStatus::kIndeterminate;
      EXPECT_EQ(times.end != kNoTime, known);
      previous = known ? times.end : times.start;
      if (known) busy_ns += times.end - times.start;
    }
  }
  const double overlap =
      static_cast<double>(busy_ns) / static_cast<double>(result.trace.statistics.duration_ns);
  EXPECT_GT(overlap, 5);
}

TEST(Simulate, CommitsHappenBetweenStartAndEndInAnotherOrderThanReplies) {
  const Simulated result =
      run(contended(Workload("blindw-rw"), StoreLevel::kStrictSerializable));
  int inversions = 0;
  Seq highest = 0;
  for (std::size_t i = 0; i < result.history.txn_count(); ++i) {
    const TxnTimes times = result.history.times(TxnId::at(i));
    const TxnTruth& truth = result.trace.txns[i];
    constexpr std::int64_t kOrigin = 1'000'000'000;
    EXPECT_LT(times.start, truth.begin_ns + kOrigin);
    EXPECT_LT(truth.begin_ns, truth.commit_ns);
    if (times.end != kNoTime) {
      EXPECT_GT(times.end, truth.commit_ns + kOrigin);
    }
    if (truth.commit == 0) continue;
    inversions += truth.commit < highest ? 1 : 0;
    highest = std::max(highest, truth.commit);
  }
  EXPECT_GT(inversions, 30);
}

TEST(Simulate, TimesCanBeLeftOutOrBeOff) {
  SimulationOptions options = contended(Workload("mini"), StoreLevel::kSnapshotIsolation);
  const Simulated exact = run(options);
  options.times = false;
  EXPECT_FALSE(run(options).history.has_times());
  options.times = true;
  options.clock_error_ns = 300'000;
  const Simulated skewed = run(options);
  std::set<std::int64_t> offsets;
  for (std::size_t s = 0; s < skewed.history.session_count(); ++s) {
    const TxnId first = skewed.history.session_txns(SessionId::at(s)).front();
    offsets.insert(skewed.history.times(first).start);
  }
  EXPECT_EQ(offsets.size(), skewed.history.session_count());
  EXPECT_NE(exact.history.digest(), skewed.history.digest());
}

TEST(Simulate, StrictSerializablePassesSerialReplayAndRealTime) {
  for (const gen::WorkloadInfo& row : gen::all_workloads()) {
    if (row.needs.tables) continue;  // tables_test.cpp
    const Simulated result = run(contended(row.workload(), StoreLevel::kStrictSerializable));
    EXPECT_EQ(serial_mismatches(result), 0) << row.name;
    std::int64_t latest_start = 0;
    for (const TxnId txn : result.in_commit_order()) {
      const TxnTimes times = result.history.times(txn);
      if (times.end != kNoTime) {
        EXPECT_GE(times.end, latest_start);
      }
      latest_start = std::max(latest_start, times.start);
    }
  }
}

TEST(Simulate, SnapshotIsolationPassesSnapshotReplayAndIsNotSerializable) {
  for (const Workload workload : kConflicting) {
    for (const StalenessInfo& stale : all_stalenesses()) {
      SimulationOptions options = contended(workload, StoreLevel::kSnapshotIsolation);
      options.staleness = stale.staleness;
      const Simulated result = run(options);
      EXPECT_EQ(snapshot_mismatches(result), 0) << gen::info(workload).name << stale.name;
      EXPECT_GT(serial_mismatches(result), 0);
    }
  }
  EXPECT_TRUE(has_cycle(run(contended(Workload("general"), StoreLevel::kSnapshotIsolation)),
                        Extra::kNone));
}

TEST(Simulate, StaleSnapshotsKeepTheirPromise) {
  SimulationOptions options = contended(Workload("general"), StoreLevel::kSnapshotIsolation);
  for (const StalenessInfo& stale : all_stalenesses()) {
    options.staleness = stale.staleness;
    const Simulated result = run(options);
    int behind_session = 0;
    int behind_real_time = 0;
    for (std::size_t s = 0; s < result.history.session_count(); ++s) {
      Seq known = 0;
      for (const TxnId txn : result.history.session_txns(SessionId::at(s))) {
        behind_session += result.truth(txn).snapshot < known ? 1 : 0;
        known = std::max(known, result.truth(txn).commit);
      }
    }
    Seq committed = 0;
    std::vector<std::pair<std::int64_t, TxnId>> ends;
    std::vector<std::pair<std::int64_t, TxnId>> starts;
    for (const TxnId txn : result.in_commit_order()) {
      const TxnTimes times = result.history.times(txn);
      if (times.end != kNoTime) ends.emplace_back(times.end, txn);
      starts.emplace_back(times.start, txn);
    }
    std::ranges::sort(ends);
    std::ranges::sort(starts);
    std::size_t ended = 0;
    for (const auto& [start, txn] : starts) {
      for (; ended < ends.size() && ends[ended].first < start; ++ended) {
        committed = std::max(committed, result.truth(ends[ended].second).commit);
      }
      behind_real_time += result.truth(txn).snapshot < committed ? 1 : 0;
    }
    EXPECT_EQ(behind_session > 0, stale.staleness == Staleness::kAny) << stale.name;
    EXPECT_EQ(behind_real_time > 0, stale.staleness != Staleness::kFresh) << stale.name;
  }
}

TEST(Simulate, SerializableHasNoCycleOfTheStrengthItPromises) {
  for (const Workload workload : kConflicting) {
    SimulationOptions options = contended(workload, StoreLevel::kSerializable);
    Simulated result = run(options);
    EXPECT_EQ(snapshot_mismatches(result), 0);
    EXPECT_GT(serial_mismatches(result), 0) << "the serial order is never the commit order";
    EXPECT_FALSE(has_cycle(result, Extra::kRealTime)) << gen::info(workload).name;
    options.staleness = Staleness::kSession;
    result = run(options);
    EXPECT_FALSE(has_cycle(result, Extra::kSessionOrder)) << gen::info(workload).name;
    EXPECT_TRUE(has_cycle(result, Extra::kRealTime)) << gen::info(workload).name;
    options.staleness = Staleness::kAny;
    result = run(options);
    EXPECT_FALSE(has_cycle(result, Extra::kNone)) << gen::info(workload).name;
    EXPECT_TRUE(has_cycle(result, Extra::kSessionOrder)) << gen::info(workload).name;
  }
}

// Reads of versions that were never committed or not the writer's last, and reads of something
// older than what a transaction seen before had replaced (monotonic atomic view).
struct ReadFlaws {
  int dirty = 0;
  int backwards = 0;
};

ReadFlaws read_flaws(const Simulated& result) {
  Versions versions = versions_of(result);
  ReadFlaws flaws;
  for (const TxnId txn : result.in_commit_order()) {
    std::map<KeyId, Content> own;
    Seq seen = 0;
    for (const Op& op : result.history.ops(txn)) {
      if (op.is_write()) {
        apply(op, own[op.key]);
        continue;
      }
      if (own.contains(op.key)) continue;
      const Content content = content_of(result.history, op);
      const std::vector<Version>& all = versions.of(op.key);
      const auto version = std::ranges::find(all, content, &Version::content);
      if (!content.empty() && version == all.end()) {
        ++flaws.dirty;
        continue;
      }
      const auto next = content.empty() ? all.begin() : version + 1;
      if (next != all.end() && next->seq <= seen) ++flaws.backwards;
      if (!content.empty()) seen = std::max(seen, version->seq);
    }
  }
  return flaws;
}

TEST(Simulate, ReadCommittedReadsCommittedVersionsOnly) {
  for (const Workload workload : kConflicting) {
    for (const StalenessInfo& stale : all_stalenesses()) {
      SimulationOptions options = contended(workload, StoreLevel::kReadCommitted);
      options.staleness = stale.staleness;
      const ReadFlaws flaws = read_flaws(run(options));
      EXPECT_EQ(flaws.dirty, 0) << gen::info(workload).name << stale.name;
      if (stale.staleness != Staleness::kAny) {
        EXPECT_EQ(flaws.backwards, 0) << stale.name;
      }
    }
  }
  SimulationOptions options = contended(Workload("general"), StoreLevel::kReadCommitted);
  EXPECT_TRUE(has_cycle(run(options), Extra::kNone));
  options.staleness = Staleness::kAny;
  EXPECT_GT(read_flaws(run(options)).backwards, 0);
}

SimulationOptions faulty(Workload workload, StoreLevel level, Fault fault) {
  SimulationOptions options = contended(workload, level);
  options.fault = fault;
  options.fault_rate = 0.2;
  return options;
}

TEST(Simulate, EveryFaultOccursWhereItApplies) {
  for (const FaultInfo& fault : all_faults()) {
    if (fault.fault == Fault::kNone) continue;
    for (const StoreLevelInfo& level : all_store_levels()) {
      for (const Workload workload : kConflicting) {
        SimulationOptions options = faulty(workload, level.level, fault.fault);
        options.workload.txns = 3'000;
        options.fault_rate = 0.5;
        const bool applies =
            ((fault.applies_to >> static_cast<unsigned>(level.level)) & 1U) != 0;
        EXPECT_EQ(validate(options).ok(), applies);
        if (!applies) continue;
        const Simulated result = run(options);
        EXPECT_EQ(result.trace.statistics.committed, 3'000U);
        // Transactions that write all they read cannot skew.
        if (fault.fault == Fault::kWriteSkew && workload == Workload("rmw")) continue;
        const bool lists = workload == Workload("list-append");
        if (fault.fault == Fault::kDirtyWrite && !lists) continue;
        if (fault.fault == Fault::kFutureRead && lists) continue;
        EXPECT_GT(result.trace.statistics.faults_injected, 0U)
            << fault.name << level.name << gen::info(workload).name;
        EXPECT_GT(result.trace.statistics.faults_seen, 0U)
            << fault.name << level.name << gen::info(workload).name;
      }
    }
  }
}

// The committed transactions that a fault changed, as positions from 0 to 1 in the history.
std::vector<double> faults_at(const SimulationOptions& options) {
  const Simulated result = run(options);
  std::vector<double> places;
  for (std::size_t i = 0; i < result.trace.txns.size(); ++i) {
    if (!result.trace.txns[i].fault_seen) continue;
    places.push_back(static_cast<double>(i) / static_cast<double>(result.trace.txns.size()));
  }
  return places;
}

// Goal: faults strike in the part of the history that was asked for. Late versions are seen
// until 64 commits later, of some 5,000.
TEST(Simulate, FaultsStrikeWithinTheirPart) {
  for (const FaultInfo& fault : all_faults()) {
    if (fault.fault == Fault::kNone) continue;
    const bool lists = fault.fault == Fault::kDirtyWrite;
    SimulationOptions options = faulty(lists ? Workload("list-append") : Workload("mini"),
                                       StoreLevel::kSerializable, fault.fault);
    options.workload.txns = 3'000;
    options.fault_rate = 0.5;
    options.fault_before = 0.2;
    const std::vector<double> early = faults_at(options);
    ASSERT_FALSE(early.empty()) << fault.name;
    EXPECT_LT(early.back(), 0.3) << fault.name;
    options.fault_after = 0.8;
    options.fault_before = 1;
    const std::vector<double> late = faults_at(options);
    ASSERT_FALSE(late.empty()) << fault.name;
    EXPECT_GT(late.front(), 0.7) << fault.name;
  }
}

TEST(Simulate, FaultsEndAlsoWhenTheyAlwaysStrike) {
  for (const FaultInfo& fault : all_faults()) {
    for (const StoreLevelInfo& level : all_store_levels()) {
      SimulationOptions options = faulty(Workload("rmw"), level.level, fault.fault);
      options.fault_rate = 1;
      options.workload.keys = 2;
      options.workload.txns = 100;
      if (!validate(options).ok()) continue;
      EXPECT_EQ(run(options).trace.statistics.committed, 100U) << fault.name << level.name;
    }
  }
}

TEST(Simulate, LostUpdatesBreakSnapshotIsolation) {
  const Simulated result =
      run(faulty(Workload("rmw"), StoreLevel::kSnapshotIsolation, Fault::kLostUpdate));
  EXPECT_GT(snapshot_mismatches(result), 0);
  EXPECT_EQ(read_flaws(result).dirty, 0);
}

TEST(Simulate, AbortedAndIntermediateReadsBreakReadCommitted) {
  for (const Fault fault : {Fault::kAbortedRead, Fault::kIntermediateRead}) {
    for (const StoreLevelInfo& level : all_store_levels()) {
      EXPECT_GT(read_flaws(run(faulty(Workload("general"), level.level, fault))).dirty, 0);
    }
  }
}

TEST(Simulate, FracturedReadsBreakAtomicView) {
  for (const StoreLevelInfo& level : all_store_levels()) {
    const ReadFlaws flaws =
        read_flaws(run(faulty(Workload("general"), level.level, Fault::kFracturedRead)));
    EXPECT_EQ(flaws.dirty, 0);
    EXPECT_GT(flaws.backwards, 0) << level.name;
  }
}

TEST(Simulate, WriteSkewBreaksSerializableAndKeepsSnapshotIsolation) {
  for (const StoreLevel level : {StoreLevel::kStrictSerializable, StoreLevel::kSerializable}) {
    const Simulated result = run(faulty(Workload("general"), level, Fault::kWriteSkew));
    EXPECT_TRUE(has_cycle(result, Extra::kNone));
    if (level == StoreLevel::kSerializable) {
      EXPECT_EQ(snapshot_mismatches(result), 0);
    }
  }
}

TEST(Simulate, StaleReadsBreakRealTimeOnly) {
  for (const StoreLevel level : {StoreLevel::kStrictSerializable, StoreLevel::kSerializable}) {
    const Simulated result = run(faulty(Workload("general"), level, Fault::kStaleRead));
    EXPECT_FALSE(has_cycle(result, Extra::kSessionOrder));
    EXPECT_TRUE(has_cycle(result, Extra::kRealTime));
  }
}

TEST(Simulate, LongForksBreakSnapshotIsolationAndKeepCommittedReads) {
  const Simulated result =
      run(faulty(Workload("general"), StoreLevel::kSnapshotIsolation, Fault::kLongFork));
  EXPECT_GT(snapshot_mismatches(result), 0);
  EXPECT_EQ(read_flaws(result).dirty, 0);
}

TEST(ValidateSimulation, ExplainsWhatDoesNotFit) {
  SimulationOptions options = contended(Workload("general"), StoreLevel::kSnapshotIsolation);
  options.fault = Fault::kWriteSkew;
  Status status = validate(options);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUsage);
  EXPECT_EQ(status.error().message,
            "fault write-skew has no effect at level snapshot-isolation; use "
            "strict-serializable, serializable");
  options.fault = Fault::kNone;
  options.level = StoreLevel::kStrictSerializable;
  options.staleness = Staleness::kAny;
  EXPECT_FALSE(validate(options).ok());
  options.staleness = Staleness::kFresh;
  EXPECT_TRUE(validate(options).ok());
  options.user_abort_rate = 1;
  EXPECT_FALSE(validate(options).ok());
  options.user_abort_rate = 0;
  options.fault_rate = 1.5;
  EXPECT_FALSE(simulate(options).ok());
  options.fault_rate = 0;
  options.fault_after = 1;
  EXPECT_FALSE(validate(options).ok());
  options.fault_after = 0.5;
  EXPECT_TRUE(validate(options).ok());
  options.fault_before = 1.1;
  EXPECT_FALSE(validate(options).ok());
  options.fault_after = 0;
  options.fault_before = 1;
  options.think_ns = -1;
  EXPECT_FALSE(validate(options).ok());
}

}  // namespace
}  // namespace isolde::sim

// Goal: each level's rule, and each fault's breach of it, in the smallest interleaving that
// shows it. Method: two or three transactions driven by hand.
#include "sim/store.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace isolde::sim {
namespace {

using Elements = std::vector<std::int64_t>;

constexpr std::uint32_t kX = 0;
constexpr std::uint32_t kY = 1;

Store make_store(StoreLevel level, Fault fault = Fault::kNone, double rate = 1) {
  return Store({level, Staleness::kFresh, fault, rate, 4, 9});
}

StoreTxn begin(Store& store, std::uint32_t session, std::uint32_t exposed = StoreTxn::kNoKey) {
  StoreTxn txn;
  store.begin(txn, session, true, exposed);
  return txn;
}

Elements list(Store& store, StoreTxn& txn, std::uint32_t key) {
  Elements elements;
  store.read_list(txn, key, elements);
  return elements;
}

TEST(Store, ReadsItsOwnWritesAndNothingUncommitted) {
  for (const StoreLevelInfo& row : all_store_levels()) {
    Store store = make_store(row.level);
    StoreTxn writer = begin(store, 0);
    store.write(writer, kX, 5);
    EXPECT_EQ(store.read(writer, kX), 5);
    StoreTxn reader = begin(store, 1);
    EXPECT_EQ(store.read(reader, kX), 0);
    EXPECT_NE(store.commit(reader), 0U);
    EXPECT_NE(store.commit(writer), 0U);
    StoreTxn later = begin(store, 1);
    EXPECT_EQ(store.read(later, kX), 5);
    store.abort(later);
  }
}

TEST(Store, SnapshotsStayAsTheyWere) {
  for (const StoreLevel level : {StoreLevel::kSerializable, StoreLevel::kSnapshotIsolation}) {
    Store store = make_store(level);
    StoreTxn reader = begin(store, 0);
    StoreTxn writer = begin(store, 1);
    store.write(writer, kX, 1);
    store.append(writer, kY, 2);
    EXPECT_NE(store.commit(writer), 0U);
    EXPECT_EQ(store.read(reader, kX), 0);
    EXPECT_EQ(list(store, reader, kY), Elements{});
    EXPECT_NE(store.commit(reader), 0U);
  }
}

TEST(Store, ReadCommittedSeesTheLatestCommit) {
  Store store = make_store(StoreLevel::kReadCommitted);
  StoreTxn reader = begin(store, 0);
  EXPECT_EQ(store.read(reader, kX), 0);
  StoreTxn writer = begin(store, 1);
  store.write(writer, kX, 1);
  EXPECT_NE(store.commit(writer), 0U);
  EXPECT_EQ(store.read(reader, kX), 1);
  EXPECT_NE(store.commit(reader), 0U);
}

// x is read by both, and both write it.
Seq race_on_one_key(Store& store) {
  StoreTxn first = begin(store, 0);
  StoreTxn second = begin(store, 1);
  store.read(first, kX);
  store.read(second, kX);
  store.write(first, kX, 1);
  store.write(second, kX, 2);
  EXPECT_NE(store.commit(first), 0U);
  return store.commit(second);
}

TEST(Store, OnlyReadCommittedLosesUpdates) {
  for (const StoreLevelInfo& row : all_store_levels()) {
    Store store = make_store(row.level);
    EXPECT_EQ(race_on_one_key(store) != 0, row.level == StoreLevel::kReadCommitted) << row.name;
  }
}

TEST(Store, LostUpdateFaultLetsTheSecondCommit) {
  for (const StoreLevel level : {StoreLevel::kStrictSerializable, StoreLevel::kSerializable,
                                 StoreLevel::kSnapshotIsolation}) {
    Store store = make_store(level, Fault::kLostUpdate);
    EXPECT_NE(race_on_one_key(store), 0U);
    EXPECT_EQ(store.faults_injected(), 1U);
  }
}

TEST(Store, LostUpdateFaultDropsTheOthersAppend) {
  Store store = make_store(StoreLevel::kSnapshotIsolation, Fault::kLostUpdate);
  StoreTxn first = begin(store, 0);
  StoreTxn second = begin(store, 1);
  store.append(first, kX, 1);
  store.append(second, kX, 2);
  EXPECT_NE(store.commit(first), 0U);
  StoreTxn between = begin(store, 2);
  EXPECT_EQ(list(store, between, kX), Elements{1});
  EXPECT_NE(store.commit(second), 0U);
  EXPECT_EQ(list(store, between, kX), Elements{1});
  StoreTxn after = begin(store, 3);
  EXPECT_EQ(list(store, after, kX), Elements{2});
}

// Each reads what the other writes.
Seq write_skew(Store& store) {
  StoreTxn first = begin(store, 0);
  StoreTxn second = begin(store, 1);
  store.read(first, kY);
  store.read(second, kX);
  store.write(first, kX, 1);
  store.write(second, kY, 2);
  EXPECT_NE(store.commit(first), 0U);
  return store.commit(second);
}

TEST(Store, SerializableLevelsPreventWriteSkew) {
  for (const StoreLevelInfo& row : all_store_levels()) {
    Store store = make_store(row.level);
    const bool serializable =
        row.level == StoreLevel::kStrictSerializable || row.level == StoreLevel::kSerializable;
    EXPECT_EQ(write_skew(store) == 0, serializable) << row.name;
  }
}

TEST(Store, WriteSkewFaultLetsItHappen) {
  for (const StoreLevel level : {StoreLevel::kStrictSerializable, StoreLevel::kSerializable}) {
    Store store = make_store(level, Fault::kWriteSkew);
    EXPECT_NE(write_skew(store), 0U);
    EXPECT_GT(store.faults_injected(), 0U);
  }
}

TEST(Store, SerializableMaySerializeAgainstTheCommitOrder) {
  Store store = make_store(StoreLevel::kSerializable);
  StoreTxn reader = begin(store, 0);
  StoreTxn writer = begin(store, 1);
  store.write(writer, kX, 1);
  EXPECT_NE(store.commit(writer), 0U);
  EXPECT_EQ(store.read(reader, kX), 0);
  store.write(reader, kY, 2);
  EXPECT_NE(store.commit(reader), 0U);  // commits later and is serialized earlier
  Store strict = make_store(StoreLevel::kStrictSerializable);
  reader = begin(strict, 0);
  EXPECT_EQ(strict.read(reader, kX), 0);
  writer = begin(strict, 1);
  strict.write(writer, kX, 1);
  EXPECT_NE(strict.commit(writer), 0U);
  strict.write(reader, kY, 2);
  EXPECT_EQ(strict.commit(reader), 0U);
}

TEST(Store, ReadCommittedKeepsListsThatItsAppenderHasSeen) {
  Store store = make_store(StoreLevel::kReadCommitted);
  StoreTxn first = begin(store, 0);
  store.append(first, kX, 1);
  StoreTxn second = begin(store, 1);
  store.append(second, kX, 2);
  EXPECT_EQ(list(store, second, kX), Elements{2});
  EXPECT_NE(store.commit(first), 0U);
  EXPECT_EQ(list(store, second, kX), Elements{2});
  EXPECT_EQ(store.commit(second), 0U);
  // Without the read the append goes behind the other one.
  StoreTxn third = begin(store, 1);
  store.append(third, kX, 3);
  EXPECT_NE(store.commit(third), 0U);
  StoreTxn reader = begin(store, 1);
  EXPECT_EQ(list(store, reader, kX), (Elements{1, 3}));
}

TEST(Store, AbortedReadFaultShowsWritesThatAbort) {
  for (const StoreLevelInfo& row : all_store_levels()) {
    Store store = make_store(row.level, Fault::kAbortedRead);
    StoreTxn doomed = begin(store, 0);
    EXPECT_TRUE(doomed.struck);
    store.write(doomed, kX, 1);
    store.append(doomed, kY, 2);
    StoreTxn reader;
    store.begin(reader, 1, false, StoreTxn::kNoKey);
    EXPECT_EQ(store.read(reader, kX), 1);
    EXPECT_EQ(list(store, reader, kY), Elements{2});
    EXPECT_EQ(store.commit(doomed), 0U);
    EXPECT_NE(store.commit(reader), 0U) << row.name;
    EXPECT_TRUE(reader.fault_seen);
    store.begin(reader, 1, false, StoreTxn::kNoKey);
    EXPECT_EQ(store.read(reader, kX), 0);
  }
}

TEST(Store, IntermediateReadFaultShowsTheFirstWriteOnly) {
  Store store = make_store(StoreLevel::kReadCommitted, Fault::kIntermediateRead);
  StoreTxn writer = begin(store, 0, kX);
  StoreTxn reader = begin(store, 1);
  store.write(writer, kX, 1);
  EXPECT_EQ(store.read(reader, kX), 1);
  store.write(writer, kX, 2);
  EXPECT_EQ(store.read(reader, kX), 0);
  EXPECT_NE(store.commit(writer), 0U);
  EXPECT_EQ(store.read(reader, kX), 2);
  EXPECT_EQ(store.faults_injected(), 1U);
}

TEST(Store, CompareAndSetIsAtomicAtEveryLevel) {
  for (const StoreLevelInfo& row : all_store_levels()) {
    Store store = make_store(row.level);
    StoreTxn first = begin(store, 0);
    StoreTxn second = begin(store, 1);
    EXPECT_EQ(store.compare_and_set(first, kX, 0, 1), 0);
    EXPECT_EQ(store.read(first, kX), 1);
    EXPECT_EQ(store.compare_and_set(second, kX, 0, 2), 0);
    EXPECT_NE(store.commit(first), 0U);
    EXPECT_EQ(store.commit(second), 0U) << row.name;
    second = begin(store, 1);
    EXPECT_EQ(store.compare_and_set(second, kX, 0, 3), 1) << "tells what it found";
    EXPECT_NE(store.commit(second), 0U);
    second = begin(store, 1);
    EXPECT_EQ(store.compare_and_set(second, kX, 1, 4), 1);
    EXPECT_EQ(store.compare_and_set(second, kX, 1, 5), 4);
    EXPECT_EQ(store.compare_and_set(second, kX, 4, 6), 4);
    EXPECT_NE(store.commit(second), 0U);
    first = begin(store, 0);
    EXPECT_EQ(store.read(first, kX), 6);
  }
}

TEST(Store, FracturedReadFaultShowsHalfOfATransaction) {
  Store store = make_store(StoreLevel::kSnapshotIsolation, Fault::kFracturedRead);
  StoreTxn writer = begin(store, 0);
  store.write(writer, kX, 1);
  store.write(writer, kY, 1);
  EXPECT_NE(store.commit(writer), 0U);
  StoreTxn reader = begin(store, 1);
  EXPECT_EQ(store.read(reader, kX), 1);
  EXPECT_EQ(store.read(reader, kY), 0);
  EXPECT_NE(store.commit(reader), 0U);
  EXPECT_TRUE(reader.fault_seen);
  for (Seq i = 0; i <= Store::kLagMax; ++i) {
    reader = begin(store, 1);
    store.commit(reader);
  }
  reader = begin(store, 1);
  EXPECT_EQ(store.read(reader, kY), 1);
}

TEST(Store, LongForkFaultHidesCommitsFromTheOtherGroup) {
  Store store = make_store(StoreLevel::kSnapshotIsolation, Fault::kLongFork);
  StoreTxn even = begin(store, 0);
  StoreTxn odd = begin(store, 1);
  store.write(even, kX, 1);
  store.write(odd, kY, 1);
  EXPECT_NE(store.commit(even), 0U);
  EXPECT_NE(store.commit(odd), 0U);
  even = begin(store, 2);
  odd = begin(store, 3);
  EXPECT_EQ(store.read(even, kX), 1);
  EXPECT_EQ(store.read(even, kY), 0);
  EXPECT_EQ(store.read(odd, kX), 0);
  EXPECT_EQ(store.read(odd, kY), 1);
}

TEST(Store, StaleReadFaultKeepsWhatTheSessionHasSeen) {
  for (const StoreLevel level : {StoreLevel::kStrictSerializable, StoreLevel::kSerializable,
                                 StoreLevel::kSnapshotIsolation}) {
    Store store = make_store(level, Fault::kStaleRead);
    for (int i = 1; i <= 100; ++i) {
      StoreTxn writer;
      store.begin(writer, 0, false, StoreTxn::kNoKey);
      store.write(writer, kX, i);
      EXPECT_NE(store.commit(writer), 0U);
    }
    StoreTxn same = begin(store, 0);
    EXPECT_EQ(store.read(same, kX), 100);
    StoreTxn other = begin(store, 1);
    const std::int64_t seen = store.read(other, kX);
    EXPECT_LT(seen, 100);
    EXPECT_GT(seen, 0);
    EXPECT_NE(store.commit(other), 0U);
    EXPECT_TRUE(other.fault_seen);
  }
}

TEST(StoreTables, NamesParse) {
  for (const StoreLevelInfo& row : all_store_levels()) {
    EXPECT_EQ(*parse_store_level(row.name), row.level);
    EXPECT_EQ(info(row.level).name, row.name);
  }
  for (const StalenessInfo& row : all_stalenesses()) {
    EXPECT_EQ(*parse_staleness(row.name), row.staleness);
    EXPECT_EQ(info(row.staleness).name, row.name);
  }
  for (const FaultInfo& row : all_faults()) {
    EXPECT_EQ(*parse_fault(row.name), row.fault);
    EXPECT_EQ(info(row.fault).name, row.name);
    EXPECT_EQ(row.violates.has_value(), row.fault != Fault::kNone);
  }
  const Result<Fault> unknown = parse_fault("phantom");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_EQ(unknown.error().message,
            "no fault 'phantom'; use none, lost-update, aborted-read, intermediate-read, "
            "fractured-read, write-skew, stale-read, long-fork, thin-air-read, future-read, "
            "not-my-last-write, not-my-own-write, non-repeatable-read, session-violation, "
            "non-monotonic-read, causality-violation, read-skew, dirty-write, circular-flow");
  EXPECT_FALSE(parse_store_level("").ok());
  EXPECT_FALSE(parse_staleness("old").ok());
}

}  // namespace
}  // namespace isolde::sim

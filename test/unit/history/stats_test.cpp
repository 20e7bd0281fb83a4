#include "history/stats.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <utility>

#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"

namespace isolde::history {
namespace {

History sample() {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  const KeyId l = builder.key(builder.string("l"));
  builder.begin_txn(builder.session("a"));
  builder.set_times({1'000'000, 4'000'000});
  builder.write(x, builder.integer(1));
  builder.read(x, Value::null());
  builder.append(l, builder.integer(1));
  builder.begin_txn(builder.session("b"));
  builder.set_times({2'000'000, 3'000'000});
  builder.set_status(TxnStatus::kAborted);
  builder.read_list(l, {});
  builder.read_unknown(x);
  builder.begin_txn(builder.session("a"));
  builder.set_times({4'000'000, 5'000'000});
  builder.set_status(TxnStatus::kIndeterminate);
  builder.begin_txn(builder.session("a"));
  builder.set_times({6'000'000, kNoTime});
  return std::move(builder.finish()).value();
}

TEST(HistoryStats, CountsASample) {
  EXPECT_EQ(
      to_json(stats_of(sample())),
      "{\"sessions\":2,\"transactions\":4,\"committed\":2,\"aborted\":1,\"indeterminate\":1,"
      "\"session_transactions_min\":1,\"session_transactions_max\":3,\"operations\":5,"
      "\"reads\":1,\"writes\":1,\"appends\":1,\"list_reads\":1,\"unknown_reads\":1,"
      "\"initial_reads\":2,\"transaction_operations_max\":3,"
      "\"transaction_operations_mean\":1.250,\"registers\":1,\"lists\":1,\"timed\":3,"
      "\"span_ns\":4000000,\"concurrency_max\":2,\"concurrency_mean\":1.250}");
}

TEST(HistoryStats, TellsASampleInText) {
  EXPECT_EQ(to_text(stats_of(sample())),
            "sessions      2, 1 to 3 transactions each\n"
            "transactions  4: 2 committed, 1 aborted, 1 indeterminate\n"
            "operations    5: 1 read, 1 write, 1 list read, 1 append, 1 read without a result\n"
            "              1.2 per transaction, at most 3; 2 reads saw the initial value\n"
            "keys          1 register, 1 list\n"
            "times         3 transactions over 4.000 ms, 1.2 at once, at most 2\n");
}

/// A selection of two rows of three, aggregates of each kind, and reads of which only is known
/// what they did not return.
History of_conditions() {
  return support::parse(R"(
    setup: w(1=5) w(2=7) w(3=900)
    a: s(keys=1..9: 1=5 2=7) s(values=0..99: 1=5) s(keys=1..2 get=count: 2)
    b: s(keys=1..9 get=count: 3) s(keys=1..1 get=exists: 1) s(values=0..99 get=sum: 12)
    c: s(keys=1..9 get=min: 5) s(keys=1..9 get=max: 900) r(1=<>7) r(2=<>5)
  )");
}

/// Every operation is of one kind.
std::size_t sum_of_kinds(const HistoryStats& stats) {
  std::size_t sum = stats.reads + stats.writes + stats.appends + stats.list_reads +
                    stats.unknown_reads + stats.selections + stats.negative_reads +
                    stats.refused_inserts;
  for (const std::size_t count : stats.aggregates) sum += count;
  return sum;
}

TEST(HistoryStats, CountsSelectionsAndAggregates) {
  const HistoryStats stats = stats_of(of_conditions());
  EXPECT_EQ(stats.selections, 2U);
  EXPECT_EQ(stats.rows_returned, 3U);
  EXPECT_EQ(stats.rows_left_out, 2U);  // 3 by its key, 2 by its value
  EXPECT_EQ(stats.aggregates, (std::array<std::size_t, kAggregateKindCount>{2, 1, 1, 1, 1}));
  EXPECT_EQ(stats.items, 14U);  // 2 and 3, 1, 2, 3, 3
  EXPECT_EQ(stats.negative_reads, 2U);
  EXPECT_EQ(sum_of_kinds(stats), stats.operations);
  EXPECT_NE(
      to_text(stats).find(
          "              2 selections returned 3 rows (among the reads) and left out 2\n"
          "              6 aggregates of 14 items: count 2, exists 1, sum 1, min 1, max 1\n"
          "              2 negative reads by key (only values they did not return are "
          "known)\n"),
      std::string::npos)
      << to_text(stats);
  EXPECT_NE(to_json(stats).find("\"selections\":2,\"rows_returned\":3,\"rows_left_out\":2,"
                                "\"aggregates\":{\"count\":2,\"exists\":1,\"sum\":1,"
                                "\"min\":1,\"max\":1},\"items\":14,\"negative_reads\":2,"),
            std::string::npos)
      << to_json(stats);
}

TEST(HistoryStats, CountsRefusedInserts) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  builder.begin_txn(builder.session("a"));
  builder.insert_refused(x);
  builder.read_unknown(x);
  builder.insert_refused(x);
  const HistoryStats stats = stats_of(std::move(builder.finish()).value());
  EXPECT_EQ(stats.refused_inserts, 2U);
  EXPECT_EQ(stats.unknown_reads, 1U);
  EXPECT_EQ(sum_of_kinds(stats), stats.operations);
  EXPECT_NE(to_text(stats).find("              2 inserts refused, for the key was there\n"),
            std::string::npos)
      << to_text(stats);
  EXPECT_NE(to_json(stats).find("\"unknown_reads\":1,\"refused_inserts\":2,"),
            std::string::npos)
      << to_json(stats);
}

TEST(HistoryStats, NamesOnlyAggregatesThatOccur) {
  const HistoryStats stats = stats_of(support::parse("a: w(1=5) s(keys=1..9 get=max: 5)"));
  EXPECT_NE(to_text(stats).find("1 aggregate of 1 item: max 1\n"), std::string::npos);
  EXPECT_NE(to_json(stats).find("\"aggregates\":{\"max\":1},\"items\":1,"), std::string::npos);
  EXPECT_EQ(to_text(stats).find("selection"), std::string::npos);
  EXPECT_EQ(to_json(stats).find("selection"), std::string::npos);
}

/// Rows with columns that are written, deleted, held at the start, and read in whole and in
/// part. d's read of 9 may be of what 9 held at the start or of d's own write of the same.
History of_rows() {
  return support::parse(R"(
    start(8=qty:1/state:new 9=qty:4/state:new)
    a: w(1=qty:3/state:open) w(2=qty:5/state:open) d(3) d(2)
    b: r(1=qty:3/state:open) r(1=qty:3) r(1=state:open) r(1=/) r(3=_) r(4=_)
    b: r(8=qty:1/state:new) r(1=<>7)
    c: s(cols=state:open: 1=qty:3 2=/)
    d: r(9=qty:4/state:new) w(9=qty:4/state:new)
  )");
}

TEST(HistoryStats, CountsRowsAndDeletions) {
  const HistoryStats stats = stats_of(of_rows());
  EXPECT_EQ(stats.reads, 10U);
  EXPECT_EQ(stats.row_reads, 3U);
  EXPECT_EQ(stats.column_reads, 3U);
  EXPECT_EQ(stats.presence_reads, 2U);
  EXPECT_EQ(stats.empty_reads, 1U);    // that of 3
  EXPECT_EQ(stats.initial_reads, 2U);  // those of 4 and 8
  EXPECT_EQ(stats.negative_reads, 1U);
  EXPECT_EQ(stats.writes, 5U);
  EXPECT_EQ(stats.row_writes, 3U);
  EXPECT_EQ(stats.deletions, 2U);
  EXPECT_EQ(sum_of_kinds(stats), stats.operations);
  EXPECT_NE(to_text(stats).find(
                "              of the reads: 3 of all columns of a row, 3 of some columns of a "
                "row, 2 only that there was a row, 1 found nothing, perhaps a deletion\n"
                "              of the writes: 3 of a row with columns, 2 deletions\n"),
            std::string::npos)
      << to_text(stats);
  EXPECT_NE(to_json(stats).find("\"row_reads\":3,\"column_reads\":3,\"presence_reads\":2,"
                                "\"empty_reads\":1,\"row_writes\":3,\"deletions\":2,"
                                "\"selections\":1,"),
            std::string::npos)
      << to_json(stats);
}

TEST(HistoryStats, CountsRowsAndDeletionsOfTrustedVersions) {
  HistoryBuilder builder;
  const KeyId x = builder.key(builder.string("x"));
  const ColumnValue column{builder.string("qty"), builder.integer(1)};
  const Value row = builder.row({&column, 1});
  builder.begin_txn(builder.session("a"));
  builder.write(x, row);
  builder.set_version(builder.integer(1));
  builder.read(x, row);
  builder.set_version(builder.integer(1));
  builder.remove(x);
  builder.set_version(builder.integer(2));
  const History history = std::move(builder.finish()).value();
  const History trusted = std::move(history.with_trusted_versions()).value();
  EXPECT_EQ(to_json(stats_of(trusted)), to_json(stats_of(history)));
  EXPECT_EQ(stats_of(trusted).row_writes, 1U);
  EXPECT_EQ(stats_of(trusted).row_reads, 1U);
  EXPECT_EQ(stats_of(trusted).deletions, 1U);
}

TEST(HistoryStats, CopesWithNothing) {
  HistoryBuilder builder;
  const HistoryStats stats = stats_of(std::move(builder.finish()).value());
  EXPECT_EQ(stats.sessions, 0U);
  EXPECT_EQ(stats.session_txns_min, 0U);
  EXPECT_EQ(stats.txn_operations_mean, 0);
  EXPECT_NE(to_text(stats).find("times         not recorded\n"), std::string::npos);
}

TEST(HistoryStats, CopesWithTimesFromEverywhere) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session("a"));
  builder.set_times({kNoTime + 1, kNoTime + 2});
  builder.begin_txn(builder.session("a"));
  builder.set_times({0, std::numeric_limits<std::int64_t>::max()});
  const HistoryStats stats = stats_of(std::move(builder.finish()).value());
  EXPECT_EQ(stats.timed, 2U);
  EXPECT_EQ(stats.concurrency_max, 1U);
  EXPECT_GT(stats.span_ns, 9'000'000'000'000'000'000);
}

}  // namespace
}  // namespace isolde::history

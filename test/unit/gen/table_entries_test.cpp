// Goal: what statements on tables tell is put on record as it was, and no more of what was
// taken back to a savepoint than was certainly seen. Method: entries by hand.
#include "gen/table_entries.hpp"

#include <gtest/gtest.h>

namespace isolde::table {
namespace {

using Kind = Entry::Kind;

constexpr Column kColumns[] = {{.name = "qty"}, {.name = "state"}};
constexpr Table kTables[] = {{"a", kColumns}, {"b", kColumns}};

TEST(TableEntries, RowsTellTheColumnsThatWereAskedFor) {
  const Known all = whole(kTables, 1, {7, 90, {3, Cell()}});
  EXPECT_EQ(all.key, key_of(1, 7));
  const std::vector<std::pair<std::size_t, Cell>> columns = {{kStamp, 90}, {0, 3}, {1, Cell()}};
  EXPECT_EQ(all.columns, columns);
  const Known some = told({.table = 1, .columns = {1}}, {7, 90, {5}});
  const std::vector<std::pair<std::size_t, Cell>> asked = {{kStamp, 90}, {1, 5}};
  EXPECT_EQ(some.columns, asked);
  EXPECT_EQ(column_name(kTables[1], kStamp), "stamp");
  EXPECT_EQ(column_name(kTables[1], 1), "state");
}

TEST(TableEntries, ALimitEndsTheCondition) {
  Condition where{{.column = 1, .least = 4}};
  end_at(where, 9);
  ASSERT_EQ(where.size(), 2U);
  EXPECT_EQ(where[1].column, table::Test::kId);
  EXPECT_EQ(where[1].most, 9);
  where[1].least = 2;
  end_at(where, 5);
  ASSERT_EQ(where.size(), 2U);
  EXPECT_EQ(where[1].least, 2);
  EXPECT_EQ(where[1].most, 5);
}

TEST(TableEntries, TestsOfIdsAreAboutKeys) {
  const OnKeys any = on_keys(1, {{.column = 0, .least = 4}});
  EXPECT_EQ(any.keys, keys_of(1));
  ASSERT_EQ(any.tests.size(), 1U);
  EXPECT_EQ(any.tests[0].least, 4);

  const OnKeys range = on_keys(1, {{.column = 0, .is_null = true}, {.most = 4}});
  EXPECT_EQ(range.keys, (Predicate::Bounds{key_of(1, 0), key_of(1, 4)}));
  ASSERT_EQ(range.tests.size(), 1U);
  EXPECT_EQ(range.tests[0].column, 0U);

  const OnKeys from = on_keys(1, {{.least = 3}});
  EXPECT_EQ(from.keys, (Predicate::Bounds{key_of(1, 3), keys_of(1).max}));

  const OnKeys list = on_keys(1, {{.least = 2, .in = {3, 8}}});
  EXPECT_EQ(list.keys, std::nullopt);
  ASSERT_EQ(list.tests.size(), 1U);
  EXPECT_EQ(list.tests[0].least, key_of(1, 2));
  EXPECT_EQ(list.tests[0].in, (std::vector<std::int64_t>{key_of(1, 3), key_of(1, 8)}));
}

TEST(TableEntries, WhatWasTakenBackIsNoPartOfTheTransaction) {
  const auto row = [](std::size_t table, std::int64_t id) { return Known{key_of(table, id)}; };
  std::vector<Entry> entries;
  const auto put = [&](Kind kind, Known known) {
    entries.push_back({.kind = kind, .row = std::move(known)});
  };
  put(Kind::kWrite, row(0, 1));
  put(Kind::kRead, row(0, 2));  // the savepoint is here
  put(Kind::kWrite, row(0, 2));
  put(Kind::kRead, row(0, 2));
  put(Kind::kReadNone, row(0, 3));
  entries.push_back({.kind = Kind::kReadNone, .row = row(0, 6), .by_insert = true});
  put(Kind::kRemove, row(0, 4));
  put(Kind::kReadNone, row(0, 4));
  put(Kind::kRead, row(0, 1));
  entries.push_back({.kind = Kind::kSelect, .table = 0, .rows = {row(0, 2), row(0, 5)}});
  entries.push_back({.kind = Kind::kSelect, .table = 1, .rows = {row(1, 2)}});
  drop_taken_back(entries, 1);
  std::vector<std::pair<Kind, std::int64_t>> left;
  for (const Entry& entry : entries) left.emplace_back(entry.kind, entry.row.key);
  const std::vector<std::pair<Kind, std::int64_t>> expected = {
      {Kind::kWrite, key_of(0, 1)},    {Kind::kRead, key_of(0, 2)},
      {Kind::kReadNone, key_of(0, 3)}, {Kind::kRead, key_of(0, 1)},
      {Kind::kRead, key_of(0, 5)},     {Kind::kSelect, 0}};
  EXPECT_EQ(left, expected);
  EXPECT_EQ(entries.back().table, 1U);
  EXPECT_EQ(entries.back().rows.size(), 1U);
}

}  // namespace
}  // namespace isolde::table

// Goal: the SQL of rows with columns is what each database takes, and says what was asked.
#include "db/sql_tables.hpp"

#include <gtest/gtest.h>

#include <array>

namespace isolde::db::sql {
namespace {

using table::Column;
using Asked = table::Request;

constexpr std::array kItem = {Column{.name = "qty", .least = 0, .indexed = true},
                              Column{.name = "code", .unique = true}};
constexpr std::array kOrders = {Column{.name = "item", .refers_to = 0}};
constexpr std::array kTables = {table::Table{"item", kItem}, table::Table{"orders", kOrders}};

constexpr Dialect kReturning = {
    .locking = " FOR UPDATE", .skipping = " SKIP LOCKED", .returns_rows = true};
constexpr Dialect kLookingUp = {
    .upsert = Dialect::Upsert::kOnDuplicateKey, .stamp_index = true, .refers = false};
constexpr Dialect kMerging = {.upsert = Dialect::Upsert::kMerge, .locking = " WITH LOCK"};
constexpr Layout kLayout;
constexpr Layout kIndexed = {.index = true};

std::string select(const Asked& asked, const Dialect& dialect = kReturning) {
  return TableTexts(dialect, kLayout, kTables).select(asked);
}

TEST(SqlTables, HaveTheirRules) {
  const TableTexts texts(kReturning, kLayout, kTables);
  EXPECT_EQ(texts.create(0),
            "CREATE TABLE isolde_t0_item (id BIGINT NOT NULL PRIMARY KEY, stamp BIGINT NOT "
            "NULL, was BIGINT, qty BIGINT, code BIGINT, CHECK (qty >= 0))");
  EXPECT_EQ(texts.create(1),
            "CREATE TABLE isolde_t1_orders (id BIGINT NOT NULL PRIMARY KEY, stamp BIGINT NOT "
            "NULL, was BIGINT, item BIGINT, FOREIGN KEY (item) REFERENCES isolde_t0_item "
            "(id))");
  EXPECT_EQ(TableTexts(kLookingUp, kLayout, kTables).create(1).find("FOREIGN"),
            std::string::npos);
}

TEST(SqlTables, HaveIndexesWhereAskedFor) {
  EXPECT_TRUE(TableTexts(kReturning, kLayout, kTables).indexes(0).empty());
  EXPECT_EQ(TableTexts(kReturning, kIndexed, kTables).indexes(0),
            (std::vector<std::string>{
                "CREATE INDEX isolde_t0_item_by_qty ON isolde_t0_item (qty)",
                "CREATE UNIQUE INDEX isolde_t0_item_by_code ON isolde_t0_item (code)"}));
  EXPECT_EQ(TableTexts(kLookingUp, kLayout, kTables).indexes(1).size(), 1U);
}

TEST(SqlTables, NamesAreKnownAgain) {
  EXPECT_TRUE(is_row_table("isolde_t0_item"));
  EXPECT_TRUE(is_row_table("isolde_t9_order_line"));
  for (const std::string_view other :
       {"isolde_t0_", "isolde_t_item", "isolde_t10_item", "isolde_tx_item", "isolde_t0_item2",
        "isolde_t0_item; DROP TABLE x", "isolde_list"}) {
    EXPECT_FALSE(is_row_table(other)) << other;
  }
}

TEST(SqlTables, SelectByConditions) {
  EXPECT_EQ(select({}), "SELECT id, stamp, qty, code FROM isolde_t0_item");
  EXPECT_EQ(select({.where = {{.least = 3, .most = 3}}, .columns = {1}}),
            "SELECT id, stamp, code FROM isolde_t0_item WHERE id = 3");
  EXPECT_EQ(select({.where = {{.column = 0, .least = -1, .most = 4}, {.in = {1, 2}}}}),
            "SELECT id, stamp, qty, code FROM isolde_t0_item WHERE qty BETWEEN -1 AND 4 AND id "
            "IN (1, 2)");
  EXPECT_EQ(select({.where = {{.column = 0, .is_null = true}, {.column = 1}}}),
            "SELECT id, stamp, qty, code FROM isolde_t0_item WHERE qty IS NULL AND code IS NOT "
            "NULL");
  EXPECT_EQ(select({.where = {{.column = 0, .least = 2}, {.column = 1, .most = 5}}}),
            "SELECT id, stamp, qty, code FROM isolde_t0_item WHERE qty >= 2 AND code <= 5");
}

TEST(SqlTables, LockAsFarAsTheyCan) {
  const Asked asked{.limit = 2, .lock = table::Lock::kUpdate, .skip_locked = true};
  EXPECT_EQ(select(asked),
            "SELECT id, stamp, qty, code FROM isolde_t0_item ORDER BY id LIMIT 2 FOR UPDATE "
            "SKIP LOCKED");
  EXPECT_EQ(select(asked, kMerging),
            "SELECT FIRST 2 id, stamp, qty, code FROM isolde_t0_item ORDER BY id WITH LOCK");
  EXPECT_TRUE(TableTexts(kReturning, kLayout, kTables).skips(asked));
  EXPECT_FALSE(TableTexts(kMerging, kLayout, kTables).skips(asked));
}

TEST(SqlTables, UpdatesTellWhatTheyReplace) {
  const Asked asked{.where = {{.column = 0, .least = 1}},
                    .set = {{.column = 0, .value = -1, .adds = true}, {.column = 1}}};
  EXPECT_EQ(
      TableTexts(kReturning, kLayout, kTables).update(asked, 7),
      "UPDATE isolde_t0_item SET was = stamp, stamp = 7, qty = qty - 1, code = NULL WHERE "
      "qty >= 1 RETURNING id, stamp, qty, code, was");
  EXPECT_EQ(TableTexts(kLookingUp, kLayout, kTables).changed(0, 7),
            "SELECT id, stamp, qty, code, was FROM isolde_t0_item WHERE stamp = 7");
}

TEST(SqlTables, TellVersionsWhereAskedTo) {
  constexpr Dialect kVersioned = {
      .returns_rows = true, .version = "of(@xmin)", .version_behind = "behind(@xmin)"};
  constexpr Layout kAsked = {.versions = true};
  const Asked asked{.where = {{.least = 3, .most = 3}},
                    .columns = {1},
                    .set = {{.column = 1, .value = 5}},
                    .id = 3,
                    .cells = {4, {}}};
  const TableTexts texts(kVersioned, kAsked, kTables);
  EXPECT_NE(texts.create(0).find(", was BIGINT, was_version BIGINT, qty BIGINT"),
            std::string::npos);
  EXPECT_EQ(texts.insert(asked, 7),
            "INSERT INTO isolde_t0_item (id, stamp, qty, code) VALUES (3, 7, 4, NULL) "
            "RETURNING behind(xmin)");
  EXPECT_EQ(texts.select(asked),
            "SELECT id, stamp, code, of(xmin) FROM isolde_t0_item WHERE id = 3");
  EXPECT_EQ(
      texts.update(asked, 7),
      "UPDATE isolde_t0_item SET was = stamp, was_version = of(xmin), stamp = 7, code = 5 "
      "WHERE id = 3 RETURNING id, stamp, qty, code, was, was_version, behind(xmin)");
  EXPECT_EQ(texts.upsert(asked, 7),
            "INSERT INTO isolde_t0_item (id, stamp, qty, code) VALUES (3, 7, 4, NULL) ON "
            "CONFLICT (id) DO UPDATE SET was = isolde_t0_item.stamp, was_version = "
            "of(isolde_t0_item.xmin), stamp = 7, code = 5 RETURNING id, stamp, qty, code, was, "
            "was_version, behind(xmin)");
  EXPECT_EQ(texts.remove(asked),
            "DELETE FROM isolde_t0_item WHERE id = 3 RETURNING id, stamp, qty, code, was, "
            "was_version, behind(xmin)");
  // Where nobody asks, and where the database has no versions, there are none.
  const TableTexts unasked(kVersioned, kLayout, kTables);
  const TableTexts without(kReturning, kAsked, kTables);
  for (const TableTexts* const each : {&unasked, &without}) {
    EXPECT_FALSE(each->tells_versions());
    EXPECT_EQ(each->create(0).find("was_version"), std::string::npos);
    EXPECT_EQ(each->select(asked), "SELECT id, stamp, code FROM isolde_t0_item WHERE id = 3");
    EXPECT_EQ(each->insert(asked, 7),
              "INSERT INTO isolde_t0_item (id, stamp, qty, code) VALUES (3, 7, 4, NULL)");
  }
}

TEST(SqlTables, UpsertInEachDialect) {
  const Asked asked{
      .set = {{.column = 0, .value = 2, .adds = true}}, .id = 3, .cells = {4, {}}};
  EXPECT_EQ(TableTexts(kReturning, kLayout, kTables).upsert(asked, 7),
            "INSERT INTO isolde_t0_item (id, stamp, qty, code) VALUES (3, 7, 4, NULL) ON "
            "CONFLICT (id) DO UPDATE SET was = isolde_t0_item.stamp, stamp = 7, qty = "
            "isolde_t0_item.qty + 2 RETURNING id, stamp, qty, code, was");
  EXPECT_EQ(TableTexts(kLookingUp, kLayout, kTables).upsert(asked, 7),
            "INSERT INTO isolde_t0_item (id, stamp, qty, code) VALUES (3, 7, 4, NULL) ON "
            "DUPLICATE KEY UPDATE was = stamp, stamp = 7, qty = qty + 2");
  EXPECT_EQ(TableTexts(kMerging, kLayout, kTables).upsert(asked, 7),
            "MERGE INTO isolde_t0_item USING RDB$DATABASE ON isolde_t0_item.id = 3 WHEN "
            "MATCHED THEN UPDATE SET was = isolde_t0_item.stamp, stamp = 7, qty = "
            "isolde_t0_item.qty + 2 WHEN NOT MATCHED THEN INSERT (id, stamp, qty, code) VALUES "
            "(3, 7, 4, NULL)");
}

}  // namespace
}  // namespace isolde::db::sql

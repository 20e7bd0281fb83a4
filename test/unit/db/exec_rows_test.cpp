// Goal: what adapters are asked about rows with columns is what docs/adapters.md says, and no
// answer that says something else is taken for a row.
#include "db/exec_rows.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace isolde::db {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kItem = {table::Column{.name = "qty", .least = 0, .indexed = true},
                              table::Column{.name = "note", .unique = true}};
constexpr std::array kOrders = {table::Column{.name = "item", .refers_to = 0}};
constexpr std::array kTables = {table::Table{"item", kItem}, table::Table{"orders", kOrders}};

std::string asked(RowStatement statement, const table::Request& request) {
  return request_json(statement, request, kTables[request.table]).dump();
}

TEST(ExecRows, TablesAreDescribed) {
  EXPECT_EQ(tables_json(kTables).dump(),
            R"([{"name":"item","columns":[{"name":"qty","least":0,"indexed":true},)"
            R"({"name":"note","unique":true}]},)"
            R"({"name":"orders","columns":[{"name":"item","refers_to":0}]}])");
}

TEST(ExecRows, RequestsSayWhatTheStatementNeeds) {
  const table::Request request{.where = {{.least = 1, .most = 2},
                                         {.column = 0, .in = {3, 4}},
                                         {.column = 1, .is_null = true}},
                               .columns = {1},
                               .limit = 5,
                               .lock = table::Lock::kUpdate,
                               .skip_locked = true,
                               .set = {{.column = 0, .value = -2, .adds = true}, {.column = 1}},
                               .id = 7,
                               .cells = {8, {}}};
  const std::string where =
      R"("where":{"key":{"min":1,"max":2},"qty":{"in":[3,4]},"note":null})";
  const std::string set = R"("set":{"note":null},"add":{"qty":-2})";
  const std::string row = R"("key":7,"columns":{"qty":8,"note":null})";
  const std::string table = R"({"table":0,)";
  EXPECT_EQ(asked(RowStatement::kInsert, request), table + row + "}");
  EXPECT_EQ(asked(RowStatement::kUpsert, request), table + row + "," + set + "}");
  EXPECT_EQ(asked(RowStatement::kUpdate, request), table + where + "," + set + "}");
  EXPECT_EQ(asked(RowStatement::kDelete, request), table + where + "}");
  EXPECT_EQ(
      asked(RowStatement::kSelect, request),
      table + where + R"(,"columns":["note"],"limit":5,"lock":"update","skip_locked":true})");
  EXPECT_EQ(asked(RowStatement::kSelect, {.table = 1}),
            R"({"table":1,"where":{},"columns":["item"]})");
}

TEST(ExecRows, RowsAreTaken) {
  const Json json =
      Json::parse(R"({"key":3,"stamp":7,"columns":{"note":null,"qty":-4},"was":5})");
  table::Cell was;
  const auto row = row_of(json, kTables[0], all_columns(kTables[0]), &was);
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(*row, (table::Row{3, 7, {-4, {}}}));
  EXPECT_EQ(was, table::Cell(5));
}

TEST(ExecRows, WhatIsNoRowIsNotTaken) {
  for (const char* text : {
           R"([3,7,1,2])",
           R"({"key":3,"columns":{"qty":1,"note":2},"was":5})",
           R"({"key":null,"stamp":7,"columns":{"qty":1,"note":2},"was":5})",
           R"({"key":-1,"stamp":7,"columns":{"qty":1,"note":2},"was":5})",
           R"({"key":1099511627776,"stamp":7,"columns":{"qty":1,"note":2},"was":5})",
           R"({"key":3,"stamp":7,"columns":{"qty":1},"was":5})",
           R"({"key":3,"stamp":7,"columns":{"qty":1,"other":2},"was":5})",
           R"({"key":3,"stamp":7,"columns":{"qty":1,"note":2,"other":3},"was":5})",
           R"({"key":3,"stamp":7,"columns":{"qty":1.5,"note":2},"was":5})",
           R"({"key":3,"stamp":7,"columns":{"qty":"1","note":2},"was":5})",
           R"({"key":3,"stamp":7,"columns":{"qty":18446744073709551615,"note":2},"was":5})",
           R"({"key":3,"stamp":7,"columns":{"qty":1,"note":2},"was":true})",
           R"({"key":3,"stamp":7,"columns":{"qty":1,"note":2}})",
       }) {
    table::Cell was;
    EXPECT_FALSE(row_of(Json::parse(text), kTables[0], all_columns(kTables[0]), &was)) << text;
  }
}

}  // namespace
}  // namespace isolde::db

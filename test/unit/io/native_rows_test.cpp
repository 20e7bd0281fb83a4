// Goal: conditions on columns have one text, the same from whatever they were read.
#include "io/native_rows.hpp"

#include <gtest/gtest.h>

#include <string>

#include "io/native.hpp"
#include "io_inputs.hpp"

namespace isolde::io {
namespace {

std::string told(const std::string& condition) {
  const Result<History> history = read_native_text(
      "{\"isolde\":2,\"kind\":\"history\"}\n{\"session\":\"a\",\"ops\":[[\"select\",{" +
      condition + "},[]]]}\n");
  if (!history.ok()) return history.error().message;
  const PredicateView predicate = history->predicates()[0];
  std::string out;
  for (const PredicateView::Test& test : predicate.tests) {
    if (!out.empty()) out += ' ';
    append_test(out, *history, test);
  }
  return out;
}

TEST(NativeRows, HaveOneTextForEachCondition) {
  const std::pair<const char*, const char*> cases[] = {
      {R"("columns":{"a":1})", "1"},
      {R"("columns":{"a":{"in":["x"]}})", R"("x")"},
      {R"("columns":{"a":null})", "null"},
      {R"("columns":{"a":{"not":null}})", R"({"not":null})"},
      {R"("columns":{"a":{"not":null,"min":1}})", R"({"min":1})"},
      {R"("columns":{"a":{"not in":[2],"not":1}})", R"({"not in":[1,2]})"},
      {R"("columns":{"a":{"max":2,"min":1,"in":[1,true],"not":0.5}})",
       R"({"min":1,"max":2,"in":[1,true],"not":0.5})"},
      {R"("columns":{"a":{"in":[]}})", R"({"in":[]})"},
      {R"("columns":{"a":1,"b":{"max":3}})", R"(1 {"max":3})"},
      {R"("keys":{"in":[1]})", "1"},
      {R"("keys":"x")", R"("x")"},
      {R"("keys":null)", "null"},
      {R"("keys":[1,2])", ""},
  };
  for (const auto& [condition, text] : cases) EXPECT_EQ(told(condition), text) << condition;
}

TEST(NativeRows, NeedVersion2) {
  const auto needs = [](const char* op) {
    const Result<History> history =
        read_native_text("{\"isolde\":2,\"kind\":\"history\"}\n{\"session\":\"a\",\"ops\":[" +
                         std::string(op) + "]}\n");
    return history.ok() && needs_version_2(*history);
  };
  EXPECT_TRUE(needs(R"(["delete","x"])"));
  EXPECT_TRUE(needs(R"(["w","x",{}])"));
  EXPECT_TRUE(needs(R"(["select",{"keys":{"in":[1]}},[]])"));
  EXPECT_FALSE(needs(R"(["select",{"keys":[1,2]},[]])"));
  EXPECT_TRUE(needs(R"(["count",{},0])"));
  EXPECT_FALSE(needs(R"(["w","x",1])"));
}

}  // namespace
}  // namespace isolde::io

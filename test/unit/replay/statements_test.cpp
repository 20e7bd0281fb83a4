// Goal: operations of one selection are one statement, also where there are none, and a
// deletion by a condition is told from one of single rows.
#include "replay/statements.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/history_dsl.hpp"

namespace isolde::replay {
namespace {

/// Of the first transaction: "o0 s0 d1".
std::string statements_of(const char* text, Deletions deletions = Deletions::kSelected) {
  const History history = support::parse(text);
  const Statements statements(history, deletions);
  std::string all;
  for (const Statement& statement : statements.of(TxnId(0))) {
    const char* const kind = statement.kind == Step::Kind::kOperation        ? "o"
                             : statement.kind == Step::Kind::kSelect         ? "s"
                             : statement.kind == Step::Kind::kDeleteSelected ? "d"
                                                                             : "a";
    all += (all.empty() ? "" : " ") + std::string(kind) + std::to_string(statement.op);
  }
  return all;
}

TEST(Statements, SelectionsAreOneEach) {
  EXPECT_EQ(statements_of("A: w(x=1) s(keys=1..9: 1=5 2=6) r(x=1) ; B: w(1=5) w(2=6) w(3=7)"),
            "o0 s0 o4");
  EXPECT_EQ(statements_of("A: s(keys=1..9:) s(keys=1..9:) w(x=1) s(keys=1..9:)"),
            "s0 s1 o0 s2");
  EXPECT_EQ(statements_of("A: s(keys=1..9 get=count: 0) ; B: w(3=7)"), "a0");
  EXPECT_EQ(statements_of("A: nop"), "");
}

TEST(Statements, AllRowsAreDeletedAtOnce) {
  constexpr const char* kBoth = "A: s(keys=1..9: 1=5 2=6) d(2) d(1) r(x=_) ; B: w(1=5) w(2=6)";
  EXPECT_EQ(statements_of(kBoth), "d0 o4");
  EXPECT_EQ(statements_of(kBoth, Deletions::kByKey), "s0 o2 o3 o4");
  EXPECT_EQ(statements_of("A: s(keys=1..9: 1=5 2=6) d(1) ; B: w(1=5) w(2=6)"), "s0 o2");
  EXPECT_EQ(statements_of("A: s(keys=1..9: 1=5) d(2) ; B: w(1=5) w(2=6)"), "s0 o2");
  EXPECT_EQ(statements_of("A: s(keys=1..9: 1=5) s(keys=2..9:) d(1) ; B: w(1=5)"), "s0 s1 o1");
  EXPECT_EQ(statements_of("A: s(keys=1..9:) ; B: nop"), "s0");
}

TEST(Statements, OperationsKnowTheirs) {
  const History history =
      support::parse("A: w(x=1) s(keys=1..9: 1=5) d(1) r(x=1) ; B: r(1=_) w(1=5) w(3=7)");
  const Statements statements(history, Deletions::kSelected);
  EXPECT_TRUE(statements.delete_selected());
  std::vector<std::uint32_t> positions;
  for (std::uint32_t i = 0; i < history.ops(TxnId(0)).size(); ++i) {
    positions.push_back(statements.position(history, {TxnId(0), i}));
  }
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{0, 1, 1, 1, 2}));
  EXPECT_EQ(statements.position(history, {TxnId(1), 1}), 1U);
}

}  // namespace
}  // namespace isolde::replay

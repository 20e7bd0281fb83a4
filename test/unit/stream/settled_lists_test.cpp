// How lists are cut where what is settled of them ends.
#include "stream/settled_lists.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/history_dsl.hpp"

namespace isolde::stream {
namespace {

/// The history with its lists cut.
std::string cut(std::string_view text, const Joiner::EditList& edit) {
  const History history = support::parse(text);
  Joiner joiner;
  joiner.edit_lists(edit);
  joiner.add(history, 0, kAll, kEnterNothing);
  const Result<History> result = joiner.finish();
  EXPECT_TRUE(result.ok());
  std::string ops;
  for (const Op& op : result->all_ops()) ops += (ops.empty() ? "" : " ") + result->op_text(op);
  return ops;
}

/// The first key of the history holds this list.
Boundary with_list(std::string_view text) {
  const History history = support::parse(text);
  Boundary boundary;
  for (const Op& op : history.all_ops()) {
    boundary.append(boundary.key(history, op.key), history, {&op.value, 1});
  }
  return boundary;
}

const std::string kNobodys(Joiner::kNobodys);

TEST(SettledLists, AreCutWhereTheyEnd) {
  Boundary boundary = with_list("A: a(x=1) a(x=b)");
  const auto settled = [&](std::string_view text) {
    return cut(text, cut_to_settled(support::parse(text), boundary, false));
  };
  EXPECT_EQ(settled("A: r(x=[1 b]) a(x=3) r(x=[1 b 3])"), "r(x)=[] append(x, 3) r(x)=[3]");
  EXPECT_EQ(settled("A: r(x=[1])"), "r(x)=[" + kNobodys + "]");
  EXPECT_EQ(settled("A: r(x=[b 1 3])"), "r(x)=[" + kNobodys + "]");
  // The word is not the number.
  EXPECT_EQ(settled("A: r(x=[1 c 3])"), "r(x)=[" + kNobodys + "]");
  // An empty list does not say that it is one.
  EXPECT_EQ(settled("A: r(x=[])"), "r(x)=[" + kNobodys + "]");
  EXPECT_EQ(settled("A: r(y=[]) r(y=[1]) w(z=1)"), "r(y)=[] r(y)=[1] w(z)=1");
}

TEST(SettledLists, AreNotCutBeforeItIsKnownWhatTheyBeganWith) {
  Boundary boundary = with_list("A: a(x=1) a(x=b)");
  const std::string text = "A: r(x=[7 1 b 3]) r(x=[3])";
  const History part = support::parse(text);
  EXPECT_EQ(cut(text, cut_to_settled(part, boundary, true)), "r(x)=[7 1 b 3] r(x)=[3]");
  boundary.begin_list(
      boundary.key(part, KeyId::at(0)),
      with_list("A: a(x=7) a(x=1) a(x=b)").list(boundary.key(part, KeyId::at(0))));
  EXPECT_EQ(cut(text, cut_to_settled(part, boundary, true)),
            "r(x)=[3] r(x)=[" + kNobodys + "]");
}

TEST(SettledLists, AreCutFurther) {
  Boundary boundary = with_list("A: a(x=1) a(x=2) a(x=3)");
  const History one = support::parse("A: a(x=1)");
  const std::string round = "A: r(x=[2 3 4]) r(x=[2]) r(x=[])";
  const Boundary::Key key = boundary.key(one, KeyId::at(0));
  const ListsBefore before{{Boundary::place(key), with_list("A: a(x=1)").list(key)}};
  const History history = support::parse(round);
  EXPECT_EQ(cut(round, cut_further(history, boundary, before)),
            "r(x)=[4] r(x)=[" + kNobodys + "] r(x)=[" + kNobodys + "]");
  EXPECT_EQ(cut(round, cut_further(history, boundary, {})), "r(x)=[2 3 4] r(x)=[2] r(x)=[]");
}

TEST(SettledLists, CountTheirElements) {
  EXPECT_EQ(elements_read(support::parse("A: r(x=[1 2]) a(x=3) r(y=1)\nB: r(x=[1])")), 3U);
  EXPECT_EQ(elements_read(support::parse("A: r(y=1)")), 0U);
}

TEST(SettledLists, AreNoRegisters) {
  Boundary boundary = with_list("A: a(x=1)");
  const History other = support::parse("A: w(y=1) r(z=_)");
  boundary.hold(boundary.key(other, KeyId::at(0)), other, Value::integer(1));
  const auto mixed = [&](std::string_view text) {
    return mixed_key(support::parse(text), boundary);
  };
  EXPECT_EQ(mixed("A: a(x=2) r(y=2)"), "");
  EXPECT_EQ(mixed("A: r(x=[]) r(y=_)"), "");
  EXPECT_EQ(mixed("A: r(x=?) a(z=1)"), "");
  EXPECT_EQ(mixed("A: r(x=1)"), "x");
  EXPECT_EQ(mixed("A: w(x=1)"), "x");
  EXPECT_EQ(mixed("A: a(y=1)"), "y");
}

}  // namespace
}  // namespace isolde::stream

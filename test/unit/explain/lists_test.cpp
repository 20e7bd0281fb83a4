// Lists as differences. Goal: nothing that is told of a list is lost or wrong. Method: random
// lists that share parts; what a text says is put into effect on the base, by a reader of these
// texts that shares no code with their writer, and must give the list back.
#include "explain/lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "base/rng.hpp"
#include "explain/narrate.hpp"
#include "explain/phrase.hpp"
#include "support/seed.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

using Numbers = std::vector<int>;

std::vector<Value> values_of(const Numbers& numbers) {
  std::vector<Value> values;
  for (const int number : numbers) values.push_back(Value::integer(number));
  return values;
}

Numbers numbers_in(const std::string& text) {
  Numbers numbers;
  const std::regex number("-?[0-9]+");
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
    numbers.push_back(std::stoi(at->str()));
  }
  return numbers;
}

Numbers joined(Numbers first, const Numbers& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Understands the texts of difference_text() as a person would. Fails the test on others.
Numbers understood(const std::string& text, const Numbers& base) {
  const auto part = [&base](std::size_t from, std::size_t to) {
    return Numbers(base.begin() + static_cast<std::ptrdiff_t>(from),
                   base.begin() + static_cast<std::ptrdiff_t>(to));
  };
  const auto count_of = [](const std::string& words) {
    return words.empty() ? std::size_t{1} : static_cast<std::size_t>(std::stoul(words));
  };
  std::smatch found;
  const std::string list = R"((\[[-0-9 ]*\]))";
  const std::string first = R"(first (?:([0-9]+) elements|element))";
  const std::string place = "(?: behind its " + first + "| at its beginning)";
  const auto is = [&](const std::string& pattern) {
    return std::regex_match(text, found, std::regex(pattern));
  };
  const auto place_at = [&](std::size_t group) {
    const bool begins = text.ends_with(" at its beginning");
    return begins ? 0 : count_of(found[group].str());
  };
  if (text == "L") return base;
  if (is(R"(L \+ )" + list)) return joined(base, numbers_in(found[1]));
  if (is(list + R"( \+ L)")) return joined(numbers_in(found[1]), base);
  if (is("L without its last element (-?[0-9]+)")) {
    EXPECT_EQ(base.back(), std::stoi(found[1].str()));
    return part(0, base.size() - 1);
  }
  if (is("L without its last ([0-9]+) elements " + list)) {
    const std::size_t left = base.size() - count_of(found[1].str());
    EXPECT_EQ(part(left, base.size()), numbers_in(found[2]));
    return part(0, left);
  }
  if (is("the " + first + " of L, up to (-?[0-9]+)")) {
    const std::size_t left = count_of(found[1].str());
    EXPECT_EQ(base[left - 1], std::stoi(found[2].str()));
    return part(0, left);
  }
  if (is("the " + first + " of L, then " + list + " where L has " + list)) {
    const std::size_t left = count_of(found[1].str());
    EXPECT_EQ(part(left, base.size()), numbers_in(found[3]));
    return joined(part(0, left), numbers_in(found[2]));
  }
  if (is("L with " + list + place)) {
    const std::size_t at = place_at(2);
    return joined(joined(part(0, at), numbers_in(found[1])), part(at, base.size()));
  }
  if (is("L without " + list + place)) {
    const std::size_t at = place_at(2);
    const Numbers gone = numbers_in(found[1]);
    EXPECT_EQ(part(at, at + gone.size()), gone);
    return joined(part(0, at), part(at + gone.size(), base.size()));
  }
  if (is("L with " + list + " in place of " + list + place)) {
    const std::size_t at = place_at(3);
    const Numbers gone = numbers_in(found[2]);
    EXPECT_EQ(part(at, at + gone.size()), gone);
    return joined(joined(part(0, at), numbers_in(found[1])),
                  part(at + gone.size(), base.size()));
  }
  ADD_FAILURE() << "not understood: " << text;
  return {};
}

/// A list that shares much with the base, little, or nothing.
Numbers changed(const Numbers& base, base::Rng& rng) {
  Numbers list = base;
  for (std::size_t edits = rng.below(3); edits > 0; --edits) {
    const std::size_t at = rng.chance(0.5) ? list.size() : rng.below(list.size() + 1);
    const std::size_t gone = std::min<std::size_t>(rng.below(4), at);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at - gone),
               list.begin() + static_cast<std::ptrdiff_t>(at));
    for (std::size_t more = rng.below(4); more > 0; --more) {
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at - gone),
                  static_cast<int>(rng.below(20)));
    }
  }
  if (rng.chance(0.2)) list.resize(rng.below(list.size() + 1));
  return list;
}

TEST(Lists, TheDifferenceGivesTheListBack) {
  const History history = support::parse("A: w(x=1)");
  std::size_t told = 0;
  const std::uint64_t cases = support::case_count(20'000);
  for (std::uint64_t i = 0; i < cases; ++i) {
    const std::uint64_t seed = support::run_seed() + i;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    base::Rng rng(seed);
    Numbers base;
    for (std::size_t size = rng.below(16); size > 0; --size) {
      base.push_back(static_cast<int>(rng.below(20)));  // values repeat
    }
    const Numbers list = changed(base, rng);
    const std::vector<Value> old_values = values_of(base);
    const std::vector<Value> new_values = values_of(list);
    EXPECT_EQ(applied(old_values, difference(old_values, new_values)), new_values);
    const std::string text = difference_text(history, "L", old_values, new_values);
    // A text with "..." leaves out what it says by numbers alone.
    if (text.empty() || text.find("...") != std::string::npos) continue;
    ++told;
    EXPECT_EQ(understood(text, base), list) << text;
    if (HasFailure()) return;
  }
  EXPECT_GT(told, cases / 4);
}

TEST(Lists, AreToldInTheFewestWords) {
  const History history = support::parse("A: w(x=1)");
  const Numbers base = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto told = [&](const Numbers& list) {
    return difference_text(history, "L", values_of(base), values_of(list));
  };
  EXPECT_EQ(told(base), "L");
  EXPECT_EQ(told({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), "L + [10]");
  EXPECT_EQ(told({1, 2, 3, 4, 5, 6, 7, 8}), "L without its last element 9");
  EXPECT_EQ(told({1, 2, 3, 4, 5, 6, 7}), "L without its last 2 elements [8 9]");
  EXPECT_EQ(told({1, 2, 3}), "the first 3 elements of L, up to 3");
  EXPECT_EQ(told({1}), "the first element of L, up to 1");
  EXPECT_EQ(told({1, 2, 3, 4, 5, 6, 7, 11, 12}),
            "the first 7 elements of L, then [11 12] where L has [8 9]");
  EXPECT_EQ(told({1, 2, 4, 5, 6, 7, 8, 9}), "L without [3] behind its first 2 elements");
  EXPECT_EQ(told({2, 3, 4, 5, 6, 7, 8, 9}), "L without [1] at its beginning");
  EXPECT_EQ(told({1, 10, 2, 3, 4, 5, 6, 7, 8, 9}), "L with [10] behind its first element");
  EXPECT_EQ(told({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), "[0] + L");
  EXPECT_EQ(told({1, 2, 10, 4, 5, 6, 7, 8, 9}),
            "L with [10] in place of [3] behind its first 2 elements");
  EXPECT_EQ(told({11, 12, 13}), "");
  EXPECT_EQ(told({}), "");
  EXPECT_EQ(told({1, 12, 13, 14, 15, 16}), "");
}

TEST(Lists, LongOnesShowTheirEndsAndWhatMatters) {
  const History history = support::parse("A: w(x=1)");
  Numbers list;
  for (int i = 1; i <= 8; ++i) list.push_back(i);
  EXPECT_EQ(list_text(history, values_of(list)), "[1 2 3 4 5 6 7 8]");
  for (int i = 9; i <= 20; ++i) list.push_back(i);
  EXPECT_EQ(list_text(history, values_of(list)), "[1 2 ... 18 19 20]");
  EXPECT_EQ(list_text(history, values_of(list), values_of({3, 10, 20})),
            "[1 2 3 ... 10 ... 18 19 20]");
  EXPECT_EQ(list_text(history, {}), "[]");
}

const char* const kStaleList =
    "A: a(x=1) a(x=2) a(x=3) a(x=4) a(x=5) a(x=6) a(x=7);"
    "B: a(x=8) r(y=_) r(x=[1 2 3 4 5 6 7 8]);"
    "C: r(x=[1 2 3 4 5 6 7]) w(y=1);"
    "D: r(x=[1 2 3 4 5 6 7 8])";

// Goal: of two reads of a long list the second one is told by the first, in the list of
// operations and in the reasons, and another transaction that saw both is called to witness.
TEST(Lists, ScenarioTellsReadsByTheFirst) {
  const History history = support::parse(kStaleList);
  const Certificate proof =
      certificate(Level::kSerializable, {{{}, {rw(2, 1, 0, txn(0)), rw(1, 2, 1)}, {}}});
  const std::string text = narrate(history, make_scenario(history, proof), {});
  expect_contains(text, "\n       r(x)=L, which is [1 2 3 4 5 6 7] (7 elements)\n");
  expect_contains(text, "\n       r(x)=L + [8] (8 elements)\n");
  expect_contains(text, "because T1 read x up to 7 (7 elements), without T2's append of 8.");
}

TEST(Lists, SentencesCallWitnesses) {
  const History history = support::parse(kStaleList);
  // T3 comes in by its own session order, as any transaction of a longer argument does.
  const Certificate proof = certificate(
      Level::kSerializable, {{{}, {rw(2, 1, 0, txn(0)), wr(1, 3, 0), so(3, 2)}, {}}});
  const Scenario scenario = make_scenario(history, proof);
  const std::vector<ScenarioEdge>& edges = scenario.steps[0].cycle;
  EXPECT_EQ(edges[0].because,
            "C:0 read x up to 7 (7 elements), without B:0's append of 8, which D:0 read right "
            "after 7");
  EXPECT_EQ(edges[1].because, "D:0 read 8 in x (the last of 8 elements), which B:0 appended");
}

TEST(Lists, OneReadAloneHasNoName) {
  const History history =
      support::parse("A: a(x=1) w(y=1); B: r(x=[1 2 3 4 5 6 7 8 9]) r(y=_)");
  const Certificate proof =
      certificate(Level::kSerializable, {{{}, {wr(0, 1, 0), rw(1, 0, 1)}, {}}});
  const std::string text = narrate(history, make_scenario(history, proof), {});
  expect_contains(text, "r(x)=[1 2 ... 7 8 9] (9 elements)");
  EXPECT_EQ(text.find("L, which is"), std::string::npos) << text;
}

// Goal: a read that disagrees with the transaction's own past is told with that past.
TEST(Lists, OwnPastIsTold) {
  const auto told = [](const std::string& ops, std::uint32_t op) {
    const History history = support::parse("A: " + ops);
    Finding finding;
    finding.kind = FindingKind::kInternal;
    finding.txn = txn(0);
    finding.op = op;
    const Names names(history);
    return Phrase(history, names).finding(finding);
  };
  EXPECT_EQ(told("a(x=1) a(x=2) r(x=[1])", 2),
            "A:0 read x = [1], although it had appended 1, 2 before");
  EXPECT_EQ(told("r(x=[7]) a(x=1) w(y=5) r(x=[7])", 3),
            "A:0 read x = [7], although it had read x = [7] and appended 1 before");
  EXPECT_EQ(told("r(x=[7]) r(x=[8])", 1),
            "A:0 read x = [8], although it had read x = [7] before");
  EXPECT_EQ(told("r(y=1) w(y=2) r(y=3)", 2),
            "A:0 read y = 3, although it had written y = 2 before");
}

// Goal: where no read shows two elements, one that shows the first without the second does.
TEST(Lists, AReadThatLacksAnElementIsAReason) {
  const History history =
      support::parse("A: a(x=1) r(z=1); B: a(x=2) w(y=1); C: r(x=[1]) r(y=1) w(z=1)");
  const Certificate proof =
      certificate(Level::kSerializable, {{{}, {ww(0, 1, 0), wr(1, 2, 2), wr(2, 0, 1)}, {}}});
  const Scenario scenario = make_scenario(history, proof);
  EXPECT_EQ(scenario.steps[0].cycle[0].because,
            "A:0 appended 1 to x before B:0 appended 2, for C:0 read x = [1], without 2");
}

TEST(Lists, ForkIsToldFromWhereItBegins) {
  const History history = support::parse(
      "A: r(x=[1 2 3 4 5 6 7 8]); B: r(x=[1 2 3 4 5 6 7 9]); C: r(x=[1 2]) ; D: r(x=[2])");
  const auto told = [&history](TxnId mine, TxnId theirs) {
    Finding finding;
    finding.kind = FindingKind::kIncompatibleOrder;
    finding.txn = mine;
    finding.other = theirs;
    const Names names(history);
    return Phrase(history, names).finding(finding);
  };
  EXPECT_EQ(
      told(txn(0), txn(1)),
      "A:0 read x up to 8 (8 elements), and B:0 read x up to 9 (8 elements); neither list "
      "continues the other: after the same first 7 elements, A:0 saw [8] and B:0 saw [9]");
  EXPECT_EQ(told(txn(2), txn(3)),
            "C:0 read x = [1 2], and D:0 read x = [2]; neither list continues the other");
}

}  // namespace
}  // namespace isolde::explain

#include "explain/notation.hpp"

#include <gtest/gtest.h>

#include "explain/dot.hpp"
#include "history/notation.hpp"
#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

/// One session "s" whose transactions have these labels; null: none.
History labelled(std::initializer_list<const char*> labels, bool with_values = false) {
  HistoryBuilder builder;
  if (with_values) {
    builder.origin().notation.values = history::parse_values("account/* balance@0+20").value();
  }
  const SessionId session = builder.session("s");
  for (const char* const label : labels) {
    builder.begin_txn(session);
    if (label != nullptr) builder.set_label(builder.string(label));
  }
  return builder.finish().value();
}

std::string places(const History& history, bool of_part) {
  std::vector<ScenarioTxn> txns;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    txns.emplace_back().txn = TxnId::at(t);
  }
  return place_words(history, txns, of_part);
}

TEST(Notation, NamesThatArePlacesAreExplained) {
  EXPECT_EQ(places(labelled({nullptr}), false), "s:0, session s's first transaction");
  EXPECT_EQ(places(labelled({"transfer", nullptr}), false),
            "s:1, session s's transaction 1, counted from 0");
  EXPECT_EQ(places(labelled({"transfer"}), false), "");
}

// Goal: the names of a part are the places of the whole; a name of the user's own may look like
// a place, and be another one's.
TEST(Notation, NamesOfAPartAreThoseOfTheWhole) {
  EXPECT_EQ(places(labelled({"s:4"}), true), "s:4, session s's transaction 4, counted from 0");
  EXPECT_EQ(places(labelled({"s:4"}), false), "");
  EXPECT_EQ(places(labelled({"s:0"}), false), "s:0, session s's first transaction");
  EXPECT_EQ(places(labelled({"s:b", "q:1", "s:"}), true), "");
}

TEST(Notation, NumbersBehindValuesAreExplained) {
  const History bank = labelled({nullptr}, true);
  EXPECT_EQ(number_words(bank, "f(#) (#x) 70 (#30) and 80 (#31)"),
            "(#30), a number that tells equal values apart");
  EXPECT_EQ(number_words(bank, "70 (#30"), "");
  EXPECT_EQ(number_words(bank, "70"), "");
  EXPECT_EQ(number_words(labelled({nullptr}), "70 (#30)"), "");
}

// Goal: who has only the picture is told, too; markup in a name stays a name.
TEST(Notation, APictureExplainsItsSigns) {
  HistoryBuilder builder;
  for (const char* const name : {"<b>&", "B"}) {
    builder.begin_txn(builder.session(name));
    const KeyId x = builder.key(builder.string("x"));
    const KeyId y = builder.key(builder.string("y"));
    builder.read(x, {});
    builder.read(y, {});
    builder.write(name[0] == 'B' ? x : y, builder.integer(1));
  }
  const History history = builder.finish().value();
  const Scenario scenario = make_scenario(
      history, cycle_certificate(Level::kSerializable, {rw(0, 1, 0), rw(1, 0, 1)}));
  EXPECT_NE(to_dot(history, scenario).find("&lt;b&gt;&amp;:0, session &lt;b&gt;&amp;'s first"),
            std::string::npos)
      << to_dot(history, scenario);
  EXPECT_EQ(to_dot(history, scenario, {.stands_alone = false}).find("'s first"),
            std::string::npos);
}

}  // namespace
}  // namespace isolde::explain

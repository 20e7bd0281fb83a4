#include "history/texts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

constexpr const char* kHostile = "a\x1b\n";
constexpr const char* kShown = "a\\x1b\\x0a";

History hostile_history(bool labelled) {
  HistoryBuilder builder;
  builder.begin_txn(builder.session(kHostile));
  if (labelled) builder.set_label(builder.string("T\n"));
  builder.write(builder.key(builder.string(kHostile)), builder.string("v\r"));
  return std::move(builder.finish()).value();
}

// Goal: people get printable texts from whatever names they are made, programs exact ones.
TEST(Texts, ArePrintableForPeopleAndExactForPrograms) {
  const History history = hostile_history(false);
  const TxnId txn = TxnId::at(0);
  const Op& op = history.ops(txn)[0];
  EXPECT_EQ(history::session_text(history, SessionId::at(0)), kShown);
  EXPECT_EQ(history.txn_name(txn), std::string(kShown) + ":0");
  EXPECT_EQ(history.place_name(txn), std::string(kShown) + ":0");
  EXPECT_EQ(history.text(history.key_name(op.key)), kShown);
  EXPECT_EQ(history.op_text(op), "w(" + std::string(kShown) + ")=v\\x0d");
  EXPECT_EQ(history::exact_txn_name(history, txn), std::string(kHostile) + ":0");
  EXPECT_EQ(history::exact_text(history, history.key_name(op.key)), kHostile);
}

TEST(Texts, LabelsAreNamesOfTheirOwn) {
  const History history = hostile_history(true);
  EXPECT_EQ(history.txn_name(TxnId::at(0)), "T\\x0a");
  EXPECT_EQ(history::exact_txn_name(history, TxnId::at(0)), "T\n");
  EXPECT_EQ(history.place_name(TxnId::at(0)), std::string(kShown) + ":0");
}

// Goal: the JSON of a text commands no terminal and still means the text.
TEST(Texts, JsonHidesNothing) {
  HistoryBuilder builder;
  const Value value = builder.string("\x1b\x7f\xC2\x9b\xE2\x80\xAE");
  builder.begin_txn(builder.session("s"));
  builder.write(builder.key(builder.integer(1)), value);
  const History history = std::move(builder.finish()).value();
  EXPECT_EQ(history.json(value), "\"\\u001b\\u007f\\u009b\\u202e\"");
}

}  // namespace
}  // namespace isolde

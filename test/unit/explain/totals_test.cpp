// Goal: a total is told of those who read all registers and change none, and of nobody else.
#include "explain/totals.hpp"

#include <gtest/gtest.h>

#include "explain/closing.hpp"
#include "explain/summary.hpp"
#include "history/notation.hpp"
#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

constexpr std::int64_t balance(std::int64_t number, std::int64_t amount) {
  return (number << 20) | amount;
}

class Bank {
 public:
  Bank() {
    builder_.origin().notation.values =
        history::parse_values("account/* balance@0+20 initial=100 keys=3 total=300").value();
    for (const char* name : {"account/0", "account/1", "account/2", "log"}) {
      keys_.push_back(builder_.key(builder_.string(name)));
    }
  }
  void txn(const char* session) { builder_.begin_txn(builder_.session(session)); }
  void read(std::size_t key, std::int64_t value) {
    builder_.read(keys_[key], value == 0 ? Value() : Value::integer(value));
  }
  void write(std::size_t key, std::int64_t value) {
    builder_.write(keys_[key], Value::integer(value));
  }
  void end(TxnStatus status) { builder_.set_status(status); }
  History history() { return std::move(builder_.finish()).value(); }

 private:
  HistoryBuilder builder_;
  std::vector<KeyId> keys_;
};

TEST(Totals, AreThoseOfWhoReadsAll) {
  Bank bank;
  bank.txn("A");
  for (const std::size_t key : {0U, 1U}) bank.read(key, 0);
  bank.write(0, balance(1, 90));
  bank.write(1, balance(2, 110));
  bank.txn("B");  // half of the transfer
  bank.read(0, balance(1, 90));
  bank.read(1, 0);
  bank.read(3, 0);
  bank.read(2, 0);
  bank.txn("C");
  for (const std::size_t key : {0U, 1U, 2U, 2U}) bank.read(key, 0);
  bank.txn("D");  // not all of them
  bank.read(0, balance(1, 90));
  bank.txn("E");  // who changes one may well see another total
  for (const std::size_t key : {1U, 2U}) bank.read(key, 0);
  bank.write(0, balance(3, 50));
  bank.read(0, balance(3, 50));
  const History history = bank.history();
  ASSERT_TRUE(total_read_by(history, TxnId(1)));
  EXPECT_EQ(total_text(*total_read_by(history, TxnId(1))),
            "saw a total balance of 290, not 300");
  EXPECT_EQ(total_text(*total_read_by(history, TxnId(2))), "saw a total balance of 300");
  for (const std::uint32_t other : {0U, 3U, 4U}) {
    EXPECT_FALSE(total_read_by(history, TxnId(other))) << other;
  }
  EXPECT_EQ(
      totals_text(history),
      "1 of 2 transactions that read all 3 keys account/* saw a total balance of 290; each "
      "transaction by itself keeps it at 300.");
  EXPECT_TRUE(totals_are_off(history));
}

// Goal: whoever asks for a level that allows such totals learns how to get advice.
TEST(Totals, AreNotLeftWithoutAdvice) {
  for (const bool is_off : {false, true}) {
    Bank bank;
    bank.txn("A");
    for (const std::size_t key : {0U, 1U}) bank.read(key, 0);
    bank.write(0, balance(1, 90));
    bank.write(1, balance(2, 110));
    bank.txn("B");
    bank.read(0, balance(1, 90));
    bank.read(1, is_off ? 0 : balance(2, 110));
    bank.read(2, 0);
    const History history = bank.history();
    EXPECT_EQ(totals_are_off(history), is_off);
    ReportModel model{history, {}, {}, {}, {}};
    model.levels = {{Level::kReadCommitted, Verdict::kHolds, "", {}, {}}};
    for (const bool asked : {false, true}) {
      model.asked = asked;
      const bool told =
          summary_of(model).totals.find("no level is asked for") != std::string::npos;
      EXPECT_EQ(told, is_off && asked);
    }
  }
}

TEST(Totals, OfWhatMayNotHaveHappenedCountNot) {
  for (const TxnStatus status :
       {TxnStatus::kCommitted, TxnStatus::kAborted, TxnStatus::kIndeterminate}) {
    Bank bank;
    bank.txn("A");
    for (const std::size_t key : {0U, 1U, 2U}) bank.read(key, 0);
    bank.end(status);
    EXPECT_EQ(
        totals_text(bank.history()),
        status == TxnStatus::kCommitted
            ? "The only transaction that read all 3 keys account/* saw a total balance of "
              "300."
            : "");
  }
}

TEST(Totals, AreUnknownWithoutNotation) {
  const History history = support::parse("A: r(x=_) r(y=_) r(z=_)");
  EXPECT_EQ(totals_text(history), "");
  EXPECT_FALSE(total_read_by(history, TxnId(0)));
}

// Goal: a lost update says how much is lost.
TEST(Totals, AndChangesOfALostUpdate) {
  Bank bank;
  bank.txn("A");
  bank.read(0, 0);
  bank.write(0, balance(1, 92));
  bank.txn("B");
  bank.read(0, 0);
  bank.write(0, balance(2, 103));
  const History history = bank.history();
  const Scenario scenario = make_scenario(
      history, cycle_certificate(Level::kSnapshotIsolation, {rw(0, 1, 0), rw(1, 0, 0)}));
  EXPECT_EQ(closing_text(history, Names(history), scenario),
            "Whichever of A:0 and B:0 came first, the other one overwrote its write of "
            "account/0 without having seen it. A:0 changed the balance that it read by -8 and "
            "B:0 by +3; one of the two changes is gone.");
}

}  // namespace
}  // namespace isolde::explain

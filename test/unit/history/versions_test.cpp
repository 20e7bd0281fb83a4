// Goal: History::with_trusted_versions() says of each operation which version it is of, and of
// versions that contradict values which ones. Method: small histories by hand, as texts.
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "history/copier.hpp"
#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

/// Transactions of sessions of their own; each call adds an operation.
class Versions : public testing::Test {
 protected:
  void txn(TxnStatus status = TxnStatus::kCommitted) {
    builder_.begin_txn(builder_.session("s" + std::to_string(++txns_)));
    builder_.set_status(status);
  }
  void write(int value, int version = 0) {
    builder_.write(x(), Value::integer(value));
    if (version != 0) builder_.set_version(Value::integer(version));
  }
  void read(int value, int version = 0) {
    builder_.read(x(), Value::integer(value));
    if (version != 0) builder_.set_version(Value::integer(version));
  }
  Value row(std::initializer_list<std::pair<const char*, int>> columns) {
    std::vector<ColumnValue> made;
    for (const auto& [name, value] : columns) {
      made.push_back({builder_.string(name), Value::integer(value)});
    }
    return builder_.row(made);
  }
  KeyId x() { return builder_.key(builder_.string("x")); }

  Result<History> trusted() {
    const Result<History> history = builder_.finish();
    EXPECT_TRUE(history.ok());
    return history->with_trusted_versions();
  }
  /// All operations, or what is wrong.
  std::string told() {
    const Result<History> history = trusted();
    if (!history) return history.error().message;
    std::string text;
    for (const Op& op : history->all_ops()) {
      text += (text.empty() ? "" : " ") + history->op_text(op);
    }
    return text;
  }
  void expect_contradiction(const std::string& what) {
    const Result<History> history = trusted();
    ASSERT_FALSE(history.ok());
    EXPECT_EQ(history.error().code, ErrorCode::kBadInput);
    EXPECT_NE(history.error().message.find(": versions contradict values: " + what + ";"),
              std::string::npos)
        << history.error().message;
  }

  HistoryBuilder builder_;
  int txns_ = 0;
};

TEST_F(Versions, TellEqualValuesApart) {
  txn();
  write(1, 17);
  txn();
  write(1, 18);
  txn();
  read(1, 18);
  EXPECT_EQ(told(), "w(x)=1@17 w(x)=1@18 r(x)=1@18");
}

TEST_F(Versions, OfAnUnknownWriteAreOfWritesWithoutOne) {
  txn();
  write(1, 17);
  txn(TxnStatus::kIndeterminate);
  write(1);
  txn();
  read(1, 18);
  EXPECT_EQ(told(), "w(x)=1@17 w(x)=1 r(x)=1");
}

TEST_F(Versions, FollowWhereOnlyOneHoldsTheValue) {
  txn();
  write(1, 17);
  txn();
  read(1);
  txn();
  write(2);
  txn();
  read(2);
  EXPECT_EQ(told(), "w(x)=1@17 r(x)=1@17 w(x)=2 r(x)=2");
}

TEST_F(Versions, OfATransactionsOwnWriteNeedNotBeTold) {
  txn();
  write(1, 17);
  txn();
  write(1, 18);
  read(1);
  write(2, 18);
  read(2, 18);
  txn();
  write(1);
  read(1, 19);
  EXPECT_EQ(told(), "w(x)=1@17 w(x)=1@18 r(x)=1@18 w(x)=2@18 r(x)=2@18 w(x)=1 r(x)=1");
}

TEST_F(Versions, OfAnotherTransactionAreNoOwnWrite) {
  txn();
  write(1, 17);
  txn();
  write(1, 18);
  read(1, 17);
  EXPECT_EQ(told(), "w(x)=1@17 w(x)=1@18 r(x)=1@17");
}

TEST_F(Versions, ThatNameAWriteOfAnotherValueContradictIt) {
  txn();
  write(1, 17);
  txn();
  read(2, 17);
  expect_contradiction("s2:0 r(x)=2 of version 17, but s1:0 w(x)=1 of version 17");
}

TEST_F(Versions, OfTwoTransactionsContradictEachOther) {
  txn();
  write(1, 17);
  txn();
  write(2, 17);
  expect_contradiction(
      "s1:0 w(x)=1 of version 17 and s2:0 w(x)=2 of version 17 are two transactions");
}

TEST_F(Versions, ThatNobodyWroteContradictThoseWhoWroteTheValue) {
  txn();
  write(1, 17);
  txn();
  read(1, 18);
  expect_contradiction(
      "s2:0 r(x)=1 of version 18, which no transaction wrote, and each that wrote the value "
      "has "
      "another version");
}

TEST_F(Versions, ThatNobodyWroteMayBeMissingWhereRecordsAre) {
  builder_.origin().truncated = true;
  txn();
  write(1, 17);
  txn();
  read(1, 18);
  EXPECT_EQ(told(), "w(x)=1@17 r(x)=1");
}

// What nobody wrote is a violation by its value alone, whatever its version.
TEST_F(Versions, SayNothingOfAValueThatNobodyWrote) {
  txn();
  read(1, 18);
  EXPECT_EQ(told(), "r(x)=1");
}

TEST_F(Versions, AreNeededWhereSeveralHoldTheValue) {
  txn();
  write(1, 17);
  txn();
  write(1, 18);
  txn();
  read(1);
  expect_contradiction(
      "s3:0 r(x)=1 tells no version, and versions of that value are told elsewhere");
}

TEST_F(Versions, TellWhichRowWasReadInPart) {
  txn();
  builder_.write(x(), row({{"a", 1}, {"b", 1}}));
  builder_.set_version(Value::integer(17));
  txn();
  builder_.write(x(), row({{"a", 1}, {"b", 2}}));
  builder_.set_version(Value::integer(18));
  txn();
  builder_.read(x(), row({{"a", 1}}));
  builder_.set_version(Value::integer(18));
  EXPECT_EQ(told(), "w(x)={a: 1, b: 1}@17 w(x)={a: 1, b: 2}@18 r(x)={a: 1, b: 2}@18");
}

TEST_F(Versions, OfRowsThatDoNotFitContradictThem) {
  txn();
  builder_.write(x(), row({{"a", 1}, {"b", 1}}));
  builder_.set_version(Value::integer(17));
  txn();
  builder_.read(x(), row({{"a", 2}}));
  builder_.set_version(Value::integer(17));
  expect_contradiction(
      "s2:0 r(x)={a: 2} of version 17, but s1:0 w(x)={a: 1, b: 1} of version 17");
}

// Conditions look at what a version holds.
TEST_F(Versions, MeetConditionsAsTheirValuesDo) {
  txn();
  write(5, 17);
  txn();
  Predicate predicate;
  predicate.values = Predicate::Bounds{0, 9};
  builder_.select(predicate, {});
  const Result<History> history = trusted();
  ASSERT_TRUE(history.ok());
  ASSERT_EQ(history->all_ops().size(), 2U);
  EXPECT_EQ(history->all_ops()[1].kind, OpKind::kReadAbsent);
  EXPECT_TRUE(history->selects(predicate, history->all_ops()[0].value));
  EXPECT_FALSE(history->fits(history->all_ops()[1], history->all_ops()[0].value));
}

// Parts of a history are copied to be checked: conditions and rows must mean the same there.
TEST_F(Versions, AreCopiedWithTheirValues) {
  txn();
  write(5, 17);
  const KeyId y = builder_.key(builder_.string("y"));
  builder_.write(y, row({{"a", 1}, {"b", 1}}));
  builder_.set_version(Value::integer(18));
  txn();
  builder_.write(y, row({{"a", 1}, {"c", 1}}));
  builder_.set_version(Value::integer(19));
  txn();
  Predicate predicate;
  predicate.values = Predicate::Bounds{0, 9};
  builder_.select(predicate, {});
  builder_.read(y, row({{"a", 1}}));
  builder_.set_version(Value::integer(18));
  const Result<History> history = trusted();
  ASSERT_TRUE(history.ok());
  HistoryBuilder builder;
  history::Copier copier(*history, builder);
  for (std::size_t t = 0; t < history->txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    copier.begin_txn(txn);
    if (!history->selections(txn).empty()) {
      builder.select(copier.predicate(history->predicates()[0]), {});
    }
    for (const Op& op : history->ops(txn)) {
      if (op.kind != OpKind::kReadAbsent) copier.op(op, copier.key(op.key));
    }
  }
  const Result<History> copy = builder.finish();
  ASSERT_TRUE(copy.ok());
  ASSERT_EQ(copy->op_count(), history->op_count());
  for (std::size_t i = 0; i < history->op_count(); ++i) {
    const Op& one = history->all_ops()[i];
    const Op& two = copy->all_ops()[i];
    EXPECT_EQ(copy->op_text(two), history->op_text(one));
    EXPECT_EQ(two.kind, one.kind);
    EXPECT_EQ(copy->json(copy->version(two)), history->json(history->version(one)));
  }
  EXPECT_EQ(copy->digest(), history->digest());
  EXPECT_TRUE(copy->trusts_versions());
}

// Of what was there at the start no version is told: a read with a version that somebody wrote
// is not of it.
TEST_F(Versions, InitialContentsHaveNone) {
  builder_.set_initial(x(), Value::integer(1));
  txn();
  write(1, 17);
  txn();
  read(1, 17);
  txn();
  read(1, 3);
  const Result<History> history = trusted();
  ASSERT_TRUE(history.ok());
  EXPECT_EQ(history->initial(KeyId::at(0)), Value::integer(1));
  const std::span<const Op> ops = history->all_ops();
  EXPECT_EQ(ops[1].value, ops[0].value);
  EXPECT_EQ(ops[1].kind, OpKind::kRead);
  EXPECT_FALSE(history->fits_initial(ops[1]));
  EXPECT_EQ(ops[2].kind, OpKind::kRead);
  EXPECT_TRUE(history->fits_initial(ops[2]));
  EXPECT_EQ(history->seen(ops[2]), Value::integer(1));
}

TEST_F(Versions, ThatNobodyWroteAreOfInitialContentsOrOfWritesWithoutOne) {
  builder_.set_initial(x(), Value::integer(1));
  txn();
  write(1, 17);
  txn();
  write(1);
  txn();
  read(1, 3);
  const Result<History> history = trusted();
  ASSERT_TRUE(history.ok());
  const std::span<const Op> ops = history->all_ops();
  EXPECT_TRUE(history->fits_initial(ops[2]));
  EXPECT_FALSE(history->fits(ops[2], ops[0].value));
  EXPECT_TRUE(history->fits(ops[2], ops[1].value));
  // The same in a copy.
  HistoryBuilder builder;
  history::Copier copier(*history, builder);
  copier.initial(KeyId::at(0), copier.key(KeyId::at(0)));
  for (std::size_t t = 0; t < history->txn_count(); ++t) {
    copier.begin_txn(TxnId::at(t));
    for (const Op& op : history->ops(TxnId::at(t))) copier.op(op, copier.key(op.key));
  }
  const Result<History> copy = builder.finish();
  ASSERT_TRUE(copy.ok());
  EXPECT_FALSE(copy->fits(copy->all_ops()[2], copy->all_ops()[0].value));
  EXPECT_TRUE(copy->fits(copy->all_ops()[2], copy->all_ops()[1].value));
  EXPECT_EQ(copy->digest(), history->digest());
}

TEST_F(Versions, OwnWritesOfTheInitialValueAreReadBack) {
  builder_.set_initial(x(), Value::integer(1));
  txn();
  write(1, 17);
  read(1);
  EXPECT_EQ(told(), "w(x)=1@17 r(x)=1@17");
}

TEST_F(Versions, OfTheInitialValueMustBeTold) {
  builder_.set_initial(x(), Value::integer(1));
  txn();
  write(1, 17);
  txn();
  read(1);
  expect_contradiction(
      "s2:0 r(x)=1 tells no version, and versions of that value are told elsewhere");
}

TEST_F(Versions, OfOtherValuesAreNotOfInitialContents) {
  builder_.set_initial(x(), Value::integer(1));
  txn();
  write(2, 17);
  txn();
  read(1, 17);
  expect_contradiction("s2:0 r(x)=1 of version 17, but s1:0 w(x)=2 of version 17");
}

TEST_F(Versions, AreNoPartOfTheDigestUntilTheyAreTrusted) {
  std::vector<std::uint64_t> plain;
  std::vector<std::uint64_t> trusting;
  for (const int version : {0, 17, 18}) {
    builder_ = HistoryBuilder();
    txn();
    write(1, version);
    const Result<History> history = builder_.finish();
    ASSERT_TRUE(history.ok());
    plain.push_back(history->digest());
    trusting.push_back(history->with_trusted_versions()->digest());
    EXPECT_EQ(history->with_trusted_versions()->trusts_versions(), version != 0);
    txns_ = 0;
  }
  EXPECT_EQ(plain[0], plain[1]);
  EXPECT_EQ(plain[1], plain[2]);
  EXPECT_EQ(trusting[0], plain[0]);
  EXPECT_NE(trusting[1], plain[1]);
  EXPECT_NE(trusting[1], trusting[2]);
}

TEST_F(Versions, AreOfReadsWithAValueAndOfWrites) {
  const auto problem = [&](auto add) {
    builder_ = HistoryBuilder();
    txn();
    add();
    builder_.set_version(Value::integer(17));
    return builder_.status().ok() ? "" : builder_.status().error().message;
  };
  const std::string kind =
      "a version belongs to a write of a register, or to a read that returned a value of one";
  EXPECT_EQ(problem([&] { builder_.remove(x()); }), "");
  EXPECT_EQ(problem([&] { builder_.read(x(), Value::null()); }), kind);
  EXPECT_EQ(problem([&] { builder_.append(x(), Value::integer(1)); }), kind);
  EXPECT_EQ(problem([&] { builder_.read_unknown(x()); }), kind);
  EXPECT_EQ(problem([&] { builder_.read_except(x(), Value::integer(1)); }), kind);
  EXPECT_EQ(problem([] {}), "a version needs an operation in front of it");
}

TEST_F(Versions, ThatAreOrderedAreIntegers) {
  builder_.origin().versions_are_ordered = true;
  txn();
  builder_.write(x(), Value::integer(1));
  builder_.set_version(builder_.string("17"));
  const Result<History> history = builder_.finish();
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(
      history.error().message,
      "version \"17\" is not an integer of 62 bits, and the header says that versions are "
      "ordered");
}

}  // namespace
}  // namespace isolde

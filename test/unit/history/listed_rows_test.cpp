// Goal: rows that selections left out can be listed one by one, and taken out again without a
// trace. Method: a small history, written out before, meanwhile and afterwards.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "isolde/history.hpp"
#include "isolde/history_builder.hpp"

namespace isolde {
namespace {

/// A writes rows 1 to 5. B selects twice; it writes between, and reads at last.
History make_history(bool with_versions) {
  HistoryBuilder builder;
  builder.list_rows_later();
  const auto key = [&](int number) { return builder.key(builder.integer(number)); };
  const auto value = [&](int number) { return builder.integer(10 * number); };
  const auto version = [&](int number) {
    return with_versions ? builder.integer(100 + number) : Value();
  };
  builder.begin_txn(builder.session("a"));
  for (int number = 1; number <= 5; ++number) {
    builder.write(key(number), value(number));
    builder.set_version(version(number));
  }
  builder.begin_txn(builder.session("b"));
  Predicate some;
  some.keys = Predicate::Bounds{1, 4};
  builder.select(some, std::vector<Row>{{key(1), value(1), version(1)}});
  builder.write(key(9), value(9));
  builder.select(some, {});
  builder.read(key(5), value(5));
  builder.set_version(version(5));
  return std::move(builder.finish()).value();
}

std::string all_of(const History& history) {
  std::string text = history.has_unlisted_rows() ? "unlisted" : "listed";
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    text += "\n";
    for (const Op& op : history.ops(txn)) {
      text += history.op_text(op);
      const Value version = history.version(op);
      text += version.is_null() ? "; " : " v" + history.json(version) + "; ";
    }
    for (const Selection& each : history.selections(txn)) {
      text += std::to_string(each.first) + "+" + std::to_string(each.rows) + "+" +
              std::to_string(each.absents) + " ";
    }
  }
  return text;
}

LeftOutRow row_of_b(std::uint32_t selection, int key, Value read = {}) {
  return {TxnId(1), selection, KeyId::at(static_cast<std::size_t>(key - 1)), read};
}

TEST(ListedRows, AreThereForNow) {
  History history = make_history(true);
  const std::string before = all_of(history);
  const Value fifty = history.ops(TxnId(0))[4].value;
  for (int times = 0; times < 2; ++times) {
    history.list_rows_for_now(
        std::vector<LeftOutRow>{row_of_b(0, 2), row_of_b(0, 3, fifty), row_of_b(1, 1)});
    EXPECT_EQ(all_of(history),
              "listed\n"
              "w(1)=10 v101; w(2)=20 v102; w(3)=30 v103; w(4)=40 v104; w(5)=50 v105; \n"
              "r(1)=10 v101; select(keys 1 to 4) without key 2; r(3)=50; w(9)=90; "
              "select(keys 1 to 4) without key 1; r(5)=50 v105; 0+1+2 4+0+1 ");
    history.unlist_rows();
    EXPECT_EQ(all_of(history), before);
  }
}

TEST(ListedRows, NeedNoVersions) {
  History history = make_history(false);
  const std::string before = all_of(history);
  history.list_rows_for_now(std::vector<LeftOutRow>{row_of_b(1, 4)});
  EXPECT_FALSE(history.has_versions());
  EXPECT_NE(all_of(history), before);
  history.unlist_rows();
  EXPECT_EQ(all_of(history), before);
  EXPECT_FALSE(history.has_versions());
}

}  // namespace
}  // namespace isolde

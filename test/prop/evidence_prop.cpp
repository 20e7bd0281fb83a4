// Goal: the counts of a history's evidence are what their definitions say. Method: random
// histories; every pair of transactions and every pair of operations by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "history/evidence.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prop {
namespace {

using history::Evidence;

class ByPairs {
 public:
  explicit ByPairs(const History& history) : history_(history) {}

  Evidence count() const {
    Evidence evidence;
    evidence.has_times = history_.has_times();
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      const TxnId txn = TxnId::at(i);
      if (took_effect(txn) && knows_something(txn)) ++evidence.in_effect;
      if (history_.status(txn) == TxnStatus::kCommitted) {
        for (const Op& op : history_.ops(txn)) evidence.reads_from_others += is_news(txn, op);
      }
      for (std::size_t j = 0; j < i; ++j) {
        for (const KeyId key : keys()) add_pair(evidence, TxnId::at(j), txn, key);
      }
    }
    for (const KeyId key : keys()) {
      std::uint64_t writers = 0;
      for (std::size_t i = 0; i < history_.txn_count(); ++i) {
        writers += took_effect(TxnId::at(i)) && writes(TxnId::at(i), key);
      }
      if (writers > 1) evidence.versions_replaced += writers - 1;
    }
    return evidence;
  }

 private:
  std::vector<KeyId> keys() const {
    std::vector<KeyId> all;
    for (std::size_t k = 0; k < history_.key_count(); ++k) all.push_back(KeyId::at(k));
    return all;
  }

  bool knows_something(TxnId txn) const {
    return std::ranges::any_of(history_.ops(txn),
                               [](const Op& op) { return op.kind != OpKind::kReadUnknown; });
  }

  bool writes(TxnId txn, KeyId key) const {
    return std::ranges::any_of(history_.ops(txn),
                               [&](const Op& op) { return op.is_write() && op.key == key; });
  }

  bool uses(TxnId txn, KeyId key) const {
    return std::ranges::any_of(history_.ops(txn), [&](const Op& op) {
      return op.key == key && op.kind != OpKind::kReadUnknown;
    });
  }

  /// What a read returned, null if nothing that was written.
  Value returned(const Op& op) const {
    if (op.kind == OpKind::kRead) return op.value;
    if (op.kind != OpKind::kReadList || history_.list(op).empty()) return Value::null();
    return history_.list(op).back();
  }

  std::vector<TxnId> writers_of(KeyId key, Value value) const {
    std::vector<TxnId> found;
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      for (const Op& op : history_.ops(TxnId::at(i))) {
        if (op.is_write() && op.key == key && op.value == value) found.push_back(TxnId::at(i));
      }
    }
    return found;
  }

  bool took_effect(TxnId txn) const {
    if (history_.status(txn) != TxnStatus::kIndeterminate) {
      return history_.status(txn) == TxnStatus::kCommitted;
    }
    for (std::size_t i = 0; i < history_.txn_count(); ++i) {
      if (history_.status(TxnId::at(i)) != TxnStatus::kCommitted) continue;
      for (const Op& op : history_.ops(TxnId::at(i))) {
        if (returned(op).is_null() || !op.is_read()) continue;
        if (writers_of(op.key, returned(op)) == std::vector<TxnId>{txn}) return true;
      }
    }
    return false;
  }

  bool is_news(TxnId txn, const Op& op) const {
    if (!op.is_read() || returned(op).is_null()) return false;
    const std::vector<TxnId> writers = writers_of(op.key, returned(op));
    return !writers.empty() && std::ranges::none_of(writers, [&](TxnId writer) {
      return history_.session_of(writer) == history_.session_of(txn);
    });
  }

  bool is_before(TxnId a, TxnId b) const {
    const std::int64_t end = history_.times(a).end;
    const std::int64_t start = history_.times(b).start;
    return end != kNoTime && start != kNoTime && end < start;
  }

  void add_pair(Evidence& evidence, TxnId a, TxnId b, KeyId key) const {
    if (!takes_part(a, key) || !takes_part(b, key)) return;
    if (!took_effect(a) && !took_effect(b)) return;
    if (!writes(a, key) && !writes(b, key)) return;
    ++evidence.meetings;
    if (history_.session_of(a) == history_.session_of(b)) return;
    if (!is_before(a, b) && !is_before(b, a)) ++evidence.overlapping_meetings;
  }

  /// Aborted transactions only with what they wrote; those of unknown outcome from which nobody
  /// read not at all.
  bool takes_part(TxnId txn, KeyId key) const {
    if (took_effect(txn)) return uses(txn, key);
    return history_.status(txn) == TxnStatus::kAborted && writes(txn, key);
  }

  const History& history_;
};

TEST(Evidence, IsWhatPairsSay) {
  const std::uint64_t cases = support::case_count(20000);
  std::uint64_t met = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const support::PlainHistory plain =
        support::random_history(base::mix2(support::run_seed(), i));
    const History history = support::build(plain);
    base::Budget budget;
    const Evidence fast = history::evidence_of(history, budget);
    const Evidence slow = ByPairs(history).count();
    ASSERT_TRUE(fast.exact);
    ASSERT_EQ(fast.in_effect, slow.in_effect) << support::to_text(plain);
    ASSERT_EQ(fast.meetings, slow.meetings) << support::to_text(plain);
    ASSERT_EQ(fast.overlapping_meetings, slow.overlapping_meetings) << support::to_text(plain);
    ASSERT_EQ(fast.reads_from_others, slow.reads_from_others) << support::to_text(plain);
    ASSERT_EQ(fast.versions_replaced, slow.versions_replaced) << support::to_text(plain);
    ASSERT_EQ(fast.has_times, slow.has_times);
    met += fast.overlapping_meetings > 0 ? 1 : 0;
  }
  EXPECT_GT(met, cases / 4);
}

// Goal: refused inserts are those of transactions that took effect, and the text tells of them
// where there are any.
TEST(Evidence, RefusedInsertsAreOfTransactionsInEffect) {
  const auto evidence = [](int refused, std::size_t enough = std::size_t{1} << 12) {
    HistoryBuilder builder;
    const KeyId x = builder.key(builder.string("x"));
    const auto begin = [&](const char* session, TxnStatus status) {
      builder.begin_txn(builder.session(session));
      builder.set_status(status);
      builder.write(x, builder.integer(static_cast<std::int64_t>(session[0])));
    };
    begin("a", TxnStatus::kCommitted);
    begin("b", TxnStatus::kAborted);
    builder.insert_refused(x);
    begin("c", TxnStatus::kIndeterminate);
    builder.insert_refused(x);
    begin("d", TxnStatus::kCommitted);
    builder.read(x, builder.integer('a'));
    for (int i = 0; i < refused; ++i) builder.insert_refused(x);
    begin("e", TxnStatus::kCommitted);
    builder.insert_refused(x);
    base::Budget budget;
    return history::evidence_of(std::move(builder.finish()).value(), budget, enough);
  };
  EXPECT_EQ(evidence(2).refused_inserts, 3U);
  EXPECT_NE(
      history::to_text(evidence(2)).find("; 3 inserts were refused by a row that was there"),
      std::string::npos);
  EXPECT_NE(
      history::to_text(evidence(0)).find("; 1 insert was refused by a row that was there"),
      std::string::npos);
  // Of a part.
  EXPECT_EQ(evidence(2, 9).refused_inserts, 2U);
  EXPECT_NE(history::to_text(evidence(2, 9)).find("; at least 2 inserts were refused"),
            std::string::npos);
  const History none = support::parse("a: w(x=1)\nb: r(x=?)");
  base::Budget budget;
  const Evidence without = history::evidence_of(none, budget);
  EXPECT_EQ(without.refused_inserts, 0U);
  EXPECT_EQ(history::to_text(without).find("refused"), std::string::npos);
}

// Goal: counts of the first part of a history are lower bounds, and "nothing met" is never said
// of a part.
TEST(Evidence, OfAPartIsALowerBound) {
  const std::uint64_t cases = support::case_count(3000);
  std::uint64_t parts = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(support::run_seed(), i));
    support::RandomHistoryOptions options = support::random_options(rng);
    options.txn_count = 12;
    const support::PlainHistory plain = support::random_history(rng, options);
    const History history = support::build(plain);
    base::Budget budget;
    const Evidence whole = history::evidence_of(history, budget);
    const Evidence part = history::evidence_of(history, budget, 3);
    parts += part.exact ? 0 : 1;
    if (!part.exact) {
      ASSERT_GT(part.overlapping_meetings, 0U);
      ASSERT_GT(part.reads_from_others, 0U);
      ASSERT_GT(part.versions_replaced, 0U);
    }
    ASSERT_LE(part.overlapping_meetings, whole.overlapping_meetings);
    ASSERT_LE(part.meetings, whole.meetings);
    ASSERT_LE(part.versions_replaced, whole.versions_replaced);
    for (const LevelInfo& level : all_levels()) {
      ASSERT_EQ(history::trial(part, level), history::trial(whole, level))
          << support::to_text(plain);
    }
  }
  EXPECT_GT(parts, cases / 50);
}

// Goal: where the limits were over before anything was found, neither "tried" nor "nothing met"
// is said.
TEST(Evidence, OfASpentBudgetIsNotCounted) {
  const std::uint64_t cases = support::case_count(3000);
  std::uint64_t open = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const History history =
        support::build(support::random_history(base::mix2(support::run_seed(), i)));
    base::Budget budget;
    budget.cancel();
    const Evidence part = history::evidence_of(history, budget, 3);
    for (const LevelInfo& level : all_levels()) {
      const history::Trial trial = history::trial(part, level);
      if (part.overlapping_meetings > 0) {
        ASSERT_EQ(trial, history::Trial::kTried);
      } else if (!part.exact && part.meetings == 0) {
        ASSERT_EQ(trial, history::Trial::kNotCounted);
        ++open;
      }
    }
  }
  EXPECT_GT(open, cases / 10);
}

}  // namespace
}  // namespace isolde::prop

// Goal: the verifier never accepts a false claim, and accepts the true ones that a witness can
// show. Method: tiny random histories with everything that is awkward (repeated values, lists,
// aborted and indeterminate transactions, sessions, times, wrong reads), for which literal.hpp
// knows all acceptable orders; against them random certificates of each form.
//
// ISOLDE_SEED in the environment replays one run, ISOLDE_ROUNDS makes it longer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/rng.hpp"
#include "certify/certificate_io.hpp"
#include "literal.hpp"
#include "notation.hpp"
#include "oracle/level_tests.hpp"

namespace isolde::certify::test {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Writes random histories in the notation of notation.hpp. x and y are registers, l and m
/// lists.
class HistoryMaker {
 public:
  explicit HistoryMaker(base::Rng& rng)
      : rng_(rng),
        repeat_values_(rng.chance(0.3)),
        awkward_(rng.chance(0.5)),
        lists_(rng.chance(0.5)) {}

  History make() {
    // Writes first, so that reads can pick among all values.
    std::vector<std::vector<Plan>> txns(2 + rng_.below(3));
    for (std::vector<Plan>& ops : txns) {
      for (std::uint64_t n = 1 + rng_.below(3); n > 0; --n) ops.push_back(plan());
    }
    std::vector<std::string> texts;
    for (const std::vector<Plan>& ops : txns) {
      texts.push_back(header());
      for (const Plan& op : ops) {
        texts.back() += ' ';
        texts.back() += op.kind;
        texts.back() += ':';
        texts.back() += op.key;
        texts.back() += '=';
        texts.back() += op.kind == 'r' ? read_result(op.key) : op.value;
      }
    }
    return history(texts);
  }

 private:
  struct Plan {
    char kind = 'r';
    char key = 'x';
    std::string value;
  };

  /// Few values, so that they repeat now and then.
  Plan plan() {
    Plan op;
    op.key = lists_ ? "lm"[rng_.below(2)] : "xy"[rng_.below(2)];
    if (rng_.chance(0.5)) return op;
    op.kind = lists_ ? 'a' : 'w';
    op.value = std::to_string(repeat_values_ ? 1 + rng_.below(3) : next_value_++);
    written_[op.key].push_back(op.value);
    return op;
  }

  std::string header() {
    std::string text(1, "AB"[rng_.below(2)]);
    if (awkward_ && rng_.chance(0.3)) text += "!?"[rng_.below(2)];
    if (rng_.chance(0.3)) return text;
    const std::uint64_t start = rng_.below(20);
    text += '@';
    text += std::to_string(start);
    text += '-';
    return text += std::to_string(start + rng_.below(6));
  }

  std::string read_result(char key) {
    std::vector<std::string> values = written_[key];
    if (!lists_) {
      const std::size_t choice = rng_.below(values.size() + 1);
      return choice == values.size() ? "_" : values[choice];
    }
    // Mostly a prefix of one order, so that lists are often compatible.
    if (rng_.chance(0.1)) std::reverse(values.begin(), values.end());
    if (!values.empty() && rng_.chance(0.05)) values.push_back(values.front());
    values.resize(rng_.below(values.size() + 1));
    std::string text = "[";
    for (const std::string& value : values) {
      if (text.size() > 1) text += ',';
      text += value;
    }
    return text += ']';
  }

  base::Rng& rng_;
  bool repeat_values_;
  bool awkward_;
  bool lists_;
  std::uint64_t next_value_ = 1;
  std::map<char, std::vector<std::string>> written_;
};

History random_history(base::Rng& rng) { return HistoryMaker(rng).make(); }

std::string describe(const History& history) {
  std::string text;
  for (std::size_t i = 0; i < history.txn_count(); ++i) {
    text += history.txn_name(TxnId::at(i));
    text += " status ";
    text += std::to_string(static_cast<int>(history.status(TxnId::at(i))));
    text += " from ";
    text += std::to_string(history.times(TxnId::at(i)).start);
    text += " to ";
    text += std::to_string(history.times(TxnId::at(i)).end);
    for (const Op& op : history.ops(TxnId::at(i))) {
      text += ' ';
      text += history.op_text(op);
    }
    text += '\n';
  }
  return text;
}

class SoundnessTest : public testing::Test {
 protected:
  SoundnessTest() : seed_(from_environment("ISOLDE_SEED", 20261101)), rng_(seed_) {}

  std::uint64_t rounds(std::uint64_t normal) {
    return from_environment("ISOLDE_ROUNDS", normal);
  }

  const LevelInfo& random_level() {
    while (true) {
      const LevelInfo& level = all_levels()[rng_.below(all_levels().size())];
      if (asks_for_one_execution(level)) return level;
    }
  }

  TxnId random_txn(const History& history) {
    return TxnId(static_cast<std::uint32_t>(rng_.below(history.txn_count())));
  }
  KeyId random_key(const History& history) {
    return KeyId(static_cast<std::uint32_t>(rng_.below(history.key_count())));
  }

  std::string context(const History& history, const LevelInfo& level) {
    std::string text = "ISOLDE_SEED=";
    text += std::to_string(seed_);
    text += ' ';
    text += level.name;
    text += '\n';
    return text += describe(history);
  }

  std::uint64_t seed_;
  base::Rng rng_;
};

TEST_F(SoundnessTest, WitnessOfOneMentionIsAcceptedExactlyWhenTheCommitTestsPass) {
  std::uint64_t accepted = 0;
  for (std::uint64_t round = 0; round < rounds(4000); ++round) {
    const History history = random_history(rng_);
    const LevelInfo& level = random_level();
    // With one mention a snapshot is the state before the commit, which for snapshot isolation
    // is one choice of several; so there the commit test asks for no more than serializability.
    const bool exact = oracle::level_test(level.base).asks != oracle::Asks::kSnapshot;
    const std::int64_t clock_error_ns = static_cast<std::int64_t>(rng_.below(3));
    std::vector<TxnId> order;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      if (history.status(TxnId::at(i)) == TxnStatus::kCommitted) order.push_back(TxnId::at(i));
    }
    do {
      const Certificate certificate{level.level, history.digest(), clock_error_ns,
                                    Witness{1, order}};
      const bool proves = verify(history, certificate).proves;
      const bool passes = acceptable(history, level, clock_error_ns, order);
      accepted += proves ? 1 : 0;
      if (proves) {
        ASSERT_TRUE(passes) << context(history, level);
      }
      // Where values repeat, the levels with axioms judge by one of several sources.
      if (exact && !oracle::asks_for_sources(level.base)) {
        ASSERT_EQ(proves, passes) << context(history, level);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(accepted, rounds(4000) / 4);
}

/// Any subset, repetition and arrangement: what is accepted must contain the committed
/// transactions, no aborted one, and pass.
TEST_F(SoundnessTest, MutatedWitnessIsAcceptedOnlyWhenTheCommitTestsPass) {
  std::uint64_t accepted = 0;
  for (std::uint64_t round = 0; round < rounds(40000); ++round) {
    const History history = random_history(rng_);
    const LevelInfo& level = random_level();
    const int mentions = static_cast<int>(1 + rng_.below(2));
    std::vector<TxnId> order;
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      const TxnStatus status = history.status(TxnId::at(i));
      if (status == TxnStatus::kAborted ? rng_.chance(0.95) : rng_.chance(0.02)) continue;
      for (int n = rng_.chance(0.98) ? mentions : 3 - mentions; n > 0; --n) {
        order.push_back(TxnId::at(i));
      }
    }
    for (std::size_t n = rng_.below(8); n > 0 && !order.empty(); --n) {
      std::swap(order[rng_.below(order.size())], order[rng_.below(order.size())]);
    }
    const Certificate certificate{level.level, history.digest(), 0, Witness{mentions, order}};
    if (!verify(history, certificate).proves) continue;
    ++accepted;
    std::vector<TxnId> commits;
    for (std::size_t at = 0; at < order.size(); ++at) {
      const bool again = std::find(order.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                                   order.end(), order[at]) != order.end();
      if (!again) commits.push_back(order[at]);
    }
    EXPECT_EQ(commits.size() * static_cast<std::size_t>(mentions), order.size());
    for (std::size_t i = 0; i < history.txn_count(); ++i) {
      const TxnStatus status = history.status(TxnId::at(i));
      const auto count = std::count(commits.begin(), commits.end(), TxnId::at(i));
      ASSERT_LE(count, status == TxnStatus::kAborted ? 0 : 1) << context(history, level);
      ASSERT_GE(count, status == TxnStatus::kCommitted ? 1 : 0) << context(history, level);
    }
    ASSERT_TRUE(acceptable(history, level, 0, commits)) << context(history, level);
  }
  EXPECT_GT(accepted, rounds(40000) / 100);
}

TEST_F(SoundnessTest, FindingIsAcceptedOnlyWhenNoOrderIsAcceptable) {
  std::map<FindingKind, std::uint64_t> accepted;
  for (std::uint64_t round = 0; round < rounds(3000); ++round) {
    const History history = random_history(rng_);
    const LevelInfo& level = random_level();
    bool satisfiable = false;
    each_acceptable_order(history, level, 0,
                          [&](const std::vector<TxnId>&) { satisfiable = true; });
    for (int attempt = 0; attempt < 200; ++attempt) {
      Finding finding;
      finding.kind = static_cast<FindingKind>(rng_.below(kFindingKindCount));
      finding.txn = random_txn(history);
      finding.op = static_cast<std::uint32_t>(rng_.below(3));
      finding.element = static_cast<std::uint32_t>(rng_.below(3));
      finding.other = random_txn(history);
      finding.other_op = static_cast<std::uint32_t>(rng_.below(3));
      if (!verify(history, found(history, level.level, finding)).proves) continue;
      ++accepted[finding.kind];
      ASSERT_FALSE(satisfiable) << "finding " << static_cast<int>(finding.kind) << " of "
                                << history.txn_name(finding.txn) << " op " << finding.op << "\n"
                                << context(history, level);
    }
  }
  // Random reads return written values, and there are no selections. Increments have a test of
  // their own (test/prop/increment_prop.cpp).
  EXPECT_EQ(accepted.size(), kFindingKindCount - 4);
}

/// A step is sound when its clause has a true member in every acceptable order.
TEST_F(SoundnessTest, CycleStepIsAcceptedOnlyWhenItsClauseIsTrueInEveryAcceptableOrder) {
  std::uint64_t accepted = 0;
  std::uint64_t accepted_in_satisfiable = 0;
  for (std::uint64_t round = 0; round < rounds(6000); ++round) {
    const History history = random_history(rng_);
    const LevelInfo& level = random_level();
    std::vector<std::vector<TxnId>> orders;
    each_acceptable_order(history, level, 0,
                          [&](const std::vector<TxnId>& order) { orders.push_back(order); });
    if (orders.empty() && rng_.chance(0.7)) continue;
    for (int attempt = 0; attempt < 300; ++attempt) {
      RefutationStep step;
      const std::uint64_t length = 1 + rng_.below(3);
      TxnId at = random_txn(history);
      const TxnId first = at;
      for (std::uint64_t i = 0; i < length; ++i) {
        const TxnId next = i + 1 == length ? first : random_txn(history);
        Edge edge{at,
                  next,
                  static_cast<EdgeKind>(rng_.below(kEdgeKindCount)),
                  random_key(history),
                  {}};
        if (rng_.chance(0.5)) edge.via = random_txn(history);
        const TxnId earlier = edge.kind == EdgeKind::kVersionOrder ? edge.from : edge.via;
        const bool rests = edge.kind == EdgeKind::kVersionOrder ||
                           (edge.kind == EdgeKind::kAntiDependency && edge.via.is_some());
        if (rests && earlier != next && rng_.chance(0.7))
          step.clause.push_back({next, earlier});
        step.cycle.push_back(edge);
        at = next;
      }
      // The verifier stops at the first bad step, so a complaint about the second accepts this.
      const Certificate certificate =
          refuted(history, level.level, {step, RefutationStep{{order(0, 1)}, {}, {}}});
      if (outcome(history, certificate).rfind("step 1:", 0) != 0) continue;
      ++accepted;
      for (const std::vector<TxnId>& order : orders) {
        ++accepted_in_satisfiable;
        const bool some_true =
            std::any_of(step.clause.begin(), step.clause.end(), [&](VersionOrder claim) {
              const auto before = std::find(order.begin(), order.end(), claim.before);
              const auto after = std::find(order.begin(), order.end(), claim.after);
              return before != order.end() && after != order.end() && before < after;
            });
        ASSERT_TRUE(some_true) << context(history, level)
                               << certificate_text(history, certificate);
      }
    }
  }
  EXPECT_GT(accepted, rounds(6000) / 100);
  EXPECT_GT(accepted_in_satisfiable, rounds(6000) / 100);
}

}  // namespace
}  // namespace isolde::certify::test

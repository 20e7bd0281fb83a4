// Goal: where values repeat, saturation excludes the sources that its two rules exclude, finds
// those that are left, and never excludes one from which some acceptable execution reads.
// Method: hand histories for each rule; random ones against all serial executions that the
// brute-force oracle accepts.
#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/brute.hpp"
#include "prune/saturation.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::prune {
namespace {

using Outcome = Saturation::Outcome;

const infer::Encoding kOneEvent{.session_order = true};
const infer::Encoding kTwoEvents{.role = {.snapshot = true}, .session_order = true};

struct Narrowed {
  Narrowed(History given, const infer::Encoding& encoding)
      : history(std::move(given)), seen(infer::observe_open(history, budget)) {
    if (seen.finding() || seen.non_repeatable() || !seen.ambiguity().empty()) return;
    infer::EventGraph events(seen, encoding, budget);
    Saturation saturation(events, budget);
    outcome = saturation.run();
    derived = saturation.take();
  }

  std::string writer_name(infer::WriteId write) const {
    return write.is_none() ? "_" : std::to_string(seen.writer(write).raw());
  }
  /// What is left of each open read, as in "3: 0 1".
  std::string left() const {
    std::string text;
    for (std::size_t i = 0; i < seen.open_reads().size(); ++i) {
      text += (text.empty() ? "" : "; ") + std::to_string(seen.open_reads()[i].txn.raw()) + ":";
      for (const infer::WriteId source : derived.sources(i)) text += " " + writer_name(source);
      if (derived.is_found(i)) text += " found";
    }
    return text;
  }

  base::Budget budget;
  History history;
  infer::Observations seen;
  std::optional<Outcome> outcome;
  Derivation derived;
};

struct SourceCase {
  const char* what;
  const char* text;
  Outcome outcome;
  const char* left;
};

TEST(OpenReads, AppliesItsRules) {
  const SourceCase cases[] = {
      {"nothing binds", "A: w(x=1) ; B: w(x=1) ; C: r(x=1)", Outcome::kFixpoint, "2: 0 1"},
      {"S3: the reader precedes one of the writers",
       "A: w(x=1) ; B: r(z=1) w(x=1) ; C: r(x=1) w(z=1)", Outcome::kFixpoint, "2: 0 found"},
      {"S4: one was overwritten before the reader",
       "A: w(x=1) | w(x=2) ; B: r(x=2) | r(x=1) ; C: w(x=1)", Outcome::kFixpoint, "3: 4 found"},
      {"S4: its own session overwrote it",
       "A: w(x=1) w(y=1) ; B: r(y=1) w(x=2) | r(x=1) ; C: w(x=1)", Outcome::kFixpoint,
       "2: 3 found"},
      {"a transaction that overwrites what it read excludes nothing",
       "A: w(x=1) ; C: w(x=1) ; B: r(x=1) w(x=2)", Outcome::kFixpoint, "2: 0 1"},
      {"nothing is left", "A: w(x=1) | w(x=1) | w(x=2) ; B: r(x=2) | r(x=1)",
       Outcome::kNoSource, "4:"},
      {"what one read leaves decides another",
       "A: w(x=1) | w(x=2) w(z=1) ; B: r(z=1) r(x=2) | r(x=1) ; C: w(y=5) | w(x=1) ; "
       "D: w(y=5) ; E: r(y=6) ; F: w(y=6) ; B: r(y=5)",
       Outcome::kFixpoint, "3: 5 found; 9: 4 6"},
      {"an order from a source that was found, and S3 by it",
       "A: w(x=1) | w(x=2) w(z=1) ; B: r(z=1) | r(x=1) ; C: w(x=1) w(y=1) ; D: w(y=1) ; "
       "E: r(y=1) r(x=2)",
       Outcome::kFixpoint, "3: 4 found; 6: 5 found"},
      {"what may not have taken effect is left alone",
       "A: w(x=1) | w(x=2) ; B: r(x=2) | r(x=1) ; C: w(x=1) ?", Outcome::kFixpoint, "3: 4"},
  };
  for (const SourceCase& each : cases) {
    for (const infer::Encoding& encoding : {kOneEvent, kTwoEvents}) {
      const Narrowed run(support::parse(each.text), encoding);
      ASSERT_TRUE(run.outcome.has_value()) << each.what;
      EXPECT_EQ(*run.outcome, each.outcome) << each.what;
      EXPECT_EQ(run.left(), each.left) << each.what;
    }
  }
}

/// Calls visit(order) for each serial order of the transactions that the oracle accepts.
template <typename Visit>
void each_serial_order(oracle::Execution& execution, const Visit& visit) {
  if (execution.is_complete()) return visit(execution.order());
  const std::vector<TxnId> included(execution.included().begin(), execution.included().end());
  for (const TxnId next : included) {
    if (execution.contains(next)) continue;
    if (!execution.passes(Level::kStrongSessionSerializable, next)) continue;
    execution.push(next);
    each_serial_order(execution, visit);
    execution.pop();
  }
}

/// Whom the read sees in a serial order.
TxnId last_writer(const infer::Observations& seen, std::span<const TxnId> order, TxnId reader,
                  KeyId key) {
  TxnId last;
  for (const TxnId txn : order) {
    if (txn == reader) break;
    if (seen.find_write(txn, key).is_some()) last = txn;
  }
  return last;
}

struct SourceTally {
  std::size_t exclusions = 0;
  std::size_t found = 0;
  std::size_t orders = 0;
  std::size_t executions = 0;
  std::size_t without_source = 0;
};

void compare_sources(const Narrowed& run, SourceTally& tally) {
  const infer::Observations& seen = run.seen;
  for (const Fact& fact : run.derived.facts) {
    tally.exclusions += fact.kind == Fact::Kind::kExclusion ? 1U : 0U;
    tally.found += fact.kind == Fact::Kind::kSource ? 1U : 0U;
    tally.orders += fact.kind == Fact::Kind::kOrder ? 1U : 0U;
  }
  tally.without_source += *run.outcome == Outcome::kNoSource ? 1U : 0U;
  std::vector<TxnId> included;
  for (std::size_t t = 0; t < seen.txn_count(); ++t) {
    if (seen.is_included(TxnId::at(t))) included.push_back(TxnId::at(t));
  }
  oracle::Execution execution(run.history, included, 0);
  each_serial_order(execution, [&](std::span<const TxnId> order) {
    ++tally.executions;
    EXPECT_EQ(*run.outcome, Outcome::kFixpoint);
    const auto place = [&](TxnId each) {
      return std::find(order.begin(), order.end(), each) - order.begin();
    };
    for (const Fact& fact : run.derived.facts) {
      if (fact.kind != Fact::Kind::kOrder) continue;
      EXPECT_LT(place(fact.order.before), place(fact.order.after));
    }
    for (std::size_t i = 0; i < seen.open_reads().size(); ++i) {
      const infer::OpenRead& read = seen.open_reads()[i];
      const TxnId writer = last_writer(seen, order, read.txn, read.key);
      const auto left = run.derived.sources(i);
      EXPECT_TRUE(std::any_of(left.begin(), left.end(), [&](infer::WriteId source) {
        return (source.is_none() ? TxnId::none() : seen.writer(source)) == writer;
      })) << run.left();
    }
  });
}

TEST(OpenReads, ExcludesNoSourceOfAnAcceptableExecution) {
  SourceTally tally;
  const std::uint64_t first = support::run_seed();
  const std::uint64_t cases = support::case_count(20'000);
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.txn_count = 3 + rng.below(4);
    options.session_count = 1 + rng.below(3);
    options.duplicate_share = 0.5;
    options.indeterminate_share = 0;
    options.list_share = 0;
    const support::PlainHistory plain = support::random_history(rng, options);
    const Narrowed run(support::build(plain), kOneEvent);
    if (!run.outcome || run.seen.open_reads().empty()) continue;
    SCOPED_TRACE(testing::Message() << "seed " << seed << "\n" << support::to_text(plain));
    compare_sources(run, tally);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_TRUE(support::met(tally.exclusions, 10, cases)) << tally.exclusions;
  EXPECT_TRUE(support::met(tally.found, 10, cases)) << tally.found;
  EXPECT_TRUE(support::met(tally.without_source, 50, cases)) << tally.without_source;
  EXPECT_TRUE(support::met(tally.executions, 10, cases)) << tally.executions;
}

TEST(OpenReads, StopWithTheBudget) {
  const char* text = "A: w(x=1) ; B: w(x=1) ; C: r(x=1)";
  base::Budget budget;
  const History history = support::parse(text);
  const infer::Observations seen = infer::observe_open(history, budget);
  infer::EventGraph events(seen, kOneEvent, budget);
  Saturation saturation(events, budget);
  budget.cancel();
  EXPECT_EQ(saturation.run(), Outcome::kStopped);
}

}  // namespace
}  // namespace isolde::prune

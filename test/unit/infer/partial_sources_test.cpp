// Goal: the possible sources of a read that tells its version in part are the final writes that
// fit it, with and without each way of finding them faster. Method: random transactions with
// rows, in which every selection differs from others in a part of its condition; each list is
// held against a plain look at all writes.
#include "infer/partial_sources.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/hash.hpp"
#include "base/ways.hpp"
#include "isolde/history_builder.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"

namespace isolde::infer {
namespace {

std::string pick(base::Rng& rng, const std::vector<std::string>& texts) {
  return texts[rng.below(texts.size())];
}

/// Conditions that are equal but for one of their parts, and now and then for their keys.
std::string condition(base::Rng& rng) {
  return pick(rng, {"keys=0..1 ", "keys=0..9 ", ""}) +
         pick(rng, {"values=1..2", "values=1..1", "equal=1", "equal=2", "cols=a:1", "cols=b:1",
                    "cols=a:_", "cols=a:!_", "cols=a:!1", "cols=a:!2", "cols=a:1..2",
                    "cols=a:2..3"});
}

std::string transaction(base::Rng& rng, std::size_t number) {
  std::string text = "s" + std::to_string(number) + ":";
  for (std::uint64_t i = 1 + rng.below(3); i > 0; --i) {
    if (rng.chance(0.5)) {
      text += " s(" + condition(rng) + ":)";
    } else {
      text += " w(" + std::to_string(rng.below(2)) + "=" +
              pick(rng, {"1", "2", "a:1", "a:2", "a:3", "b:1", "a:1/b:2"}) + ")";
    }
  }
  return text + (rng.chance(0.1) ? " !" : "") + " ; ";
}

std::vector<TxnId> plain(const History& history, const Op& read) {
  std::vector<TxnId> found;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (history.status(txn) == TxnStatus::kAborted) continue;
    Value last;
    for (const Op& op : history.ops(txn)) {
      if (op.kind == OpKind::kWrite && op.key == read.key) last = op.value;
    }
    if (!last.is_absent() && history.fits(read, last)) found.push_back(txn);
  }
  return found;
}

TEST(PartialSources, AreTheWritesThatFit) {
  const std::uint64_t seed = support::run_seed();
  std::size_t lists = 0;
  for (std::uint64_t i = 0; i < support::case_count(2'000); ++i) {
    base::Rng rng(base::mix2(seed, i));
    std::string text;
    for (std::size_t t = 3 + rng.below(8); t > 0; --t) text += transaction(rng, t);
    const History history = support::parse(text);
    const base::Ways usual = base::ways();
    for (const bool shares : {true, false}) {
      base::ways().share_conditions = shares;
      base::Budget budget;
      PartialSources sources(history, budget);
      for (const Op& op : history.all_ops()) {
        if (!op.is_partial() || !history.may_have_seen_a_write(op)) continue;
        const std::span<const TxnId> found = sources.find(op);
        ASSERT_EQ(std::vector<TxnId>(found.begin(), found.end()), plain(history, op))
            << "seed " << seed << " case " << i << " " << text;
        ++lists;
      }
    }
    base::ways() = usual;
  }
  EXPECT_GT(lists, support::case_count(2'000));
}

TEST(PartialSources, DifferByTheValuesOfAList) {
  HistoryBuilder builder;
  const auto select_in = [&](std::int64_t bound, std::int64_t value) {
    const Scalar included[] = {value};
    const TestRecord tests[] = {{.column = "a", .in = included}};
    builder.add(
        {.kind = RecordKind::kSelect,
         .condition = ConditionRecord{.keys = Predicate::Bounds{0, bound}, .tests = tests}});
  };
  builder.begin_txn(builder.session("reader"));
  select_in(5, 1);
  select_in(6, 2);
  for (const std::int64_t value : {1, 2, 3}) {
    builder.begin_txn(builder.session("writer"));
    const ColumnRecord columns[] = {{"a", value}};
    builder.add({.kind = RecordKind::kWrite, .key = 1, .columns = columns});
  }
  const Result<History> built = builder.finish();
  ASSERT_TRUE(built) << built.error().message;
  const History& history = *built;
  base::Budget budget;
  PartialSources sources(history, budget);
  const std::span<const Op> reads = history.ops(TxnId::at(0));
  ASSERT_EQ(reads.size(), 2U);
  for (const Op& read : reads) {
    const std::span<const TxnId> found = sources.find(read);
    EXPECT_EQ(std::vector<TxnId>(found.begin(), found.end()), plain(history, read));
  }
}

}  // namespace
}  // namespace isolde::infer

// Goal: each open read has the sources that a look at all transactions finds, and the lists
// that reads share are no longer than the history. Method: hand histories for what is shared,
// random ones against a search through all operations.
#include "infer/sources.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "isolde/history_builder.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/infer/observed.hpp"

namespace isolde::infer {
namespace {

using test::txn;

std::vector<std::uint32_t> writers(const Observations& seen, const OpenRead& read) {
  std::vector<std::uint32_t> found;
  for (const WriteId write : seen.sources(read)) {
    EXPECT_EQ(seen.written_key(write), read.key);
    found.push_back(seen.writer(write).raw());
  }
  return found;
}

struct Opened {
  explicit Opened(History given)
      : history(std::make_unique<History>(std::move(given))),
        seen(observe_open(*history, budget)) {}
  explicit Opened(std::string_view text) : Opened(support::parse(text)) {}

  base::Budget budget;
  std::unique_ptr<const History> history;
  Observations seen;
};

TEST(Sources, PassOverTheOwnWrite) {
  const std::vector<WriteId> all = {WriteId(1), WriteId(4), WriteId(6)};
  for (const std::uint32_t own : {0U, 1U, 2U, Sources::kNowhere}) {
    const Sources sources(all, own);
    std::vector<WriteId> expected = all;
    if (own != Sources::kNowhere) expected.erase(expected.begin() + own);
    EXPECT_EQ(std::vector<WriteId>(sources.begin(), sources.end()), expected);
    ASSERT_EQ(sources.size(), expected.size());
    EXPECT_FALSE(sources.empty());
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(sources[i], expected[i]);
    for (std::uint32_t w = 0; w < 8; ++w) {
      const bool is_in =
          std::find(expected.begin(), expected.end(), WriteId(w)) != expected.end();
      EXPECT_EQ(sources.contains(WriteId(w)), is_in) << own << " " << w;
    }
    EXPECT_TRUE(sources == Sources(expected, Sources::kNowhere));
  }
  EXPECT_TRUE(Sources(std::span(all).first(1), 0).empty());
}

TEST(Sources, ReadsOfTheSameValueShareOneList) {
  const Opened opened(
      "A: w(x=1) ; B: w(x=1) ; C: r(x=1) ; D: r(x=1) w(x=1) ; E: w(y=1) ; F: w(y=1) r(x=1) ; "
      "G: r(y=1)");
  const std::vector<OpenRead>& reads = opened.seen.open_reads();
  ASSERT_EQ(reads.size(), 4U);
  EXPECT_EQ(writers(opened.seen, reads[0]), (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(writers(opened.seen, reads[1]), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(writers(opened.seen, reads[2]), (std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_EQ(writers(opened.seen, reads[3]), (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(reads[0].list, reads[1].list);
  EXPECT_EQ(reads[0].list, reads[2].list);
  EXPECT_NE(reads[0].list, reads[3].list);
  EXPECT_EQ(opened.seen.source_lists().write_count(), 5U);
}

/// What the read may have come from, by the definition: who has the value (or one that it does
/// not exclude) as its last write of the key, is another one, and did not abort. Where the key
/// held that value before all transactions, too, the read is one that tells it as a whole.
std::vector<std::uint32_t> by_definition(const History& history, const OpenRead& read) {
  const Op& op = history.ops(read.txn)[read.op];
  std::vector<std::uint32_t> found;
  for (std::uint32_t t = 0; t < history.txn_count(); ++t) {
    if (txn(t) == read.txn || history.status(txn(t)) == TxnStatus::kAborted) continue;
    const Op* last = nullptr;
    for (const Op& each : history.ops(txn(t))) {
      if (each.kind == OpKind::kWrite && each.key == op.key) last = &each;
    }
    if (last == nullptr) continue;
    const Value told = op.is_partial() ? history.read_value(op) : op.value;
    const bool fits = op.is_exclusion() ? !history.predicate(op).selects_value(last->value)
                                        : last->value == told;
    if (fits) found.push_back(t);
  }
  return found;
}

/// Writes that the lists need at most: each register write once for its value, and all writes
/// of the key for each predicate.
std::size_t list_bound(const History& history, const Observations& seen) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> exclusions;
  for (const OpenRead& read : seen.open_reads()) {
    const Op& op = history.ops(read.txn)[read.op];
    if (op.is_exclusion()) exclusions.emplace(op.key.raw(), op.value.bits());
  }
  std::size_t bound = seen.write_count();
  for (const auto& [key, bits] : exclusions) bound += seen.writes_of(KeyId(key)).size();
  return bound;
}

TEST(Sources, EqualASearchThroughAllOperations) {
  const std::uint64_t first = support::run_seed();
  std::size_t reads = 0;
  std::size_t exclusions = 0;
  std::size_t initial = 0;  // of keys with contents
  std::size_t own = 0;
  for (std::uint64_t seed = first; seed < first + support::case_count(2000, 200); ++seed) {
    base::Rng rng(seed);
    support::RandomHistoryOptions options = support::random_options(rng);
    options.duplicate_share = 0.6;
    options.txn_count = 8;
    options.list_share = 0;
    options.aborted_share = rng.below(2) == 0 ? 0 : 0.2;
    options.indeterminate_share = rng.below(2) == 0 ? 0 : 0.3;
    options.exclusion_share = rng.below(2) == 0 ? 0 : 0.3;
    const Opened opened(support::build(support::random_history(rng, options)));
    if (!opened.seen.ambiguity().empty()) continue;
    for (const OpenRead& read : opened.seen.open_reads()) {
      const Op& op = opened.history->ops(read.txn)[read.op];
      // What contradicts the transaction itself has no source; neither has the initial value.
      if (read.list == SourceLists::kEmpty) continue;
      ASSERT_EQ(writers(opened.seen, read), by_definition(*opened.history, read))
          << "seed " << seed << " transaction " << read.txn.raw() << " operation " << read.op;
      ++reads;
      exclusions += op.is_exclusion() ? 1 : 0;
      initial += opened.history->has_initial(op.key) ? 1 : 0;
      own += read.own == Sources::kNowhere ? 0 : 1;
    }
    ASSERT_LE(opened.seen.source_lists().write_count(),
              list_bound(*opened.history, opened.seen))
        << "seed " << seed;
  }
  EXPECT_GT(reads, 100U);
  EXPECT_GT(exclusions, 10U);
  EXPECT_GT(initial, 10U);
  EXPECT_GT(own, 10U);
}

/// As many writers as readers of one value: the square of them would not fit.
TEST(Sources, MemoryIsLinear) {
  constexpr std::uint32_t kCount = 20000;
  HistoryBuilder builder;
  const KeyId key = builder.key(Value::integer(1));
  for (std::uint32_t i = 0; i < 2 * kCount; ++i) {
    builder.begin_txn(builder.session(std::to_string(i % 7)));
    if (i % 2 == 0) {
      builder.write(key, Value::integer(1));
    } else {
      builder.read(key, Value::integer(1));
    }
  }
  const Opened opened(std::move(builder.finish()).value());
  ASSERT_EQ(opened.seen.open_reads().size(), kCount);
  EXPECT_EQ(opened.seen.source_lists().write_count(), kCount);
  for (const OpenRead& read : opened.seen.open_reads()) {
    ASSERT_EQ(opened.seen.sources(read).size(), kCount);
  }
}

}  // namespace
}  // namespace isolde::infer

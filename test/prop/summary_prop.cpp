// Goal: what the verdict for people says was not seen is not there. Method: random histories;
// each kind of anomaly is looked for in its plainest form by its definition, pair by pair, with
// no level in between; where one is found, the summary must not say that there is none.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.hpp"
#include "explain/summary.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::prop {
namespace {

/// Of histories of registers in which no value repeats.
class ByDefinition {
 public:
  explicit ByDefinition(const History& history) : history_(history) {}

  bool finds(std::string_view kind) const {
    for (std::size_t a = 0; a < history_.txn_count(); ++a) {
      for (std::size_t b = 0; b < history_.txn_count(); ++b) {
        if (a != b && finds(kind, TxnId::at(a), TxnId::at(b))) return true;
      }
    }
    return false;
  }

 private:
  bool finds(std::string_view kind, TxnId a, TxnId b) const {
    if (history_.status(b) != TxnStatus::kCommitted) return false;
    if (kind == "dirty reads") return history_.status(a) == TxnStatus::kAborted && reads(b, a);
    if (history_.status(a) != TxnStatus::kCommitted) return false;
    if (kind == "lost updates") return is_lost_update(a, b);
    if (kind == "write skew") return misses(a, b) && misses(b, a);
    if (kind == "fractured reads") return reads(b, a) && misses(b, a);
    return is_before(a, b) && misses(b, a);  // stale reads
  }

  /// Some read of `reader` returned what `writer` wrote.
  bool reads(TxnId reader, TxnId writer) const {
    return std::ranges::any_of(history_.ops(reader), [&](const Op& op) {
      return op.kind == OpKind::kRead && !op.value.is_null() &&
             written(writer, op.key) == op.value;
    });
  }

  /// `reader`, which does not write the key, found it as it was in the beginning, although
  /// `writer` writes it.
  bool misses(TxnId reader, TxnId writer) const {
    return std::ranges::any_of(history_.ops(reader), [&](const Op& op) {
      return op.kind == OpKind::kRead && op.value.is_null() && written(writer, op.key) &&
             !written(reader, op.key);
    });
  }

  bool is_lost_update(TxnId a, TxnId b) const {
    for (const Op& op : history_.ops(a)) {
      if (op.kind != OpKind::kRead || !written(a, op.key) || !written(b, op.key)) continue;
      if (is_first(a, op) && first_read(b, op.key) == op.value) return true;
    }
    return false;
  }

  bool is_first(TxnId txn, const Op& op) const {
    const auto found = std::ranges::find(history_.ops(txn), op.key, &Op::key);
    return &*found == &op;
  }

  /// What the transaction read of the key before it did anything else with it.
  std::optional<Value> first_read(TxnId txn, KeyId key) const {
    for (const Op& op : history_.ops(txn)) {
      if (op.key != key) continue;
      return op.kind == OpKind::kRead ? std::optional(op.value) : std::nullopt;
    }
    return std::nullopt;
  }

  /// The last value that it writes to the key.
  std::optional<Value> written(TxnId txn, KeyId key) const {
    std::optional<Value> last;
    for (const Op& op : history_.ops(txn)) {
      if (op.kind == OpKind::kWrite && op.key == key) last = op.value;
    }
    return last;
  }

  bool is_before(TxnId a, TxnId b) const {
    const std::int64_t end = history_.times(a).end;
    const std::int64_t start = history_.times(b).start;
    return end != kNoTime && start != kNoTime && end < start;
  }

  const History& history_;
};

TEST(SummaryProperty, WhatWasNotSeenIsNotThere) {
  const std::uint64_t cases = support::case_count(4000);
  std::map<std::string, std::array<std::uint64_t, 2>>
      counts;  // told as not seen, found by definition
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(support::run_seed(), i));
    support::RandomHistoryOptions options = support::random_options(rng);
    options.list_share = 0;
    options.duplicate_share = 0;
    options.selection_share = 0;
    options.levels_share = 0;
    const support::PlainHistory plain = support::random_history(rng, options);
    if (support::has_duplicate_writes(plain)) continue;
    const History history = support::build(plain);
    const explain::ReportModel model = explain::report_on(history);
    const explain::Summary summary = explain::summary_of(model);
    for (const explain::Guard& guard : explain::guards()) {
      const std::string kind(guard.many);
      const bool is_found = ByDefinition(history).finds(kind);
      const bool is_denied =
          std::ranges::find(summary.not_seen, kind) != summary.not_seen.end();
      counts[kind][0] += is_denied ? 1 : 0;
      counts[kind][1] += is_found ? 1 : 0;
      EXPECT_FALSE(is_found && is_denied) << kind << ", case " << i << "\n"
                                          << support::to_text(plain);
    }
  }
  for (const explain::Guard& guard : explain::guards()) {
    const auto [denied, found] = counts[std::string(guard.many)];
    EXPECT_TRUE(support::met(denied, 20, cases)) << guard.many;
    EXPECT_TRUE(support::met(found, 40, cases)) << guard.many;
  }
}

}  // namespace
}  // namespace isolde::prop

// Goal: names claim nothing that the history does not have. Method: random histories with
// deletions, at all levels; what a name says of the transactions is looked for by its
// definition, and what its type blames must bind at the level.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/hash.hpp"
#include "explain/classify.hpp"
#include "support/history_dsl.hpp"
#include "support/random_history.hpp"
#include "support/seed.hpp"
#include "unit/explain/named.hpp"

namespace isolde::prop {
namespace {

/// What two transactions did to one key.
class Pair {
 public:
  Pair(const History& history, TxnId first, TxnId second, KeyId key)
      : first_(history.ops(first)),
        second_(history.ops(second)),
        history_(history),
        key_(key) {}

  bool shows(std::string_view name) const {
    if (name == "lost update")
      return is_written(first_) && is_written(second_) && is_read_first();
    const bool first_deletes = is_written(first_) && last_write(first_)->is_delete();
    if (name == "lost delete") {
      return first_deletes && is_written(second_) && !last_write(second_)->is_delete() &&
             std::ranges::none_of(
                 second_, [&](const Op& op) { return op.key == key_ && op.is_exclusion(); });
    }
    // A resurrected row: found after something else was read.
    const auto row = std::ranges::find_if(second_, [&](const Op& op) {
      return &op != second_.data() && op.key == key_ && op.kind == OpKind::kRead &&
             !op.value.is_absent();
    });
    return first_deletes && row != second_.end();
  }

 private:
  using Ops = std::span<const Op>;

  const Op* last_write(Ops ops) const {
    const Op* last = nullptr;
    for (const Op& op : ops) {
      if (op.is_write() && op.key == key_) last = &op;
    }
    return last;
  }
  bool is_written(Ops ops) const { return last_write(ops) != nullptr; }

  /// Before it wrote the key, the second one read it and did not see what the first one wrote.
  /// A list shows what was there before own appends at any time.
  bool is_read_first() const {
    bool is_own = false;
    for (const Op& op : second_) {
      if (op.key != key_ || op.kind == OpKind::kReadUnknown) continue;
      is_own = is_own || op.kind == OpKind::kWrite;
      if (is_own || op.is_write()) continue;
      if (op.is_exclusion()) return true;
      if (op.kind == OpKind::kRead && op.value != last_write(first_)->value) return true;
      if (op.kind != OpKind::kReadList) continue;
      const std::span<const Value> list = history_.list(op);
      if (std::ranges::find(list, last_write(first_)->value) == list.end()) return true;
    }
    return false;
  }

  Ops first_;
  Ops second_;
  const History& history_;
  KeyId key_;
};

bool some_pair_shows(const History& history, std::string_view name) {
  for (std::size_t a = 0; a < history.txn_count(); ++a) {
    for (std::size_t b = 0; b < history.txn_count(); ++b) {
      for (std::size_t k = 0; a != b && k < history.key_count(); ++k) {
        if (Pair(history, TxnId::at(a), TxnId::at(b), KeyId::at(k)).shows(name)) return true;
      }
    }
  }
  return false;
}

TEST(NamesProperty, ClaimNothingThatIsNotThere) {
  const std::uint64_t cases = support::case_count(8000);
  std::map<std::string_view, int> counts = {
      {"lost update", 0}, {"lost delete", 0}, {"resurrected row", 0}};
  for (std::uint64_t i = 0; i < cases; ++i) {
    base::Rng rng(base::mix2(support::run_seed(), i));
    support::RandomHistoryOptions options = support::random_options(rng);
    options.levels_share = 0;
    options.delete_share = rng.chance(0.5) ? 0.3 : 0.6;
    if (rng.chance(0.7)) {
      // Where rows are deleted and come back.
      options.reads = support::ReadSource::kShared;
      options.list_share = 0;
      options.has_observers = true;
      options.txn_count = 6;
      options.key_count = 2;
      options.ops_max = 4;
      options.delete_share = 0.3;
      options.aborted_share = 0;
      options.duplicate_share = 0;
      options.unknown_read_share = 0;
      options.exclusion_share = 0;
    }
    const support::PlainHistory plain = support::random_history(rng, options);
    const History history = support::build(plain);
    for (const auto& [level, anomaly] : explain::named_anomalies(history, {})) {
      const std::string where = std::string(info(level).name) + ": " + explain::label(anomaly) +
                                ", case " + std::to_string(i) + "\n" + support::to_text(plain);
      const LevelInfo& row = info(level);
      const bool is_timed = row.real_time || row.base == BaseLevel::kPerKeyStrict;
      EXPECT_TRUE(is_timed || !anomaly.type.ends_with("-realtime")) << where;
      EXPECT_TRUE(is_timed || row.session_order || !anomaly.type.ends_with("-process"))
          << where;
      const auto count = counts.find(anomaly.name);
      if (count == counts.end()) continue;
      ++count->second;
      EXPECT_TRUE(some_pair_shows(history, anomaly.name)) << where;
    }
  }
  if (cases < 4000) return;  // too few to meet each of them
  for (const auto& [name, count] : counts) EXPECT_GT(count, 0) << name;
}

}  // namespace
}  // namespace isolde::prop

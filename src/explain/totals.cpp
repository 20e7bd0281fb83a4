#include "explain/totals.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "history/notation.hpp"

namespace isolde::explain {
namespace {

/// The only one that knows a total; null: there is none.
const ValueNotation* with_total(const History& history) {
  const std::vector<ValueNotation>& all = history.origin().notation.values;
  const auto found =
      std::ranges::find_if(all, [](const ValueNotation& each) { return each.keys > 0; });
  return found == all.end() ? nullptr : &*found;
}

/// What the transaction's reads add up to, if they are all that there is.
std::optional<std::int64_t> sum_of(const History& history, TxnId txn,
                                   const ValueNotation& notation) {
  if (history.status(txn) != TxnStatus::kCommitted) return {};
  if (history.ops(txn).size() < notation.keys) return {};
  std::int64_t sum = 0;
  std::unordered_set<KeyId> seen;
  for (const Op& op : history.ops(txn)) {
    if (history::notation_of(history, op.key) != &notation) continue;
    if (op.kind != OpKind::kRead) return {};
    if (!seen.insert(op.key).second) continue;
    const std::optional<std::int64_t> one = history::amount(notation, history.seen(op));
    if (!one) return {};
    sum += *one;
  }
  if (seen.size() != notation.keys) return {};
  return sum;
}

struct Totals {
  std::uint64_t readers = 0;
  std::uint64_t wrong = 0;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();  ///< of the wrong ones
  std::int64_t most = 0;
};

Totals totals_of(const History& history, const ValueNotation& notation) {
  Totals totals;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const std::optional<std::int64_t> sum = sum_of(history, TxnId::at(t), notation);
    if (!sum) continue;
    ++totals.readers;
    if (*sum == notation.total) continue;
    ++totals.wrong;
    totals.least = std::min(totals.least, *sum);
    totals.most = std::max(totals.most, *sum);
  }
  return totals;
}

std::string name_of(const ValueNotation& notation) { return notation.fields.front().name; }

}  // namespace

std::optional<ReadTotal> total_read_by(const History& history, TxnId txn) {
  const ValueNotation* const notation = with_total(history);
  if (notation == nullptr) return {};
  const std::optional<std::int64_t> sum = sum_of(history, txn, *notation);
  if (!sum) return {};
  return ReadTotal{notation, *sum};
}

std::string total_text(const ReadTotal& read) {
  const std::string all =
      "saw a total " + name_of(*read.notation) + " of " + std::to_string(read.sum);
  if (read.sum == read.notation->total) return all;
  return all + ", not " + std::to_string(read.notation->total);
}

bool totals_are_off(const History& history) {
  const ValueNotation* const notation = with_total(history);
  return notation != nullptr && totals_of(history, *notation).wrong > 0;
}

std::string totals_text(const History& history) {
  const ValueNotation* const notation = with_total(history);
  if (notation == nullptr) return {};
  const auto [readers, wrong, least, most] = totals_of(history, *notation);
  if (readers == 0) return {};
  const std::string who =
      readers == 1 ? "The only transaction"
      : wrong == 0 || wrong == readers
          ? "All " + base::grouped(readers) + " transactions"
          : base::grouped(wrong) + " of " + base::grouped(readers) + " transactions";
  const std::string keys =
      notation->keys == 1 ? "the key" : "all " + std::to_string(notation->keys) + " keys";
  const std::string saw = who + " that read " + keys + " " +
                          base::printable_name(notation->prefix + "*") + " saw a total " +
                          name_of(*notation);
  const std::string total = std::to_string(notation->total);
  if (wrong == 0) return saw + " of " + total + ".";
  const std::string seen =
      least == most ? "of " + std::to_string(least)
                    : "from " + std::to_string(least) + " to " + std::to_string(most);
  return saw + " " + seen + "; each transaction by itself keeps it at " + total + ".";
}

}  // namespace isolde::explain

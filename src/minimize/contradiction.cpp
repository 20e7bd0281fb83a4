#include "minimize/contradiction.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <tuple>
#include <variant>

namespace isolde::minimize {
namespace {

/// A transaction's last write of a key.
struct Source {
  TxnId txn;
  std::uint32_t op = 0;
};

/// Of those whose last write the read may have returned the plainest one: who is known to have
/// taken effect, and in no order with the reader by session or time, so that nothing but the
/// two reads is wrong; else who comes before it. Of these the last. None: there is none.
std::optional<Source> plain_source(const History& history, TxnId reader, const Op& read) {
  const TxnTimes of_reader = history.times(reader);
  const auto rank = [&](TxnId txn) {
    const TxnTimes times = history.times(txn);
    const bool is_of_session = history.session_of(txn) == history.session_of(reader);
    const auto ends_before = [](const TxnTimes& one, const TxnTimes& other) {
      return one.end != kNoTime && other.start != kNoTime && one.end < other.start;
    };
    const bool is_before = ends_before(times, of_reader) || (is_of_session && txn < reader);
    const bool is_behind = ends_before(of_reader, times) || (is_of_session && reader < txn);
    return std::tuple(history.status(txn) == TxnStatus::kCommitted, !is_behind, !is_before,
                      times.start);
  };
  std::optional<Source> best;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    const TxnId txn = TxnId::at(t);
    if (txn == reader || history.status(txn) == TxnStatus::kAborted) continue;
    const std::span<const Op> ops = history.ops(txn);
    for (std::size_t at = ops.size(); at-- > 0;) {
      if (!ops[at].is_write() || ops[at].key != read.key) continue;
      const bool is_better = !best || rank(txn) > rank(best->txn);
      if (history.fits(read, ops[at].value) && is_better) {
        best = Source{txn, static_cast<std::uint32_t>(at)};
      }
      break;
    }
  }
  return best;
}

}  // namespace

std::optional<Choice> contradiction_alone(const History& reading,
                                          const Certificate& certificate) {
  const auto* const finding = std::get_if<Finding>(&certificate.proof);
  if (finding == nullptr || finding->kind != FindingKind::kNonRepeatableRead) return {};
  const std::span<const Op> ops = reading.ops(finding->txn);
  const Op& read = ops[finding->op];
  const Op& other = ops[finding->other_op];
  const bool both_in_part = read.is_partial() && other.is_partial();
  if (!both_in_part || reading.open_numbers(read.key) != nullptr) return {};
  Choice choice(reading);
  std::ranges::fill(choice.txns, std::uint8_t{0});
  std::ranges::fill(choice.ops, std::uint8_t{0});
  choice.txns[finding->txn.raw()] = 1;
  const std::size_t first = reading.first_op(finding->txn);
  for (const std::uint32_t op : {finding->other_op, finding->op}) {
    choice.fixed.push_back(first + op);
    const Selection* const selection = reading.selection_of(finding->txn, op);
    const std::size_t begin = selection == nullptr ? op : selection->first;
    const std::size_t end = selection == nullptr ? op + std::size_t{1} : selection->end();
    for (std::size_t at = begin; at < end; ++at) choice.ops[first + at] = 1;
    if (reading.fits_initial(ops[op])) continue;
    const std::optional<Source> source = plain_source(reading, finding->txn, ops[op]);
    if (!source) return {};
    choice.txns[source->txn.raw()] = 1;
    choice.ops[reading.first_op(source->txn) + source->op] = 1;
  }
  return choice;
}

}  // namespace isolde::minimize

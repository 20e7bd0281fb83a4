#include "stream/settled_order.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace isolde::stream {
namespace {

/// Who has no place, and nobody.
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Where each transaction stands in the order.
struct Places {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> commit;  ///< the same where it is mentioned once
};

Places places_in(const History& round, std::span<const TxnId> order) {
  Places places;
  places.begin.assign(round.txn_count(), kNone);
  places.commit.assign(round.txn_count(), kNone);
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    std::uint32_t& begin = places.begin[order[at].raw()];
    if (begin == kNone) begin = at;
    places.commit[order[at].raw()] = at;
  }
  return places;
}

/// By transaction: it ended before, or was read from by one that did.
std::vector<bool> over_or_read(const History& round, std::span<const TxnId> order,
                               const Places& places, std::int64_t before) {
  std::vector<bool> is_over(round.txn_count());
  std::vector<std::uint32_t> writers(round.key_count(), kNone);
  // Of lists, who appended what nobody in the order so far has read. Who reads it later comes
  // behind the first one who does, so that nothing is lost if that one alone has it.
  std::vector<std::vector<std::uint32_t>> appenders(round.key_count());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sources;  // reader, writer
  for (std::uint32_t at = 0; at < order.size(); ++at) {
    const TxnId txn = order[at];
    const bool begins = places.begin[txn.raw()] == at;
    const bool commits = places.commit[txn.raw()] == at;
    if (begins) {
      const std::int64_t end = round.times(txn).end;
      is_over[txn.raw()] = before == kForever || (end != kNoTime && end < before);
    }
    // Whether it read what it wrote itself makes no difference here.
    for (const Op& op : round.ops(txn)) {
      std::uint32_t& writer = writers[op.key.raw()];
      if (begins && !op.is_write() && op.uses_item() && writer != kNone) {
        sources.emplace_back(txn.raw(), writer);
      }
      if (begins && op.kind == OpKind::kReadList) {
        for (const std::uint32_t each : std::exchange(appenders[op.key.raw()], {})) {
          sources.emplace_back(txn.raw(), each);
        }
      }
      if (commits && op.kind == OpKind::kAppend) appenders[op.key.raw()].push_back(txn.raw());
      if (commits && op.is_write()) writer = txn.raw();
    }
  }
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    if (is_over[source->first]) is_over[source->second] = true;
  }
  return is_over;
}

}  // namespace

SettledOrder settled_order(const History& round, const Witness& witness, std::int64_t before) {
  const std::span<const TxnId> order = witness.order;
  const Places places = places_in(round, order);
  const std::vector<bool> is_over = over_or_read(round, order, places, before);
  SettledOrder settled;
  const auto first = std::ranges::find_if(
      order, [&](TxnId txn) { return !static_cast<bool>(is_over[txn.raw()]); });
  settled.count = static_cast<std::size_t>(first - order.begin());
  if (witness.mentions == 1) return settled;
  // Who is not known to have committed may turn out not to have been there at all.
  for (std::size_t at = settled.count; at-- > 0;) {
    const TxnId txn = order[at];
    const bool is_certain = round.status(txn) == TxnStatus::kCommitted;
    if (!is_certain && places.commit[txn.raw()] >= settled.count) settled.count = at;
  }
  settled.begun.resize(round.txn_count());
  for (const TxnId txn : order.first(settled.count)) {
    settled.begun[txn.raw()] = places.commit[txn.raw()] >= settled.count;
  }
  return settled;
}

}  // namespace isolde::stream

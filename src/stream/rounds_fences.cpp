// Rounds where fences tell what is settled: see stream/fences.hpp.
#include <algorithm>
#include <array>
#include <utility>

#include "level/level_traits.hpp"
#include "stream/joiner.hpp"
#include "stream/rounds.hpp"
#include "stream/settled_order.hpp"

namespace isolde::stream {

/// Those that a fence of every session is behind. Of these so many that came last stay open,
/// as where times tell. `is_last`: nothing more comes.
void Rounds::round_by_fences(const NumberedPart* part, bool is_last) {
  const NumberedPart open{std::exchange(open_, {}), Joiner::kOwnNumbers};
  std::vector<const NumberedPart*> parts{&open};
  if (part != nullptr) parts.push_back(part);
  Result<Round> all = join(parts, {});
  if (!all) return give_up(all.error().message);
  const History& history = all->part.history;
  std::vector<Fate> fates(history.txn_count(), Fate::kOpen);
  std::vector<bool> reached(history.txn_count(), true);
  std::vector<bool> held;
  if (!is_last) {
    if (!budget_.spend(history.op_count() + elements_read(history)))
      return give_up(budget_.reason());
    reached = fences_->reached(history);
    held = stream::held_back(history, reached);
  }
  may_read_later_.clear();
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (!reached[i]) may_read_later_.insert(history.position_in_input(TxnId::at(i)) - 1);
  }
  if (std::ranges::find(reached, true) == reached.end()) {
    return leave_open(history, kNoTime, fates);
  }
  ++rounds_;
  const Times times{kNoTime, is_last ? kForever : 0};
  const auto may_settle = [&](std::size_t i) {
    return reached[i] && (is_last || is_over(history, i, kNoTime));
  };
  if (std::ranges::find(held, true) == held.end()) {
    for (std::size_t i = 0; i < reached.size(); ++i) all->may_settle.push_back(may_settle(i));
    decide(*all, times, {}, fates);
  } else {
    const std::array whole{&all->part};
    Result<Round> some = join(whole, held);
    if (!some) return give_up(some.error().message);
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (!held[i]) some->may_settle.push_back(may_settle(i));
    }
    decide(*some, times, held, fates);
  }
  if (verdict() == Verdict::kHolds) return leave_open(history, kNoTime, fates);
  open_ = std::move(all->part.history);
}

SettledFirst Rounds::settled_of(const Round& round, const Witness& witness,
                                const Times& times) const {
  const History& history = round.part.history;
  if (!fences_) return {witness, settled_order(history, witness, times.settled_before)};
  const bool keeps_writers_apart =
      checker::traits(info(order_level_).base).role.forbids_concurrent_writers;
  return settled_first(history, witness, keeps_writers_apart, round.may_settle);
}

}  // namespace isolde::stream

#include "search/window.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "infer/part.hpp"
#include "refute/renumber.hpp"
#include "search/event_level.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::ReadFrom;

namespace {

/// Transactions taken on each side of one of the cycle's.
constexpr std::size_t kReaches[] = {16, 128, 1024, 8192};
constexpr std::size_t kLongestCycle = 512;
constexpr std::uint64_t kTicks = 4'000'000;
constexpr std::uint64_t kTicksPerOp = 400;

/// The cycle's transactions, their sources, and those that ran at about the same time.
std::vector<TxnId> surroundings(const Observations& seen, std::span<const TxnId> order,
                                std::span<const TxnId> cycle,
                                const std::vector<std::size_t>& places, std::size_t reach) {
  std::vector<TxnId> txns(cycle.begin(), cycle.end());
  for (const TxnId txn : cycle) {
    for (const ReadFrom& read : seen.reads(txn)) {
      if (read.source.is_some()) txns.push_back(seen.writer(read.source));
    }
  }
  for (const std::size_t place : places) {
    const std::size_t first = place - std::min(place, reach);
    const std::size_t last = std::min(place + reach + 1, order.size());
    txns.insert(txns.end(), order.begin() + static_cast<std::ptrdiff_t>(first),
                order.begin() + static_cast<std::ptrdiff_t>(last));
  }
  std::sort(txns.begin(), txns.end());
  txns.erase(std::unique(txns.begin(), txns.end()), txns.end());
  return txns;
}

std::vector<std::size_t> places_of(std::span<const TxnId> order, std::vector<TxnId> txns) {
  std::sort(txns.begin(), txns.end());
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (std::binary_search(txns.begin(), txns.end(), order[i])) places.push_back(i);
  }
  return places;
}

/// Within the check's limits and one that does not depend on the machine's speed.
std::optional<Refutation> refute(const infer::Part& window, const LevelInfo& level,
                                 bool sessions_are_chains, const CheckOptions& options,
                                 CheckStatistics& statistics, base::Budget& budget) {
  const base::Budget::Allowance allowance(budget, kTicks + kTicksPerOp * window.op_count());
  budget.spend(window.op_count() * 16);
  EventLevel engine(window.seen(), level, sessions_are_chains, options, statistics, budget);
  const std::optional<Proof> proof = engine.decide({});
  const auto* const refutation = proof ? std::get_if<Refutation>(&*proof) : nullptr;
  if (refutation == nullptr) return std::nullopt;
  return renumbered(*refutation, window);
}

}  // namespace

std::optional<Refutation> refute_nearby(const Observations& seen, const LevelInfo& level,
                                        bool sessions_are_chains, std::span<const TxnId> order,
                                        std::span<const TxnId> cycle,
                                        const CheckOptions& options,
                                        CheckStatistics& statistics, base::Budget& budget) {
  if (cycle.empty() || cycle.size() > kLongestCycle) return std::nullopt;
  const std::vector<std::size_t> places =
      places_of(order, std::vector<TxnId>(cycle.begin(), cycle.end()));
  ISOLDE_ASSERT(!places.empty());
  budget.spend(order.size() * 4);
  CheckOptions in_window = options;
  in_window.threads = 1;
  in_window.skip_guess = true;  // no witness is needed
  for (const std::size_t reach : kReaches) {
    const std::vector<TxnId> txns = surroundings(seen, order, cycle, places, reach);
    if (txns.size() * 2 > order.size() || budget.exhausted()) break;
    const infer::Part window = infer::restriction(seen, txns);
    if (auto found =
            refute(window, level, sessions_are_chains, in_window, statistics, budget)) {
      return found;
    }
    budget.spend(txns.size() * 16);
  }
  return std::nullopt;
}

}  // namespace isolde::checker

#include "search/window.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/assert.hpp"
#include "refute/renumber.hpp"
#include "search/event_level.hpp"

namespace isolde::checker {

using infer::Observations;
using infer::ReadFrom;
using infer::WriteId;

namespace {

/// Transactions taken on each side of one of the cycle's.
constexpr std::size_t kReaches[] = {16, 128, 1024, 8192};
constexpr std::size_t kLongestCycle = 512;
constexpr std::uint64_t kTicks = 4'000'000;
constexpr std::uint64_t kTicksPerOp = 400;

/// Only who wrote each version read matters, so values are numbers of writes.
class WindowBuilder {
 public:
  WindowBuilder(const Observations& seen, std::span<const TxnId> txns)
      : seen_(seen), history_(seen.history()), is_in_(txns.begin(), txns.end()) {}

  void add(TxnId txn) {
    builder_.begin_txn(builder_.session(history_.session_name(history_.session_of(txn))));
    TxnTimes times = history_.times(txn);
    // Its outcome is known from its readers; its end is not.
    if (history_.status(txn) != TxnStatus::kCommitted) times.end = kNoTime;
    builder_.set_times(times);
    for (const ReadFrom& read : seen_.reads(txn)) {
      if (read.source.is_none()) {
        builder_.read(key(read.key), Value::null());
      } else if (is_in(seen_.writer(read.source))) {
        builder_.read(key(read.key), value(read.source));
      }
    }
    const WriteId end = seen_.end_write(txn);
    for (WriteId write = seen_.first_write(txn); write != end;
         write = WriteId(write.raw() + 1)) {
      builder_.write(key(seen_.written_key(write)), value(write));
    }
  }

  History finish() {
    Result<History> history = builder_.finish();
    ISOLDE_CHECK(history.ok());
    return std::move(history).value();
  }

  std::vector<KeyId> take_keys() { return std::move(keys_); }

 private:
  bool is_in(TxnId txn) const { return std::binary_search(is_in_.begin(), is_in_.end(), txn); }
  static Value value(WriteId write) { return Value::integer(std::int64_t{write.raw()}); }

  KeyId key(KeyId key) {
    const auto [found, fresh] = numbers_.try_emplace(key.raw(), KeyId());
    if (fresh) {
      found->second = builder_.key(Value::integer(std::int64_t{key.raw()}));
      keys_.push_back(key);
    }
    return found->second;
  }

  const Observations& seen_;
  const History& history_;
  std::vector<TxnId> is_in_;
  HistoryBuilder builder_;
  std::unordered_map<std::uint32_t, KeyId> numbers_;
  std::vector<KeyId> keys_;
};

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
std::optional<Refutation> refute(const Window& window, const LevelInfo& level,
                                 bool sessions_are_chains, const CheckOptions& options,
                                 CheckStatistics& statistics, base::Budget& budget) {
  const base::Budget::Allowance allowance(budget,
                                          kTicks + kTicksPerOp * window.history().op_count());
  const Observations seen = infer::observe(window.history(), budget);
  if (budget.exhausted() || seen.finding() || !seen.ambiguity().empty()) return std::nullopt;
  EventLevel engine(seen, level, sessions_are_chains, options, statistics, budget);
  std::optional<Proof> proof = engine.guess();
  if (!proof && !budget.exhausted()) proof = engine.saturate(false);
  if (!proof && !budget.exhausted()) proof = engine.search();
  if (!proof || budget.exhausted()) return std::nullopt;
  const auto* const refutation = std::get_if<Refutation>(&*proof);
  return refutation == nullptr ? std::nullopt : std::optional(window.original(*refutation));
}

}  // namespace

Window::Window(const Observations& seen, std::span<const TxnId> txns) {
  WindowBuilder builder(seen, txns);
  for (const TxnId txn : txns) {
    if (!seen.is_included(txn)) continue;
    builder.add(txn);
    txns_.push_back(txn);
  }
  history_ = builder.finish();
  keys_ = builder.take_keys();
}

Refutation Window::original(const Refutation& refutation) const {
  return renumbered(
      refutation, [&](TxnId txn) { return txn.is_none() ? txn : txns_[txn.raw()]; },
      [&](KeyId key) { return keys_[key.raw()]; });
}

std::optional<Refutation> refute_nearby(const Observations& seen, const LevelInfo& level,
                                        bool sessions_are_chains, std::span<const TxnId> order,
                                        std::span<const TxnId> cycle,
                                        const CheckOptions& options,
                                        CheckStatistics& statistics, base::Budget& budget) {
  if (cycle.empty() || cycle.size() > kLongestCycle) return std::nullopt;
  const std::vector<std::size_t> places =
      places_of(order, std::vector<TxnId>(cycle.begin(), cycle.end()));
  budget.spend(order.size() * 4);
  CheckOptions in_window = options;
  in_window.threads = 1;
  in_window.skip_guess = true;  // no witness is needed
  for (const std::size_t reach : kReaches) {
    const std::vector<TxnId> txns = surroundings(seen, order, cycle, places, reach);
    if (txns.size() * 2 > order.size() || budget.exhausted()) break;
    const Window window(seen, txns);
    if (auto found =
            refute(window, level, sessions_are_chains, in_window, statistics, budget)) {
      return found;
    }
    budget.spend(txns.size() * 16);
  }
  return std::nullopt;
}

}  // namespace isolde::checker

#include "search/event_level.hpp"

#include "base/assert.hpp"
#include "level/level_traits.hpp"
#include "level/transfer.hpp"
#include "order/guess.hpp"
#include "refute/refutation.hpp"
#include "search/parallel_check.hpp"
#include "search/theory_search.hpp"
#include "solver/solver.hpp"

namespace isolde::checker {
namespace {

/// Ticks of a repair for each operation: a fraction of the cost of saturation.
constexpr std::uint64_t kRepairTicks = 30;

/// Conflict limit of a search for more order than the level requires: the level itself may be
/// easier.
constexpr std::uint64_t kStricterConflicts = 10'000;

}  // namespace

EventLevel::EventLevel(const infer::Observations& seen, const LevelInfo& level,
                       bool sessions_are_chains, const CheckOptions& options,
                       CheckStatistics& statistics, base::Budget& budget)
    : EventLevel(seen, encoding(level, options.clock_error_ns), sessions_are_chains, options,
                 statistics, budget) {}

EventLevel::EventLevel(const infer::Observations& seen, const infer::Encoding& encoding,
                       bool sessions_are_chains, const CheckOptions& options,
                       CheckStatistics& statistics, base::Budget& budget)
    : events_(seen, encoding, budget),
      parallel_(!encoding.role.has_anti_dependencies),
      sessions_are_chains_(sessions_are_chains),
      options_(options),
      statistics_(statistics),
      budget_(budget) {}

EventLevel::~EventLevel() = default;

/// The witness that follows from the version orders in `order`, or none.
std::optional<Proof> EventLevel::try_order(const std::vector<NodeId>& order) {
  if (parallel_) {
    if (!is_parallel_witness(events_, order, budget_)) return std::nullopt;
    return to_witness(events_, order);
  }
  if (auto found = follow_version_orders(events_, order, budget_)) {
    return to_witness(events_, *found);
  }
  return std::nullopt;
}

/// Version orders by time, then by simulation.
std::optional<Proof> EventLevel::guess() {
  order_ = order_by_time(events_, budget_);
  if (budget_.exhausted()) return std::nullopt;
  if (order_.empty() && events_.graph().node_count() > 0) {
    return RefutationBuilder(events_, derived_, budget_).from_cycle();
  }
  if (options_.skip_guess) return std::nullopt;
  if (auto found = try_order(order_)) return found;
  std::vector<NodeId> simulated = order_by_simulation(events_, budget_);
  if (budget_.exhausted()) return std::nullopt;
  if (auto found = try_order(simulated)) return found;
  const bool has_times = events_.observations().history().has_times();
  if (!has_times) order_ = std::move(simulated);
  return std::nullopt;
}

std::optional<Proof> EventLevel::repair(bool try_stricter) {
  if (options_.skip_guess || order_.empty()) return std::nullopt;
  const History& history = events_.observations().history();
  const base::Budget::Allowance allowance(
      budget_, kRepairTicks * (history.op_count() + history.txn_count() + 10'000));
  // Where nothing binds, the search space is too large.
  const infer::Encoding& encoding = events_.encoding();
  const bool binds = encoding.session_order || encoding.real_time || encoding.real_time_by_key;
  if (binds && !parallel_) {
    const std::size_t edges = events_.graph().extra_count();
    // If there is no witness, saturation finds shorter, more readable refutations.
    if (auto witness = search_from(events_, {}, order_, 0)) return std::move(*witness);
    events_.graph().pop_to(edges);
  }
  if (try_stricter && !budget_.exhausted()) {
    if (auto witness = repair_stricter()) return std::move(*witness);
  }
  return std::nullopt;
}

std::optional<Witness> EventLevel::repair_stricter() {
  const infer::Observations& seen = events_.observations();
  infer::Encoding stricter = events_.encoding();
  const bool timed = seen.history().has_times();
  if (!parallel_ && stricter.session_order && (stricter.real_time || !timed)) {
    return std::nullopt;
  }
  // Snapshot isolation: most databases that promise parallel snapshots provide it.
  if (parallel_) stricter.role.snapshot = stricter.role.has_anti_dependencies = true;
  stricter.session_order = true;
  stricter.real_time = timed;
  infer::EventGraph events(seen, stricter, budget_);
  const std::vector<NodeId> order =
      timed ? order_by_time(events, budget_) : order_by_simulation(events, budget_);
  if (budget_.exhausted() || order.empty()) return std::nullopt;
  std::optional<Witness> witness = search_from(events, {}, order, 0);
  if (witness && parallel_) return commits_only(*witness);
  return witness;
}

std::optional<Proof> EventLevel::decide(const Effort& effort) {
  std::optional<Proof> proof = guess();
  const auto is_open = [&] { return !proof && !budget_.exhausted(); };
  if (is_open()) proof = repair(false);
  if (!effort.guess_only) {
    if (is_open()) proof = saturate(false);
    if (is_open()) proof = search(effort.conflict_limit);
    if (effort.stopped != nullptr) *effort.stopped = stopped_;
  }
  return budget_.exhausted() ? std::nullopt : proof;
}

/// A search that decides only what `order` gets wrong.
std::optional<Witness> EventLevel::search_from(infer::EventGraph& events,
                                               const prune::Derivation& derived,
                                               const std::vector<NodeId>& order,
                                               std::uint64_t conflict_limit) {
  TheorySearch search(events, derived, order, statistics_, budget_);
  if (search.solve(conflict_limit) != solver::Answer::kSat) return std::nullopt;
  return search.witness();
}

std::optional<Proof> EventLevel::saturate(bool try_stricter) {
  if (options_.skip_saturation) return std::nullopt;
  if (!sessions_are_chains_) {
    return options_.skip_guess ? std::nullopt : guess_by_sessions(try_stricter);
  }
  prune::Saturation saturation(events_, budget_);
  const prune::Saturation::Outcome outcome = saturation.run();
  statistics_.saturation_rounds += saturation.rounds();
  derived_ = saturation.take();
  statistics_.derived_orders += derived_.facts.size();
  if (outcome == prune::Saturation::Outcome::kStopped) return std::nullopt;
  if (outcome == prune::Saturation::Outcome::kCycle && refutes_nothing()) {
    stopped_ = kInsertedAgain;
    return std::nullopt;
  }
  if (outcome == prune::Saturation::Outcome::kCycle) {
    return RefutationBuilder(events_, derived_, budget_).from_cycle();
  }
  if (outcome == prune::Saturation::Outcome::kSkipped) return std::nullopt;
  ISOLDE_ASSERT(outcome == prune::Saturation::Outcome::kFixpoint);  // no read is open
  order_ = reordered(events_, order_, budget_);
  if (budget_.exhausted()) return std::nullopt;
  ISOLDE_CHECK(order_.size() == events_.graph().node_count());
  if (options_.skip_guess) return std::nullopt;
  return try_order(order_);
}

/// Most databases respect session order and real time even where they promise neither. A
/// witness that also respects them is a witness; finding none proves nothing.
std::optional<Proof> EventLevel::guess_by_sessions(bool search) {
  const infer::Observations& seen = events_.observations();
  infer::Encoding stricter = events_.encoding();
  stricter.session_order = true;
  for (const bool real_time : {true, false}) {
    const bool binds = events_.encoding().real_time;
    if (real_time ? !seen.history().has_times() : binds) continue;
    stricter.real_time = real_time;
    infer::EventGraph events(seen, stricter, budget_);
    std::vector<NodeId> order = order_by_time(events, budget_);
    if (order.empty()) continue;
    prune::Saturation saturation(events, budget_);
    const prune::Saturation::Outcome outcome = saturation.run();
    statistics_.saturation_rounds += saturation.rounds();
    if (outcome != prune::Saturation::Outcome::kFixpoint) continue;
    order = reordered(events, order, budget_);
    if (budget_.exhausted()) return std::nullopt;
    const std::vector<NodeId> saturated = order;
    // Auxiliary nodes have no preferred place.
    std::vector<std::uint32_t> wish(events_.graph().node_count(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (events.is_txn(order[i])) wish[order[i].raw()] = static_cast<std::uint32_t>(i);
    }
    order = graph::topological_order(events_.graph(), wish, budget_);
    if (budget_.exhausted()) return std::nullopt;
    if (auto found = try_order(order)) return found;
    const bool binds_more =
        events.graph().base_edge_count() > events_.graph().base_edge_count();
    if (!search || parallel_ || !binds_more) continue;
    if (auto witness = search_from(events, saturation.take(), saturated, kStricterConflicts)) {
      return std::move(*witness);
    }
    if (budget_.exhausted()) return std::nullopt;
  }
  return std::nullopt;
}

/// At parallel snapshot isolation every write must have seen the one that it replaces here,
/// also where a row was inserted again: that is more than the level asks for.
bool EventLevel::refutes_nothing() const {
  return parallel_ && events_.observations().has_deletions();
}

std::optional<Proof> EventLevel::search(std::uint64_t conflict_limit) {
  if (!stopped_.empty()) return std::nullopt;
  if (!search_) {
    if (order_.empty() && events_.graph().node_count() > 0) return std::nullopt;
    search_ = std::make_unique<TheorySearch>(events_, derived_, order_, statistics_, budget_);
  }
  const solver::Answer answer = search_->solve(conflict_limit);
  stopped_ = search_->stopped();
  if (answer == solver::Answer::kUnsat && refutes_nothing()) {
    stopped_ = kInsertedAgain;
    return std::nullopt;
  }
  return search_->proof(answer);
}

}  // namespace isolde::checker

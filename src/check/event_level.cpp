#include "check/event_level.hpp"

#include "base/assert.hpp"
#include "check/guess.hpp"
#include "check/order_theory.hpp"
#include "check/refutation.hpp"
#include "solver/solver.hpp"

namespace isolde::checker {
namespace {

infer::Encoding encoding_of(const LevelInfo& level, const CheckOptions& options) {
  infer::Encoding encoding;
  encoding.split = level.base == BaseLevel::kSnapshotIsolation;
  encoding.session_order = level.session_order;
  encoding.real_time = level.real_time;
  encoding.clock_error_ns = options.clock_error_ns;
  return encoding;
}

}  // namespace

EventLevel::EventLevel(const infer::Observations& seen, const LevelInfo& level,
                       bool sessions_are_chains, const CheckOptions& options,
                       CheckStatistics& statistics, base::Budget& budget)
    : events_(seen, encoding_of(level, options), budget),
      sessions_are_chains_(sessions_are_chains),
      options_(options),
      statistics_(statistics),
      budget_(budget) {}

/// Version orders by time, then by simulation.
std::optional<Proof> EventLevel::guess() {
  order_ = order_by_time(events_, budget_);
  if (budget_.exhausted()) return std::nullopt;
  if (order_.empty() && events_.graph().node_count() > 0) {
    return RefutationBuilder(events_, derived_, budget_).from_cycle();
  }
  if (options_.skip_guess) return std::nullopt;
  if (auto found = follow_version_orders(events_, order_, budget_)) {
    return to_witness(events_, *found);
  }
  std::vector<NodeId> simulated = order_by_simulation(events_, budget_);
  if (budget_.exhausted()) return std::nullopt;
  if (auto found = follow_version_orders(events_, simulated, budget_)) {
    return to_witness(events_, *found);
  }
  const bool has_times = events_.observations().history().has_times();
  if (!has_times) order_ = std::move(simulated);
  return std::nullopt;
}

std::optional<Proof> EventLevel::saturate() {
  if (options_.skip_saturation || !sessions_are_chains_) return std::nullopt;
  prune::Saturation saturation(events_, budget_);
  const prune::Saturation::Outcome outcome = saturation.run();
  statistics_.saturation_rounds += saturation.rounds();
  statistics_.derived_orders += saturation.orders().size();
  derived_ = saturation.orders();
  if (outcome == prune::Saturation::Outcome::kStopped) return std::nullopt;
  if (outcome == prune::Saturation::Outcome::kCycle) {
    return RefutationBuilder(events_, derived_, budget_).from_cycle();
  }
  if (outcome == prune::Saturation::Outcome::kSkipped) return std::nullopt;
  // The derived edges may contradict the order so far, and make the next guess a better one.
  std::vector<std::uint32_t> wish(order_.size());
  for (std::size_t i = 0; i < order_.size(); ++i) {
    wish[order_[i].raw()] = static_cast<std::uint32_t>(i);
  }
  order_ = graph::topological_order(events_.graph(), wish, budget_);
  if (budget_.exhausted()) return std::nullopt;
  ISOLDE_CHECK(order_.size() == events_.graph().node_count());
  if (options_.skip_guess) return std::nullopt;
  if (auto found = follow_version_orders(events_, order_, budget_)) {
    return to_witness(events_, *found);
  }
  return std::nullopt;
}

std::vector<VersionOrder> EventLevel::derived_orders() const {
  std::vector<VersionOrder> orders;
  orders.reserve(derived_.size());
  for (const prune::DerivedOrder& derived : derived_) orders.push_back(derived.order);
  return orders;
}

std::optional<Proof> EventLevel::search() {
  if (order_.empty() && events_.graph().node_count() > 0) return std::nullopt;
  OrderTheory theory(events_, derived_orders(), order_, budget_);
  solver::Solver solver(theory, budget_);
  theory.connect(solver);
  const solver::Answer answer = solver.solve();
  statistics_.decided_pairs += solver.var_count();
  statistics_.conflicts += solver.conflict_count();
  switch (answer) {
    case solver::Answer::kSat:
      return to_witness(events_, theory.order());
    case solver::Answer::kUnsat:
      return RefutationBuilder(events_, derived_, budget_).from_conflicts(solver, theory);
    case solver::Answer::kUnknown:
      break;
  }
  return std::nullopt;
}

}  // namespace isolde::checker

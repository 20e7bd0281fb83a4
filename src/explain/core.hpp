// The core of a refutation: the steps that its last one really needs. Engines may leave steps
// in a proof that nothing uses; people should not have to read them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "history/certificate.hpp"

namespace isolde::explain {

/// How an edge's version order is known at its place in the proof.
enum class Ground : std::uint8_t {
  kCertain,      ///< the history shows it
  kEstablished,  ///< an earlier step shows it
  kAssumed,      ///< the step supposes it, for the sake of contradiction
};

struct CoreStep {
  std::vector<VersionOrder> clause;
  std::vector<Edge> cycle;
  std::vector<Ground> grounds;     ///< one for each edge of the cycle
  std::vector<std::size_t> facts;  ///< for each edge: the core step behind kEstablished, else 0
  std::vector<std::size_t> from;   ///< steps without a cycle: core steps they follow from
  std::vector<Claim> claims = {};  ///< the rest of the clause
  std::optional<WrongResult> wrong_result = {};  ///< in place of a cycle
};

/// The version order that an edge rests on; ids are none for edges that rest on none.
VersionOrder rests_on(const Edge& edge);

/// Whether the edge takes for granted where a read came from that a claim of its step denies.
bool rests_on_claim(const History& history, const Edge& edge, const std::vector<Claim>& claims);

/// Whether two transactions rule out one of their orders by themselves: a cycle of the two.
bool is_between_two(const std::vector<VersionOrder>& clause, const std::vector<Claim>& claims,
                    const std::vector<Edge>& cycle);

/// Runs of session order and real time become one edge where that is true, and real time within
/// a session becomes session order, if it agrees with it.
void straighten(const History& history, CoreStep& step);

/// Needed steps in proof order. COST: linear in the proof but for sorting, and where rows are
/// deleted in the history.
std::vector<CoreStep> proof_core(const History& history, const Refutation& refutation);
/// The same where no rows are deleted.
std::vector<CoreStep> proof_core(const Refutation& refutation);

}  // namespace isolde::explain

// Names the edges that saturation added to an event graph, and the facts that they rest on.
#pragma once

#include <array>
#include <cstdint>

#include "infer/event_graph.hpp"
#include "prune/saturation.hpp"

namespace isolde::checker {

/// A dependency and the facts behind it: an order, or the source of a read, or both.
struct DerivedEdge {
  static constexpr std::uint32_t kNone = prune::Derivation::kNone;

  Edge edge;
  std::array<std::uint32_t, 2> facts = {kNone, kNone};
};

/// Names the ww or rw edge of a version order from one event to another. REQUIRES: the order,
/// with a read whose source is certain or was found, adds that edge. COST: linear in the writes
/// of two transactions and the reads of one.
DerivedEdge order_edge(const infer::EventGraph& events, const prune::Derivation& derived,
                       infer::NodeId from, infer::NodeId to, VersionOrder order);

/// Names the edge that `fact` added from one event to another. COST: as order_edge().
DerivedEdge derived_edge(const infer::EventGraph& events, const prune::Derivation& derived,
                         infer::NodeId from, infer::NodeId to, std::uint32_t fact);

}  // namespace isolde::checker

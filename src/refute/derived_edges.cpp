#include "refute/derived_edges.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace isolde::checker {

using infer::EventGraph;
using infer::NodeId;
using infer::Observations;
using infer::WriteId;
using prune::Derivation;
using prune::Fact;
using prune::FoundRead;

namespace {

/// True when a read with a certain source explains the rw edge.
bool is_read_for_certain(const Observations& seen, TxnId reader, VersionOrder order) {
  const auto reads = seen.reads(reader);
  return std::any_of(reads.begin(), reads.end(), [&](const infer::ReadFrom& read) {
    return read.source.is_some() && seen.writer(read.source) == order.before &&
           seen.find_write(order.after, read.key).is_some();
  });
}

}  // namespace

DerivedEdge order_edge(const EventGraph& events, const Derivation& derived, NodeId from,
                       NodeId to, VersionOrder order) {
  const Observations& seen = events.observations();
  const TxnId reader = events.txn(from);
  const bool is_ww = from == events.commit(order.before);
  if (is_ww || derived.found.empty() || is_read_for_certain(seen, reader, order)) {
    DerivedEdge edge;
    edge.edge = events.name_order_edge(from, to, order);
    return edge;
  }
  // The first one found: the edge may predate the others.
  for (const FoundRead& found : derived.found[reader.raw()]) {
    const WriteId source = found.read.source;
    if (source.is_none() || seen.writer(source) != order.before) continue;
    if (seen.find_write(order.after, found.read.key).is_none()) continue;
    return {{reader, order.after, EdgeKind::kAntiDependency, found.read.key, order.before},
            {found.fact, DerivedEdge::kNone}};
  }
  ISOLDE_CHECK(false);
  return {};
}

DerivedEdge derived_edge(const EventGraph& events, const Derivation& derived, NodeId from,
                         NodeId to, std::uint32_t fact) {
  ISOLDE_ASSERT(fact < derived.facts.size());
  const Fact& why = derived.facts[fact];
  ISOLDE_ASSERT(why.kind != Fact::Kind::kExclusion);  // these add no edges
  if (why.kind == Fact::Kind::kSource) {
    const KeyId key = events.observations().open_reads()[why.read].key;
    const EdgeKind kind =
        why.source.is_none() ? EdgeKind::kAntiDependency : EdgeKind::kReadFrom;
    return {{events.txn(from), events.txn(to), kind, key, TxnId::none()},
            {fact, DerivedEdge::kNone}};
  }
  DerivedEdge edge = order_edge(events, derived, from, to, why.order);
  edge.facts[1] = fact;
  return edge;
}

}  // namespace isolde::checker

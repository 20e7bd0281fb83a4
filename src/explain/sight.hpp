// Why a transaction counts as visible to a reader that missed one of its writes: what a view
// edge (mv, av, cv) rests on. Looked up in the history, like everything in evidence.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "explain/evidence.hpp"
#include "explain/writers.hpp"
#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::explain {

/// What rests on more comes later.
enum class Sight : std::uint8_t {
  kRead,             ///< the reader read from it
  kCauses,           ///< it is a cause of the reader, by reads alone
  kOwnSession,       ///< it is an earlier transaction of the reader's session
  kOwnSessionRead,   ///< an earlier transaction of the reader's session read its version
  kCausesInSession,  ///< it is a cause of the reader, by reads and the order of sessions
  kRealTime,         ///< it had ended when the reader, or one of its causes, started
};

/// One step of a path of causes: `to` read key from `from`, or (no key) came later in its
/// session or started when it had ended.
struct CausalStep {
  TxnId from;
  TxnId to;
  KeyId key;
  bool by_time = false;
};

/// What makes causes besides reads whose source is sure, and the order of sessions.
struct Causality {
  Taken taken = {};  ///< these reads have this source
  /// Real time does, by clocks that differ by so much; nothing: it does not.
  std::optional<std::int64_t> clock_error_ns = {};
};

/// How `effect` came to depend on `cause`, by reads alone if they suffice, else with session
/// order, else with real time; empty when there is no such path. COST: n log n in the
/// operations and, where real time counts, in the transactions.
std::vector<CausalStep> causal_path(const Writers& writers, TxnId cause, TxnId effect,
                                    const Causality& causality = {});

/// The first one had been acknowledged before the second one began, as far as times are known.
bool ended_before(const History& history, TxnId first, TxnId second);

/// For names alone: where several may have written what was read, it may be any of them.
/// REQUIRES: is_view(edge.kind). COST: that of causal_path() for cv edges.
Sight sight_of(const Writers& writers, const Edge& edge);

/// The edges behind a view edge.
struct SeenAndMissed {
  /// From the source to the viewer, why it was visible: a read, the order of the session or
  /// real time; of kind kCausalView where it was so through others.
  Edge seen;
  /// What the viewer read in place of the source's write: an edge to it from the writer of that
  /// version, or its anti-dependency to the source where that is the initial one.
  Edge missed;
};

/// REQUIRES: is_view(edge.kind).
SeenAndMissed seen_and_missed(const Writers& writers, const Edge& edge, Taken taken = {});

/// Session order is part of it.
constexpr bool needs_sessions(Sight sight) {
  return sight == Sight::kOwnSession || sight == Sight::kOwnSessionRead ||
         sight == Sight::kCausesInSession;
}

}  // namespace isolde::explain

// The events of one execution at sequential and causal consistency and the four session
// guarantees, as far as dependencies in a refutation touch them. A transaction has its commit
// and, where the level asks when they happen, its external reads in program order before it:
// the moments at which the state that a read shows is in place.
#pragma once

#include <cstdint>

#include "certify/level_rules.hpp"
#include "certify/proof_parts.hpp"
#include "certify/step_facts.hpp"

namespace isolde::certify {

class SessionEvents {
 public:
  /// All arguments must outlive this object.
  SessionEvents(const History& history, const LevelInfo& level, const StepFacts& facts,
                SessionId session)
      : history_(history), rules_(rules(level).session), facts_(facts), session_(session) {}

  /// The session is one of the history, where the level needs one, and no other's.
  Objection check_session() const;
  /// The dependency counts for the session. REQUIRES: it is a true one, between transactions
  /// that certainly took effect.
  Objection check_edge(const Edge& edge) const;
  /// A path that arrives by the one edge can go on by the other. REQUIRES: edge.to ==
  /// next.from, and both pass check_edge().
  Objection check_connection(const Edge& edge, const Edge& next) const;
  /// It requires something of the reads of all sessions.
  bool asks_for_all_reads() const { return rules_.all_reads; }
  /// Reads that the level asks for show that the transactions commit in this order.
  bool direct(VersionOrder order) const;

 private:
  /// Place in a transaction: index of an external read, or kCommit.
  static constexpr std::uint32_t kCommit = 0xffffffffU;

  bool is_own(TxnId txn) const { return history_.session_of(txn) == session_; }
  /// Where the transaction's reads must have read states.
  bool asks_for_reads(TxnId txn) const;
  /// Its reads are events.
  bool has_read_events(TxnId txn) const;
  std::uint32_t arrival(const Edge& edge) const;
  std::uint32_t departure(const Edge& edge, bool& found) const;
  bool shown_by_own_list(VersionOrder order) const;
  bool shows(std::span<const Value> list, KeyId key, VersionOrder order) const;

  const History& history_;
  const SessionRules& rules_;
  const StepFacts& facts_;
  const SessionId session_;
};

}  // namespace isolde::certify

// Parts of the witness check that carry out one execution.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "certify/external_reads.hpp"
#include "certify/proof_parts.hpp"

namespace isolde::certify {

inline constexpr std::uint32_t kNever = 0xffffffffU;

/// When each transaction takes its snapshot and commits, as positions in Witness::order; kNever
/// for transactions that are not in it.
struct Execution {
  std::vector<std::uint32_t> begin;
  std::vector<std::uint32_t> commit;
  bool contains(TxnId txn) const { return commit[txn.raw()] != kNever; }
};

/// Transactions that may have taken effect: the committed ones, and those indeterminate ones
/// that wrote what one of these read. When several transactions wrote the same value, the reads
/// do not tell which of the indeterminate ones took effect; then the witness chooses, and the
/// replay shows whether its choice explains every read.
std::vector<bool> possible_txns(const History& history, bool with_absent_rows);

/// The execution that the witness describes, if it names the right transactions the right
/// number of times. Objects otherwise.
Objection read_order(const History& history, const LevelInfo& level, const Witness& witness,
                     Execution& execution);

/// "A:3 operation 2 (a read of x)"
inline std::string at_op(const History& history, TxnId txn, const ExternalRead& read) {
  return history.txn_name(txn) + " operation " + std::to_string(read.op) + " (a read of " +
         history.text(read.key) + ")";
}

/// The levels from read committed to transactional causal: every external read returns a state
/// that some earlier commit left behind, and the level's axiom holds. `order` has each
/// transaction once and agrees with session and real-time order where the level asks for it.
/// A read with several possible sources came from the one that the witness names, or else from
/// the latest. COST: linear, but that read atomic and transactional causal look, for each read,
/// at the writes of the key between its source and the reader; transactional causal also needs
/// 4 bytes for each transaction and session.
Objection replay_committed(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns, const Witness& witness);

/// Repeatable read: each aggregate has its result from earlier committed versions of its rows.
/// COST: linear, with a logarithm for each item.
Objection replay_items(const History& history, const Witness& witness);

/// Parallel snapshot isolation: no read misses a write of a transaction that precedes the
/// reader. Order and sources as for replay_committed(). COST: linear where reads return the
/// last version in the order; otherwise, for each transaction with an older one, what stands
/// between the oldest version's replacement and the transaction: quadratic at worst.
Objection replay_parallel(const History& history, const LevelInfo& level,
                          std::int64_t clock_error_ns, const Witness& witness);

/// Sequential consistency, causal consistency and the session guarantees: the session tests of
/// Crooks 2019 (Table 4.1) for the given sessions. `order` has each transaction once, at its
/// place in `execution`. COST: linear.
Objection replay_sessions(const History& history, const LevelInfo& level,
                          const Execution& execution, std::span<const TxnId> order,
                          std::span<const SessionId> sessions);

/// Read uncommitted: wherever a list read shows an append of one committed transaction before
/// one of another, the first precedes the second. Elements that several transactions appended
/// show nothing.
Objection replay_shown_order(const History& history, const Execution& execution);

}  // namespace isolde::certify

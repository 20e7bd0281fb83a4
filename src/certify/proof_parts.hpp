// One function for each form of proof; verify() chooses between them.
#pragma once

#include <cstdint>
#include <string>

#include "history/certificate.hpp"
#include "isolde/history.hpp"

namespace isolde::certify {

/// Why something is not proved, in one line; empty when it is.
using Objection = std::string;

inline const Objection kNoObjection;

Objection check_witness(const History& history, const LevelInfo& level,
                        std::int64_t clock_error_ns, const Witness& witness);
Objection check_session_witness(const History& history, const LevelInfo& level,
                                const SessionWitness& witness);
Objection check_finding(const History& history, const LevelInfo& level,
                        std::int64_t clock_error_ns, const Finding& finding);
Objection check_refutation(const History& history, const LevelInfo& level,
                           std::int64_t clock_error_ns, const Refutation& refutation);

/// Any proof at the level linearizable.
Objection check_linearizable(const History& history, std::int64_t clock_error_ns,
                             const Proof& proof);
inline constexpr std::uint64_t kExhaustionLimit = 2'000'000;

/// Tries all orders of the operations on the key. COST: exponential in how many run at the same
/// time; gives up after `limit` configurations.
Objection check_key_exhaustion(const History& history, std::int64_t clock_error_ns,
                               const KeyExhaustion& exhaustion,
                               std::uint64_t limit = kExhaustionLimit);

inline bool exists(const History& history, TxnId txn) {
  return txn.raw() < history.txn_count();
}
inline bool exists(const History& history, KeyId key) {
  return key.raw() < history.key_count();
}

/// The transaction's name, also when there is no such transaction.
std::string name_of(const History& history, TxnId txn);

/// True when `earlier` had surely ended when `later` started. A transaction whose outcome its
/// client never learned has no end: the database may carry it out at any time.
bool ended_before(const History& history, TxnId earlier, TxnId later,
                  std::int64_t clock_error_ns);

}  // namespace isolde::certify

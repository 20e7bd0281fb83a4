// One step of an interleaving: what one session does next.
#pragma once

#include <cstdint>

#include "isolde/history.hpp"

namespace isolde::replay {

struct Step {
  enum class Kind : std::uint8_t {
    kBegin,
    kOperation,
    kCommit,
    kRollback,
    kSelect,          ///< of rows, by a condition
    kDeleteSelected,  ///< likewise, which are deleted
    kAggregate,       ///< likewise, of which something is computed
    kStatement,       ///< any statement of the database's language; only in scripted steps
    kWait,            ///< for the answers to all that the session was told to do; likewise
    kCrash,           ///< the servers crash, all at once, and start again; likewise
  };
  /// How the step is given to its session.
  enum class Pace : std::uint8_t {
    kUsual,  ///< the next step comes when this one is done or seems to wait for others
    kSend,   ///< the next step comes at once
    kUntil,  ///< a first read: the transaction is rolled back and begun again until it returns
             ///< the value that the history has for it
  };
  Kind kind = Kind::kBegin;
  /// kStatement, kWait and kCrash outside of a transaction: one of the session's.
  TxnId txn;
  /// kOperation: index in the transaction; kStatement and those with a condition: which, of
  /// scripted steps, and else which selection of the transaction.
  std::uint32_t op = 0;
  Pace pace = Pace::kUsual;
  bool inside = true;  ///< kStatement: the transaction is open
  friend bool operator==(const Step&, const Step&) = default;
};

}  // namespace isolde::replay

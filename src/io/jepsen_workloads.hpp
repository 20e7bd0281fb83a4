// Jepsen's workloads beside list-append and rw-register, in EDN: which one a log is of, and
// what its operations are as reads and writes.
//
//   multi-register  transactions of [:read K V] and [:write K V], where keys may begin with any
//              value, not with nil as those of [:r K V] and [:w K V]
//   registers  :f :read, :write and :cas of one register, or of one for each key
//   sets       :f :add of an element and :read of all
//   counters   :f :add of an amount and :read of the sum
//   banks      :f :transfer of an amount and :read of all balances; where they do not tell what
//              the accounts begin with: refused, with what can be told
//   locks      :f :acquire and :release: refused
#pragma once

#include <cstdint>
#include <string>

#include "io/edn_lexer.hpp"
#include "io/jepsen_ops.hpp"
#include "isolde/history_builder.hpp"
#include "isolde/status.hpp"

namespace isolde::base {
class Budget;
}

namespace isolde::io {

inline constexpr std::string_view kJepsenCovered =
    "list-append, rw-register, registers (:read, :write, :cas), sets and counters (:add, "
    ":read) "
    "and banks (:transfer, :read)";

enum class JepsenKind : std::uint8_t {
  kTransactions,
  kMultiRegister,
  kRegisters,
  kSets,
  kCounter,
  kBank
};

/// ERRORS: kBadInput for logs of several workloads and for those that no level can be decided
/// from; kLimit.
Result<JepsenKind> jepsen_kind(const JepsenLog& log, base::Budget& budget);

/// True when the value looks like operations of a transaction: a vector of vectors.
bool edn_has_operations(std::string_view file, const JepsenEntry& entry, base::Budget& budget);

/// Each hands all of the log to the builder. ERRORS: as JepsenLog::pass_on().
Status pass_on_registers(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget);
Status pass_on_sets(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget);
Status pass_on_counter(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget);
Status pass_on_bank(JepsenLog& log, HistoryBuilder& builder, base::Budget& budget);

/// What contradicts serializability and snapshot isolation in a bank, or strict serializability
/// in a counter that begins with `initial`; empty: nothing that can be told.
std::string told_by_bank(const JepsenLog& log, base::Budget& budget);
std::string told_by_counter(const JepsenLog& log, std::int64_t initial, base::Budget& budget);

}  // namespace isolde::io

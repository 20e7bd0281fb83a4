// Names in texts. Names come from the input and may hold any bytes: people get them printable
// (base/printable.hpp), programs exactly. History::text(), txn_name(), place_name() and
// op_text() are also for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/history.hpp"

namespace isolde::history {

/// The name of the session for people.
std::string session_text(const History& history, SessionId session);

/// The key in a sentence: "x", "orders/5", "key 7".
std::string key_text(const History& history, KeyId key);

/// What is told of a lock behind the read: " for update", or nothing.
std::string_view lock_text(LockMode mode);

/// The selection on one line: "select(rows with state open) -> 1, 7; left out 3, 4". `named`
/// are numbers of its operations, ascending, that are told in any case: of the rows that it
/// returned the first ones are told, too, and of those that it left out no others.
std::string selection_text(const History& history, TxnId txn, const Selection& selection,
                           std::span<const std::uint32_t> named);

/// All operations of the transaction, a selection as one.
std::vector<std::string> op_texts(const History& history, TxnId txn);

/// History::text() and txn_name(), but with the exact bytes.
std::string exact_text(const History& history, Value value);
std::string exact_txn_name(const History& history, TxnId txn);

}  // namespace isolde::history

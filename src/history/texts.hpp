// Names in texts. Names come from the input and may hold any bytes: people get them printable
// (base/printable.hpp), programs exactly. History::text(), txn_name(), place_name() and
// op_text() are also for people.
#pragma once

#include <string>

#include "isolde/history.hpp"

namespace isolde::history {

/// The name of the session for people.
std::string session_text(const History& history, SessionId session);

/// History::text() and txn_name(), but with the exact bytes.
std::string exact_text(const History& history, Value value);
std::string exact_txn_name(const History& history, TxnId txn);

}  // namespace isolde::history

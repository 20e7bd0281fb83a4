// Where in the input a transaction stands.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isolde/history.hpp"

namespace isolde::explain {

/// What positions in the input count: lines, or bytes in binary formats.
bool has_lines(std::string_view format);

struct Place {
  std::string file;            ///< a path; empty for standard input
  std::uint64_t line = 0;      ///< from 1; 0: unknown
  std::uint64_t end_line = 0;  ///< of the outcome, if apart; 0: not, or unknown
  std::uint64_t bytes = 0;     ///< in front of it; 0: unknown, or at the beginning
  std::uint64_t number = 0;    ///< of the transaction in a file without lines, from 1; 0: none
  bool is_decompressed = false;  ///< `bytes` are those of the unpacked file
};

Place place_of(const History& history, TxnId txn);

/// "line 3", "lines 3 and 7", "T6.log, byte 90 (decompressed)", "transaction 5 of the file":
/// the file is named where the history is a folder of them. Empty when nothing is known.
std::string place_text(const History& history, TxnId txn);

/// How many operations of the transaction had failed and are left out, as far as the input
/// told.
std::size_t failed_ops(const History& history, TxnId txn);

/// What the history was recorded from, as far as it tells: "PostgreSQL 15.20, isolation
/// serializable". Empty when it does not.
std::string setting_text(const HistoryOrigin& origin);

}  // namespace isolde::explain

// Where a history comes from, and what its input as a whole says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "isolde/times.hpp"

namespace isolde {

/// What the reader noticed about the input as a whole.
struct HistoryOrigin {
  std::string file;       ///< path as given, "-" for standard input
  std::string database;   ///< what was recorded, "PostgreSQL 15.20"; empty when not told
  std::string isolation;  ///< asked of it, in its own words; likewise
  std::string format;     ///< name of the format that was read
  /// Records are missing at the end of the input (a crash while recording), and a value that
  /// nobody seems to have written may come from there.
  bool truncated = false;
  /// When the clients' clock stood at 0, in nanoseconds since 1970 in UTC; kNoTime: not told.
  std::int64_t clock_origin = kNoTime;
  /// Times only say what came before what, as numbers of lines do; differences mean nothing.
  bool times_are_order = false;
  /// What was dropped or interpreted on the way in, one line each, for the user to see.
  std::vector<std::string> notes;
  /// The input was compressed; positions in it are those in what was unpacked.
  bool compressed = false;
  /// The input has no lines, and where a transaction begins in it is not known: its number.
  bool positions_are_numbers = false;
  /// How many operations of a transaction, by its number, the input says had failed; they are
  /// left out. Transactions that are not here had none.
  std::map<std::size_t, std::size_t> failed_ops = {};
  /// Of a folder with a file for each session: its path, by the name of the session.
  std::map<std::string, std::string, std::less<>> session_files = {};
};

}  // namespace isolde

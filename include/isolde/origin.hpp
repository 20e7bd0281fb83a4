// Where a history comes from, and what is known of its input as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "isolde/level.hpp"
#include "isolde/notation.hpp"
#include "isolde/times.hpp"

namespace isolde {

/// What the reader noticed about the input as a whole.
struct HistoryOrigin {
  std::string file;       ///< path as given, "-" for standard input
  std::string database;   ///< what was recorded, "PostgreSQL 15.20"; empty when unknown
  std::string isolation;  ///< requested of it, in its own words; likewise
  std::string product;    ///< which database, by the name that its makers' promise is for
  /// What its makers promise at this isolation, as the recording tells.
  std::optional<Level> promise = {};
  /// The user held the database to that level (isolde run --promise), and not its makers.
  bool promised_by_user = false;
  /// Without a level: why they promise none, one clause; empty when nothing is known.
  std::string no_promise;
  /// How many endpoints the recording says that clients connected to; 0: unknown.
  std::size_t endpoints = 0;
  Notation notation = {};  ///< how texts tell keys and values
  std::string format;      ///< name of the format that was read
  /// Records are missing at the end of the input (a crash while recording): a value that nobody
  /// seems to have written may come from there.
  bool truncated = false;
  /// The input is cut off, and what is there writes some value of a key more than once, or what
  /// the key held at the start: what is missing may have done so, too. Known when the history
  /// is built; true of parts of such a history.
  bool values_repeat = false;
  /// Rows may be deleted: by a transaction of the history, or by one that is missing from it.
  bool rows_are_deleted = false;
  /// Versions of operations are numbers that grow with the order of the versions of a key.
  bool versions_are_ordered = false;
  /// When the clients' clock stood at 0, in nanoseconds since 1970 in UTC; kNoTime: unknown.
  std::int64_t clock_origin = kNoTime;
  /// Which monotonic clock it was, by a name that no other has: histories of one can be
  /// compared exactly. Empty: unknown.
  std::string clock_host = {};
  /// What that clock told at clock_origin, in nanoseconds; kNoTime: unknown.
  std::int64_t clock_monotonic_ns = kNoTime;
  /// The most by which times, counted from clock_origin, differ from UTC; kNoTime: unknown.
  std::int64_t clock_error_ns = kNoTime;
  /// Times only order events, as line numbers do; differences mean nothing.
  bool times_are_order = false;
  /// What was dropped or interpreted on reading, one line each, to show the user.
  std::vector<std::string> notes;
  /// The input was compressed; positions refer to the unpacked bytes.
  bool compressed = false;
  /// The input has no lines and no known offsets: a transaction's position is its number.
  bool positions_are_numbers = false;
  /// By transaction number: how many operations failed according to the input; these are left
  /// out. Transactions not listed had none.
  std::map<std::size_t, std::size_t> failed_ops = {};
  /// Where the input is a folder with a file for each session: each path, by session name.
  std::map<std::string, std::string, std::less<>> session_files = {};
};

}  // namespace isolde

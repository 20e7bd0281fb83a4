// What a database can do and what it promises, as its driver tells: fields of its row.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isolde/level.hpp"

namespace isolde::db {

struct Capabilities {
  bool sql = false;
  bool lists = false;
  bool compare_and_set = false;
  /// increment().
  bool increments = false;
  /// select(), and remove() of a key.
  bool rows = false;
  /// remove() by a condition.
  bool deletes_selected = false;
  /// The parameter `index` gives the values of registers an index.
  bool indexes = false;
  /// aggregate() of registers.
  bool computes = false;
  /// use_tables(), and the rows with columns.
  bool tables = false;
  /// aggregate_rows(), beside the other statements on tables.
  bool aggregates = false;
  /// savepoint() and roll_back_to_savepoint().
  bool savepoints = false;
  /// try_insert_row() goes on where a row is in the way.
  bool tries_inserts = false;
  /// select_rows() passes by what others have locked, where it is asked to; it waits otherwise.
  bool skips_locked = false;
  /// begin() and commit() bracket several operations atomically.
  bool transactions = true;
  /// Several endpoints in one DSN: sessions are spread over them in turn.
  bool endpoints = false;
  /// No server: the database lives in this process.
  bool embedded = false;
  /// Session::socket() tells the connection, so that it can be cut.
  bool sockets = false;
  /// Session::version() of registers, and what rows that are found or changed tell of theirs.
  enum class Versions : std::uint8_t { kNone, kIdentity, kOrder } versions = Versions::kNone;
  /// What it says besides that it can, in words that nobody here knows; for people.
  std::string_view unknown = {};
};

struct IsolationInfo {
  std::string_view name;  ///< the database's own word, as given to --isolation
  /// What its makers promise, where they say it in terms that we have a level for.
  std::optional<Level> claims;
  std::string_view note;           ///< what it does, one line, for `isolde databases NAME`
  std::string_view no_claim = {};  ///< without `claims`: why, one clause
  /// Where append() would be a read and a write of the driver's, between which the database
  /// lets others append: what comes of that. A history would blame the database for a lost
  /// append, so nothing uses lists there.
  std::string_view no_lists = {};
};

}  // namespace isolde::db

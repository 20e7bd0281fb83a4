// Operations on rows with columns, sent and put on record.
//
// What a statement did is known when its reply has come, and on record from then on: before
// the commit is sent, and so before anything of it can last. The record says no more than the
// client learned:
//
//   insert   a read that found no row, and a write. Where it was refused and the transaction
//            goes on, a refused insert, if the row with its key was in the way; nothing, if it
//            was one with what a unique column was to hold, for nobody knows which row that is
//   select   a selection of all rows that meet the condition; where a limit was reached, of
//            those up to the last one that was returned, for these are the lowest ids; where
//            rows were locked or skipped besides, only reads of the rows that were returned,
//            for others may meet the condition, too; with the lock that the database took
//   update   a selection of what it changed, with the stamp that each row had, and a write of
//            each row as it is now
//   delete   a selection and deletions
//   upsert   a read of what was there, and a write
//
// Rows that were found or written have the version that the database tells, where it does. A
// deletion has none: it leaves no row that could tell it.
//
// What was rolled back to a savepoint is no part of the transaction: its writes are left out,
// and so are reads that may have seen them, and what inserts and upserts have met. Other reads
// were seen, and stay. So operations after a savepoint are held back until it is known what
// becomes of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "db/driver.hpp"
#include "gen/table_entries.hpp"
#include "history/tables.hpp"
#include "isolde/recorder.hpp"

namespace isolde::run {

class RecordedTables {
 public:
  /// Keeps references.
  RecordedTables(RecordedSession& recorded, std::span<const table::Table> tables)
      : recorded_(recorded), tables_(tables) {}

  db::Reply insert(db::Session& session, const table::Request& request, std::int64_t stamp,
                   bool& inserted);
  db::Reply select(db::Session& session, const table::Request& request,
                   table::Selected& selected);
  db::Reply aggregate(db::Session& session, const table::Request& request, table::Cell& result);
  db::Reply update(db::Session& session, const table::Request& request, std::int64_t stamp,
                   std::vector<table::Change>& changes);
  db::Reply remove(db::Session& session, const table::Request& request,
                   std::vector<table::Row>& removed);
  db::Reply upsert(db::Session& session, const table::Request& request, std::int64_t stamp,
                   table::Change& change);
  db::Reply savepoint(db::Session& session);
  db::Reply roll_back_to_savepoint(db::Session& session);

  /// Before a commit is sent, and before the outcome of a transaction is on record.
  void end();

 private:
  using Known = table::Known;
  using Entry = table::Entry;

  static Known replaced(const table::Request& request, const table::Change& change);
  static bool is_whole(const table::Request& request, const table::Selected& selected);
  static bool has_first_rows(const table::Request& request, const table::Selected& selected);

  void put(Entry entry);
  void emit(const Entry& entry);
  void emit_version(const Known& row);
  void emit_lock(const Entry& entry);
  void emit_condition(const Entry& entry);
  void emit_rows(const Entry& entry, const RecordedCondition& condition);
  void emit_result(const Entry& entry, const RecordedCondition& condition);
  std::vector<RecordedColumn> columns_of(const Known& row, std::size_t table) const;

  RecordedSession& recorded_;
  const std::span<const table::Table> tables_;
  bool holds_ = false;  ///< there is a savepoint
  std::vector<Entry> held_;
};

}  // namespace isolde::run

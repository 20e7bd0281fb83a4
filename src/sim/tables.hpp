// Rows with columns on the store: a row is a register, its value the number of a version that
// is kept here, 0 where there is no row. So levels, staleness and faults are those of the
// store.
//
// A statement reads every row of the ids that it may concern, also those that do not meet its
// condition, so that what it left out is guarded like what it returned. Of ids that appear
// later it has seen that there was no row; the store learns that before the next statement
// and before the commit, and of ids that appear after the commit when they do.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "gen/plan.hpp"
#include "gen/table_entries.hpp"
#include "history/tables.hpp"
#include "isolde/history_builder.hpp"
#include "sim/store.hpp"

namespace isolde::sim {

// What a transaction on tables has done. The caller owns it and reuses it.
struct TableTxn {
  // Ids of a table that a statement looked through, and how many of them there had been.
  struct Range {
    std::size_t table = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::size_t created = 0;
  };

  std::vector<table::Entry> entries;  // for the record
  std::vector<Range> ranges;
  std::vector<std::uint32_t> locked;  // by number
  bool holds = false;                 // there is a savepoint
  std::size_t saved_entries = 0;
  Entries<StoreTxn::WriteEntry> saved_writes;
};

class Tables {
 public:
  // Keeps references.
  Tables(Store& store, std::span<const table::Table> tables);

  // Puts rows in, as one transaction that others cannot miss.
  void load(std::span<const gen::InitialRow> rows, TableTxn& done);

  void begin(TableTxn& done) const;
  // Performs an operation that is_of_tables(). Returns false when the database refuses it: the
  // transaction has to be rolled back.
  bool perform(StoreTxn& txn, TableTxn& done, const gen::PlannedOp& op, gen::Plan& plan,
               gen::Seen& seen);
  // Before the commit.
  void guard(StoreTxn& txn, TableTxn& done);
  // After the commit, of that position, or after an abort: 0.
  void end(TableTxn& done, Seq seq);

  void record(HistoryBuilder& builder, const TableTxn& done) const;

 private:
  struct Found {
    std::uint32_t number = 0;
    table::Row row = {};
  };
  // A committed transaction looked through these ids.
  struct Looked {
    std::int64_t first = 0;
    std::int64_t last = 0;
    Seq seq = 0;
  };
  struct Scan {
    std::vector<Found> found;
    bool is_whole = true;  // no limit was reached, no locked row skipped
    bool skipped = false;  // a locked row
    bool refused = false;  // a row is locked
  };

  std::uint32_t number_of(std::size_t table, std::int64_t id);
  table::Row version(std::size_t table, std::int64_t id, std::int64_t number) const;
  std::int64_t keep(table::Row row);
  bool is_locked(const StoreTxn& txn, std::uint32_t number) const;
  void lock(const StoreTxn& txn, TableTxn& done, std::uint32_t number);
  bool fits(std::size_t table, const table::Row& row) const;
  void write(StoreTxn& txn, TableTxn& done, std::size_t table, const Found& after);

  Scan scan(StoreTxn& txn, TableTxn& done, const table::Request& request);
  bool look_at(StoreTxn& txn, const table::Request& request, std::int64_t id,
               std::uint32_t number, Scan& scan);
  bool insert(StoreTxn& txn, TableTxn& done, const table::Request& request, std::int64_t stamp,
              std::vector<table::Row>& rows);
  bool select(StoreTxn& txn, TableTxn& done, const table::Request& request,
              std::vector<table::Row>& rows);
  void aggregate(StoreTxn& txn, TableTxn& done, const table::Request& request, gen::Seen& seen);
  bool update(StoreTxn& txn, TableTxn& done, const table::Request& request, std::int64_t stamp,
              std::vector<table::Row>& rows);
  bool remove(StoreTxn& txn, TableTxn& done, const table::Request& request,
              std::vector<table::Row>& rows);
  bool upsert(StoreTxn& txn, TableTxn& done, const table::Request& request, std::int64_t stamp,
              std::vector<table::Row>& rows);

  Value value_of(HistoryBuilder& builder, const table::Known& row) const;
  Predicate predicate_of(HistoryBuilder& builder, const table::Entry& entry) const;

  Store& store_;
  const std::span<const table::Table> tables_;
  std::vector<std::map<std::int64_t, std::uint32_t>> numbers_;  // by table: ids and numbers
  std::vector<std::vector<std::int64_t>> created_;              // by table: ids as they came
  std::vector<std::deque<Looked>> looked_;  // by table, in the order of commits
  std::uint32_t next_number_ = 0;
  std::vector<table::Row> versions_;                        // by number, from 1
  std::unordered_map<std::uint32_t, std::uint32_t> locks_;  // of a number: the session
};

}  // namespace isolde::sim

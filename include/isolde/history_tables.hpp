// What a History stores, operations aside. These are most of a history with selections, for
// each row that was left out is one, so copies that get operations of their own do without
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isolde/event.hpp"
#include "isolde/index.hpp"
#include "isolde/operation.hpp"
#include "isolde/origin.hpp"
#include "isolde/predicates.hpp"
#include "isolde/shared_table.hpp"
#include "isolde/times.hpp"

namespace isolde {

using SessionId = Index<struct SessionTag>;
using TxnId = Index<struct TxnTag>;

enum class TxnStatus : std::uint8_t {
  kCommitted,      ///< the client was told so
  kAborted,        ///< the client was told so, or it rolled back itself
  kIndeterminate,  ///< the client does not know: lost connection, timeout, crash
};

/// A row that a selection left out.
struct LeftOutRow {
  TxnId txn;
  std::uint32_t selection = 0;  ///< of History::selections(txn)
  KeyId key;
  Value read = {};  ///< what it is taken to have read in place of that; null: it is open
};

/// No part of the interface: see History, whose members these are.
class HistoryTables {
 protected:
  struct Versioned {
    Value plain;
    Value version;
  };

  std::vector<std::string> session_names_;
  std::vector<std::uint32_t> session_begin_;  // CSR into session_txns_
  std::vector<TxnId> session_txns_;
  std::vector<SessionId> txn_session_;
  std::vector<std::uint32_t> txn_position_;
  std::vector<TxnStatus> txn_status_;
  std::vector<TxnTimes> txn_times_;                // empty when nothing has times
  std::vector<DatabaseTimes> txn_database_times_;  // likewise
  std::vector<std::uint8_t> txn_level_;            // 1 + level, 0 = none; likewise
  std::vector<Value> txn_label_;                   // empty when nothing is labelled
  std::vector<Value> txn_server_;                  // empty when no server is recorded
  std::vector<std::uint64_t> txn_input_;           // empty when positions are unknown
  std::vector<std::uint64_t> txn_completion_;      // likewise
  std::vector<RecordedEvent> events_;
  std::vector<std::uint32_t> op_begin_;          // CSR into ops_
  std::vector<std::uint64_t> list_begin_ = {0};  // CSR into list_values_
  std::vector<Value> list_values_;
  SharedTable<PredicateTable> predicates_;
  std::vector<std::uint32_t> selection_begin_;  // CSR into selections_; empty without any
  std::vector<Selection> selections_;
  bool rows_are_unlisted_ = false;
  std::vector<Aggregate> aggregates_;  // some may be of no selection
  std::vector<Value> keys_;
  std::vector<std::uint8_t> key_is_list_;
  std::vector<Value> key_initial_;               // of registers; empty without initial contents
  std::vector<std::uint32_t> key_initial_list_;  // 1 + slot in list_begin_; empty without any
  std::vector<Predicate::Bounds> key_open_;      // History::open_numbers(); empty without any
  SharedTable<std::vector<std::uint64_t>> pool_begin_{{0}};  // CSR into pool_chars_
  SharedTable<std::string> pool_chars_;
  SharedTable<std::vector<std::uint32_t>>
      row_of_slot_;  // by pool slot: 1 + row, 0 = none; maybe shorter
  SharedTable<std::vector<std::uint32_t>> column_begin_;  // by row: CSR into columns_
  SharedTable<std::vector<ColumnValue>> columns_;
  std::vector<std::uint32_t> versioned_of_slot_;  // as row_of_slot_
  std::vector<Versioned> versioned_;
  HistoryOrigin origin_;
};

}  // namespace isolde

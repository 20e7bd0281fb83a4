// What the second definitions have in common: transactions as reads and writes of versions, and
// the choice of those that took effect. Written anew for them: they share no code with the
// oracle (brute.cpp), not even the reading of a transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "isolde/level.hpp"
#include "support/history_dsl.hpp"

namespace isolde::oracle {

/// One value of a register, or what a list holds behind its first elements; empty = initial,
/// whatever the key held at the start. A deletion: who made it, and the
/// empty value.
using Version = std::vector<std::string>;

inline bool is_deletion(const Version& version) {
  return !version.empty() && version.back().empty();
}

struct Summary {
  const support::PlainTxn* txn = nullptr;
  /// External reads, in program order.
  std::vector<std::pair<std::string, Version>> reads;
  /// By external read: number of the statement that it is part of. A selection is one
  /// statement, and nobody knows in which order it looked at its rows.
  std::vector<std::size_t> statements;
  std::map<std::string, Version> writes;
  /// All operations but reads with unknown results: number of the external read, -1 for others.
  std::vector<int> ops;
  bool contradicts_itself = false;
  /// Reads of which only is known what they did not return: number in `reads`, and the
  /// condition on its value. some_choice() puts versions in their places.
  struct Exclusion {
    std::size_t read = 0;
    support::PlainSelection excluded;
    bool may_be_initial = true;
  };
  std::vector<Exclusion> exclusions;
  /// Of them those of rows that a selection left out where no anti-dependency counts: numbers
  /// in `reads`.
  std::set<std::size_t> predicate_reads;
  /// Reads of rows of which some columns are known, and of what a key held at the start,
  /// likewise.
  struct Match {
    std::size_t read = 0;
    std::string told;
    support::PlainSelection selected;
    bool may_be_initial = false;
  };
  std::vector<Match> matches;
};

/// Without `with_absent_rows` nothing is known of rows that were not selected, but for those
/// that the transaction wrote itself and those that matched at the start. REQUIRES: a
/// transaction of the history.
Summary summarise(const support::PlainTxn& txn, const support::PlainHistory& history,
                  bool with_absent_rows);

bool is_list_key(const support::PlainHistory& history, const std::string& key);

/// By session order or real time, where the level binds it.
bool must_precede(const support::PlainHistory& history, const support::PlainTxn& a,
                  const support::PlainTxn& b, Level level, std::int64_t clock_error_ns);

/// Earlier in the same session. REQUIRES: transactions of one history.
bool is_earlier_in_session(const support::PlainTxn& a, const support::PlainTxn& b);

/// Calls `holds` with every choice of transactions that may have happened; true when one holds.
bool some_population(const support::PlainHistory& history,
                     const std::function<bool(const std::vector<Summary>&)>& holds,
                     bool with_absent_rows = true);

/// The same with every choice of versions that reads of these transactions may have seen of
/// which only is known what they did not return.
bool some_versions(std::vector<Summary> txns,
                   const std::function<bool(const std::vector<Summary>&)>& holds);

/// The same with both.
bool some_choice(const support::PlainHistory& history,
                 const std::function<bool(const std::vector<Summary>&)>& holds,
                 bool with_absent_rows = true);

}  // namespace isolde::oracle

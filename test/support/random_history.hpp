// Seeded random histories of a few transactions, biased so that every level holds for some and
// is violated by others.
#pragma once

#include <cstdint>

#include "base/rng.hpp"
#include "support/history_dsl.hpp"

namespace isolde::support {

/// How the results of reads come about.
enum class ReadSource : std::uint8_t {
  kSerial,     ///< the state before the transaction; now and then an older one
  kSnapshot,   ///< one state for the whole transaction, mostly without write conflicts
  kCausal,     ///< a part of the transactions before, with all that they saw; mostly without
               ///< lost updates
  kAnyBefore,  ///< each read its own state before the transaction
  kShared,     ///< no isolation: operations of several transactions take turns on one state
  kAnything,   ///< any value written to the key, lists in any order
};

enum class TimeSource : std::uint8_t {
  kNone,
  kExecution,  ///< intervals around snapshot and commit of the execution, longer at random
  kAnything,
};

struct RandomHistoryOptions {
  ReadSource reads = ReadSource::kSerial;
  TimeSource times = TimeSource::kNone;
  std::uint64_t session_count = 2;
  std::uint64_t txn_count = 4;
  std::uint64_t ops_max = 3;  ///< operations of a transaction; the generator may add a few
  std::uint64_t key_count = 2;
  bool has_observers = false;  ///< first half: mostly write. Second half: read every key
  double list_share = 0;       ///< of the keys
  double aborted_share = 0;    ///< of the transactions
  double indeterminate_share = 0;
  double unknown_read_share = 0;
  double selection_share = 0;  ///< of the reads; above 0 keys are integers and no lists
  double start_share = 0;      ///< of the keys: had contents before all transactions
  double exclusion_share = 0;  ///< of the reads of registers: "not this value"
  double delete_share = 0;     ///< of the writes of registers: deletions
  bool has_rows = false;       ///< registers hold rows with columns, of which reads tell some
  double whole_share = 0.3;    ///< has_rows: of the reads that find a row: tell all columns
  double duplicate_share = 0;  ///< of the writes: repeats a value of the key. 0 = unique values
  double stale_share = 0.1;  ///< kSerial: reads of an older state. kSnapshot: write conflicts.
                             ///< kCausal: lost updates
  double dirty_share = 0;    ///< aborted transactions that take effect all the same
  double reorder_share = 0;  ///< chance that input order differs from the execution's order
  double database_times_share = 0;  ///< of the histories
  double levels_share = 0;          ///< of the histories: transactions state levels
  double mutation_count = 0;        ///< expected number of small changes at the end
  /// Of the rows of a selection: returned once more, in any version. So does a scan that meets
  /// a row before and after it has moved.
  double doubled_share = 0;
  bool selects_values = true;       ///< selections may have conditions on values
  bool sessions_take_turns = true;  ///< times: a session waits for its previous transaction
};

/// Draws the options: all features, each often enough, unique values.
RandomHistoryOptions random_options(base::Rng& rng);

/// The same with selections. Without `on_values` they have conditions on keys only, and nothing
/// is deleted, so that a row that they leave out tells its version.
RandomHistoryOptions random_selection_options(base::Rng& rng, bool on_values);

/// The same with rows that have columns, few enough of them that several versions agree.
RandomHistoryOptions random_row_options(base::Rng& rng);

PlainHistory random_history(base::Rng& rng, const RandomHistoryOptions& options);

/// The usual one: options and history from one seed.
PlainHistory random_history(std::uint64_t seed);

/// Makes one small change: to the result of a read (mostly), to the order of operations, to a
/// session, an outcome or a time. Transactions and writes stay.
void change_something(PlainHistory& history, base::Rng& rng);

/// Whether some key is written the same value twice, by whatever transactions. Such histories
/// do not tell from where reads come, and the engine may leave them undecided.
bool has_duplicate_writes(const PlainHistory& history);

/// The premise of implies(): all pairs of a session follow one another in real time. An
/// indeterminate transaction is followed by nothing, for it may take effect later.
bool sessions_respect_time(const PlainHistory& history, std::int64_t clock_error_ns);

}  // namespace isolde::support

// A discrete-event simulation of clients, a network and a database (sim/store.hpp) that yields
// a history together with the truth behind it: what `isolde gen` runs, and the oracle that
// tests hold the checker against.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gen/workload.hpp"
#include "isolde/history.hpp"
#include "isolde/level.hpp"
#include "isolde/status.hpp"
#include "sim/store.hpp"

namespace isolde::sim {

struct SimulationOptions {
  gen::WorkloadOptions workload;
  StoreLevel level = StoreLevel::kStrictSerializable;
  Staleness staleness = Staleness::kFresh;
  Fault fault = Fault::kNone;
  double fault_rate = 0.01;  // chance at each opportunity
  // The fault strikes only while the share of the transactions that have committed is from
  // `fault_after` to `fault_before`.
  double fault_after = 0;
  double fault_before = 1;
  double user_abort_rate = 0.01;  // transactions that the client rolls back
  double lost_reply_rate = 0;     // commits whose outcome the client never learns
  // Means of one network hop, of the server's work on one request, and of the pause between a
  // session's transactions.
  std::int64_t network_ns = 50'000;
  std::int64_t service_ns = 20'000;
  std::int64_t think_ns = 50'000;
  // Each session's clock is off by up to this much in either direction.
  std::int64_t clock_error_ns = 0;
  bool times = true;  // record start and end times
};

// How one transaction of the history really went.
struct TxnTruth {
  Seq commit = 0;              // its position in the order of commits; 0 when not in the store
  Seq snapshot = 0;            // reads saw commits up to this one (read-committed: 0)
  std::int64_t begin_ns = 0;   // true time of the first operation in the store
  std::int64_t commit_ns = 0;  // true time of the commit or abort in the store
  bool fault_seen = false;     // committed, and the fault changed what it read or did
};

struct SimulationStatistics {
  std::uint64_t committed = 0;
  std::uint64_t conflict_aborts = 0;
  std::uint64_t user_aborts = 0;
  std::uint64_t indeterminate = 0;
  std::uint64_t faults_injected = 0;  // times the fault struck
  std::uint64_t faults_seen = 0;      // committed transactions whose reads or commit it changed
  std::int64_t duration_ns = 0;       // virtual
};

struct SimulationTrace {
  SimulationStatistics statistics;
  std::vector<TxnTruth> txns;  // by TxnId
};

// ERRORS: kUsage, naming the option and what would fit.
Status validate(const SimulationOptions& options);

// Runs until workload.txns transactions have committed. Transactions that abort by conflict are
// sent again as new ones. Sessions are named "0", "1", ...; keys are integers or the workload's
// names for them, values are integers; a compare-and-set is recorded as a read and, where it
// was applied, a write. Transactions come in the order in which clients learned the outcome.
// Same options, same history. ERRORS: as validate(), and those of HistoryBuilder::finish().
// COST: O(operations x log sessions), about 40 bytes an operation.
Result<History> simulate(const SimulationOptions& options, SimulationTrace* trace = nullptr);

// The same history in parts of so many transactions each (fewer, where they are long), one
// behind the other, so that it need not fit into memory. No transaction of a later part starts
// before `open_since` (kNoTime: the history has no times, or this is the last part). REQUIRES:
// can_be_taken_in_parts(options). ERRORS: those of `take`, too.
using TakePart = std::function<Status(const History&, std::int64_t open_since, bool is_last)>;
Status simulate_in_parts(const SimulationOptions& options, std::uint64_t part_txns,
                         const TakePart& take);

// What a read tells of a row depends on the columns of the other versions, which may be in
// another part: not for workloads on tables.
bool can_be_taken_in_parts(const SimulationOptions& options);

}  // namespace isolde::sim

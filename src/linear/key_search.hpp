// Linearizability of one key on which values repeat: a complete search over orders.
//
// Method: Wing & Gong, "Testing and verifying concurrent objects", J. Parallel Distrib. Comput.
// 1993, with Lowe's cache of configurations ("Testing for linearizability", Concurrency and
// Computation 2017), along the moments at which operations return. When an operation returns
// that is not in the order yet, some sequence of running operations that ends with it comes
// next. So a configuration is the current return, the state of the key, which running
// operations are in the order, and how many of each kind of operation with unknown outcome.
// What has returned before need not be remembered. The search is pruned because
//   - an operation that only reads goes into the order as soon as the state fits: that never
//     constrains the others;
//   - operations with unknown outcome that read and write the same are used by start time, and
//     where a configuration failed, so do equal ones with more of them used;
//   - those whose write nobody could have seen are left out, unless there are negative reads
//     (only values they did not return are known);
//   - unseen values of a register count as one, where the same reads exclude them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "isolde/history.hpp"
#include "linear/key_table.hpp"

namespace isolde::checker {

struct KeySearchAnswer {
  enum class Outcome : std::uint8_t { kHolds, kViolated, kStopped };
  Outcome outcome = Outcome::kStopped;
  std::vector<TxnId> order;  ///< kHolds
  TxnId until;               ///< kViolated: at its return no order was left
};

/// Configurations after which the search stops.
inline constexpr std::uint64_t kConfigurationLimit = 4'000'000;
/// The same where it found no order: the verifier has to search again, with a limit a few times
/// as large.
inline constexpr std::uint64_t kProvableLimit = 500'000;

/// REQUIRES: entries of one key. COST: exponential in the number of concurrent operations,
/// except for what the cache saves; memory proportional to configurations.
KeySearchAnswer search_key(const History& history, std::span<const KeyTable::Entry> entries,
                           std::int64_t clock_error_ns, base::Budget& budget);

}  // namespace isolde::checker

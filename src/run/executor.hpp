// Runs a workload on a database: one thread and one connection for each session, transactions
// one after the other, everything recorded as the client saw it.
//
// A transaction that the database aborts is sent again as a new one with fresh values, after a
// short random pause; a connection that breaks is replaced. What the client does not know stays
// unknown: a commit whose reply never came is neither repeated nor counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "db/driver.hpp"
#include "gen/workload.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"
#include "run/reason.hpp"
#include "server/nemesis.hpp"

namespace isolde::run {

struct ExecutorOptions {
  gen::WorkloadOptions workload;  ///< sessions; txns: how many to commit, all together
  /// End after this time instead of after workload.txns commits; 0: no.
  double duration_seconds = 0;
  /// A transaction aborted this often is given up for a new one.
  std::uint32_t attempts_max = 100;
  /// A session that gets no connection for so long gives up; others go on.
  double reconnect_seconds = 30;
  /// A run of a number of commits ends when there was none for so long.
  double fruitless_seconds = 60;
  /// At the end sessions finish the transaction in hand. One that needs longer than this drops
  /// it: its connection is cut where that is possible.
  double finish_seconds = 10;
  /// Asked now and then; other answers than an empty one end the run for that reason. May be
  /// empty.
  std::function<std::string()> trouble;
  /// Connections that are cut while the run goes on; others of the list are not looked at.
  std::vector<server::FaultSpec> faults;
};

/// What the sessions have done so far.
struct RunStatistics {
  std::uint64_t committed = 0;
  std::uint64_t aborted = 0;      ///< by the database
  std::uint64_t rolled_back = 0;  ///< by the client, as the workload asks
  std::uint64_t unknown = 0;
  std::uint64_t given_up = 0;  ///< transactions aborted attempts_max times
  std::uint64_t reconnects = 0;
  std::uint64_t cuts = 0;
  double seconds = 0;
  /// What the database said when it aborted or failed, and how often.
  ReasonCounts reasons;
  /// Empty, or why the run, or some of its sessions, ended early; the history has all that
  /// was done.
  std::string stopped;
  bool ending = false;  ///< the sessions end, because they were told to or have done it all
};

using ProgressFunction = std::function<void(const RunStatistics&)>;

/// Creates nothing: database.create() has been called with the planner's initial keys. Ends
/// early when `budget` is cancelled. Takes at most finish_seconds after the end, and what the
/// driver takes for one attempt to connect, or where connections cannot be cut for one request.
/// `recorder` gets an event for each cut connection. ERRORS: kEnvironment when no session could
/// connect at the beginning.
Result<RunStatistics> execute(db::Database& database, gen::Planner& planner, Recorder& recorder,
                              const ExecutorOptions& options, base::Budget& budget,
                              const ProgressFunction& progress);

}  // namespace isolde::run

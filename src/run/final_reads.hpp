// What the database holds when all is over: after faults, each server is read once more, so
// that a history shows what they have lost or never brought to a replica.
#pragma once

#include <cstddef>

#include "db/driver.hpp"
#include "gen/workload.hpp"
#include "isolde/recorder.hpp"

namespace isolde::run {

/// Reads the first keys that the workload began with, a few in each transaction, by `sessions`
/// new sessions, which go to servers as those of that number did. A session that gets no
/// connection or is refused has read nothing, which is no failure of the run. COST: some
/// hundred reads a session.
void read_finally(db::Database& database, const gen::Planner& planner, Recorder& recorder,
                  std::size_t sessions);

}  // namespace isolde::run

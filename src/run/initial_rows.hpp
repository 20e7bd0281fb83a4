// The rows that a workload begins with.
#pragma once

#include "db/driver.hpp"
#include "gen/workload.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"

namespace isolde::run {

/// Inserts them, on record as the session "initial", before others begin. Does nothing where
/// there are none. ERRORS: kEnvironment, with what the database said.
Status insert_initial_rows(db::Database& database, const gen::Planner& planner,
                           Recorder& recorder);

}  // namespace isolde::run

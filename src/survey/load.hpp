// A short random load at one isolation setting: many small transactions at once, for what the
// scripted scenarios do not think of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "gen/workload.hpp"
#include "survey/findings.hpp"
#include "survey/play.hpp"

namespace isolde::survey {

struct Load {
  std::string workload;
  std::uint64_t committed = 0;
  std::uint64_t aborted = 0;
  std::map<std::string, std::uint64_t> reasons;  ///< of aborts
  std::string stopped;                           ///< why it ended early; empty
  std::filesystem::path history;
  std::vector<ProofFile> proofs = {};  ///< of the promised level, where it was decided
};

/// What to run: one with all kinds of operations, and probes.
std::vector<gen::Workload> loads_of(const db::DatabaseInfo& info);

/// Runs the workload for so long, or until it has committed enough to be checked in no time,
/// adds what the history says, and writes the proof beside it. Leaves nothing in the database.
/// ERRORS: kEnvironment.
Result<Load> run_load(gen::Workload workload, double seconds, std::uint64_t seed,
                      const Stage& stage, Findings& findings, base::Budget& budget);

}  // namespace isolde::survey

// Plays one scenario at one isolation setting and judges what came of it.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/checking.hpp"
#include "base/budget.hpp"
#include "db/driver.hpp"
#include "isolde/status.hpp"
#include "survey/cell.hpp"
#include "survey/findings.hpp"
#include "survey/proofs.hpp"
#include "survey/scenario.hpp"

namespace isolde::survey {

/// One cell of the table.
struct Cell {
  Finding finding;
  std::optional<Violation> violation;
  std::string transcript;  ///< empty: nothing was played
  std::filesystem::path history;
  std::filesystem::path steps;
  /// Of Scenario::forbidden_by and the promised level, as far as they were decided.
  std::vector<ProofFile> proofs = {};
};

/// What is played on, and how.
struct Stage {
  const db::DatabaseInfo& info;
  /// Opens the database at this setting, with an index on values where it is asked for.
  std::function<Result<std::unique_ptr<db::Database>>(bool with_index)> open;
  std::string source;  ///< for the record: data source name without its password
  std::string version;
  std::string isolation;  ///< the setting
  std::optional<Level> promised;
  bool is_alone = false;  ///< one server, and no cluster
  std::chrono::nanoseconds step_wait = std::chrono::milliseconds(400);
  std::filesystem::path folder;  ///< where histories go; it is there
};

/// Plays the scenario, more than once where a step was slow for no reason that is seen, adds
/// what the history says of all levels to `findings`, and writes the proofs beside it. Leaves
/// nothing in the database.
/// ERRORS: kEnvironment; kInternal where a proof does not verify.
Result<Cell> play(const Scenario& scenario, const Stage& stage, Findings& findings,
                  base::Budget& budget);

/// Adds what the history says of all levels; where it breaks the promise, that is told with a
/// verified proof. `where`: what the history is of. ERRORS: kInternal.
Status add_history(api::Checked& checked, const Stage& stage, const std::string& where,
                   const std::filesystem::path& file, Findings& findings);

/// The proof of the level's violation, once the verifier has accepted it. REQUIRES: the level
/// is violated. ERRORS: kInternal.
Result<Violation> verified(api::Checked& checked, Level level);

}  // namespace isolde::survey

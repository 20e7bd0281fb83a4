// What one play of a scenario has shown: whether the anomaly happened, and if not, what stood
// in its way.
//
// That it happened is the checker's word about what was recorded, with a proof that the
// verifier accepts. How it was prevented is told by the steps: who waited for whom, whom the
// database aborted. Where a play shows neither, nothing is claimed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/driver.hpp"
#include "isolde/level.hpp"
#include "isolde/verdict.hpp"
#include "replay/numbering.hpp"
#include "replay/player.hpp"
#include "survey/scenario.hpp"

namespace isolde::survey {

enum class Outcome : std::uint8_t {
  kOccurs,      ///< the anomaly happened
  kOther,       ///< another one happened that violates the same level
  kDeadlock,    ///< the database aborted a transaction to resolve a deadlock
  kAborted,     ///< it aborted one for another reason
  kBlocked,     ///< a step waited for another session, and none was aborted
  kConsistent,  ///< every step went through, and the reads show no such anomaly
  kNotPlayed,   ///< the play shows nothing
};

/// One word, for tables and programs: "occurs".
std::string_view name(Outcome outcome);
/// What it means, one clause.
std::string_view meaning(Outcome outcome);
bool is_prevented(Outcome outcome);

/// A violation with a verified proof.
struct Violation {
  Level level = Level::kSerializable;
  std::string anomaly;    ///< as in explain::Anomaly
  std::string label;      ///< "write skew (G2-item)"
  std::string statement;  ///< with the names of the history, no full stop
  std::string narrative;  ///< explain::narrate()
};

/// What the checker says of the recorded history at the levels of Scenario::forbidden_by.
struct Judgement {
  Verdict verdict = Verdict::kUnknown;  ///< holds: all of them do
  std::string reason;                   ///< of no verdict
  /// kViolated: by the anomaly of the scenario, if there is such a one.
  std::optional<Violation> violation = {};
};

/// Whether the anomaly is that of the scenario.
bool is_of(const Scenario& scenario, const Violation& violation);

/// Steps and what came of them.
struct Play {
  const replay::Numbering& numbering;
  std::span<const replay::Step> steps;
  std::span<const replay::StepResult> results;
  std::span<const std::string> statements = {};  ///< replay::Steps::statements
};

/// The first step that took long although nothing was seen that it may have waited for: no
/// other session's transaction ended before it was done. Such a play has not gone as written.
std::optional<std::size_t> unexplained_wait(const Play& play);

struct Finding {
  Outcome outcome = Outcome::kNotPlayed;
  std::string how;      ///< one sentence without full stop, printable
  std::string message;  ///< what the database said when it aborted; may be empty
};

/// `deadlock`: of the database. `is_alone`: it is known to be one server, and no cluster.
/// REQUIRES: no unexplained_wait(), unless longer waiting times have not made it go away: then
/// it counts as a wait. `promised`: at the setting; nothing: none of the levels.
Finding find(const Scenario& scenario, const Play& play, const Judgement& judgement,
             const db::DeadlockWords& deadlock, bool is_alone, std::optional<Level> promised);

/// The message tells for sure that the database resolved a deadlock.
bool is_deadlock(const db::DeadlockWords& deadlock, bool is_alone, std::string_view message);

}  // namespace isolde::survey

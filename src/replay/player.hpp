// Plays the steps of an interleaving against a database, records what the sessions see, and
// tells step by step what happened.
//
// Each session has a thread and a connection. Steps are given out in their order; the next one
// comes when the last one is done, or when it has been under way so long that it seems to wait
// for another session. Then its session's later steps wait behind it, and the others go on.
// Scripted steps (steps.hpp) say where it shall be otherwise. The time decides nothing but the
// order of steps: what the sessions saw is on record with the times at which they saw it, and
// is checked like any other history.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/driver.hpp"
#include "isolde/recorder.hpp"
#include "isolde/status.hpp"
#include "replay/interleaving.hpp"
#include "replay/numbering.hpp"

namespace isolde::replay {

struct PlayOptions {
  std::chrono::nanoseconds step_wait = std::chrono::milliseconds(200);
  /// All sessions at once, without waiting for each other: only the order within a session is
  /// kept.
  bool together = false;
  /// Step::Pace::kUntil: a read that has not returned its value for so long is given up.
  /// Between attempts the session pauses, a little at first and longer the longer it takes.
  std::chrono::nanoseconds until_wait = std::chrono::seconds(10);
  /// Of steps that are kStatement.
  std::span<const std::string> statements = {};
  /// Steps::conditions and Steps::computed; must outlive the play. Null: steps that are kSelect
  /// and the like are the history's selections.
  const std::map<std::uint32_t, db::Condition>* conditions = nullptr;
  const std::map<std::uint32_t, AggregateKind>* computed = nullptr;
  /// What a kCrash does: all servers crash, and serve again when it returns. Called from a
  /// session's thread; empty only where no step is one. ERRORS: kEnvironment ends the play.
  std::function<Status()> crash;
};

/// How a step went.
struct StepResult {
  enum class State : std::uint8_t {
    kDone,
    kAborted,  ///< the database has ended the transaction without committing it
    kUnknown,  ///< it may have committed
    kSkipped,  ///< its transaction was over
  };
  State state = State::kSkipped;
  std::string message;           ///< kAborted, kUnknown: what the database said
  bool waited = false;           ///< others went on meanwhile
  bool is_disconnected = false;  ///< the connection was lost with it
  std::size_t tries = 0;    ///< Step::Pace::kUntil: how often its transaction was begun again
  std::size_t done_at = 0;  ///< the last step that had been given out when this one was done
  std::optional<std::int64_t> value;   ///< reads of registers, aggregates
  std::vector<std::int64_t> elements;  ///< reads of lists
  std::vector<db::Row> rows;           ///< kSelect, kDeleteSelected: ascending by key
};

/// Results in the order of the steps. database.create() has been called with the numbering's
/// keys. ERRORS: kEnvironment when a session cannot connect or the database says that trying
/// again will not help.
Result<std::vector<StepResult>> play(db::Database& database, const Numbering& numbering,
                                     std::span<const Step> steps, Recorder& recorder,
                                     const PlayOptions& options);

}  // namespace isolde::replay

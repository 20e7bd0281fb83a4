// What an anomaly does to an application, and what helps against it: the words for somebody who
// runs the application and has no use for cycles of dependencies.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "isolde/level.hpp"

namespace isolde::explain {

/// Kinds of damage, the worst first. Reports tell of anomalies in this order.
enum class Harm : std::uint8_t {
  kContradiction,    ///< answers that no order of transactions can explain
  kLostChange,       ///< an acknowledged change is overwritten by one that never saw it
  kUncommitted,      ///< what is undone or unfinished is seen as if it were final
  kBrokenRule,       ///< each transaction keeps a rule over several items, both break it
  kPhantom,          ///< each looked for rows and found none of those that the others insert
  kNoFirst,          ///< each rests on what the next one changes, all around a circle
  kFalseReport,      ///< what only reads sees a state that the changes never pass through
  kMixedState,       ///< a transaction sees a state that never existed
  kDisagreement,     ///< transactions see changes in different orders
  kOwnChangeMissed,  ///< a session does not see what it did or saw itself
  kOldState          ///< what was acknowledged is not seen yet
};

/// What an application notices, one clause that goes on after "that means: ".
std::string_view meaning_of(Harm harm);

/// The same of an anomaly by its name, whose transactions may have done less than others of its
/// harm: they need not have read what they overwrote.
std::string_view meaning_of(std::string_view anomaly);

/// What it does, one short clause that stands behind the name of an anomaly.
std::string_view short_meaning_of(Harm harm);

/// How many servers the sessions went to.
enum class Servers : std::uint8_t { kUnknown, kOne, kSeveral };

/// What advice depends on beside the anomaly.
struct Setup {
  std::string_view database;   ///< its name and version as the history has it; may be empty
  std::string_view isolation;  ///< in the database's words, in any case; likewise
  Servers servers = Servers::kUnknown;
  bool promise_is_known = false;
  std::optional<Level> promise = {};  ///< nothing, where it is known: none of the levels
  /// Each transaction is a call on one object, such as a register or a mutex, of a database
  /// that is not named: there are no isolations.
  bool of_calls = false;
};

/// Major, minor and patch: 10.11.19. What is not told is 0.
using Version = std::array<unsigned, 3>;

struct Remedy {
  std::string_view isolation;  ///< as its driver names it; empty: any
  Harm harm;
  std::string_view text;
  /// What the isolation to which it leads promises of one server; it is of use where this
  /// level forbids what happened. Nothing: it leads to none.
  std::optional<Level> cure = {};
  Servers servers = Servers::kUnknown;  ///< only with so many
  /// Only where the history tells a version of which this is true.
  bool (*there)(const Version&) = nullptr;
};

/// Whether an isolation that promises the level would forbid what happened.
using Cures = std::function<bool(Level)>;

/// What helps against it, one clause: of this database at this isolation, where we know it by
/// name, else of any. Leads to no isolation that does not help.
const Remedy& remedy_for(Harm harm, const Setup& setup, const Cures& cures);
/// Where all isolations do what is expected of them.
std::string_view remedy_for(Harm harm, std::string_view database, std::string_view isolation);

/// The advice tells to lock rows or keys.
bool speaks_of_locks(std::string_view remedy);

/// What locks bring and what to do about it, one clause, at the database where we know it.
std::string_view locking_of(std::string_view database);

/// An isolation that can be asked of the database, and what its makers promise then, of one
/// server. The drivers have the same (db/driver.hpp), where they are built.
struct Setting {
  std::string_view name;         ///< as SQL or the database has it: "REPEATABLE READ"
  std::optional<Level> promise;  ///< nothing: none of the levels
  std::string_view again = {};   ///< the errors with which it refuses what may go well again
  std::string_view how = {};     ///< what to do to have it, where that is not to set its name
  /// Of several servers, a primary and replicas or a cluster, they promise this instead.
  std::optional<Level> promise_of_several = {};

  std::optional<Level> promise_of(Servers servers) const {
    return servers == Servers::kSeveral ? promise_of_several : promise;
  }
};

/// What we know of a database, a file remedies_NAME.cpp for each, which ends with its row,
/// NAME_remedies(). Reports need it where the driver is not built, too.
struct DatabaseRemedies {
  std::string_view database;  ///< how its name begins, in lower case
  std::span<const Remedy> remedies;
  std::string_view locking = {};  ///< as locking_of(); empty: as at any
  std::string_view called = {};   ///< where there are settings: its name for people
  std::span<const Setting> settings = {};
  /// Only with tables of this engine, which its name and version tell behind: likewise.
  std::string_view engine = {};
};

/// What we know of the database, by its name and version as the history has it; null: nothing.
const DatabaseRemedies* remedies_at(std::string_view database);

/// What is promised of so many servers by the isolation that promises `cure` of one; `cure`
/// itself where the database's settings are not known.
std::optional<Level> promised_there(std::string_view database, Level cure, Servers servers);

/// In no order that counts.
std::span<const DatabaseRemedies* const> all_remedies();

}  // namespace isolde::explain

// The isolation levels, as data. A level is a base guarantee plus two switches: whether the
// order inside each session binds, and whether real time as clients see it binds. Everything
// else about a level (its encoding, commit test, documentation) follows from this row;
// docs/LEVELS.md has the definitions and their sources.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace isolde {

enum class Level : std::uint8_t {
  kStrictSerializable,
  kStrongSessionSerializable,
  kSerializable,
  kStrongSnapshotIsolation,
  kStrongSessionSnapshotIsolation,
  kSnapshotIsolation,
  kStrongSessionMonotonicAtomicView,
  kReadCommitted,
};

/// What a level asks of one order of transactions, session and real time aside. Stronger first.
enum class BaseLevel : std::uint8_t {
  kSerializable,         ///< Adya PL-3; commit test I9 of Crooks 2019
  kSnapshotIsolation,    ///< Adya SI; commit test I5
  kMonotonicAtomicView,  ///< Biswas & Enea 2019, axiom "read committed"
  kReadCommitted,        ///< Adya PL-2; commit test I2
};

struct LevelInfo {
  Level level;
  std::string_view name;
  std::string_view alias;  ///< short form; empty when there is none
  BaseLevel base;
  bool session_order;  ///< the order inside each session binds
  bool real_time;      ///< end of one transaction before start of another binds
  std::string_view summary;
};

/// All levels, stronger ones first: no level is implied by a later one.
std::span<const LevelInfo> all_levels();

const LevelInfo& info(Level level);

/// By name or alias.
std::optional<Level> find_level(std::string_view name);

/// True when every history that satisfies `stronger` satisfies `weaker`.
/// `sessions_respect_time` says that in this history each session's transactions follow one
/// another in real time; only then does a real-time level bind session order. Reflexive and
/// transitive.
bool implies(Level stronger, Level weaker, bool sessions_respect_time);

}  // namespace isolde

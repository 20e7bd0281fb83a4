// The isolation levels, the rows of levels.def. A level is a base guarantee plus two switches:
// whether the order inside each session binds, and whether real time as clients see it binds.
// The encoding, the commit test and the documentation of a form follow from its base's row;
// docs/LEVELS.md has the definitions and their sources.
//
// Ownership: the table lives as long as the program, and so do its texts and all references
// to it. Threads: every function may be called from any, at any time. Errors: none. COST,
// where a comment says nothing: constant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "isolde/export.h"

namespace isolde {

enum class Level : std::uint8_t {
#define ISOLDE_LEVEL(level, ...) level,
#include "isolde/levels.def"
};

/// What a level requires, apart from real time and (where it is a choice) session order.
enum class BaseLevel : std::uint8_t {
#define ISOLDE_BASE(base, ...) base,
#include "isolde/levels.def"
};

struct LevelInfo {
  Level level;
  std::string_view name;
  std::string_view alias;  ///< short form; empty when there is none
  BaseLevel base;
  bool session_order;  ///< the order inside each session binds
  bool real_time;      ///< a transaction precedes those that start after it ended
  std::string_view summary;
};

/// All levels, stronger ones first: no level is implied by a later one.
ISOLDE_API std::span<const LevelInfo> all_levels();

/// REQUIRES: `level` is one of the table's.
ISOLDE_API const LevelInfo& info(Level level);

/// By name or alias, whatever the case, with blanks, underscores or, in a name, nothing for
/// hyphens. Before a base with session order, "strong-session-" names the same level. Nothing
/// where there is no such level. COST: linear in the number of levels; copies the name.
ISOLDE_API std::optional<Level> find_level(std::string_view name);

/// True when every history that satisfies `stronger` satisfies `weaker`.
/// `sessions_respect_time` says that in this history each session's transactions follow one
/// another in real time; only then does a real-time level bind session order. Reflexive and
/// transitive. docs/LEVELS.md draws the relation and names the sources.
ISOLDE_API bool implies(Level stronger, Level weaker, bool sessions_respect_time);

/// What is known of the rows of a history.
struct RowFacts {
  bool left_out = false;  ///< some selection left out a row
  bool deleted = false;   ///< rows may have been deleted
  bool refused = false;   ///< some insert was refused
  friend bool operator==(const RowFacts&, const RowFacts&) = default;
};

/// implies() for such a history. Repeatable read disregards rows that selections left out;
/// where there are some, it does not imply the levels between it and read committed. Where rows
/// are deleted, levels that let a transaction write one again without having seen that do not
/// imply linearizability, nor does parallel snapshot isolation imply causal consistency. Where
/// inserts were refused, levels that disregard that imply none at which it counts. Also
/// transitive.
ISOLDE_API bool implies_there(Level stronger, Level weaker, bool sessions_respect_time,
                              RowFacts rows);

/// The level constrains transactions by their start and end on the clients' clocks.
ISOLDE_API bool needs_times(const LevelInfo& level);

}  // namespace isolde

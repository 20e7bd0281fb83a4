// What a person wants to know of a level: what it asks, a small history that tells it from the
// levels below it, who claims it, and what it costs to check. `isolde levels L` prints it, and
// docs/LEVELS.md is made of what that prints.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isolde/level.hpp"

namespace isolde::explain {

/// The part that all forms of a base level share. Sentences, ready to be wrapped.
struct BaseGuide {
  BaseLevel base;
  std::string_view definition;
  std::string_view source;  ///< papers, and their name for it
  std::string_view claims;  ///< which databases and tools claim it, and under which name
  std::string_view cost;    ///< of deciding it
  /// Where anomalies have names of their own there: cycles with one missed write, and with
  /// several that do not follow each other.
  std::string_view one_missed = {};
  std::string_view several_missed = {};
};

struct LevelExample {
  Level level;               ///< the one that the history violates
  std::string_view anomaly;  ///< plain name
  std::string_view lines;    ///< native format, without the header line
  std::string_view why;
  /// The strongest levels that the history satisfies, by name or short name, one blank between.
  std::string_view satisfies;
};

const BaseGuide& guide(BaseLevel base);

/// What session order or real time adds to the base level; empty where neither does.
std::string_view form_text(const LevelInfo& level);

/// All examples, in the order of all_levels(), at least one for each level.
std::span<const LevelExample> all_examples();
std::vector<LevelExample> examples_of(Level level);

/// The example as a history in the native format.
std::string native_text(const LevelExample& example);
std::vector<Level> satisfied_levels(const LevelExample& example);

/// Levels that `level` implies with no third one in between, and the other way round, for
/// histories whose sessions need not respect time.
std::vector<Level> next_weaker(Level level);
std::vector<Level> next_stronger(Level level);

}  // namespace isolde::explain

// What to check, and how. Limits come with a base::Budget.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "isolde/level.hpp"

namespace isolde {

struct CheckOptions {
  /// Levels to decide; empty means classify: decide all of them.
  std::vector<Level> levels;
  /// Real time counts only when the gap between two transactions is larger than this.
  std::int64_t clock_error_ns = 0;
  /// Use times and heuristics only after the exact stages; for tests that drive the search.
  /// Never changes a verdict.
  bool skip_guess = false;
  bool skip_saturation = false;
  /// Conflicts that a search may meet in its first round; each further one has four times as
  /// many.
  std::uint64_t first_conflicts = 4096;
  /// Number of threads, including the calling one; never changes a result.
  unsigned threads = 1;
  /// Called now and then with a short description of the current work; may be empty.
  std::function<void(std::string_view)> progress;
};

}  // namespace isolde

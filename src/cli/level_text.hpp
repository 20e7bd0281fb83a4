// The levels as text: the table, and one level in detail.
#pragma once

#include <string>

#include "isolde/level.hpp"

namespace isolde::cli {

/// All levels, those of one base level together; at most 100 columns.
std::string level_table();

/// Definition, examples, who claims it, its neighbours, the cost of deciding it. Headings stand
/// at the left margin, text is indented by two blanks, histories by four.
std::string level_text(const LevelInfo& level);

}  // namespace isolde::cli

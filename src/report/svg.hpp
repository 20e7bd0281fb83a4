// Pictures of graphs by Graphviz's library.
#pragma once

#include <string>

#include "isolde/status.hpp"

namespace isolde::report {

/// ERRORS: kUsage where this build has no Graphviz.
Status can_draw();

/// The graph, given in the DOT language, drawn by Graphviz's layout "dot" as an SVG document.
/// Sizes of texts are those of built-in tables and not of the machine's fonts, so that the
/// picture is the same everywhere. Not thread-safe: Graphviz keeps global state. ERRORS:
/// kInternal when Graphviz refuses the text; as can_draw().
Result<std::string> to_svg(const std::string& dot);

}  // namespace isolde::report

// Annotations: workflow commands that GitHub Actions picks out of the output of a job and shows
// beside the lines of files.
#pragma once

#include <string>
#include <string_view>

#include "explain/report_model.hpp"

namespace isolde::explain {

/// A command a line: an error (a warning when no level was asked for) for each story of the
/// weakest violated levels, a warning for what was asked for and not decided.
std::string to_annotations(const ReportModel& input);

/// The text between commands that keep GitHub from obeying what is in it: keys of a history may
/// be called anything, "::add-mask::" among it. Ends with a line break.
std::string without_commands(std::string_view text);

/// For a history that could not be read.
std::string failure_annotation(std::string_view file, std::string_view message);

}  // namespace isolde::explain

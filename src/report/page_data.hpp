// What a page shows, as one JSON object: the verdicts, the stories with their pictures, the
// transactions around them, and the measures. assets/report.js reads it and nothing else.
#pragma once

#include <string>

#include "explain/report_model.hpp"
#include "isolde/status.hpp"

namespace isolde::report {

/// The same bytes for the same input. Texts are printable(). ERRORS: as to_svg().
Result<std::string> page_data(const explain::ReportModel& model);

}  // namespace isolde::report

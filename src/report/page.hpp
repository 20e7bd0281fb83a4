// The report as one HTML file that needs nothing else: no network, no other file.
#pragma once

#include <string>

#include "isolde/status.hpp"
#include "report/page_data.hpp"

namespace isolde::report {

/// ERRORS: kUsage where this build lacks what pages are made of.
Status can_write_pages();

/// The page: assets/report.html with its style, its program, D3 (for scales, axes and zoom) and
/// the data. The same bytes for the same input. ERRORS: as page_data() and
/// can_write_pages().
Result<std::string> to_html(const explain::ReportModel& input);

}  // namespace isolde::report

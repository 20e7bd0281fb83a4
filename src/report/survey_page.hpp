// A survey of a database as one HTML file that needs nothing else: no network, no other file.
#pragma once

#include <string>
#include <string_view>

namespace isolde::report {

/// The page: assets/survey.html around the survey's JSON (docs/report.schema.json, its
/// definition survey). The same bytes for the same input.
std::string survey_page(std::string_view json);

}  // namespace isolde::report

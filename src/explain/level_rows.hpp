// What the table of all levels means, for somebody who sees it for the first time.
#pragma once

#include <string>
#include <string_view>

#include "explain/report_model.hpp"

namespace isolde::explain {

/// What the columns of the table of levels are.
std::string_view columns_text();

/// Which rows are what the settings of the database promise that the history names, and that a
/// setting with the name of a row need not be that row. Empty where we know of no settings.
std::string settings_text(const ReportModel& model);

}  // namespace isolde::explain

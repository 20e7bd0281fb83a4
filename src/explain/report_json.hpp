// The report for machines: one JSON object for each history, schema 1. docs/report.schema.json
// describes it; fields are only ever added.
#pragma once

#include <string>

#include "explain/report_model.hpp"

namespace isolde::explain {

/// One line without line break. Keys always come in the same order.
std::string to_json(const ReportModel& input);

}  // namespace isolde::explain

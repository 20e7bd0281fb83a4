// EDN in the form of Elle's result map: :valid?, :anomaly-types, :anomalies, :not and
// :also-not. Whatever else there is to say has keys in the namespace "isolde", so that it is
// easily told apart. docs/outputs.md says where the two tools differ.
#pragma once

#include <string>
#include <string_view>

#include "explain/report_model.hpp"

namespace isolde::explain {

/// One map, over several lines. Ends with a line break.
std::string to_edn(const ReportModel& input);

/// For a history that could not be read: as Jepsen does for a checker that failed.
std::string failure_edn(std::string_view file, std::string_view message);

}  // namespace isolde::explain

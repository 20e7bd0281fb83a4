// The verdict in short as JSON, of a report and of each side of a comparison.
#pragma once

#include <nlohmann/json.hpp>

#include "explain/summary.hpp"

namespace isolde::explain {

/// As docs/report.schema.json says.
nlohmann::ordered_json summary_json(const Summary& summary);

}  // namespace isolde::explain

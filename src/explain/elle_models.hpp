// What Elle calls levels and anomalies. Elle names some models that have no level here; they
// are ruled out through the weaker ones that they imply.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/report_model.hpp"

namespace isolde::explain {

/// The models that a history rules out, as Elle groups them.
struct Boundary {
  std::vector<std::string_view> is_not;    ///< the weakest, by name
  std::vector<std::string_view> also_not;  ///< the others, by name
};

/// From the violated levels, and from a lost update, which Elle counts against two models that
/// have no level here.
Boundary elle_boundary(const ReportModel& input);

/// The type of the anomaly as Elle has it: "G-single-item" where the reads are of items,
/// "lost-update" by its name. Types that Elle does not have stay what they are.
std::string elle_type(const History& history, const Scenario& scenario);

}  // namespace isolde::explain

// A comparison as one HTML file that needs nothing else: no network, no other file.
#pragma once

#include <string>

#include "explain/comparison.hpp"

namespace isolde::report {

/// The page: assets/comparison.html around the comparison's JSON. The same bytes for the same
/// input.
std::string to_html(const explain::Comparison& comparison);

}  // namespace isolde::report

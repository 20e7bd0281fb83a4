// The parts of the page that are the same in each report. embed.py makes them from assets/ and
// D3 when Isolde is built.
#pragma once

#include <string_view>

namespace isolde::report {

/// Up to the opening tag of the element that holds the data.
std::string_view page_before_data();
/// From its closing tag on.
std::string_view page_behind_data();

}  // namespace isolde::report

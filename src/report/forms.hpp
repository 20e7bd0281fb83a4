// Forms of a report that need Graphviz or D3: files report_NAME.cpp with rows like those of
// explain/form.hpp.
#pragma once

#include <span>

#include "explain/form.hpp"

namespace isolde::report {

/// In the order of the help.
std::span<const explain::Form* const> forms();

}  // namespace isolde::report

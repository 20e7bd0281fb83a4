#include "report/survey_page.hpp"

#include "report/frame.hpp"

namespace isolde::report {

std::string survey_page(std::string_view json) { return framed(survey_frame(), json); }

}  // namespace isolde::report

#include "report/watch_page.hpp"

#include "report/frame.hpp"

namespace isolde::report {

std::string watch_page(std::string_view json) { return framed(watch_frame(), json); }

}  // namespace isolde::report

#include "report/comparison_page.hpp"

#include "report/frame.hpp"

namespace isolde::report {

std::string to_html(const explain::Comparison& comparison) {
  return framed(comparison_frame(), explain::to_json(comparison));
}

}  // namespace isolde::report

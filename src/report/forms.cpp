#include "report/forms.hpp"

#include <array>

namespace isolde::report {

std::span<const explain::Form* const> forms() {
  static const std::array<const explain::Form*, 2> kForms = {&svg_form(), &html_form()};
  return kForms;
}

}  // namespace isolde::report

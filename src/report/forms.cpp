#include "report/forms.hpp"

#include <array>

#include "explain/dot.hpp"
#include "report/page.hpp"
#include "report/svg.hpp"

namespace isolde::report {
namespace {

using explain::Form;
using explain::FormStyle;

constexpr Form kSvg = {
    .name = "svg",
    .help = "Write the weakest violation as a picture",
    .schema = "SVG 1.1",
    .available = can_draw,
    .render = [](const explain::ReportModel& model, FormStyle) -> Result<std::string> {
      const Result<const explain::Scenario*> scenario = explain::pictured(model);
      if (!scenario) return scenario.error();
      if (*scenario == nullptr) return std::string();
      return to_svg(explain::to_dot(model.history, **scenario, {.whole = false}));
    }};

constexpr Form kHtml = {
    .name = "html",
    .help = "Write a report to open in a browser",
    .schema = "HTML 5, without anything from elsewhere",
    .available = can_write_pages,
    .render = [](const explain::ReportModel& model, FormStyle) { return to_html(model); }};

}  // namespace

std::span<const Form* const> forms() {
  static constexpr std::array<const Form*, 2> kForms = {&kSvg, &kHtml};
  return kForms;
}

}  // namespace isolde::report

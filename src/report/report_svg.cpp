#include "explain/dot.hpp"
#include "report/forms.hpp"
#include "report/svg.hpp"

namespace isolde::report {

const explain::Form& svg_form() {
  static constexpr explain::Form kForm = {
      .name = "svg",
      .help = "Write the weakest violation as a picture",
      .schema = "SVG 1.1",
      .available = can_draw,
      .render = [](const explain::ReportModel& model,
                   explain::FormStyle) -> Result<std::string> {
        const Result<const explain::Scenario*> scenario = explain::pictured(model);
        if (!scenario) return scenario.error();
        if (*scenario == nullptr) return std::string();
        return to_svg(explain::to_dot(model.history, **scenario, {.whole = false}));
      }};
  return kForm;
}

}  // namespace isolde::report

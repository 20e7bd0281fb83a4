#include "explain/dot.hpp"
#include "explain/form.hpp"

namespace isolde::explain {

const Form& dot_form() {
  static constexpr Form kForm = {
      .name = "dot",
      .help = "Write the weakest violation as a Graphviz graph",
      .schema = "the DOT language of Graphviz",
      .render = [](const ReportModel& model, FormStyle) -> Result<std::string> {
        const Result<const Scenario*> scenario = pictured(model);
        if (!scenario) return scenario.error();
        return *scenario == nullptr ? std::string() : to_dot(model.history, **scenario);
      }};
  return kForm;
}

}  // namespace isolde::explain

#include "report/forms.hpp"
#include "report/page.hpp"

namespace isolde::report {

const explain::Form& html_form() {
  static constexpr explain::Form kForm = {
      .name = "html",
      .help = "Write a report to open in a browser",
      .schema = "HTML 5, without anything from elsewhere",
      .available = can_write_pages,
      .render = [](const explain::ReportModel& model, explain::FormStyle) {
        return to_html(model);
      }};
  return kForm;
}

}  // namespace isolde::report

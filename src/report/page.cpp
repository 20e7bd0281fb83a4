#include "report/page.hpp"

#include "report/assets.hpp"
#include "report/forms.hpp"

namespace isolde::report {

Result<std::string> to_html(const explain::ReportModel& input) {
  Result<std::string> data = page_data(input);
  if (!data) return data.error();
  const std::string_view before = page_before_data();
  const std::string_view behind = page_behind_data();
  std::string page;
  page.reserve(before.size() + data->size() + behind.size());
  page += before;
  page += *data;
  page += behind;
  return page;
}

const explain::Form& html_form() {
  static constexpr explain::Form kForm = {
      .name = "html",
      .help = "Write a report to open in a browser",
      .schema = "HTML 5, without anything from elsewhere",
      .render = [](const explain::ReportModel& model, explain::FormStyle) {
        return to_html(model);
      }};
  return kForm;
}

}  // namespace isolde::report

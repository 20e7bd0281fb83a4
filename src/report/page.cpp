#include "report/page.hpp"

#include "report/assets.hpp"

namespace isolde::report {

Status can_write_pages() { return ok_status(); }

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

}  // namespace isolde::report

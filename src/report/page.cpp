#include "report/page.hpp"

#include "report/frame.hpp"

namespace isolde::report {

Status can_write_pages() { return ok_status(); }

Result<std::string> to_html(const explain::ReportModel& input) {
  Result<std::string> data = page_data(input);
  if (!data) return data.error();
  return framed(report_frame(), *data);
}

}  // namespace isolde::report

// In place of page.cpp, where Graphviz or D3 is not there at build time.
#include "report/page.hpp"

namespace isolde::report {

Status can_write_pages() {
  return Error{ErrorCode::kUsage,
               "this isolde was built without the parts of that page: Graphviz and D3 (Debian: "
               "libgraphviz-dev and node-d3)"};
}

Result<std::string> to_html(const explain::ReportModel&) { return can_write_pages().error(); }

}  // namespace isolde::report

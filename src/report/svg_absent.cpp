// In place of svg.cpp, where Graphviz is not there at build time.
#include "report/svg.hpp"

namespace isolde::report {

Status can_draw() {
  return Error{ErrorCode::kUsage,
               "this isolde was built without Graphviz (Debian: libgraphviz-dev); --dot writes "
               "the graph for Graphviz's own program"};
}

Result<std::string> to_svg(const std::string&) { return can_draw().error(); }

}  // namespace isolde::report

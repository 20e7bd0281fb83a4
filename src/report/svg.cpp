// Graphviz usually finds its parts (layouts, formats, text metrics) through a file that its
// package writes when it is installed. Here the two parts that are needed are linked, and the
// file is not read: nothing has to be set up, and no font of the machine changes the picture.
#include "report/svg.hpp"

#include <graphviz/gvc.h>

#include <array>
#include <memory>

#include "base/printable.hpp"

extern "C" {
extern gvplugin_library_t gvplugin_core_LTX_library;
extern gvplugin_library_t gvplugin_dot_layout_LTX_library;
}

namespace isolde::report {
namespace {

struct ContextDeleter {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
};
struct GraphDeleter {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};
struct TextDeleter {
  void operator()(char* text) const { gvFreeRenderData(text); }
};

std::unique_ptr<GVC_t, ContextDeleter> make_context() {
  static std::array<lt_symlist_t, 3> parts = {
      {{"gvplugin_core_LTX_library", &gvplugin_core_LTX_library},
       {"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library},
       {nullptr, nullptr}}};
  constexpr int kNoOthers = 0;
  return std::unique_ptr<GVC_t, ContextDeleter>(gvContextPlugins(parts.data(), kNoOthers));
}

Error refused(const char* what) {
  return {ErrorCode::kInternal, std::string("Graphviz does not ") + what + " this graph"};
}

}  // namespace

Status can_draw() { return ok_status(); }

Result<std::string> to_svg(const std::string& dot) {
  agseterr(AGMAX);  // nothing on stderr: errors are returned
  const auto context = make_context();
  const std::unique_ptr<Agraph_t, GraphDeleter> graph(
      agmemread(base::printable_lines(dot).c_str()));
  if (!graph) return refused("read");
  if (gvLayout(context.get(), graph.get(), "dot") != 0) return refused("lay out");
  char* data = nullptr;
  unsigned size = 0;
  const int failed = gvRenderData(context.get(), graph.get(), "svg", &data, &size);
  const std::unique_ptr<char, TextDeleter> text(data);
  gvFreeLayout(context.get(), graph.get());
  if (failed != 0) return refused("draw");
  return std::string(text.get(), size);
}

}  // namespace isolde::report

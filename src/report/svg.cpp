// Graphviz usually finds its parts (layouts, formats, text metrics) through a file that its
// package writes when it is installed. Here the two parts that are needed are linked, and the
// file is not read: nothing has to be set up, and no font of the machine changes the picture.
#include "report/svg.hpp"

#include <graphviz/gvc.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

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

constexpr std::size_t kTitleColumns = 70;  // that to_dot() breaks titles at
constexpr std::size_t kBoxColumns = 64;    // of an operation
constexpr std::size_t kNarrowColumns = 40;
constexpr double kWidest = 1200;
constexpr double kTitleLetter = 0.602 * 12;
constexpr double kTitleMargin = 16;

/// The lines of a label as DOT has them, split at the two characters that stand for their ends.
std::vector<std::string> lines_of(std::string_view label) {
  std::vector<std::string> lines(1);
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] != '\\' || i + 1 == label.size()) {
      lines.back() += label[i];
    } else if (label[++i] == 'n') {
      lines.emplace_back();
    } else {
      lines.back() += '\\';
      lines.back() += label[i];
    }
  }
  return lines;
}

/// At blanks, each line ended by `end`; those behind the first begin with `indent`.
std::string broken(std::string_view line, std::size_t columns, std::string_view indent,
                   std::string_view end) {
  std::string out;
  std::size_t room = columns;
  while (line.size() > room) {
    std::size_t blank = line.rfind(' ', room);
    if (blank == std::string_view::npos || blank == 0) blank = line.find(' ', room);
    if (blank == std::string_view::npos) break;
    out += line.substr(0, blank);
    out += end;
    out += indent;
    line.remove_prefix(blank + 1);
    room = columns - indent.size();
  }
  out += line;
  return out;
}

char* attribute(void* of, const char* name) { return agget(of, const_cast<char*>(name)); }

void set_attribute(void* of, const char* name, const std::string& value) {
  agset(of, const_cast<char*>(name), const_cast<char*>(value.c_str()));
}

/// The boxes with long operations, which can go on in further lines.
class Boxes {
 public:
  explicit Boxes(Agraph_t* graph) {
    for (Agnode_t* node = agfstnode(graph); node != nullptr; node = agnxtnode(graph, node)) {
      char* label = attribute(node, "label");
      if (label == nullptr || aghtmlstr(label) != 0) continue;
      boxes_.emplace_back(node, lines_of(label));
    }
  }

  /// Whether there was any to break.
  bool break_at(std::size_t columns) const {
    bool any = false;
    for (const auto& [node, lines] : boxes_) {
      const auto wide = [&](const std::string& line) { return line.size() > columns; };
      if (std::none_of(lines.begin(), lines.end(), wide)) continue;
      std::string label;
      for (const std::string& line : lines) {
        label += broken(line, columns, "    ", "\\l");
        label += "\\l";
      }
      set_attribute(node, "label", label);
      any = true;
    }
    return any;
  }

 private:
  std::vector<std::pair<Agnode_t*, std::vector<std::string>>> boxes_;
};

/// The title in lines as wide as the picture, which has been laid out. Lines that were broken
/// for want of room are joined first.
std::string title_for(const std::string& title, double width) {
  const auto columns =
      static_cast<std::size_t>(std::max(0.0, width - kTitleMargin) / kTitleLetter);
  if (columns <= kTitleColumns) return title;
  std::vector<std::string> joined;
  std::size_t last = kTitleColumns;
  for (const std::string& line : lines_of(title)) {
    const bool goes_on =
        !joined.empty() && last + 1 + std::min(line.find(' '), line.size()) > kTitleColumns;
    if (goes_on) {
      joined.back() += ' ' + line;
    } else {
      joined.push_back(line);
    }
    last = line.size();
  }
  std::string out;
  for (const std::string& line : joined) {
    if (!out.empty()) out += "\\n";
    out += broken(line, columns, {}, "\\n");
  }
  return out;
}

/// Whether it could be done. Boxes are narrower where the picture would be wider than a screen,
/// and a title is broken at the width of the picture without it.
bool lay_out(GVC_t* context, Agraph_t* graph) {
  const auto width = [&] { return GD_bb(graph).UR.x - GD_bb(graph).LL.x; };
  const char* found = attribute(graph, "label");
  const std::string title = found == nullptr ? "" : found;
  const bool retitle = lines_of(title).size() > 1;
  if (retitle) set_attribute(graph, "label", "");
  const Boxes boxes(graph);
  boxes.break_at(kBoxColumns);
  if (gvLayout(context, graph, "dot") != 0) return false;
  if (width() > kWidest && boxes.break_at(kNarrowColumns)) {
    gvFreeLayout(context, graph);
    if (gvLayout(context, graph, "dot") != 0) return false;
  }
  if (!retitle) return true;
  const std::string wrapped = title_for(title, width());
  gvFreeLayout(context, graph);
  set_attribute(graph, "label", wrapped);
  return gvLayout(context, graph, "dot") == 0;
}

}  // namespace

Status can_draw() { return ok_status(); }

Result<std::string> to_svg(const std::string& dot) {
  agseterr(AGMAX);  // nothing on stderr: errors are returned
  const auto context = make_context();
  const std::unique_ptr<Agraph_t, GraphDeleter> graph(
      agmemread(base::printable_lines(dot).c_str()));
  if (!graph) return refused("read");
  if (!lay_out(context.get(), graph.get())) return refused("lay out");
  char* data = nullptr;
  unsigned size = 0;
  const int failed = gvRenderData(context.get(), graph.get(), "svg", &data, &size);
  const std::unique_ptr<char, TextDeleter> text(data);
  gvFreeLayout(context.get(), graph.get());
  if (failed != 0) return refused("draw");
  return std::string(text.get(), size);
}

}  // namespace isolde::report

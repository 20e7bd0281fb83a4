#include "report/svg.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "explain/dot.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::report {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// An entity is one.
std::size_t letters(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++at, ++count) {
    if (text[at] == '&') at = text.find(';', at);
  }
  return count;
}

// Goal: a scenario as a picture, with the texts and kinds of its edges.
TEST(Svg, DrawsAScenario) {
  const History history = explain::write_skew();
  const explain::Scenario scenario =
      explain::make_scenario(history, explain::write_skew_proof());
  const Result<std::string> svg = to_svg(explain::to_dot(history, scenario));
  ASSERT_TRUE(svg) << svg.error().message;
  EXPECT_NE(svg->find("<svg"), std::string::npos);
  EXPECT_NE(svg->find(">T1 = A:0<"), std::string::npos) << *svg;
  EXPECT_EQ(occurrences(*svg, "class=\"node\""), 2U);
  EXPECT_EQ(occurrences(*svg, "class=\"edge rw\""), 2U);
  EXPECT_EQ(*to_svg(explain::to_dot(history, scenario)), *svg) << "not the same again";
  // The kinds of its arrows, and no others; a page has a legend of its own.
  EXPECT_EQ(occurrences(*svg, "class=\"node legend\""), 1U);
  EXPECT_EQ(occurrences(*svg, "rw &#160;A read a version that B replaced"), 1U) << *svg;
  EXPECT_EQ(occurrences(*svg, "wr &#160;B read"), 0U);
  const std::string part = explain::to_dot(history, scenario, {.stands_alone = false});
  EXPECT_EQ(part.find("legend"), std::string::npos);
}

// Goal: colours of its own, for viewers without the report's style sheet, and room for the
// whole title in letters of fixed width.
TEST(Svg, HasColoursAndRoomForTheTitle) {
  const History history = explain::write_skew();
  const Result<std::string> svg = to_svg(
      explain::to_dot(history, explain::make_scenario(history, explain::write_skew_proof())));
  ASSERT_TRUE(svg) << svg.error().message;
  EXPECT_EQ(occurrences(*svg, "fill=\"#fff4d6\""), 2U) << *svg;
  EXPECT_EQ(occurrences(*svg, "stroke-dasharray=\"5,2\""), 2U);
  EXPECT_GE(occurrences(*svg, "\"#c2410c\""), 6U);
  const std::size_t at = svg->find("width=\"");
  ASSERT_NE(at, std::string::npos);
  const double width = std::stod(svg->substr(at + 7));
  std::size_t longest = 0;
  for (std::size_t begin = svg->find("font-size=\"12.00\">"); begin != std::string::npos;
       begin = svg->find("font-size=\"12.00\">", begin + 1)) {
    const std::size_t text = svg->find('>', begin) + 1;
    longest = std::max(longest, letters(svg->substr(text, svg->find('<', text) - text)));
  }
  ASSERT_GT(longest, 40U);
  constexpr double kWidest = 0.602 * 12;  // of a letter; DejaVu Sans Mono
  EXPECT_GE(width, kWidest * static_cast<double>(longest));
}

// Goal: long operations are broken into lines, and the title at the width of what is below it,
// not at the place where DOT has broken it.
TEST(Svg, BreaksLongLines) {
  const std::string op = "select(rows with room A and from at most 12 and to at least 10 and " +
                         std::string("state not cancelled) without booking 17");
  const std::string full = "phantom: a selected rows with room A and from at most 12 and to at";
  const Result<std::string> svg = to_svg(
      "digraph g { label=\"" + full + "\\nleast ten, and more\\nThe run stopped\"; " +
      "fontname=Courier; fontsize=12; node [shape=box, fontname=Courier]; { rank=same; " +
      "a [label=\"T1 = a\\n" + op + "\\nw(x)=1\"]; b [label=\"T2 = b\\n" + op + "\"]; } }");
  ASSERT_TRUE(svg) << svg.error().message;
  EXPECT_LT(std::stod(svg->substr(svg->find("width=\"") + 7)), 1200) << *svg;
  EXPECT_NE(svg->find(">T1 = a<"), std::string::npos);
  EXPECT_EQ(occurrences(*svg, "&#160;and state not"), 2U) << *svg;
  EXPECT_NE(svg->find(">w(x)=1<"), std::string::npos);
  EXPECT_NE(svg->find("least ten, and more<"), std::string::npos);
  EXPECT_EQ(svg->find(">least ten"), std::string::npos) << "broken as before";
  EXPECT_NE(svg->find(">The run stopped<"), std::string::npos);
  // More boxes beside each other are narrower.
  std::string row = "digraph g { node [shape=box, fontname=Courier]; ";
  for (const char* name : {"a", "b", "c"})
    row += std::string(name) + " [label=\"T\\n" + op + "\"]; ";
  const Result<std::string> narrow = to_svg(row + "}");
  ASSERT_TRUE(narrow) << narrow.error().message;
  EXPECT_LT(std::stod(narrow->substr(narrow->find("width=\"") + 7)), 1200) << *narrow;
}

// Goal: Graphviz refuses bytes that are no UTF-8; keys may hold them.
TEST(Svg, TakesAnyBytes) {
  const Result<std::string> svg = to_svg("digraph g { a [label=\"\xFF\x01 <&>\"]; }");
  ASSERT_TRUE(svg) << svg.error().message;
  EXPECT_NE(svg->find("xffx01 &lt;&amp;&gt;"), std::string::npos) << *svg;
}

// Goal: what is no graph is an error and no crash.
TEST(Svg, RefusesWhatIsNoGraph) {
  const Result<std::string> svg = to_svg("digraph {");
  ASSERT_FALSE(svg);
  EXPECT_EQ(svg.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace isolde::report

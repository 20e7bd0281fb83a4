#include "report/svg.hpp"

#include <gtest/gtest.h>

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
}

// Goal: Graphviz refuses bytes that are no UTF-8; keys may hold them.
TEST(Svg, TakesAnyBytes) {
  const Result<std::string> svg = to_svg("digraph g { a [label=\"\xFF\x01 <&>\"]; }");
  ASSERT_TRUE(svg) << svg.error().message;
  EXPECT_NE(svg->find("\xEF\xBF\xBD\xE2\x90\x81 &lt;&amp;&gt;"), std::string::npos) << *svg;
}

// Goal: what is no graph is an error and no crash.
TEST(Svg, RefusesWhatIsNoGraph) {
  const Result<std::string> svg = to_svg("digraph {");
  ASSERT_FALSE(svg);
  EXPECT_EQ(svg.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace isolde::report

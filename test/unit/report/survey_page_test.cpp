#include "report/survey_page.hpp"

#include <gtest/gtest.h>

#include "report/frame.hpp"
#include "unit/report/count.hpp"

namespace isolde::report {
namespace {

// Goal: one file in which nothing is fetched, with the survey's own JSON in it, whatever a
// database says.
TEST(SurveyPage, NeedsNothingElse) {
  const std::string html = survey_page("{\"how\":\"</script><script>alert(1)</script><!--\"}");
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_EQ(count(html, "default-src 'none'"), 1U);
  EXPECT_EQ(count(html, "'sha256-"), 2U);
  EXPECT_EQ(count(html, "unsafe-inline"), 0U);
  EXPECT_EQ(count(html, "</script>"), 2U);
  EXPECT_EQ(count(html, "<!--"), 0U);
  EXPECT_EQ(count(html, "{{"), 0U);
  const Frame frame = survey_frame();
  EXPECT_TRUE(html.starts_with(frame.before) && html.ends_with(frame.behind));
  EXPECT_EQ(html.size(),
            frame.before.size() + frame.behind.size() +
                std::string("{\"how\":\"</script><script>alert(1)</script><!--\"}").size() +
                4 * 5);
}

}  // namespace
}  // namespace isolde::report

#include "report/page.hpp"

#include <gtest/gtest.h>

#include <regex>

#include "unit/explain/histories.hpp"
#include "unit/report/count.hpp"

namespace isolde::report {
namespace {

std::string page() {
  const History history = explain::write_skew();
  const std::vector<explain::LevelOutcome> outcomes = {
      {Level::kSerializable,
       Verdict::kViolated,
       {},
       {},
       explain::make_scenario(history, explain::write_skew_proof())}};
  Result<std::string> html = to_html({history, outcomes, {}, {Level::kSerializable}, {}});
  EXPECT_TRUE(html) << html.error().message;
  return html ? *html : "";
}

// Goal: one file in which nothing is fetched: no address in an attribute, and a policy that
// forbids all requests and all programs but the two that are in it.
TEST(Page, NeedsNothingElse) {
  const std::string html = page();
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_EQ(count(html, "default-src 'none'"), 1U);
  EXPECT_EQ(count(html, "'sha256-"), 3U);
  EXPECT_EQ(count(html, "unsafe-inline"), 0U);
  EXPECT_EQ(count(html, "</script>"), 3U);
  EXPECT_EQ(count(html, "{{"), 0U);
  EXPECT_FALSE(std::regex_search(html.substr(0, 20000),
                                 std::regex("<(?:script|link|img|iframe)[^>]+(?:src|href)=")));
}

// Goal: what D3's licence asks for.
TEST(Page, KeepsTheNoticeOfD3) {
  const std::string html = page();
  EXPECT_NE(html.find("Mike Bostock"), std::string::npos);
  EXPECT_NE(html.find("Redistributions in binary form must reproduce"), std::string::npos);
}

// Goal: the same bytes for the same input, and under a megabyte around the data.
TEST(Page, IsTheSameEachTime) {
  const std::string html = page();
  EXPECT_EQ(page(), html);
  EXPECT_LT(html.size(), 1U << 20);
}

}  // namespace
}  // namespace isolde::report

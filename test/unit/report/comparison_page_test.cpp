#include "report/comparison_page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/frame.hpp"
#include "unit/explain/histories.hpp"
#include "unit/report/count.hpp"

namespace isolde::report {
namespace {

// Goal: one file in which nothing is fetched, with the comparison's own JSON in it.
TEST(ComparisonPage, NeedsNothingElse) {
  const History history = explain::write_skew();
  const std::vector<explain::LevelOutcome> outcomes = {
      {Level::kSerializable,
       Verdict::kViolated,
       {},
       {},
       explain::make_scenario(history, explain::write_skew_proof())}};
  const explain::ReportModel model{history, outcomes, {}, {Level::kSerializable}, {}};
  explain::Comparison both = explain::compare(model, model);
  both.sides[0].title = "</script><script>alert(1)</script><!--";
  const std::string html = to_html(both);
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0U);
  EXPECT_EQ(count(html, "default-src 'none'"), 1U);
  EXPECT_EQ(count(html, "'sha256-"), 2U);
  EXPECT_EQ(count(html, "unsafe-inline"), 0U);
  EXPECT_EQ(count(html, "</script>"), 2U);
  EXPECT_EQ(count(html, "<!--"), 0U);
  EXPECT_EQ(count(html, "{{"), 0U);
  EXPECT_EQ(to_html(both), html);
  const Frame frame = comparison_frame();
  ASSERT_TRUE(html.starts_with(frame.before) && html.ends_with(frame.behind));
  const std::string data =
      html.substr(frame.before.size(), html.size() - frame.before.size() - frame.behind.size());
  EXPECT_EQ(nlohmann::json::parse(data), nlohmann::json::parse(explain::to_json(both)));
}

}  // namespace
}  // namespace isolde::report

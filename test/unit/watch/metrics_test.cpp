#include "watch/metrics.hpp"

#include <gtest/gtest.h>

namespace isolde::watch {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

View some() {
  View view;
  view.level = "strict-serializable";
  view.verdict = "holds";
  view.figures.transactions = 12'345'678'901;
  view.figures.settled = 7;
  view.now.memory = 1'000'000;
  view.started = 1'790'000'000.25;
  return view;
}

TEST(Metrics, FiguresAndVerdict) {
  const std::string text = metrics(some());
  EXPECT_TRUE(has_line(text, "# TYPE isolde_transactions_total counter"));
  EXPECT_TRUE(has_line(text, "isolde_transactions_total 12345678901"));
  EXPECT_TRUE(has_line(text, "isolde_settled_transactions_total 7"));
  EXPECT_TRUE(has_line(text, "isolde_start_time_seconds 1790000000.25"));
  const std::string verdict = "isolde_level_verdict{level=\"strict-serializable\",verdict=";
  EXPECT_TRUE(has_line(text, verdict + "\"holds\"} 1"));
  EXPECT_TRUE(has_line(text, verdict + "\"violated\"} 0"));
  EXPECT_TRUE(has_line(text, verdict + "\"unknown\"} 0"));
  EXPECT_TRUE(has_line(text, "isolde_violations_total 0"));
}

TEST(Metrics, WhatIsNotKnownIsLeftOut) {
  View view = some();
  EXPECT_EQ(metrics(view).find("lag_seconds"), std::string::npos);
  view.now.lag = 0.5;
  EXPECT_TRUE(has_line(metrics(view), "isolde_watch_suspected 0"));
  view.suspicion = "no order";
  view.figures.unwritten_files = 2;
  view.violations = 1;
  view.found = Found{};
  view.ended = true;
  const std::string text = metrics(view);
  EXPECT_TRUE(has_line(text, "isolde_lag_seconds 0.5"));
  EXPECT_TRUE(has_line(text, "isolde_violations_total 1"));
  EXPECT_TRUE(has_line(text, "isolde_watch_suspected 1"));
  EXPECT_TRUE(has_line(text, "isolde_unwritten_files 2"));
  EXPECT_TRUE(has_line(text, "isolde_ended 1"));
}

TEST(Metrics, LabelsAreEscaped) {
  View view = some();
  view.level = "a\\b\"c\nd";
  EXPECT_TRUE(
      has_line(metrics(view), R"(isolde_level_verdict{level="a\\b\"c\nd",verdict="holds"} 1)"));
}

}  // namespace
}  // namespace isolde::watch

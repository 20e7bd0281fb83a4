// Goal: where the limits left no room for an explanation, a violation is still a violation in
// all documents, with the reason why nothing else is told.
#include <gtest/gtest.h>

#include <new>
#include <nlohmann/json.hpp>

#include "base/budget.hpp"
#include "base/memory_guard.hpp"
#include "explain/form.hpp"
#include "explain/promise.hpp"
#include "explain/report_edn.hpp"
#include "explain/report_github.hpp"
#include "explain/report_json.hpp"
#include "explain/report_sarif.hpp"
#include "explain/story.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

using nlohmann::json;

constexpr const char* kWhy = "not explained: no room";

class Unexplained : public testing::Test {
 protected:
  History history_ = write_skew();
  ReportModel input_{history_, {}, {}, {Level::kSerializable}, {}};

  void SetUp() override {
    input_.levels = {
        {Level::kStrongSessionSerializable, Verdict::kViolated, "another reason", {}, {}},
        {Level::kSerializable, Verdict::kViolated, kWhy, {}, {}},
        {Level::kReadCommitted, Verdict::kHolds, "", {}, {}}};
    input_.run.emplace();
    input_.promise = Promise{"db", "best", Level::kSerializable, ""};
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(Unexplained, IsToldOfTheWeakestLevelsOnly) {
  EXPECT_TRUE(stories(input_).empty());
  const std::vector<OpenLevels> levels = unexplained(input_.levels, input_.weakest_violated);
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].reason, kWhy);
  EXPECT_EQ(names_of(levels[0].levels), "serializable");
}

TEST_F(Unexplained, InJson) {
  const json report = json::parse(to_json(input_));
  const json& level = report["levels"]["serializable"];
  EXPECT_EQ(level["verdict"], "violated");
  EXPECT_EQ(level["reason"], kWhy);
  EXPECT_TRUE(level["anomalies"].empty());
  EXPECT_EQ(report["run"]["promise"]["verdict"], "violated");
}

TEST_F(Unexplained, InJunit) {
  const std::string text = *rendered(*find_form("junit"), input_);
  EXPECT_TRUE(has(text, "tests=\"4\" failures=\"1\" errors=\"0\"")) << text;
  EXPECT_TRUE(
      has(text,
          "<failure message=\"not explained: no room; db at best promises serializable: "
          "BROKEN\" type=\"unexplained\" />"))
      << text;
}

TEST_F(Unexplained, InSarif) {
  SarifReport report("1");
  report.add(input_);
  const json run = json::parse(report.text())["runs"][0];
  ASSERT_EQ(run["results"].size(), 1U);
  const json& result = run["results"][0];
  EXPECT_EQ(result["kind"], "fail");
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["message"]["text"], "Not serializable: not explained: no room.");
  EXPECT_EQ(result["ruleId"], run["tool"]["driver"]["rules"][0]["id"]);
  bool broken = false;
  for (const json& each : run["invocations"][0]["toolExecutionNotifications"]) {
    broken = broken || (each["level"] == "error" &&
                        has(each["message"]["text"], "promises serializable: BROKEN"));
  }
  EXPECT_TRUE(broken);
}

TEST_F(Unexplained, InEdn) {
  const std::string text = to_edn(input_);
  EXPECT_TRUE(has(text, "{:valid? false")) << text;
  EXPECT_TRUE(has(text, ":not #{:serializable")) << text;
  EXPECT_TRUE(has(text, "\"not explained: no room\" #{:serializable}")) << text;
}

TEST_F(Unexplained, InAnnotations) {
  const std::string text = to_annotations(input_);
  EXPECT_TRUE(has(text, "title=Not serializable::not explained: no room\n")) << text;
  EXPECT_TRUE(has(text, "title=Broken promise::")) << text;
}

/// While it lives memory is refused to who asks first.
class Refusal {
 public:
  Refusal() { base::MemoryGuard::admits(std::size_t{1} << 30); }

 private:
  base::Budget budget_{0, 1};
  base::MemoryGuard guard_{budget_};
  base::MemoryGuard::Deferral deferral_;  // so that what is allocated above counts
};

TEST_F(Unexplained, DocumentsForWhichThereIsNoRoomAreNotBegun) {
  input_.levels[1].scenario = make_scenario(history_, write_skew_proof());
  SarifReport twice("1");
  SarifReport once("1");
  once.add(input_);
  twice.add(input_);
  {
    const Refusal refusal;
    EXPECT_THROW(to_json(input_), std::bad_alloc);
  }
  {
    const Refusal refusal;
    EXPECT_THROW(twice.add(input_), std::bad_alloc);
  }
  EXPECT_EQ(once.text(), twice.text());
}

}  // namespace
}  // namespace isolde::explain

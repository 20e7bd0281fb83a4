#include "cli/outputs.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "explain/form.hpp"
#include "report/forms.hpp"
#include "support/history_dsl.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::cli {
namespace {

namespace fs = std::filesystem;

class OutputsTest : public testing::Test {
 protected:
  std::string path(const char* name) const { return folder_.path(name); }

  static std::string content(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  }

  io::TemporaryFolder folder_;
};

/// The options as a command line would give them.
void parse(Outputs& outputs, std::vector<std::string> arguments) {
  CLI::App app;
  outputs.add_to(app);
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
}

/// What goes to standard output of a history that is serializable.
std::string told(Outputs& outputs, const std::string& history_text, std::size_t number = 1) {
  const History history = support::parse(history_text);
  const explain::ReportModel model{
      history, {{Level::kSerializable, Verdict::kHolds, "", {}, {}}}, {}, {}, {}};
  std::string printed;
  EXPECT_TRUE(outputs.add(
      model, number, [](const std::function<void()>& work) { work(); }, printed));
  return printed;
}

// Goal: what is asked for is written, a part for each history, and nothing else.
TEST_F(OutputsTest, WritesTheDocumentsAskedFor) {
  Outputs outputs;
  parse(outputs, {"--junit", path("o.xml"), "--edn", path("o.edn")});
  ASSERT_TRUE(outputs.prepare());
  EXPECT_TRUE(outputs.prints_text());
  const std::string text = told(outputs, "A: w(x=1)");
  EXPECT_TRUE(text.starts_with("history in memory: ")) << text;
  EXPECT_EQ(outputs.add_failure("bad.jsonl", {ErrorCode::kBadInput, "bad.jsonl:1: no"}), "");
  ASSERT_TRUE(outputs.write());
  const std::string junit = content(path("o.xml"));
  EXPECT_NE(junit.find("tests=\"2\" failures=\"0\" errors=\"1\""), std::string::npos) << junit;
  const std::string edn = content(path("o.edn"));
  EXPECT_TRUE(edn.starts_with("{:valid? true,")) << edn;
  EXPECT_NE(edn.find("{:valid? :unknown,\n :error \"bad.jsonl:1: no\""), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

// Files of one history have its number where there are several, and none is written where there
// is nothing to show.
TEST_F(OutputsTest, WritesAFileForEachHistory) {
  Outputs outputs;
  parse(outputs, {"--html", path("page"), "--dot", path("graph")});
  outputs.set_several(true);
  ASSERT_TRUE(outputs.prepare());
  told(outputs, "A: w(x=1)", 1);
  told(outputs, "A: w(x=2)", 2);
  EXPECT_TRUE(content(path("page.1.html")).starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(content(path("page.2.html")).starts_with("<!DOCTYPE html>"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

TEST_F(OutputsTest, WritesTheReportAloneByItself) {
  Outputs outputs;
  parse(outputs, {});
  EXPECT_TRUE(outputs.prepare());
  EXPECT_TRUE(told(outputs, "A: w(x=1)").starts_with("history in memory: "));
  EXPECT_TRUE(outputs.write());
}

// Goal: two programs never get the same standard output.
TEST_F(OutputsTest, GivesStandardOutputToOneOnly) {
  const auto fits = [](std::vector<std::string> arguments) {
    Outputs outputs;
    parse(outputs, std::move(arguments));
    return outputs.prepare().ok();
  };
  EXPECT_TRUE(fits({"--sarif", "-"}));
  EXPECT_TRUE(fits({"--sarif", "-", "--edn", "file"}));
  EXPECT_TRUE(fits({"--github", "--edn", "file"}));
  EXPECT_TRUE(fits({"--json", "--edn", "file"}));
  EXPECT_FALSE(fits({"--sarif", "-", "--edn", "-"}));
  EXPECT_FALSE(fits({"--json", "--junit", "-"}));
  EXPECT_FALSE(fits({"--json", "--github"}));
  EXPECT_FALSE(fits({"--json", "--dot", "-"}));
  EXPECT_FALSE(fits({"--github", "--edn", "-"}));
}

TEST_F(OutputsTest, ReplacesTheReportAtStandardOutput) {
  Outputs outputs;
  parse(outputs, {"--json"});
  ASSERT_TRUE(outputs.prepare());
  EXPECT_FALSE(outputs.prints_text());
  EXPECT_TRUE(told(outputs, "A: w(x=1)").starts_with("{\"schema\":1,"));
}

TEST_F(OutputsTest, ReportsWhatCannotBeWritten) {
  Outputs outputs;
  parse(outputs, {"--sarif", path("no/such/folder.sarif")});
  ASSERT_TRUE(outputs.prepare());
  const Status written = outputs.write();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kEnvironment);
}

TEST_F(OutputsTest, AnnotatesBehindTheText) {
  Outputs outputs;
  parse(outputs, {"--github"});
  ASSERT_TRUE(outputs.prepare());
  const std::string text = told(outputs, "A: w(x=1)");
  EXPECT_TRUE(text.starts_with("::stop-commands::")) << text;
  EXPECT_NE(text.find("history in memory: "), std::string::npos) << text;
  EXPECT_NE(text.rfind("\n::"), std::string::npos) << text;
  EXPECT_EQ(outputs.add_failure("bad.jsonl", {ErrorCode::kBadInput, "no"}),
            "::error file=bad.jsonl,title=Not checked::no\n");
}

// Goal: each form has a name of its own, one way of being made, and something to keep to; and
// makes something of a history, or says that there is nothing to show.
TEST(Forms, AreRowsOfOneTable) {
  std::set<std::string_view> names;
  const History history = support::parse("A: w(x=1)");
  const explain::ReportModel model{
      history, {{Level::kSerializable, Verdict::kHolds, "", {}, {}}}, {}, {}, {}};
  for (const explain::Form* form : all_forms()) {
    EXPECT_TRUE(names.insert(form->name).second) << form->name;
    EXPECT_NE(form->render == nullptr, form->collect == nullptr) << form->name;
    EXPECT_FALSE(form->schema.empty()) << form->name;
    const Result<std::string> text = explain::rendered(*form, model);
    ASSERT_TRUE(text.ok()) << form->name;
    EXPECT_EQ(text->empty(), form->name == "dot" || form->name == "svg") << form->name;
  }
  EXPECT_EQ(all_forms().front()->name, "text");
}

}  // namespace
}  // namespace isolde::cli

#include "cli/outputs.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

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

// Goal: what is asked for is written, a part for each history, and nothing else.
TEST_F(OutputsTest, WritesTheDocumentsAskedFor) {
  Outputs outputs;
  parse(outputs, {"--junit", path("o.xml"), "--edn", path("o.edn")});
  ASSERT_TRUE(outputs.prepare(true));
  EXPECT_TRUE(outputs.wanted());
  EXPECT_FALSE(outputs.takes_stdout());
  const History history = support::parse("A: w(x=1)");
  outputs.add({history, {{Level::kSerializable, Verdict::kHolds, "", {}, {}}}, {}, {}, {}},
              [](const std::function<void()>& work) { work(); });
  outputs.add_failure("bad.jsonl", {ErrorCode::kBadInput, "bad.jsonl:1: no"});
  EXPECT_EQ(outputs.annotated("text"), "text");
  ASSERT_TRUE(outputs.write());
  const std::string junit = content(path("o.xml"));
  EXPECT_NE(junit.find("tests=\"2\" failures=\"0\" errors=\"1\""), std::string::npos) << junit;
  const std::string edn = content(path("o.edn"));
  EXPECT_TRUE(edn.starts_with("{:valid? true,")) << edn;
  EXPECT_NE(edn.find("{:valid? :unknown,\n :error \"bad.jsonl:1: no\""), std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

TEST_F(OutputsTest, WantsNothingByItself) {
  Outputs outputs;
  parse(outputs, {});
  EXPECT_FALSE(outputs.wanted());
  EXPECT_TRUE(outputs.prepare(true));
  EXPECT_TRUE(outputs.write());
}

// Goal: two programs never get the same standard output.
TEST_F(OutputsTest, GivesStandardOutputToOneOnly) {
  const auto fits = [](std::vector<std::string> arguments, bool json) {
    Outputs outputs;
    parse(outputs, std::move(arguments));
    return outputs.prepare(json).ok();
  };
  EXPECT_TRUE(fits({"--sarif", "-"}, false));
  EXPECT_TRUE(fits({"--sarif", "-", "--edn", "file"}, false));
  EXPECT_TRUE(fits({"--github", "--edn", "file"}, false));
  EXPECT_FALSE(fits({"--sarif", "-", "--edn", "-"}, false));
  EXPECT_FALSE(fits({"--junit", "-"}, true));
  EXPECT_FALSE(fits({"--github"}, true));
  EXPECT_FALSE(fits({"--github", "--edn", "-"}, false));
}

TEST_F(OutputsTest, ReportsWhatCannotBeWritten) {
  Outputs outputs;
  parse(outputs, {"--sarif", path("no/such/folder.sarif")});
  const Status written = outputs.write();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kEnvironment);
}

TEST_F(OutputsTest, AnnotatesBehindTheText) {
  Outputs outputs;
  parse(outputs, {"--github"});
  outputs.add_failure("bad.jsonl", {ErrorCode::kBadInput, "no"});
  const std::string text = outputs.annotated("::text");
  EXPECT_TRUE(text.starts_with("::stop-commands::")) << text;
  EXPECT_TRUE(text.ends_with("\n::error file=bad.jsonl,title=Not checked::no\n")) << text;
  EXPECT_EQ(outputs.annotated(""), "");  // each only once
}

}  // namespace
}  // namespace isolde::cli

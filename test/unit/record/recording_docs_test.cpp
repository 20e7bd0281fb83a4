// docs/recording.md: its C++ program is the example that is built and run, and its Python
// program writes what it says.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "recorded.hpp"
#include "support/source_dir.hpp"

namespace isolde {
namespace {

std::string source(const std::string& name) {
  std::string path = support::source_dir();
  path += "/" + name;
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The block of that language in the page.
std::string block(const std::string& language) {
  const std::string page = source("docs/recording.md");
  const std::string opening = "```" + language + "\n";
  const std::size_t begin = page.find(opening) + opening.size();
  return page.substr(begin, page.find("```\n", begin) - begin);
}

int run(const std::string& command) { return std::system(command.c_str()); }

TEST(RecordingDocument, ShowsTheExample) {
  EXPECT_EQ(block("cpp"), source("examples/record.cpp"));
}

TEST(RecordingDocument, ExampleWritesAHistory) {
  const TemporaryFolder folder;
  ASSERT_EQ(run(std::string(ISOLDE_EXAMPLE_RECORD) + " " + folder.path("h")), 0);
  const History history = read_back(folder.path("h"));
  EXPECT_FALSE(history.origin().truncated);
  EXPECT_TRUE(history.origin().notes.empty());
  EXPECT_EQ(history.txn_count(), 1000U);
  EXPECT_GE(history.session_count(), 10U);  // four clients, ten lost connections
  EXPECT_LE(history.session_count(), 14U);
  EXPECT_TRUE(history.text(history.server(TxnId(0))).starts_with("map:0 client "));
  EXPECT_NE(history.origin().clock_origin, kNoTime);
}

TEST(RecordingDocument, PythonWritesAHistory) {
  const TemporaryFolder folder;
  folder.put("record.py", block("python"));
  ASSERT_EQ(run("cd " + folder.path() + " && python3 record.py"), 0);
  const History history = read_back(folder.path("history.jsonl"));
  EXPECT_FALSE(history.origin().truncated);
  EXPECT_EQ(texts_of(history), std::vector<std::string>{"a:0 r(x)=initial w(x)=1"});
}

}  // namespace
}  // namespace isolde

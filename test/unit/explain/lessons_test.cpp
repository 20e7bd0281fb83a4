// Goal: each anomaly has a lesson and a cause, one sentence each, and the page says the same.
#include "explain/lessons.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "support/source_dir.hpp"

namespace isolde::explain {
namespace {

std::string page() {
  std::ifstream file(support::source_dir() + "/docs/ANOMALIES.md");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Lessons, AreSentencesWithoutFullStop) {
  std::set<std::string_view> names;
  for (const Lesson& lesson : all_lessons()) {
    EXPECT_TRUE(names.insert(lesson.name).second) << lesson.name;
    for (const std::string_view text : {lesson.text, lesson.cause}) {
      ASSERT_GT(text.size(), 20U) << lesson.name;
      EXPECT_NE(text.back(), '.') << lesson.name;
      EXPECT_EQ(text.find("  "), std::string_view::npos) << lesson.name;
    }
    EXPECT_EQ(&lesson_of(lesson.name), &lesson);
  }
}

TEST(Lessons, ThoseOfOneKindStandTogether) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(together(Names{"dirty reads (G1a)", "write skew", "dirty reads (G1b)"}),
            (Names{"dirty reads (G1a, and G1b)", "write skew"}));
  EXPECT_EQ(together(Names{"dirty reads (G1a)", "dirty reads (G1b)", "dirty reads (G1c)"}),
            (Names{"dirty reads (G1a, G1b, and G1c)"}));
  // What says more behind the parenthesis, or has none, stands for itself.
  const Names apart = {"dirty reads", "dirty reads (G1a)", "dirty reads (G1b) in a session",
                       "forks"};
  EXPECT_EQ(together(apart), apart);
  EXPECT_EQ(together({}), Names{});
}

TEST(Lessons, ThePageHasAllCauses) {
  const std::string text = page();
  for (const Lesson& lesson : all_lessons()) {
    const std::string line =
        "\n- **" + std::string(lesson.name) + "**: " + std::string(lesson.cause) + ".\n";
    EXPECT_NE(text.find(line), std::string::npos) << lesson.name;
  }
}

}  // namespace
}  // namespace isolde::explain

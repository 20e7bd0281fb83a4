// Goal: one level by name, or the promised one as the history tells it.
#include "cli/level_option.hpp"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "isolde/history_builder.hpp"

namespace isolde::cli {
namespace {

Result<std::vector<Level>> levels_of(const std::string& name, std::optional<Level> promise,
                                     const std::string& no_promise = {}) {
  CLI::App app;
  LevelOption option;
  option.add_to(app, "it is another one");
  app.parse("--level " + name, false);
  if (const Status known = option.prepare(); !known) return known.error();
  HistoryBuilder builder;
  builder.origin().promise = promise;
  builder.origin().no_promise = no_promise;
  const Result<History> history = builder.finish();
  return option.levels_for(*history);
}

TEST(LevelOption, TakesOneLevel) {
  EXPECT_EQ(*levels_of("ser", {}), std::vector{Level::kSerializable});
  EXPECT_EQ(*levels_of("ser", Level::kReadCommitted), std::vector{Level::kSerializable});
  EXPECT_EQ(*levels_of("Promised", Level::kReadCommitted), std::vector{Level::kReadCommitted});
  EXPECT_TRUE(is_promised("promised"));
  EXPECT_FALSE(is_promised("promise"));
}

TEST(LevelOption, SaysWhyThereIsNone) {
  EXPECT_NE(levels_of("promised", {}).error().message.find("does not tell"), std::string::npos);
  EXPECT_NE(levels_of("promised", {}, "no clue").error().message.find("no clue"),
            std::string::npos);
  EXPECT_NE(levels_of("promised,ser", {}).error().message.find("takes one level"),
            std::string::npos);
  EXPECT_FALSE(levels_of("nothing", {}).ok());
}

}  // namespace
}  // namespace isolde::cli

// Files that were read to their end are deleted, and nothing else is.
#include "stream/consumption.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "group_files.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

class ConsumptionTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  /// Read to its end.
  Position read(const std::string& from) {
    const Result<std::unique_ptr<Source>> source = open_source(from, {});
    EXPECT_TRUE(source.ok());
    for (bool is_over = false; source.ok() && !is_over;) {
      const Result<Source::Next> next = (*source)->next(budget_);
      EXPECT_TRUE(next.ok()) << next.error().message;
      is_over = !next || next->is_over;
    }
    return (*source)->position();
  }
  std::string problem(const FilePosition& file) {
    const Status gone = consume(file, budget_);
    return gone ? "" : gone.error().message;
  }

  io::TemporaryFolder folder_;
  base::Budget budget_;
};

TEST_F(ConsumptionTest, DeletesWhatWasRead) {
  append(path("1.isob"), group_text(0, {{1}, 5, true}));
  const Position position = read(path("1.isob"));
  ASSERT_TRUE(position.files.front().is_over);
  EXPECT_EQ(problem(position.files.front()), "");
  EXPECT_TRUE(is_gone(path("1.isob")));
  EXPECT_EQ(problem(position.files.front()), "");  // once more is fine
}

TEST_F(ConsumptionTest, KeepsWhatHasChanged) {
  const std::string text = group_text(0, {{1}, 5, false});
  const std::string changed =
      path("1.isob") + ": it has changed since it was read, and is not deleted";
  append(path("1.isob"), text);
  const FilePosition file = read(path("1.isob")).files.front();
  append(path("1.isob"), "more");
  EXPECT_EQ(problem(file), changed);
  std::filesystem::remove(path("1.isob"));
  append(path("1.isob"), group_text(0, {{2}, 5, false}));
  EXPECT_EQ(problem(file), changed);
  std::filesystem::remove(path("1.isob"));
  append(path("2.isob"), text);
  std::filesystem::create_symlink(path("2.isob"), path("1.isob"));
  EXPECT_EQ(problem(file), path("1.isob") + ": it is a link, and is not deleted");
  EXPECT_FALSE(is_gone(path("1.isob")));
  EXPECT_FALSE(is_gone(path("2.isob")));
}

TEST_F(ConsumptionTest, AFileThatIsCutOffIsNotOver) {
  const std::string text = group_text(0, {{1}, 5, false});
  append(path("1.isob"), text + text.substr(0, 50));
  EXPECT_FALSE(read(path("1.isob")).files.front().is_over);
}

TEST_F(ConsumptionTest, WhatHasGoneIsNotNeededToGoOn) {
  append(path("1.isob"), group_text(0, {{1}, 5, false}));
  append(path("2.isob"), group_text(0, {{6}, 9, false}));
  for (const std::string& from : {path("1.isob"), folder_.path()}) {
    const Position position = read(from);
    std::filesystem::remove(path("1.isob"));
    std::filesystem::remove(path("2.isob"));
    Result<std::unique_ptr<Source>> source = open_source(from, {.may_be_gone = true});
    ASSERT_TRUE(source.ok());
    ASSERT_TRUE((*source)->resume(position, budget_).ok());
    const Result<Source::Next> next = (*source)->next(budget_);
    ASSERT_TRUE(next.ok());
    EXPECT_TRUE(next->is_over && !next->part);
    EXPECT_EQ((*source)->position().contents(), position.contents());
    EXPECT_FALSE((*source)->visit_again([](const History&, TxnNumber) {}, budget_).ok());
    // Unless nobody says that it was over.
    Position other = position;
    other.files.back().is_over = false;
    source = open_source(from, {.may_be_gone = true});
    ASSERT_TRUE(source.ok());
    EXPECT_FALSE((*source)->resume(other, budget_).ok());
    append(path("1.isob"), group_text(0, {{1}, 5, false}));
    append(path("2.isob"), group_text(0, {{6}, 9, false}));
  }
}

TEST_F(ConsumptionTest, WhatWasNeverThereIsAnError) {
  const Result<std::unique_ptr<Source>> source =
      open_source(path("none.isob"), {.may_be_gone = true});
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->next(budget_).error().message,
            path("none.isob") + ": No such file or directory");
}

}  // namespace
}  // namespace isolde::stream

// Files of a folder that follow one another.
#include "stream/folder_source.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "group_files.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

using Starts = std::vector<std::int64_t>;

class FolderSourceTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::unique_ptr<Source> open(bool follows = false) {
    Result<std::unique_ptr<Source>> source =
        open_source(folder_.path(), {.follows = follows, .clock = &clock_});
    EXPECT_TRUE(source.ok()) << source.error().message;
    return std::move(*source);
  }
  Starts next(Source& source) {
    const Result<Source::Next> next = source.next(budget_);
    problem_ = next.ok() ? "" : next.error().message;
    is_over_ = next.ok() && next->is_over;
    return next.ok() && next->part ? starts_of(next->part->history) : Starts{};
  }
  static Starts starts_of(const History& history) {
    Starts starts;
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      starts.push_back(history.times(TxnId::at(t)).start);
    }
    return starts;
  }
  Starts rest(Source& source) {
    Starts all;
    do {
      const Starts part = next(source);
      all.insert(all.end(), part.begin(), part.end());
    } while (!is_over_ && problem_.empty());
    return all;
  }
  Status visit(const Source& source, Starts& starts) {
    return source.visit_again(
        [&](const History& part, TxnNumber first) {
          EXPECT_EQ(first, starts.size());
          const Starts more = starts_of(part);
          starts.insert(starts.end(), more.begin(), more.end());
        },
        budget_);
  }

  io::TemporaryFolder folder_;
  CommonClock clock_;
  base::Budget budget_;
  bool is_over_ = false;
  std::string problem_;
};

TEST_F(FolderSourceTest, FilesComeInTheOrderOfTheirNumbers) {
  append(path("h10.isob"), group_text(0, {{40}}));
  append(path("h9.isob"), group_text(0, {{20}, 30, false}) + group_text(1, {{30}, 40, true}));
  append(path("h1.isob"), group_text(0, {{1}, 20, false}));
  append(path("h2.isob"), "");
  append(path("notes.txt"), "no history");
  append(path(".h3.isob"), "hidden");
  std::filesystem::create_directory(path("folder.isob"));
  const std::unique_ptr<Source> source = open();
  EXPECT_EQ(rest(*source), (Starts{1, 20, 30, 40}));
  EXPECT_EQ(source->cut_off(), "");
  EXPECT_EQ(source->position().files.size(), 4U);
  Starts again;
  EXPECT_TRUE(visit(*source, again).ok());
  EXPECT_EQ(again, (Starts{1, 20, 30, 40}));
}

TEST_F(FolderSourceTest, AFileIsOverWhenTheNextOneIsThere) {
  const std::unique_ptr<Source> source = open(true);
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);
  const std::string more = group_text(1, {{5}, 8, false});
  append(path("1.isob"), group_text(0, {{1}, 5, false}) + more.substr(0, 99));
  EXPECT_EQ(next(*source), Starts{1});
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);
  append(path("1.isob"), more.substr(99));
  append(path("2.isob"), group_text(0, {{9}, 10, true}));
  EXPECT_EQ(next(*source), Starts{5});
  EXPECT_EQ(next(*source), Starts{9});
  // This one says that it ends, but that is no end of the folder.
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);
  std::filesystem::remove(path("1.isob"));
  append(path("3.isob"), group_text(0, {{11}, 12, false}));
  EXPECT_EQ(next(*source), Starts{11});
  // What has gone cannot be visited.
  Starts again;
  EXPECT_EQ(visit(*source, again).error().code, ErrorCode::kEnvironment);
}

TEST_F(FolderSourceTest, GoesOnWhereAnotherHasStopped) {
  append(path("1.isob"), group_text(0, {{1}, 5, true}));
  append(path("2.isob"), group_text(0, {{6}, 7, false}) + group_text(1, {{8}, 9, false}));
  Starts found;
  std::unique_ptr<Source> source = open(true);
  for (std::size_t i = 0; i < 9; ++i) {
    const Position position = source->position();
    source = open(true);
    ASSERT_TRUE(source->resume(position, budget_).ok());
    const Starts part = next(*source);
    found.insert(found.end(), part.begin(), part.end());
    if (i == 4) append(path("2.isob"), group_text(2, {{10}, 11, false}));
    if (i == 5) append(path("3.isob"), group_text(0, {{12}, 13, false}));
    Starts again;
    ASSERT_TRUE(visit(*source, again).ok());
    EXPECT_EQ(again, found);
  }
  EXPECT_EQ(found, (Starts{1, 6, 8, 10, 12}));
  // The one that is done is not needed.
  const Position position = source->position();
  std::filesystem::remove(path("1.isob"));
  source = open(true);
  ASSERT_TRUE(source->resume(position, budget_).ok());
  append(path("3.isob"), group_text(1, {{14}, 15, false}));
  EXPECT_EQ(next(*source), Starts{14});
  std::filesystem::remove(path("3.isob"));
  EXPECT_FALSE(open(true)->resume(position, budget_).ok());
}

TEST_F(FolderSourceTest, RefusesAFileThatComesBeforeWhatWasRead) {
  append(path("2.isob"), group_text(0, {{1}, 5, false}));
  const std::unique_ptr<Source> source = open(true);
  EXPECT_EQ(next(*source), Starts{1});
  append(path("1.isob"), group_text(0, {{6}, 7, false}));
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_EQ(problem_, path("1.isob") + ": it has come after 2.isob, whose name is behind it");
}

TEST_F(FolderSourceTest, WhatIsCutOffEndsIt) {
  append(path("1.isob"), group_text(0, {{1}, 5, false}) + "ISOL");
  append(path("2.isob"), group_text(0, {{6}, 7, false}));
  for (const bool follows : {false, true}) {
    const std::unique_ptr<Source> source = open(follows);
    EXPECT_EQ(rest(*source), Starts{1});
    EXPECT_EQ(source->cut_off(), path("1.isob") + ": the last group is cut off");
  }
}

TEST_F(FolderSourceTest, LaterFilesTellNothingOfTheBeginning) {
  const auto text = [](std::int64_t origin, bool has_initial) {
    HistoryBuilder builder;
    builder.origin().clock_origin = origin;
    const KeyId x = builder.key(builder.string("x"));
    if (has_initial) builder.set_initial(x, builder.integer(7));
    builder.begin_txn(builder.session("s"));
    builder.set_times({1, 2});
    builder.write(x, builder.integer(1));
    io::StringSink sink;
    EXPECT_TRUE(
        io::write_native_binary(std::move(builder.finish()).value(), sink, true, {}).ok());
    return sink.text();
  };
  const auto problem = [&](const std::string& second) {
    std::filesystem::remove(path("2.isob"));
    append(path("2.isob"), second);
    rest(*open());
    return problem_;
  };
  append(path("1.isob"), text(5, true));
  EXPECT_EQ(problem(text(5, false)), "");
  EXPECT_EQ(problem(text(kNoTime, false)), "");
  EXPECT_NE(problem(text(5, true)).find("only the first file of a folder may"),
            std::string::npos);
  EXPECT_EQ(problem(text(6, false)), "");  // they are put on one clock
}

TEST_F(FolderSourceTest, AFolderWithoutFilesSaysSo) {
  const std::unique_ptr<Source> source = open();
  EXPECT_EQ(rest(*source), Starts{});
  EXPECT_EQ(source->cut_off(), "no file in " + folder_.path() + " is called *.isob");
}

}  // namespace
}  // namespace isolde::stream

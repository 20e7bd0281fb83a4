// Sources: which part comes when, that all of it can be read again, and that another process
// goes on where one has stopped.
#include "stream/source.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "group_files.hpp"
#include "stream/file_source.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

using Starts = std::vector<std::int64_t>;

Starts starts_of(const History& history) {
  Starts starts;
  for (std::size_t t = 0; t < history.txn_count(); ++t) {
    starts.push_back(history.times(TxnId::at(t)).start);
  }
  return starts;
}

class SourceTest : public testing::Test {
 protected:
  std::unique_ptr<Source> open(const std::string& path, bool follows = false) {
    Result<std::unique_ptr<Source>> source = open_source(path, {.follows = follows});
    EXPECT_TRUE(source.ok()) << source.error().message;
    return std::move(*source);
  }
  /// Starts of the next part; nothing: none is there now. Notes whether one may come.
  Starts next(Source& source) {
    Result<Source::Next> next = source.next(budget_);
    EXPECT_TRUE(next.ok()) << next.error().message;
    is_over_ = next.ok() && next->is_over;
    if (!next.ok() || !next->part) return {};
    open_since_ = next->part->open_since;
    is_last_ = next->part->is_last;
    return starts_of(next->part->history);
  }
  Starts visited(const Source& source) {
    Starts starts;
    const Visit visit = [&](const History& part, TxnNumber first) {
      EXPECT_EQ(first, starts.size());
      const Starts more = starts_of(part);
      starts.insert(starts.end(), more.begin(), more.end());
    };
    const Status status = source.visit_again(visit, budget_);
    EXPECT_TRUE(status.ok()) << status.error().message;
    return starts;
  }
  std::string refusal(const Status& status) {
    return status.ok() ? "" : status.error().message;
  }

  io::TemporaryFolder folder_;
  std::string path_ = folder_.path("h");
  base::Budget budget_;
  bool is_over_ = false;
  bool is_last_ = false;
  std::int64_t open_since_ = kNoTime;
};

TEST_F(SourceTest, AFileThatIsFollowedEndsWhereItSaysSo) {
  append(path_, group_text(0, {{1, 2}, 10, false}));
  const std::unique_ptr<Source> source = open(path_, true);
  EXPECT_EQ(next(*source), (Starts{1, 2}));
  EXPECT_EQ(open_since_, 10);
  EXPECT_FALSE(is_last_);
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);
  append(path_, group_text(1, {{12}, 20, true}));
  EXPECT_EQ(next(*source), Starts{12});
  EXPECT_TRUE(is_last_);
  EXPECT_FALSE(is_over_);
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_TRUE(is_over_);
  EXPECT_EQ(source->cut_off(), "");
  append(path_, "x");
  EXPECT_FALSE(source->next(budget_).ok());
}

TEST_F(SourceTest, AFileThatIsNotFollowedEndsWhereItDoes) {
  append(path_, group_text(0, {{1}, 10, false}));
  const std::string more = group_text(1, {{12}, 20, true});
  append(path_, more.substr(0, 50));
  const std::unique_ptr<Source> source = open(path_);
  EXPECT_EQ(next(*source), Starts{1});
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_TRUE(is_over_);
  EXPECT_EQ(source->cut_off(), "the last group is cut off");
}

TEST_F(SourceTest, AFileWhoseRecorderDiedIsNotWaitedFor) {
  append(path_, group_text(0, {{1}, 10, false}));
  const std::unique_ptr<Source> source = open(path_, true);
  EXPECT_EQ(next(*source), Starts{1});
  const std::string folder = path_ + ".jsonl.inflight";
  std::filesystem::create_directory(folder);
  const int ledger = ::open((folder + "/0").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(ledger, 0);
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  ASSERT_EQ(fcntl(ledger, F_OFD_SETLK, &lock), 0);
  const std::string content(4096, '\0');
  ASSERT_EQ(write(ledger, content.data(), content.size()), 4096);
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);  // it is at work
  EXPECT_EQ(source->cut_off(), "");
  // As the process ends.
  append(path_, group_text(1, {{11}, 20, false}));
  close(ledger);
  EXPECT_EQ(next(*source), Starts{11});
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_TRUE(is_over_);
  EXPECT_EQ(source->cut_off(),
            "its recorder died before the end; isolde convert --to native-binary " + path_ +
                " WHOLE makes a whole file of what it has left");
  // One that is done has left nothing.
  std::filesystem::remove_all(folder);
  const std::unique_ptr<Source> other = open(path_, true);
  EXPECT_EQ(next(*other), Starts{1});
  EXPECT_EQ(next(*other), Starts{11});
  EXPECT_EQ(next(*other), Starts{});
  EXPECT_FALSE(is_over_);
}

TEST_F(SourceTest, VisitsWhatItGaveAndNoMore) {
  append(path_, group_text(0, {{1, 2}, 10, false}));
  append(path_, group_text(1, {{12}, 20, false}));
  append(path_, group_text(2, {{25}, 30, false}));
  const std::unique_ptr<Source> source = open(path_);
  EXPECT_EQ(visited(*source), Starts{});
  next(*source);
  next(*source);
  EXPECT_EQ(visited(*source), (Starts{1, 2, 12}));
  EXPECT_EQ(next(*source), Starts{25});
  EXPECT_EQ(visited(*source), (Starts{1, 2, 12, 25}));
}

TEST_F(SourceTest, TellsThatAFileHasChanged) {
  append(path_, group_text(0, {{1}, 10, false}) + group_text(1, {{12}, 20, false}));
  const std::unique_ptr<Source> source = open(path_);
  next(*source);
  next(*source);
  std::ofstream(path_, std::ios::binary | std::ios::trunc)
      << group_text(0, {{1}, 10, false}) << group_text(1, {{13}, 20, false});
  const Visit nothing = [](const History&, TxnNumber) {};
  EXPECT_EQ(refusal(source->visit_again(nothing, budget_)),
            path_ + ": it has changed while it was read");
  std::filesystem::resize_file(path_, group_text(0, {{1}, 10, false}).size());
  EXPECT_EQ(refusal(source->visit_again(nothing, budget_)), path_ + ": it has become shorter");
}

TEST_F(SourceTest, GoesOnWhereAnotherHasStopped) {
  append(path_, group_text(0, {{1, 2}, 10, false}) + group_text(1, {{12}, 20, false}));
  const std::unique_ptr<Source> first = open(path_, true);
  next(*first);
  const Position position = first->position();
  const std::unique_ptr<Source> second = open(path_, true);
  ASSERT_EQ(refusal(second->resume(position, budget_)), "");
  EXPECT_EQ(next(*second), Starts{12});
  EXPECT_EQ(next(*second), Starts{});
  append(path_, group_text(2, {{25}, 30, true}));
  EXPECT_EQ(next(*second), Starts{25});
  EXPECT_EQ(visited(*second), (Starts{1, 2, 12, 25}));
  // What an earlier group said is known.
  const std::unique_ptr<Source> third = open(path_);
  ASSERT_EQ(refusal(third->resume(position, budget_)), "");
  EXPECT_EQ(third->position().files.front().before.open_since, 10);
}

TEST_F(SourceTest, DoesNotGoOnWithAnotherFile) {
  const std::string one = group_text(0, {{1, 2}, 10, false});
  append(path_, one);
  const std::unique_ptr<Source> source = open(path_);
  next(*source);
  const Position position = source->position();
  const auto resumed = [&](const std::string& text) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    return refusal(open(path_)->resume(position, budget_));
  };
  const std::string other = path_ + ": it does not begin with what was read before";
  EXPECT_EQ(resumed(one), "");
  EXPECT_EQ(resumed(one + "more"), "");
  EXPECT_EQ(resumed(one.substr(0, one.size() - 1)), other);
  EXPECT_EQ(resumed(one.substr(0, 20)), other);
  EXPECT_EQ(resumed(""), other);
  EXPECT_EQ(resumed("y" + one.substr(1)), other);
  const std::string changed = group_text(0, {{1, 3}, 10, false});
  ASSERT_EQ(changed.size(), one.size());
  EXPECT_EQ(resumed(changed), other);
  // Two groups of the same size in all are not one.
  Position halved = position;
  halved.files.front().before.groups = 2;
  std::ofstream(path_, std::ios::binary | std::ios::trunc) << one;
  EXPECT_EQ(refusal(open(path_)->resume(halved, budget_)), other);
  EXPECT_NE(refusal(open(path_)->resume(Position{}, budget_)), "");
}

TEST_F(SourceTest, APipeGivesWhatIsThereUntilNobodyWrites) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const std::unique_ptr<Source> source = open(path_, true);
  EXPECT_FALSE(source->can_begin_anew());
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);
  const int writer = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  const std::string text = group_text(0, {{1}, 10, false});
  ASSERT_EQ(write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  EXPECT_EQ(next(*source), Starts{1});
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);
  close(writer);
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_TRUE(is_over_);
  EXPECT_NE(refusal(source->resume(source->position(), budget_)), "");
}

}  // namespace
}  // namespace isolde::stream

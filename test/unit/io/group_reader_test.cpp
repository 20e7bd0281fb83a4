// A file in the native binary format group by group, as it grows: what the reader of the whole
// makes of it, and no group before it is there.
#include "io/group_reader.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/budget.hpp"
#include "io_inputs.hpp"
#include "isolde/history_builder.hpp"
#include "temporary_folder.hpp"

namespace isolde::io {
namespace {

std::string group_text(std::uint32_t number, const BinaryGroup& group, std::int64_t start) {
  HistoryBuilder builder;
  builder.origin().database = "db";
  for (std::uint32_t i = 0; i <= number; ++i) {
    builder.begin_txn(builder.session("s" + std::to_string(i)));
    builder.set_times({start, start + 10});
    builder.write(builder.key(builder.string("k" + std::to_string(i))),
                  builder.integer(10 * number + i));
  }
  StringSink sink;
  EXPECT_TRUE(write_native_binary(std::move(builder.finish()).value(), sink, true, group).ok());
  return sink.text();
}

/// Three groups of one, two and three transactions.
std::vector<std::string> three_groups() {
  return {group_text(0, {.number = 0, .ends = true, .open_since = 100}, 0),
          group_text(1, {.number = 1, .open_since = 200}, 100),
          group_text(2, {.number = 2, .is_last = true}, 200)};
}

class GroupReaderTest : public testing::Test {
 protected:
  void append(std::string_view bytes) {
    std::ofstream file(path_, std::ios::binary | std::ios::app);
    file << bytes;
  }
  std::string message(const Result<std::optional<History>>& result) {
    return result.ok() ? "" : result.error().message;
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("h");
  base::Budget budget_;
};

TEST_F(GroupReaderTest, GivesAGroupWhenItIsWhole) {
  append("");
  Result<GroupReader> reader = GroupReader::open(path_);
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  const std::vector<std::string> groups = three_groups();
  std::uint64_t bytes = 0;
  for (std::size_t number = 0; number < groups.size(); ++number) {
    const std::string& text = groups[number];
    // One byte after the other, and all at once.
    const std::size_t step = number == 0 ? 1 : number == 1 ? 100 : text.size();
    for (std::size_t at = 0; at < text.size(); at += step) {
      const auto early = reader->next(budget_);
      ASSERT_TRUE(early.ok()) << message(early);
      ASSERT_FALSE(early->has_value());
      EXPECT_EQ(reader->begun(), at);
      append(std::string_view(text).substr(at, step));
    }
    const auto group = reader->next(budget_);
    ASSERT_TRUE(group.ok()) << message(group);
    ASSERT_TRUE(group->has_value());
    EXPECT_EQ((*group)->txn_count(), number + 1);
    EXPECT_EQ((*group)->origin().database, number == 0 ? "db" : "");
    bytes += text.size();
    EXPECT_EQ(reader->before().bytes, bytes);
    EXPECT_EQ(reader->before().groups, number + 1);
    EXPECT_TRUE(reader->before().end_is_told);
    EXPECT_EQ(reader->before().at_end, number == 2);
    EXPECT_EQ(reader->before().open_since, number == 0 ? 100 : 200);
    EXPECT_EQ(reader->begun(), 0U);
  }
  append("x");
  EXPECT_NE(message(reader->next(budget_)).find("the file ends in a header"),
            std::string::npos);
}

// A machine that stops may leave them, before the end and behind it.
TEST_F(GroupReaderTest, TakesZerosBehindAGroupForOneThatIsCutOff) {
  const std::vector<std::string> groups = three_groups();
  for (const std::size_t whole : {std::size_t{1}, groups.size()}) {
    for (const std::size_t zeros : {1U, 39U, 40U, 5000U}) {
      std::filesystem::remove(path_);
      for (std::size_t i = 0; i < whole; ++i) append(groups[i]);
      append(std::string(zeros, '\0'));
      Result<GroupReader> reader = GroupReader::open(path_);
      ASSERT_TRUE(reader.ok()) << reader.error().message;
      for (std::size_t i = 0; i < whole; ++i) ASSERT_TRUE(reader->next(budget_).ok());
      for (int again = 0; again < 2; ++again) {
        const auto none = reader->next(budget_);
        ASSERT_TRUE(none.ok()) << message(none);
        EXPECT_FALSE(none->has_value());
        EXPECT_GT(reader->begun(), 0U);
      }
    }
  }
  std::filesystem::remove(path_);
  append(std::string(100, '\0'));
  Result<GroupReader> reader = GroupReader::open(path_);
  EXPECT_NE(message(reader->next(budget_)).find("another format"), std::string::npos);
}

TEST_F(GroupReaderTest, TellsWhatIsWrongAsTheReaderOfTheWholeDoes) {
  const std::vector<std::string> groups = three_groups();
  const std::string whole = groups[0] + groups[1] + groups[2];
  std::size_t told = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    const Result<History> expected = read_binary_text(flipped);
    std::ofstream(path_, std::ios::binary) << flipped;
    Result<GroupReader> reader = GroupReader::open(path_);
    ASSERT_TRUE(reader.ok());
    Result<std::optional<History>> group = reader->next(budget_);
    while (group.ok() && group->has_value()) group = reader->next(budget_);
    if (expected.ok()) {
      // Of what is cut off more might come.
      EXPECT_TRUE(group.ok()) << at << ": " << message(group);
      EXPECT_EQ(reader->begun() > 0, expected->origin().truncated) << at;
      continue;
    }
    // A length that is too large may be that of a group of which more comes.
    if (group.ok()) {
      EXPECT_GT(reader->begun(), 0U) << at;
      continue;
    }
    ++told;
    EXPECT_EQ(message(group).substr(path_.size()), expected.error().message.substr(1)) << at;
  }
  EXPECT_GT(told, whole.size() / 2);
}

TEST_F(GroupReaderTest, BeginsAnewWithTheSameFile) {
  const std::vector<std::string> groups = three_groups();
  append(groups[0] + groups[1]);
  Result<GroupReader> reader = GroupReader::open(path_);
  ASSERT_TRUE(reader->next(budget_).ok());
  ASSERT_TRUE(reader->can_begin_anew());
  // Another file takes its place.
  std::filesystem::rename(path_, folder_.path("old"));
  append("something else, which is no history in groups at all");
  Result<GroupReader> again = reader->again();
  ASSERT_TRUE(again.ok());
  for (const std::size_t count : {1U, 2U}) {
    const auto group = again->next(budget_);
    ASSERT_TRUE(group.ok()) << message(group);
    EXPECT_EQ((*group)->txn_count(), count);
  }
  const auto group = reader->next(budget_);
  ASSERT_TRUE(group.ok()) << message(group);
  EXPECT_EQ((*group)->txn_count(), 2U);
  EXPECT_EQ(reader->contents(), again->contents());
}

TEST_F(GroupReaderTest, TellsOtherContentsApart) {
  const auto contents = [&](std::int64_t start) {
    std::ofstream(path_, std::ios::binary) << group_text(0, {.number = 0}, start);
    Result<GroupReader> reader = GroupReader::open(path_);
    EXPECT_TRUE(reader->next(budget_).ok());
    return reader->contents();
  };
  const std::uint64_t one = contents(5);
  EXPECT_EQ(contents(5), one);
  EXPECT_NE(contents(6), one);
}

TEST_F(GroupReaderTest, WaitsForAPipeWithinTheLimitOfTime) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  Result<GroupReader> reader = GroupReader::open(path_);
  ASSERT_TRUE(reader.ok());
  const auto is_late = [&] {
    base::Budget budget(0.03, 0);
    const auto group = reader->next(budget);
    return !group.ok() && group.error().code == ErrorCode::kLimit;
  };
  EXPECT_TRUE(is_late());  // nobody writes
  const int writer = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  EXPECT_TRUE(is_late());  // nothing is written
  const std::string text = three_groups()[0];
  ASSERT_EQ(write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  auto group = reader->next(budget_);
  ASSERT_TRUE(group.ok()) << message(group);
  EXPECT_TRUE(group->has_value());
  close(writer);
  group = reader->next(budget_);
  ASSERT_TRUE(group.ok()) << message(group);
  EXPECT_FALSE(group->has_value());
}

TEST_F(GroupReaderTest, DoesNotBeginAnewWithAPipe) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  // Opening it for both does not wait for the other end.
  const int both = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  const std::string text = three_groups()[0];
  ASSERT_EQ(write(both, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  Result<GroupReader> reader = GroupReader::open(path_);
  EXPECT_FALSE(reader->can_begin_anew());
  const auto group = reader->next(budget_);
  ASSERT_TRUE(group.ok()) << message(group);
  EXPECT_EQ((*group)->txn_count(), 1U);
  close(both);
}

TEST_F(GroupReaderTest, RefusesWhatStartedBeforeItWasOpen) {
  append(group_text(0, {.number = 0, .open_since = 100}, 0));
  append(group_text(1, {.number = 1}, 99));
  Result<GroupReader> reader = GroupReader::open(path_);
  ASSERT_TRUE(reader->next(budget_).ok());
  const std::string wrong = "a transaction started before what an earlier group says was open";
  EXPECT_NE(message(reader->next(budget_)).find(wrong), std::string::npos);
  std::ifstream file(path_, std::ios::binary);
  const Result<History> whole =
      read_binary_text(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_FALSE(whole.ok());
  EXPECT_NE(whole.error().message.find(wrong), std::string::npos);
}

TEST_F(GroupReaderTest, TellsWhatCannotBeRead) {
  EXPECT_EQ(GroupReader::open(path_ + "/none").error().code, ErrorCode::kEnvironment);
  EXPECT_NE(GroupReader::open(folder_.path()).error().message.find("directory"),
            std::string::npos);
  append("{\"isolde\":1,\"kind\":\"history\",\"notes\":[\"no columns\"]}");
  Result<GroupReader> reader = GroupReader::open(path_);
  EXPECT_NE(message(reader->next(budget_)).find("does not begin with ISOLDEB1"),
            std::string::npos);
}

TEST_F(GroupReaderTest, ObeysTheLimitOfMemory) {
  append(three_groups()[0]);
  base::Budget budget(0, 1, 0);
  Result<GroupReader> reader = GroupReader::open(path_);
  const auto group = reader->next(budget);
  ASSERT_FALSE(group.ok());
  EXPECT_EQ(group.error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace isolde::io

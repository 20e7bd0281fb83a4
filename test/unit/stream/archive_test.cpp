// Archives as they are written and read again. What they prove is the subject of
// test/cli/archive_test.py, and that they go on after kill -9 of test/cli/watch_kills_test.py.
#include "stream/archive.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "support/history_dsl.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

class ArchiveTest : public testing::Test {
 protected:
  std::string path() const { return folder_.path("kept"); }
  bool has(const std::string& name) const {
    return std::filesystem::exists(path() + "/" + name);
  }
  /// A round of it, with one transaction.
  void round(Archive& archive, Rounds& rounds, int number) {
    History part =
        support::parse("A: w(x=" + std::to_string(number) + ") @" +
                       std::to_string(10 * number) + "," + std::to_string(10 * number + 5));
    rounds.on_settled = [&](std::span<const TxnNumber> order, std::uint64_t state) {
      archive.settled(order, state);
    };
    archive.came(part, 10 * number + 6);
    rounds.take(std::move(part), 10 * number + 6);
    archive.round_is_over(rounds);
  }
  /// All files, by name.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(path())) {
      std::ostringstream text;
      text << std::ifstream(file.path(), std::ios::binary).rdbuf();
      found[file.path().filename().string()] = text.str();
    }
    return found;
  }
  std::vector<TxnNumber> firsts(const Archive& archive) {
    std::vector<TxnNumber> found;
    const Status read = archive.visit_again(
        [&](const History&, TxnNumber first) { found.push_back(first); }, budget_);
    problem_ = read ? "" : read.error().message;
    return found;
  }

  io::TemporaryFolder folder_;
  base::Budget budget_;
  static RoundsOptions options() {
    RoundsOptions options;
    options.left_open = 0;
    return options;
  }
  Rounds rounds_{options(), budget_};
  std::string problem_;
  const std::string shorter_ =
      ": it has become shorter since the checkpoint; nothing can be added";
};

TEST_F(ArchiveTest, HasWhatCameInFiles) {
  Archive archive;
  ASSERT_TRUE(archive.begin(path(), {.file_bytes = 1}).ok());
  for (int i = 0; i < 3; ++i) round(archive, rounds_, i);
  EXPECT_TRUE(archive.has_all());
  EXPECT_EQ(firsts(archive), (std::vector<TxnNumber>{0, 1, 2})) << problem_;
  EXPECT_TRUE(has("0.isob") && has("1.isob") && has("2.isob") && has("3.isob"));
  EXPECT_FALSE(has("0.start"));
  EXPECT_TRUE(has("1.start") && has("3.start"));
  EXPECT_TRUE(archive.finish(3).ok());
  EXPECT_EQ(Archive::check_new(path()).error().code, ErrorCode::kUsage);
}

TEST_F(ArchiveTest, WhatHasChangedIsNotRead) {
  Archive archive;
  ASSERT_TRUE(archive.begin(path(), {.file_bytes = 1}).ok());
  for (int i = 0; i < 3; ++i) round(archive, rounds_, i);
  std::filesystem::copy_file(path() + "/1.isob", path() + "/0.isob",
                             std::filesystem::copy_options::overwrite_existing);
  firsts(archive);
  EXPECT_EQ(problem_, path() + "/0.isob: it has changed while it was read");
}

TEST_F(ArchiveTest, DeletesTheOldestBehindACheckpoint) {
  Archive archive;
  ArchiveOptions options{.file_bytes = 1, .keep_ns = 15};
  ASSERT_TRUE(archive.begin(path(), options).ok());
  for (int i = 0; i < 3; ++i) round(archive, rounds_, i);
  EXPECT_TRUE(archive.has_doomed());
  EXPECT_FALSE(archive.has_all());
  EXPECT_TRUE(has("0.isob"));
  const Result<Archive::Place> place = archive.sync();
  ASSERT_TRUE(place.ok());
  {
    // A process that ended before it deleted anything, or wrote more.
    Archive later;
    ASSERT_TRUE(later.go_on(path(), options, *place).ok());
    EXPECT_FALSE(has("0.isob") || has("0.segments"));
    EXPECT_TRUE(has("1.isob") && has("2.isob"));
    round(later, rounds_, 3);
    EXPECT_TRUE(has("4.isob"));
  }
  Archive again;
  ASSERT_TRUE(again.go_on(path(), options, *place).ok());
  EXPECT_FALSE(has("4.isob") || has("4.start"));
  EXPECT_EQ(firsts(again), std::vector<TxnNumber>{});
  EXPECT_EQ(problem_, path() + ": the archive has deleted the first 1 transactions");
}

TEST_F(ArchiveTest, KeepsSoManyBytes) {
  Archive archive;
  ASSERT_TRUE(archive.begin(path(), {.file_bytes = 1, .keep_bytes = 0}).ok());
  round(archive, rounds_, 0);
  EXPECT_TRUE(archive.has_doomed());
  archive.pass();
  EXPECT_FALSE(has("0.isob"));
  EXPECT_TRUE(has("1.isob") && has("1.start"));
}

TEST_F(ArchiveTest, GoesOnOnlyWithWhatIsThere) {
  Archive::Place place;
  {
    Archive archive;
    ASSERT_TRUE(archive.begin(path(), {.file_bytes = 1}).ok());
    round(archive, rounds_, 0);
    place = archive.sync().value();
  }
  {
    // Behind that place, a file is complete.
    Archive later;
    ASSERT_TRUE(later.go_on(path(), {.file_bytes = 1}, place).ok());
    round(later, rounds_, 1);
  }
  const std::map<std::string, std::string> before = files();
  EXPECT_TRUE(has("2.isob"));
  const auto problem = [&](const Archive::Place& other) {
    const Status done = Archive().go_on(path(), {}, other);
    EXPECT_EQ(files(), before);  // whatever is wrong, nothing is lost
    return done ? "" : done.error().message;
  };
  const std::string other_one = ": it is not that of the checkpoint";
  Archive::Place other = place;
  other.chain = std::string(64, '0');
  EXPECT_EQ(problem(other), path() + "/chain" + other_one);
  other = place;
  other.chain_bytes += 1'000'000;
  EXPECT_EQ(problem(other), path() + "/chain" + shorter_);
  other = place;
  other.file.bytes = 1'000'000;
  EXPECT_EQ(problem(other), path() + "/1.isob" + shorter_);
  other = place;
  other.file.contents = 1;
  EXPECT_EQ(problem(other), path() + "/1.isob" + other_one);
  other = place;
  other.order.text.chain += 1;
  EXPECT_EQ(problem(other), path() + "/1.segments" + other_one);
  other = place;
  other.order.bytes += 1'000'000;
  EXPECT_EQ(problem(other), path() + "/1.segments" + shorter_);
  EXPECT_EQ(problem({}),
            path() +
                ": it has an archive, of which the checkpoint does not know; choose another "
                "folder, and remove the checkpoint to begin anew");
  EXPECT_TRUE(Archive().go_on(path(), {}, place).ok());
  EXPECT_FALSE(has("2.isob"));
}

TEST_F(ArchiveTest, WhatWasBegunBeforeAnyCheckpointIsMadeAnew) {
  ASSERT_TRUE(Archive().go_on(path(), {}, {}).ok());
  ASSERT_TRUE(has("0.isob"));
  ASSERT_TRUE(Archive().go_on(path(), {}, {}).ok());
  std::ofstream(path() + "/0.isob") << "something";
  EXPECT_FALSE(Archive().go_on(path(), {}, {}).ok());
}

}  // namespace
}  // namespace isolde::stream

// Files on disk: whole or absent, packed by name, and errors with their path.
#include "io/writer.hpp"

#include <gtest/gtest.h>

#include "io_inputs.hpp"
#include "isolde/history_builder.hpp"
#include "odd_history.hpp"
#include "temporary_folder.hpp"

namespace isolde::io {
namespace {

std::size_t file_count(const TemporaryFolder& folder) {
  namespace fs = std::filesystem;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()));
}

TEST(WriteHistory, WritesWhatReadHistoryReads) {
  const TemporaryFolder folder;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const History history = OddHistory(seed).make();
    for (const char* format : {"native", "native-binary"}) {
      for (const char* name : {"h", "h.gz", "h.zst"}) {
        const Status status = write_history(history, format, folder.path(name));
        ASSERT_TRUE(status.ok()) << status.error().message;
        base::Budget budget;
        const Result<History> again = read_history(folder.path(name), "", budget);
        ASSERT_TRUE(again.ok()) << message_of(again);
        expect_same(history, *again);
      }
    }
  }
  EXPECT_EQ(file_count(folder), 3U);  // nothing temporary is left
  EXPECT_EQ(folder.get("h.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(folder.get("h.zst").substr(0, 4), "\x28\xb5\x2f\xfd");
}

TEST(WriteHistory, LeavesTheOldFileWhenItFails) {
  const TemporaryFolder folder;
  folder.put("h", "old");
  HistoryBuilder builder;
  builder.begin_txn(builder.session("\xff"));
  const History history = std::move(builder.finish()).value();
  const Status status = write_history(history, "native", folder.path("h"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message.substr(0, folder.path("h").size() + 37),
            folder.path("h") + ": a name or value is not valid UTF-8,");
  EXPECT_EQ(folder.get("h"), "old");
  EXPECT_EQ(file_count(folder), 1U);
}

TEST(WriteHistory, ReplacesWhatALinkPointsTo) {
  const TemporaryFolder folder;
  folder.put("target", "old");
  std::filesystem::create_symlink("target", folder.path("link"));
  const History history = OddHistory(1).make();
  ASSERT_TRUE(write_history(history, "native", folder.path("link")).ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.get("target").substr(0, 10), "{\"isolde\":");
}

TEST(WriteHistory, WritesToDevicesWithoutReplacingThem) {
  ASSERT_TRUE(write_history(OddHistory(1).make(), "native", "/dev/null").ok());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(WriteHistory, SaysWhyNot) {
  const History history = OddHistory(1).make();
  const Status usage = write_history(history, "elle", "x");
  ASSERT_FALSE(usage.ok());
  EXPECT_EQ(usage.error().code, ErrorCode::kUsage);
  EXPECT_EQ(usage.error().message,
            "cannot write format 'elle'; histories are written as native or native-binary");
  const TemporaryFolder folder;
  const std::string path = folder.path("no/such/folder/h");
  const Status missing = write_history(history, "native", path);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(missing.error().message, path + ": cannot be written: No such file or directory");
  const Status full = write_history(history, "native", "/dev/full");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().message, "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace isolde::io

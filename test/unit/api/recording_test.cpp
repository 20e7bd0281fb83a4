// A recorder that writes groups, as programs have it; test/cli/follow_test.py kills one.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "isolde/isolde.h"
#include "isolde/isolde.hpp"
#include "record/companion.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde {
namespace {

using io::TemporaryFolder;

void record_one(Recorder& recorder, const std::string& name) {
  RecordedSession session = recorder.session(name);
  session.begin();
  session.write("x", name);
  session.commit();
}

TEST(RecordInGroups, HasAllOfItWhenItIsClosed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("h.isob");
  RecorderOptions options;
  options.mode = 0640;
  auto recorder = record_in_groups(path, options);
  ASSERT_TRUE(recorder.ok()) << recorder.error().message;
  EXPECT_TRUE(std::filesystem::exists(path + ".jsonl"));
  record_one(**recorder, "a");
  const Status closed = (*recorder)->close();
  ASSERT_TRUE(closed.ok()) << closed.error().message;
  EXPECT_TRUE((*recorder)->close().ok());
  EXPECT_FALSE(std::filesystem::exists(path + ".jsonl"));
  const Result<History> history = load(path);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(history->origin().format, "native-binary");
  EXPECT_EQ(history->txn_count(), 1U);
  EXPECT_FALSE(history->origin().truncated);
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms::others_all,
            std::filesystem::perms::none);
}

TEST(RecordInGroups, NeedsNewFiles) {
  const TemporaryFolder folder;
  for (const char* taken : {"h.isob", "h.isob.jsonl"}) {
    folder.put(taken, "mine");
    const auto recorder = record_in_groups(folder.path("h.isob"));
    ASSERT_FALSE(recorder.ok());
    EXPECT_EQ(recorder.error().code, ErrorCode::kUsage);
    EXPECT_NE(recorder.error().message.find("exists"), std::string::npos);
    EXPECT_EQ(folder.get(taken), "mine");
    std::filesystem::remove(folder.path(taken));
  }
}

TEST(RecordInGroups, WhatGroupsCannotTellStaysInTheText) {
  const TemporaryFolder folder;
  const std::string path = folder.path("h.isob");
  RecorderOptions options;
  options.deletes = true;
  auto recorder = record_in_groups(path, options);
  ASSERT_TRUE(recorder.ok());
  {
    RecordedSession session = (*recorder)->session("a");
    session.begin();
    const std::vector<RecordedColumn> columns = {{"a", 1}};
    session.write_row("x", columns);
    session.commit();
  }
  for (int i = 0; i < 2; ++i) {
    const Status closed = (*recorder)->close();
    ASSERT_FALSE(closed.ok());
    EXPECT_EQ(closed.error().code, ErrorCode::kBadInput);
  }
  EXPECT_EQ(load(path)->txn_count(), 1U);
}

TEST(RecordInGroups, AChildLeavesItAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.path("h.isob");
  auto recorder = record_in_groups(path);
  ASSERT_TRUE(recorder.ok());
  const pid_t child = fork();
  if (child == 0) {
    recorder->reset();
    _exit(7);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  record_one(**recorder, "a");
  ASSERT_TRUE((*recorder)->close().ok());
  EXPECT_EQ(load(path)->txn_count(), 1U);
}

TEST(RecordInGroups, OffItWritesNothing) {
  const TemporaryFolder folder;
  RecorderOptions options;
  options.enabled = false;
  auto recorder = record_in_groups(folder.path("h.isob"), options);
  ASSERT_TRUE(recorder.ok());
  record_one(**recorder, "a");
  EXPECT_TRUE((*recorder)->close().ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(RecordInGroups, InCThePathTells) {
  const TemporaryFolder folder;
  const std::string path = folder.path("h.isob");
  isolde_recorder* recorder = nullptr;
  ASSERT_EQ(isolde_recorder_open(path.c_str(), nullptr, nullptr, 0, 0, &recorder, nullptr),
            ISOLDE_OK);
  ASSERT_EQ(isolde_recorder_close(recorder, nullptr), ISOLDE_OK);
  isolde_recorder_free(recorder);
  EXPECT_EQ(load(path)->origin().format, "native-binary");
}

}  // namespace
}  // namespace isolde

// Groups that follow a recorder: the same history as its text, in groups of which each says
// since when others are open, and whatever ends early says so.
#include "io/group_recording.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock_bound.hpp"
#include "base/rng.hpp"
#include "io/group_follower.hpp"
#include "io/group_reader.hpp"
#include "io/inflight_watch.hpp"
#include "io/left_behind.hpp"
#include "io/line_pieces.hpp"
#include "record/inflight_folder.hpp"
#include "recorded.hpp"
#include "support/seed.hpp"

namespace isolde {
namespace {

using io::GroupRecording;
using std::chrono::milliseconds;

constexpr milliseconds kSoon(1);
constexpr milliseconds kNever(1'000'000);

struct Group {
  std::size_t txns;
  std::int64_t open_since;
  bool is_last;
};

class GroupRecordingTest : public testing::Test {
 protected:
  std::unique_ptr<Recorder> open_text(const RecorderOptions& options = {}) {
    return open_recorder(io::text_of_recording(path_), options);
  }
  GroupRecording follow(const io::GroupRecordingOptions& options) {
    Result<GroupRecording> groups = GroupRecording::begin(path_, options);
    EXPECT_TRUE(groups.ok()) << groups.error().message;
    return std::move(*groups);
  }
  /// What is there by now.
  std::vector<Group> groups() {
    std::vector<Group> all;
    base::Budget budget;
    Result<io::GroupReader> reader = io::GroupReader::open(path_);
    EXPECT_TRUE(reader.ok());
    while (true) {
      const Result<std::optional<History>> group = reader->next(budget);
      EXPECT_TRUE(group.ok()) << group.error().message;
      if (!group || !*group) return all;
      all.push_back(
          {(*group)->txn_count(), reader->before().open_since, reader->before().at_end});
    }
  }
  /// Waits until `holds` of the groups.
  template <typename Holds>
  std::vector<Group> groups_when(const Holds& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (true) {
      std::vector<Group> all = groups();
      const bool is_late = std::chrono::steady_clock::now() > deadline;
      EXPECT_FALSE(is_late);
      if (is_late || holds(all)) return all;
      std::this_thread::sleep_for(kSoon);
    }
  }

  const TemporaryFolder folder_;
  const std::string path_ = folder_.path("h");
};

void record_one(RecordedSession& session, std::int64_t value) {
  session.begin();
  session.write("x", value);
  session.commit();
}

void work(Recorder& recorder, int client, std::uint64_t seed) {
  base::Rng rng(seed);
  RecordedSession session = recorder.session("c" + std::to_string(client));
  for (std::int64_t i = 0; i < 300; ++i) {
    session.begin();
    if (rng.chance(0.05)) std::this_thread::sleep_for(kSoon);
    for (std::uint64_t op = rng.below(4); op > 0; --op) {
      const std::string key = "k" + std::to_string(rng.below(4));
      if (rng.chance(0.5)) {
        const std::int64_t value = 10 * i + static_cast<std::int64_t>(op);
        session.write(key, (std::int64_t{client} << 40) + value);
      } else {
        session.read(key, "text " + std::to_string(rng.below(9)));
      }
    }
    if (rng.chance(0.02)) {
      session.unknown();
    } else if (rng.chance(0.1)) {
      session.abort();
    } else {
      session.commit();
    }
  }
}

void expect_same(const History& groups, const History& text) {
  ASSERT_EQ(texts_of(groups), texts_of(text));
  for (std::size_t i = 0; i < text.txn_count(); ++i) {
    ASSERT_EQ(groups.times(TxnId::at(i)).start, text.times(TxnId::at(i)).start);
    ASSERT_EQ(groups.times(TxnId::at(i)).end, text.times(TxnId::at(i)).end);
  }
  EXPECT_EQ(groups.events().size(), text.events().size());
  EXPECT_EQ(groups.origin().notes, text.origin().notes);
  EXPECT_EQ(groups.origin().clock_origin, text.origin().clock_origin);
  EXPECT_EQ(groups.origin().isolation, "serializable");
  EXPECT_EQ(groups.has_initial_contents(), text.has_initial_contents());
  EXPECT_FALSE(groups.origin().truncated);
}

TEST_F(GroupRecordingTest, IsTheSameHistory) {
  const std::uint64_t rounds = support::case_count(30);
  std::size_t group_count = 0;
  std::size_t with_time = 0;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    base::Rng rng(support::run_seed() + round);
    RecorderOptions options;
    options.about = {{"database", "db"}, {"isolation", "serializable"}};
    options.deletes = rng.chance(0.5);
    if (rng.chance(0.3)) options.initial = {{.key = "k0", .value = 77}};
    auto recorder = open_text(options);
    GroupRecording recording = follow({.period = kSoon, .group_bytes = 1 + rng.below(3000)});
    std::vector<std::thread> clients;
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back(work, std::ref(*recorder), client, rng.next());
    }
    recorder->event("fault", "pause", {.begins = "n1"});
    for (std::thread& client : clients) client.join();
    recorder->event("stopped", "for a test");
    ASSERT_TRUE(recorder->close().ok());
    const Status finished = recording.finish();
    ASSERT_TRUE(finished.ok()) << message_of(finished);
    const History text = read_back(io::text_of_recording(path_));
    std::filesystem::remove(io::text_of_recording(path_));
    // No transaction may be in a group behind one that says that it cannot be there.
    expect_same(read_back(path_), text);
    std::int64_t before = kNoTime;
    for (const Group& group : groups()) {
      ++group_count;
      with_time += group.open_since > before ? 1 : 0;
      before = group.open_since;
    }
    EXPECT_TRUE(groups().back().is_last);
    std::filesystem::remove(path_);
    if (HasFailure()) FAIL() << "round " << round;
  }
  std::cout << group_count << " groups, of which " << with_time << " settle more\n";
  EXPECT_GE(group_count, 5 * rounds);
  EXPECT_GE(with_time, rounds / 4);
}

std::atomic<std::int64_t> kernel_error = 0;

TEST_F(GroupRecordingTest, EachGroupTellsHowFarOffTheClockWas) {
  static constexpr base::ClockSource kSource = {
      [] {
        return base::ClockLook{1'700'000'000'000'000'000, 0, kernel_error.load()};
      },
      [] { return std::string("00000000000000aa"); }};
  base::clock_source.store(&kSource);
  kernel_error = 5'000'000;
  auto recorder = open_text();
  GroupRecording recording = follow({.period = kSoon});
  RecordedSession session = recorder->session("a");
  record_one(session, 1);
  groups_when([](const auto& all) { return !all.empty(); });
  kernel_error = 8'000'000;
  record_one(session, 2);
  groups_when([](const auto& all) { return all.size() > 1 && all.back().txns > 0; });
  EXPECT_TRUE(recorder->close().ok());
  EXPECT_TRUE(recording.finish().ok());
  base::clock_source.store(nullptr);
  auto reader = io::GroupReader::open(path_);
  ASSERT_TRUE(reader.ok());
  base::Budget budget;
  std::vector<std::int64_t> errors;
  for (auto group = reader->next(budget); group && *group; group = reader->next(budget)) {
    errors.push_back((*group)->origin().clock_error_ns);
  }
  EXPECT_TRUE(std::ranges::is_sorted(errors));
  EXPECT_EQ(errors.front() / 1'000'000, 5);
  EXPECT_EQ(errors.back() / 1'000'000, 8);
  EXPECT_EQ(read_back(path_).origin().clock_host, "00000000000000aa");
}

// To look at many sessions for the first time takes long, and transactions end meanwhile.
TEST_F(GroupRecordingTest, WhatEndsWhileItLooksIsInTheGroup) {
  for (int round = 0; round < 3; ++round) {
    auto recorder = open_text();
    std::vector<RecordedSession> idle;
    for (int i = 0; i < 200; ++i) idle.push_back(recorder->session("i" + std::to_string(i)));
    std::vector<std::thread> clients;
    for (int client = 0; client < 4; ++client) {
      clients.emplace_back([&recorder, client] {
        RecordedSession session = recorder->session("c" + std::to_string(client));
        for (std::int64_t i = 0; i < 15; ++i) {
          session.begin();
          session.write("x", 100 * i + client);
          std::this_thread::sleep_for(milliseconds(3));
          session.commit();
        }
      });
    }
    std::this_thread::sleep_for(milliseconds(10));
    GroupRecording recording = follow({.period = kSoon});
    for (std::thread& client : clients) client.join();
    ASSERT_TRUE(recorder->close().ok());
    ASSERT_TRUE(recording.finish().ok());
    std::filesystem::remove(io::text_of_recording(path_));
    EXPECT_EQ(read_back(path_).txn_count(), 60U);
    std::filesystem::remove(path_);
    if (HasFailure()) return;
  }
}

TEST_F(GroupRecordingTest, WhatIsOpenHoldsTimeBackAndIdleSessionsDoNot) {
  auto recorder = open_text();
  GroupRecording recording = follow({.period = kSoon});
  RecordedSession busy = recorder->session("busy");
  RecordedSession slow = recorder->session("slow");
  RecordedSession lost = recorder->session("lost");
  const RecordedSession idle = recorder->session("idle");
  lost.begin();
  lost.write("y", 1);
  lost.unknown();
  const std::int64_t before = recorder->now_ns();
  slow.begin();
  const std::int64_t after = recorder->now_ns();
  for (std::int64_t value = 1; value <= 3; ++value) {
    record_one(busy, value);
    const auto is_there = [value](const std::vector<Group>& all) {
      std::size_t txns = 0;
      for (const Group& group : all) txns += group.txns;
      return txns == static_cast<std::size_t>(value) + 1;
    };
    const std::vector<Group> all = groups_when(is_there);
    ASSERT_FALSE(all.empty());
    EXPECT_GE(all.back().open_since, before - 2'000'000);
    EXPECT_LE(all.back().open_since, after);
  }
  slow.commit();
  const std::int64_t ended = recorder->now_ns();
  // Time passes in a group of nothing, too, until all that is there can be settled; then there
  // is nothing to say.
  const std::vector<Group> all =
      groups_when([&](const auto& now) { return now.back().open_since > ended; });
  const std::size_t count = all.size();
  std::this_thread::sleep_for(20 * kSoon);
  EXPECT_EQ(groups().size(), count);
  ASSERT_TRUE(recorder->close().ok());
  ASSERT_TRUE(recording.finish().ok());
  EXPECT_TRUE(groups().back().is_last);
}

TEST_F(GroupRecordingTest, IsReadFromItsTextUntilItIsFinished) {
  auto recorder = open_text();
  GroupRecording recording = follow({.period = kNever});
  EXPECT_TRUE(io::is_unfinished_recording(path_));
  EXPECT_EQ(folder_.get("h"), "");
  RecordedSession session = recorder->session("a");
  record_one(session, 1);
  session.begin();
  session.write("x", 2);
  EXPECT_EQ(groups().size(), 0U);
  {
    const History history = read_back(path_);
    EXPECT_EQ(texts_of(history), std::vector<std::string>{"a:0 w(x)=1"});
    EXPECT_TRUE(history.origin().truncated);
    EXPECT_NE(history.origin().notes.front().find("was not finished"), std::string::npos);
  }
  session.commit();
  ASSERT_TRUE(recorder->close().ok());
  ASSERT_TRUE(recording.finish().ok());
  // It may be there still.
  EXPECT_TRUE(std::filesystem::exists(io::text_of_recording(path_)));
  EXPECT_FALSE(io::is_unfinished_recording(path_));
  const History history = read_back(path_);
  EXPECT_EQ(history.origin().format, "native-binary");
  EXPECT_EQ(texts_of(history), (std::vector<std::string>{"a:0 w(x)=1", "a:1 w(x)=2"}));
  // Cut anywhere it is not finished.
  const std::string bytes = folder_.get("h");
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    std::filesystem::resize_file(path_, size);
    ASSERT_TRUE(io::is_unfinished_recording(path_)) << size;
    folder_.put("h", bytes);
  }
  // Other files beside one of that name are none of its business.
  for (const std::string_view other : {"{\"isolde\":1}", "ISOLDEX", "x"}) {
    folder_.put("h", other);
    EXPECT_FALSE(io::is_unfinished_recording(path_)) << other;
  }
  folder_.put("h", bytes.substr(0, bytes.size() - 1));
  EXPECT_TRUE(io::is_unfinished_recording(path_));
  std::filesystem::remove(io::text_of_recording(path_));
  EXPECT_FALSE(io::is_unfinished_recording(path_));
}

TEST_F(GroupRecordingTest, ARecorderThatFailedDoesNotComeToTheEnd) {
  auto recorder = open_text();
  GroupRecording recording = follow({.period = kNever, .group_bytes = 1});
  RecordedSession session = recorder->session("a");
  record_one(session, 1);
  record_one(session, 2);
  session.commit();  // of nothing
  EXPECT_FALSE(recorder->close().ok());
  ASSERT_TRUE(recording.finish().ok());
  ASSERT_EQ(groups().size(), 2U);
  EXPECT_FALSE(groups().back().is_last);
  EXPECT_TRUE(io::is_unfinished_recording(path_));
}

TEST_F(GroupRecordingTest, NothingIsAHistory) {
  auto recorder = open_text();
  GroupRecording recording = follow({.period = kSoon});
  ASSERT_TRUE(recorder->close().ok());
  ASSERT_TRUE(recording.finish().ok());
  ASSERT_EQ(groups().size(), 1U);
  EXPECT_TRUE(groups().back().is_last);
}

TEST_F(GroupRecordingTest, RowsWithColumnsStayInTheText) {
  RecorderOptions options;
  options.deletes = true;
  auto recorder = open_text(options);
  GroupRecording recording = follow({.period = kNever});
  RecordedSession session = recorder->session("a");
  session.begin();
  const std::vector<RecordedColumn> columns = {{"a", 1}, {"b", 2}};
  session.write_row("x", columns);
  session.commit();
  ASSERT_TRUE(recorder->close().ok());
  const Status finished = recording.finish();
  ASSERT_FALSE(finished.ok());
  EXPECT_EQ(finished.error().message, path_ + ": rows with columns cannot be told in groups; " +
                                          io::text_of_recording(path_) + " has them");
  EXPECT_EQ(read_back(path_).txn_count(), 1U);
}

TEST_F(GroupRecordingTest, NeedsARecorderAndANewFile) {
  const Result<GroupRecording> alone = GroupRecording::begin(path_);
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().code, ErrorCode::kEnvironment);
  const auto recorder = open_text();
  folder_.put("h", "mine");
  const Result<GroupRecording> other = GroupRecording::begin(path_);
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().code, ErrorCode::kUsage);
  EXPECT_EQ(folder_.get("h"), "mine");
}

/// Texts by others than our recorder.
class GroupFollowerTest : public GroupRecordingTest {
 protected:
  std::unique_ptr<io::GroupFollower> follow_file(std::size_t group_bytes = 1) {
    Result<io::InflightWatch> watch = io::InflightWatch::open(text_);
    auto groups =
        io::follow_text(text_, path_, watch ? std::optional(std::move(*watch)) : std::nullopt,
                        {.group_bytes = group_bytes});
    EXPECT_TRUE(groups.ok()) << groups.error().message;
    return std::move(*groups);
  }
  void add(std::string_view bytes) { folder_.put("t", bytes_ += bytes); }

  const std::string text_ = folder_.path("t");
  std::string bytes_;
};

TEST_F(GroupFollowerTest, TakesWhatIsThereEachTime) {
  add("");
  const auto groups = follow_file();
  ASSERT_TRUE(groups->take_new().ok());
  add("{\"isolde\": 1, \"kind\": \"history\", \"ends\"");
  ASSERT_TRUE(groups->take_new().ok());
  EXPECT_EQ(folder_.get("h"), "");
  add(": true}\n{\"session\": \"a\", \"ops\": [[\"w\", \"x\", 1]]}\n{\"session\"");
  ASSERT_TRUE(groups->take_new().ok());
  EXPECT_EQ(this->groups().size(), 1U);
  add(": \"a\", \"ops\": [[\"w\", \"event\", \"end\"]]}\n");
  ASSERT_TRUE(groups->take_new().ok());
  ASSERT_EQ(this->groups().size(), 2U);
  EXPECT_EQ(this->groups().back().open_since, kNoTime);
  EXPECT_FALSE(groups->has_end());
  EXPECT_FALSE(groups->has_recorder());
  add("{ \"at\": 3, \"event\" : \"end\" }\n\n");
  ASSERT_TRUE(groups->take_new().ok());
  EXPECT_TRUE(groups->has_end());
  ASSERT_TRUE(groups->finish().ok());
  EXPECT_EQ(texts_of(read_back(path_)),
            (std::vector<std::string>{"a:0 w(x)=1", "a:1 w(event)=end"}));
  EXPECT_FALSE(read_back(path_).origin().truncated);
}

TEST_F(GroupFollowerTest, TheLastLineMayLackItsLineBreak) {
  add("{\"isolde\":2,\"kind\":\"history\",\"ends\":true}\n"
      "{\"session\":\"a\",\"ops\":[[\"delete\",\"x\"]]}\n{\"event\":\"end\"}");
  const auto groups = follow_file();
  ASSERT_TRUE(groups->take_new().ok());
  EXPECT_TRUE(groups->has_end());
  EXPECT_EQ(texts_of(read_back(path_)), std::vector<std::string>{"a:0 d(x)"});
}

TEST_F(GroupFollowerTest, WithoutAnEndItIsCutOff) {
  add("{\"isolde\":1,\"kind\":\"history\",\"ends\":true}\n"
      "{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n{\"session\":\"a\",\"ops\":[");
  const auto groups = follow_file();
  ASSERT_TRUE(groups->finish().ok());
  EXPECT_FALSE(groups->has_end());
  EXPECT_EQ(texts_of(read_back(path_)), std::vector<std::string>{"a:0 w(x)=1"});
  EXPECT_TRUE(read_back(path_).origin().truncated);
}

TEST_F(GroupFollowerTest, TellsWhichLineIsWrong) {
  add("{\"isolde\":1,\"kind\":\"history\",\"ends\":true}\n");
  for (int i = 2; i <= 9; ++i) add("{\"session\":\"a\",\"ops\":[]}\n");
  add("{\"session\":\"a\",\"ops\":[[\"drop\",1]]}\n");
  for (const std::size_t group_bytes : {std::size_t{1}, std::size_t{70}, std::size_t{9'000}}) {
    const auto groups = follow_file(group_bytes);
    const Status taken = groups->take_new();
    ASSERT_FALSE(taken.ok());
    EXPECT_TRUE(taken.error().message.starts_with(text_ + ":10: unknown operation"))
        << taken.error().message;
    EXPECT_FALSE(groups->finish().ok());
    std::filesystem::remove(path_);
  }
}

TEST_F(GroupFollowerTest, NeedsAHeaderThatPromisesAnEnd) {
  for (const auto& [header, problem] : std::vector<std::pair<std::string, std::string>>{
           {"{\"isolde\":1,\"kind\":\"history\"}\n", "does not promise"},
           {"{\"isolde\":1,\"ends\":false}\n", "does not promise"},
           {"nothing\n", "found no header"},
           {"[1]\n", "found no header"}}) {
    folder_.put("t", header);
    const Status taken = follow_file()->take_new();
    ASSERT_FALSE(taken.ok());
    EXPECT_EQ(taken.error().code, ErrorCode::kBadInput);
    EXPECT_NE(taken.error().message.find(":1: "), std::string::npos);
    EXPECT_NE(taken.error().message.find(problem), std::string::npos) << taken.error().message;
    std::filesystem::remove(path_);
  }
}

TEST_F(GroupFollowerTest, WhatIsMissingForSureMakesItCutOff) {
  for (const bool stops : {false, true}) {
    {
      const auto recorder = open_recorder(text_);
      RecordedSession session = recorder->session("a");
      record_one(session, 1);
      session.begin();
      session.write("x", 2);
      if (stops) session.begin();  // a mistake of the caller
      EXPECT_FALSE(stops && recorder->status().ok());
      std::filesystem::rename(text_ + ".inflight", text_ + ".kept");
      std::filesystem::create_directory(text_ + ".inflight");
      std::filesystem::copy(text_ + ".kept", text_ + ".inflight");
      std::filesystem::copy(text_, text_ + ".text");
    }
    // As if it had died there.
    std::filesystem::rename(text_ + ".text", text_);
    std::filesystem::remove_all(text_ + ".kept");
    const auto groups = follow_file();
    ASSERT_TRUE(groups->finish().ok());
    EXPECT_EQ(groups->taken_from_folder(), 1U);
    EXPECT_EQ(groups->has_end(), !stops);
    EXPECT_EQ(read_back(path_).origin().truncated, stops);
    EXPECT_EQ(read_back(path_).txn_count(), 2U);
    std::filesystem::remove_all(text_ + ".inflight");
    for (const std::string& path : {path_, text_}) std::filesystem::remove(path);
  }
}

// It is what the groups are made from, by the byte.
TEST_F(GroupFollowerTest, LinesComeInPieces) {
  add("one\ntwo\nthree");
  const io::OpenFile file(open(text_.c_str(), O_RDONLY | O_CLOEXEC));
  io::LinePieces pieces(text_, file.number(), 2);
  for (const auto& [line, before] : {std::pair("one\n", 0U), std::pair("two\n", 1U)}) {
    const Result<std::string> piece = pieces.next(bytes_.size());
    ASSERT_TRUE(piece.ok());
    EXPECT_EQ(*piece, line);
    EXPECT_EQ(pieces.lines_before(), before);
    EXPECT_FALSE(pieces.has_looked_up_to(bytes_.size()));
  }
  EXPECT_EQ(*pieces.next(bytes_.size()), "");
  EXPECT_TRUE(pieces.has_looked_up_to(bytes_.size()));
  EXPECT_EQ(pieces.bytes(), 8U);
  EXPECT_EQ(pieces.lines(), 2U);
  // Without a folder nothing is known of what was under way.
  const Result<io::LeftBehind> left = io::left_behind(text_, file.number(), false);
  ASSERT_TRUE(left.ok());
  EXPECT_FALSE(left->is_all);
  EXPECT_EQ(left->lines, "");
}

// After a restart of the machine its clock has begun anew.
TEST_F(GroupFollowerTest, TheClockOfADeadRecorderIsNotAsked) {
  {
    auto slots = record::InflightFolder::create(text_);
    ASSERT_TRUE(slots.ok());
    (*slots)->tell_clock(-1'000'000'000'000'000'000);
  }
  add("{\"isolde\":1,\"kind\":\"history\",\"ends\":true}\n"
      "{\"session\":\"a\",\"start\":1,\"end\":2,\"ops\":[[\"w\",\"x\",1]]}\n");
  const auto groups = follow_file();
  EXPECT_TRUE(groups->has_recorder());
  ASSERT_TRUE(groups->take_new().ok());
  ASSERT_EQ(this->groups().size(), 1U);
  EXPECT_EQ(this->groups().back().open_since, kNoTime);
}

TEST(InflightWatch, TellsTheEarliestStart) {
  const TemporaryFolder folder;
  const std::string path = folder.path("h");
  auto slots = record::InflightFolder::create(path);
  ASSERT_TRUE(slots.ok());
  EXPECT_FALSE(io::InflightWatch::open(path).ok());  // it does not tell the time
  (*slots)->tell_clock(0);
  Result<io::InflightWatch> watch = io::InflightWatch::open(path);
  ASSERT_TRUE(watch.ok());
  EXPECT_TRUE(watch->is_at_work());
  const std::optional<std::int64_t> start = watch->open_since();
  ASSERT_TRUE(start.has_value());
  record::Slot* const a = *(*slots)->add_slot();
  record::Slot* const b = *(*slots)->add_slot();
  EXPECT_GE(watch->open_since(), start);
  a->open();
  EXPECT_EQ(watch->open_since(), std::nullopt);
  a->opened(7);
  b->open();
  b->opened(5);
  EXPECT_EQ(watch->open_since(), 5);
  b->close();
  EXPECT_EQ(watch->open_since(), 7);
  a->close();
  EXPECT_GE(watch->open_since(), start);
  (*slots)->remove();
}

}  // namespace
}  // namespace isolde

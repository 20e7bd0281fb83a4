// Several sources as one: the order of their parts is one of what they hold, whenever it comes.
#include "stream/joint_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "base/rng.hpp"
#include "group_files.hpp"
#include "stream/common_clock.hpp"
#include "stream/source.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::stream {
namespace {

using Starts = std::vector<std::int64_t>;

class JointSourceTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }
  std::unique_ptr<Source> open(std::vector<std::string> names, bool follows = false) {
    for (std::string& name : names) name = path(name);
    Result<std::unique_ptr<Source>> source =
        open_sources(names, {.follows = follows, .clock = &clock_});
    EXPECT_TRUE(source.ok()) << source.error().message;
    return std::move(*source);
  }
  /// Starts of the next part; nothing: there is none now.
  Starts next(Source& source) {
    const Result<Source::Next> next = source.next(budget_);
    problem_ = next.ok() ? "" : next.error().message;
    is_over_ = next.ok() && next->is_over;
    if (!next.ok() || !next->part) return {};
    open_since_ = next->part->open_since;
    const History& history = next->part->history;
    Starts starts;
    for (std::size_t t = 0; t < history.txn_count(); ++t) {
      starts.push_back(history.times(TxnId::at(t)).start);
      sessions_.push_back(history.session_name(history.session_of(TxnId::at(t))));
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

  io::TemporaryFolder folder_;
  CommonClock clock_;
  base::Budget budget_;
  bool is_over_ = false;
  std::string problem_;
  std::int64_t open_since_ = kNoTime;
  std::vector<std::string> sessions_;
};

TEST_F(JointSourceTest, TakesWhatMayBeEarliest) {
  append(path("a"), group_text(0, {{1}, 10, false}) + group_text(1, {{11}, 30, false}) +
                        group_text(2, {{31}, 40, true}));
  append(path("b"), group_text(0, {{2}, 20, false}) + group_text(1, {{22}, 30, false}) +
                        group_text(2, {{33}, 50, true}));
  const std::unique_ptr<Source> source = open({"a", "b"});
  EXPECT_EQ(next(*source), (Starts{1, 2}));
  EXPECT_EQ(open_since_, 10);
  EXPECT_EQ(next(*source), Starts{11});
  EXPECT_EQ(open_since_, 20);
  EXPECT_EQ(next(*source), Starts{22});
  EXPECT_EQ(open_since_, 30);
  EXPECT_EQ(next(*source), Starts{31});
  EXPECT_EQ(open_since_, 30);  // a is over, so it is b's
  EXPECT_EQ(next(*source), Starts{33});
  EXPECT_EQ(open_since_, 30);
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_TRUE(is_over_);
  EXPECT_EQ(source->cut_off(), "");
  const std::string a = path("a") + "/s";
  const std::string b = path("b") + "/s";
  EXPECT_EQ(sessions_, (std::vector<std::string>{a, b, a, b, a, b}));
}

TEST_F(JointSourceTest, WaitsForTheOneThatIsBehind) {
  append(path("a"), group_text(0, {{1}, 10, false}));
  append(path("b"), "");
  const std::unique_ptr<Source> source = open({"a", "b"}, true);
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_TRUE(source->position().files.empty());
  append(path("a"), group_text(1, {{11}, 20, false}));
  EXPECT_EQ(next(*source), Starts{});
  append(path("b"), group_text(0, {{2}, 15, false}));
  EXPECT_EQ(next(*source), (Starts{1, 2}));
  EXPECT_EQ(next(*source), Starts{11});
  EXPECT_EQ(open_since_, 15);
  append(path("a"), group_text(2, {{21}, 30, false}));
  EXPECT_EQ(next(*source), Starts{});
  EXPECT_FALSE(is_over_);
  // One that says that it ends is not waited for.
  append(path("b"), group_text(1, {{16}, 17, true}));
  EXPECT_EQ(next(*source), Starts{16});
  EXPECT_EQ(open_since_, 20);
  EXPECT_EQ(next(*source), Starts{21});
  EXPECT_EQ(open_since_, 30);
}

TEST_F(JointSourceTest, OneThatTellsNothingIsReadToItsEndFirst) {
  append(path("a"), group_text(0, {{1}, 10, false}) + group_text(1, {{11}, 20, false}));
  append(path("b"), group_text(0, {{2}}) + group_text(1, {{40}}));
  const std::unique_ptr<Source> source = open({"a", "b"});
  EXPECT_EQ(next(*source), (Starts{1, 2}));
  EXPECT_EQ(open_since_, kNoTime);
  EXPECT_EQ(next(*source), Starts{40});
  EXPECT_EQ(open_since_, kNoTime);
  EXPECT_EQ(next(*source), Starts{11});
  EXPECT_EQ(open_since_, 20);
}

/// Groups of a file, with times that grow.
std::vector<std::string> random_groups(base::Rng& rng, bool ends) {
  std::vector<std::string> groups;
  std::int64_t open_since = 0;
  const std::size_t count = 1 + rng.below(8);
  for (std::uint32_t number = 0; number < count; ++number) {
    Group group;
    const std::size_t txns = rng.below(4);
    for (std::size_t t = 0; t < txns; ++t) {
      group.starts.push_back(open_since + static_cast<std::int64_t>(rng.below(30)));
    }
    open_since += static_cast<std::int64_t>(rng.below(20));
    group.open_since = open_since;
    group.is_last = ends && number + 1 == count;
    groups.push_back(group_text(number, group));
  }
  return groups;
}

TEST_F(JointSourceTest, TheOrderIsThatOfTheContents) {
  const std::vector<std::string> names = {"a", "b", "c"};
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    base::Rng rng(seed);
    std::array<std::string, 3> texts;
    for (std::string& text : texts) {
      for (const std::string& group : random_groups(rng, true)) text += group;
    }
    const auto write = [&](std::size_t file, std::size_t begin, std::size_t size) {
      append(path(names[file]), std::string_view(texts[file]).substr(begin, size));
    };
    for (std::size_t i = 0; i < 3; ++i) write(i, 0, texts[i].size());
    const Starts expected = rest(*open(names));
    // Now they grow, each at a speed of its own, and another source reads what is there.
    std::array<std::size_t, 3> written{};
    for (const std::string& name : names) std::filesystem::resize_file(path(name), 0);
    std::unique_ptr<Source> source = open(names, true);
    Starts found;
    for (is_over_ = false; !is_over_;) {
      const std::size_t file = rng.below(3);
      const std::size_t size = rng.below(600);
      write(file, std::min(written[file], texts[file].size()), size);
      written[file] += size;
      const Starts part = next(*source);
      ASSERT_EQ(problem_, "");
      found.insert(found.end(), part.begin(), part.end());
      if (rng.chance(0.1)) {
        Starts again;
        const auto visit = [&](const History& history, TxnNumber first) {
          EXPECT_EQ(first, again.size());
          for (std::size_t t = 0; t < history.txn_count(); ++t) {
            again.push_back(history.times(TxnId::at(t)).start);
          }
        };
        ASSERT_TRUE(source->visit_again(visit, budget_).ok());
        EXPECT_EQ(again, found) << seed;
      }
      if (rng.chance(0.1)) {
        const Position position = source->position();
        source = open(names, true);
        ASSERT_TRUE(source->resume(position, budget_).ok());
      }
    }
    EXPECT_EQ(found, expected) << seed;
    for (const std::string& name : names) std::filesystem::resize_file(path(name), 0);
  }
}

TEST_F(JointSourceTest, AFolderIsNotOverWhereAFileOfItIs) {
  std::filesystem::create_directory(path("d"));
  append(path("d/1.isob"), group_text(0, {{1}, 10, true}));
  append(path("d/2.isob"), group_text(0, {{11}, 20, true}));
  append(path("e"), group_text(0, {{2}, 30, false}) + group_text(1, {{31}, 40, true}));
  const std::unique_ptr<Source> source = open({"d", "e"});
  EXPECT_EQ(rest(*source), (Starts{1, 2, 11, 31}));
  Starts again;
  const auto visit = [&](const History& part, TxnNumber) {
    for (std::size_t t = 0; t < part.txn_count(); ++t) {
      again.push_back(part.times(TxnId::at(t)).start);
    }
  };
  EXPECT_TRUE(source->visit_again(visit, budget_).ok());
  EXPECT_EQ(again, (Starts{1, 2, 11, 31}));
}

TEST_F(JointSourceTest, WhatFilesSayOfTheBeginningIsJoined) {
  const auto text = [](std::int64_t x, std::int64_t y, std::uint32_t number = 0) {
    HistoryBuilder builder;
    const auto hold = [&](const char* key, std::int64_t value) {
      if (value != 0) {
        builder.set_initial(builder.key(builder.string(key)), builder.integer(value));
      }
    };
    hold("x", x);
    hold("y", y);
    builder.begin_txn(builder.session("s"));
    builder.set_times({1, 2});
    builder.read(builder.key(builder.string("z")), Value::null());
    io::StringSink sink;
    io::BinaryGroup group;
    group.number = number;
    EXPECT_TRUE(
        io::write_native_binary(std::move(builder.finish()).value(), sink, true, group).ok());
    return sink.text();
  };
  const auto initial_of = [&](const std::vector<std::string>& names) {
    std::map<std::string, std::int64_t> found;
    const Result<Source::Next> next = open(names)->next(budget_);
    if (!next) {
      EXPECT_NE(next.error().message.find("its initial contents are not those of another"),
                std::string::npos);
      return found;
    }
    const History& history = next->part->history;
    for (std::size_t k = 0; k < history.key_count(); ++k) {
      const Value value = history.initial(KeyId::at(k));
      if (value.is_null()) continue;
      found[std::string(history.pooled_text(history.key_name(KeyId::at(k))))] =
          value.as_integer();
    }
    return found;
  };
  append(path("none"), text(0, 0));
  append(path("x1"), text(1, 0));
  append(path("x1y2"), text(1, 2));
  append(path("x3"), text(3, 0));
  using Contents = std::map<std::string, std::int64_t>;
  EXPECT_EQ(initial_of({"none", "x1y2"}), (Contents{{"x", 1}, {"y", 2}}));
  EXPECT_EQ(initial_of({"x1", "none", "x1y2"}), (Contents{{"x", 1}, {"y", 2}}));
  EXPECT_EQ(initial_of({"x1y2", "x3"}), Contents{});
}

TEST_F(JointSourceTest, TimesAreOfOneClock) {
  const auto text = [](std::int64_t origin, bool is_order) {
    HistoryBuilder builder;
    builder.origin().clock_origin = origin;
    builder.origin().times_are_order = is_order;
    builder.begin_txn(builder.session("s"));
    builder.set_times({1, 2});
    builder.write(builder.key(builder.string("x")), builder.integer(1));
    io::StringSink sink;
    EXPECT_TRUE(
        io::write_native_binary(std::move(builder.finish()).value(), sink, true, {}).ok());
    return sink.text();
  };
  append(path("none"), text(kNoTime, false));
  append(path("early"), text(0, false));
  append(path("early2"), text(0, false));
  append(path("late"), text(1'000'000'000, false));
  append(path("order"), text(kNoTime, true));
  const auto problem = [&](const std::vector<std::string>& names) {
    next(*open(names));
    return problem_;
  };
  EXPECT_EQ(problem({"early", "none", "early2"}), "");
  EXPECT_EQ(problem({"early", "none", "late"}), "");
  EXPECT_NE(problem({"early", "order"}).find("its times are places in it"), std::string::npos);
  // Times of each file are where its origin is.
  const std::unique_ptr<Source> source = open({"early", "late"});
  EXPECT_EQ(rest(*source), (Starts{1, 1'000'000'001}));
}

TEST_F(JointSourceTest, TimesThatAreTooFarAreRefused) {
  const auto text = [](std::int64_t origin, std::int64_t start) {
    HistoryBuilder builder;
    builder.origin().clock_origin = origin;
    builder.begin_txn(builder.session("s"));
    builder.set_times({start, start + 1});
    builder.write(builder.key(builder.string("x")), builder.integer(1));
    io::StringSink sink;
    EXPECT_TRUE(
        io::write_native_binary(std::move(builder.finish()).value(), sink, true, {}).ok());
    return sink.text();
  };
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  append(path("early"), text(0, 1));
  append(path("late"), text(kMost - 5, 7));
  next(*open({"early", "late"}));
  EXPECT_NE(problem_.find("a time is too far from those of other files"), std::string::npos)
      << problem_;
}

TEST_F(JointSourceTest, TellsOpenSinceOnOneClock) {
  const auto text = [](std::int64_t origin, std::uint32_t number, std::int64_t start,
                       std::int64_t open_since, bool is_last) {
    HistoryBuilder builder;
    if (number == 0) builder.origin().clock_origin = origin;
    builder.begin_txn(builder.session("s"));
    builder.set_times({start, start + 1});
    builder.write(builder.key(builder.string("x")), builder.integer(start));
    io::StringSink sink;
    EXPECT_TRUE(io::write_native_binary(std::move(builder.finish()).value(), sink, true,
                                        {number, true, is_last, open_since})
                    .ok());
    return sink.text();
  };
  append(path("a"), text(1000, 0, 1, 50, false) + text(1000, 1, 60, kNoTime, true));
  append(path("b"), text(1030, 0, 2, 10, false) + text(1030, 1, 11, kNoTime, true));
  const std::unique_ptr<Source> source = open({"a", "b"});
  EXPECT_EQ(next(*source), (Starts{1, 32}));
  EXPECT_EQ(open_since_, 40);  // b's 10
  EXPECT_EQ(next(*source), Starts{41});
  EXPECT_EQ(next(*source), Starts{60});
}

TEST_F(JointSourceTest, NamesTheFileThatIsCutOff) {
  append(path("a"), group_text(0, {{1}, 10, false}));
  append(path("b"), group_text(0, {{2}, 10, false}).substr(0, 100));
  const std::unique_ptr<Source> source = open({"a", "b"});
  EXPECT_EQ(rest(*source), Starts{1});
  EXPECT_EQ(source->cut_off(), path("b") + ": the last group is cut off");
}

TEST_F(JointSourceTest, EndsWhereAFileIsCutOff) {
  // Who comes later may have read from those that are lost: somebody, from 20 on.
  append(path("a"), group_text(0, {{1}, 10, false}) + group_text(1, {{11}, 30, false}) +
                        group_text(2, {{31}, 40, true}));
  append(path("b"), group_text(0, {{2}, 20, true}).substr(0, 100));
  const std::unique_ptr<Source> nothing = open({"a", "b"});
  EXPECT_EQ(rest(*nothing), Starts{1});
  EXPECT_EQ(open_since_, kNoTime);
  append(path("c"), group_text(0, {{2}, 20, false, true}));
  const std::unique_ptr<Source> some = open({"a", "c"});
  EXPECT_EQ(rest(*some), (Starts{1, 2, 11}));
  EXPECT_EQ(open_since_, 20);
  // All that was read is there once more.
  const Result<std::unique_ptr<Source>> again = some->again();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(rest(**again), (Starts{1, 2, 11}));
}

TEST_F(JointSourceTest, IsTheSameFilesLater) {
  append(path("a"), group_text(0, {{1}, 10, false}));
  append(path("b"), group_text(0, {{2}, 10, false}));
  const std::unique_ptr<Source> source = open({"a", "b"});
  next(*source);
  const Position position = source->position();
  EXPECT_TRUE(open({"a", "b"})->resume(position, budget_).ok());
  EXPECT_FALSE(open({"b", "a"})->resume(position, budget_).ok());
  EXPECT_FALSE(open({"a"})->resume(position, budget_).ok());
  append(path("c"), "");
  EXPECT_FALSE(open({"a", "b", "c"})->resume(position, budget_).ok());
  EXPECT_TRUE(open({"a", "b", "c"})->resume(Position{}, budget_).ok());
  const std::vector<std::string> twice = {path("a"), path("b"), folder_.path() + "/./a"};
  EXPECT_EQ(open_sources(twice, {}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace isolde::stream

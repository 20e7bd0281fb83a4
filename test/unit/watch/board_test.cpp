#include "watch/board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "nlohmann/json.hpp"
#include "watch/status_json.hpp"

namespace isolde::watch {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNow = 1'790'000'000 * kSecond;

struct BoardTest : testing::Test {
  std::atomic<std::int64_t> now{kNow};
  Board board{"a.isob", "strict-serializable", [this] { return now.load(); }};

  Figures read(std::uint64_t transactions) {
    Figures figures;
    figures.transactions = transactions;
    figures.settled = transactions;
    board.update(figures);
    return figures;
  }
};

TEST_F(BoardTest, NothingHoldsBeforeAnythingIsSettled) {
  EXPECT_EQ(board.view().verdict, "unknown");
  board.update({});
  EXPECT_EQ(board.view().verdict, "unknown");
  read(5);
  EXPECT_EQ(board.view().verdict, "holds");
  EXPECT_EQ(board.view().reason, "");
  board.end("unknown", "it was cut off");
  read(6);  // too late
  EXPECT_EQ(board.view().verdict, "unknown");
  EXPECT_TRUE(board.view().ended);
}

TEST_F(BoardTest, LagIsOfClocksThatCanBeCompared) {
  Figures figures;
  figures.newest_end = kNow - 3 * kSecond;
  board.update(figures);
  EXPECT_DOUBLE_EQ(*board.view().now.lag, 3);
  EXPECT_FALSE(board.view().now.unsettled);  // nothing is settled
  figures.settled_until = kNow - 5 * kSecond;
  board.update(figures);
  EXPECT_DOUBLE_EQ(*board.view().now.unsettled, 2);
  now += kSecond;
  EXPECT_DOUBLE_EQ(*board.view().now.lag, 4);
  // Time since the beginning of a run, and a clock that is a day ahead.
  for (const std::int64_t other : {7 * kSecond, kNow + 86'400 * kSecond}) {
    figures.newest_end = other;
    board.update(figures);
    EXPECT_FALSE(board.view().now.lag);
  }
  figures.newest_end = kNow + 10 * kSecond;  // clocks differ a bit
  board.update(figures);
  EXPECT_DOUBLE_EQ(*board.view().now.lag, 0);
}

TEST_F(BoardTest, RateIsThatOfTheLastSeconds) {
  for (int i = 1; i <= 20; ++i) {
    now += kSecond;
    read(static_cast<std::uint64_t>(i) * 100);
    board.sample();
  }
  EXPECT_DOUBLE_EQ(board.view().now.rate, 100);
  for (int i = 0; i < 10; ++i) {
    now += kSecond;
    board.sample();
  }
  EXPECT_DOUBLE_EQ(board.view().now.rate, 0);
  EXPECT_EQ(board.samples().size(), 30U);
  EXPECT_DOUBLE_EQ(board.samples().front().rate, 100);
}

TEST_F(BoardTest, RateCountsFromTheBeginning) {
  read(1000);
  for (int i = 0; i < 4; ++i) {
    now += kSecond;
    board.sample();
  }
  EXPECT_DOUBLE_EQ(board.view().now.rate, 250);
}

TEST_F(BoardTest, KeepsTheLastOnly) {
  for (int i = 0; i < 1000; ++i) {
    now += kSecond;
    board.sample();
    board.mark(i % 2 == 0 ? "gap" : "fault", std::to_string(i));
  }
  EXPECT_EQ(board.samples().size(), 600U);
  EXPECT_DOUBLE_EQ(board.samples().back().time, 1'790'001'000);
  const View view = board.view();
  EXPECT_EQ(view.marks.size(), 200U);
  EXPECT_EQ(view.marks.back().text, "999");
  EXPECT_EQ(view.gaps, 500U);
  EXPECT_EQ(view.faults, 500U);
}

TEST_F(BoardTest, TellsSinceWhenNothingCame) {
  now += 4 * kSecond;
  EXPECT_DOUBLE_EQ(board.view().since_group, 4);
  board.came();
  now += kSecond;
  EXPECT_DOUBLE_EQ(board.view().since_group, 1);
}

TEST_F(BoardTest, WaitingEndsWithNewsAndWithTheEnd) {
  std::uint64_t seen = 0;
  std::thread other([&] { board.sample(); });
  EXPECT_TRUE(board.wait(seen));
  EXPECT_EQ(seen, 1U);
  other.join();
  board.sample();
  board.close();
  EXPECT_TRUE(board.wait(seen));  // what came last
  EXPECT_FALSE(board.wait(seen));
}

TEST_F(BoardTest, PageStaysOutOfTheView) {
  EXPECT_FALSE(board.found());
  board.find(Found{3, "T1 < T2", "<html>"});
  board.end("violated", "");
  EXPECT_EQ(board.view().found->page, "");
  EXPECT_EQ(board.view().found->text, "T1 < T2");
  EXPECT_EQ(board.found()->page, "<html>");
}

TEST_F(BoardTest, SuspectsUntilItIsClearedOrDecided) {
  board.suspect("no order");
  EXPECT_EQ(board.view().suspicion, "no order");
  EXPECT_EQ(board.view().marks.back().kind, "suspected");
  EXPECT_EQ(nlohmann::json::parse(status_json(board.view()))["suspicion"], "no order");
  board.suspect("");
  EXPECT_EQ(board.view().suspicion, "");
  EXPECT_EQ(board.view().marks.size(), 1U);
  board.suspect("no order");
  board.end("unknown", "why");
  EXPECT_EQ(board.view().suspicion, "");
}

TEST_F(BoardTest, AsJson) {
  read(5);
  board.mark("gap", "a\nb");
  board.sample();
  const auto all = nlohmann::json::parse(status_json(board.view(), board.samples()));
  const auto& status = all["status"];
  EXPECT_EQ(status.size(), nlohmann::json::parse(status_json(board.view())).size());
  EXPECT_EQ(status["transactions"], 5);
  EXPECT_EQ(status["verdict"], "holds");
  EXPECT_TRUE(status["lag_seconds"].is_null());
  EXPECT_TRUE(status["violation"].is_null());
  EXPECT_TRUE(status["suspicion"].is_null());
  EXPECT_EQ(status["marks"][0]["text"], "a\nb");
  EXPECT_EQ(all["samples"].size(), 1U);
  EXPECT_TRUE(all["samples"][0]["lag"].is_null());
  // One line, whatever a source is called: it is sent as one.
  const Board strange("a\n\ndata: b\xff", "l", [] { return kNow; });
  EXPECT_EQ(status_json(strange.view()).find('\n'), std::string::npos);
  board.find(Found{3, "T1 < T2", ""});
  board.end("violated", "");
  EXPECT_EQ(nlohmann::json::parse(status_json(board.view()))["violation"]["transactions"], 3);
}

TEST(Board, WhatWasLostIsNotFoundAgain) {
  Board board("s", "strict-serializable", [] { return std::int64_t{0}; });
  Figures figures;
  figures.settled = 5;
  board.update(figures);
  EXPECT_EQ(board.view().verdict, "holds");
  board.lose("no order fits");
  board.update(figures);
  EXPECT_EQ(board.view().verdict, "unknown");
  EXPECT_EQ(board.view().reason, "no order fits");
  board.find(Found{3, "T1 < T2", ""});
  board.lose("no other order fits");
  board.update(figures);
  EXPECT_EQ(board.view().verdict, "violated");
  EXPECT_EQ(board.view().reason, "");
}

TEST(Board, KnowsWhatAnEarlierProcessHasFound) {
  Figures figures;
  figures.settled = 5;
  Board violated("s", "strict-serializable", [] { return std::int64_t{0}; });
  violated.begin_behind(2, "no order fits");
  violated.update(figures);
  EXPECT_EQ(violated.view().verdict, "violated");
  EXPECT_EQ(violated.view().violations, 2U);
  violated.find(Found{3, "T1 < T2", ""});
  EXPECT_EQ(violated.view().violations, 3U);
  Board lost("s", "strict-serializable", [] { return std::int64_t{0}; });
  lost.begin_behind(0, "no order fits");
  lost.update(figures);
  EXPECT_EQ(lost.view().verdict, "unknown");
  Board fresh("s", "strict-serializable", [] { return std::int64_t{0}; });
  fresh.begin_behind(0, "");
  fresh.update(figures);
  EXPECT_EQ(fresh.view().verdict, "holds");
}

}  // namespace
}  // namespace isolde::watch

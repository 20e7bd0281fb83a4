#include "explain/place.hpp"

#include <gtest/gtest.h>

#include "isolde/history_builder.hpp"

namespace isolde::explain {
namespace {

History at_position(const char* file, const char* format, std::uint64_t position,
                    std::uint64_t completion = 0) {
  HistoryBuilder builder;
  builder.origin().file = file;
  builder.origin().format = format;
  builder.begin_txn(builder.session("7"), position);
  builder.set_completion_in_input(completion);
  return std::move(builder.finish()).value();
}

TEST(Place, CountsLinesInTextAndBytesElsewhere) {
  const Place text = place_of(at_position("h.jsonl", "native", 12), TxnId(0));
  EXPECT_EQ(text.file, "h.jsonl");
  EXPECT_EQ(text.line, 12U);
  EXPECT_EQ(text.bytes, 0U);
  const Place binary = place_of(at_position("h.bincode", "dbcop", 90), TxnId(0));
  EXPECT_EQ(binary.line, 0U);
  EXPECT_EQ(binary.bytes, 90U);
}

TEST(Place, OfStandardInputIsNoFile) {
  const Place place = place_of(at_position("-", "native", 12), TxnId(0));
  EXPECT_EQ(place.file, "");
  EXPECT_EQ(place.line, 12U);
}

History in_folder(const char* session) {
  HistoryBuilder builder;
  builder.origin().file = "logs";
  builder.origin().format = "viper";
  builder.origin().session_files = {{session, std::string("logs/J") + session + ".log"}};
  builder.begin_txn(builder.session("7"), 12);
  return std::move(builder.finish()).value();
}

// Goal: in folders the file is the session's; a position without its file says nothing.
TEST(Place, FindsTheFileOfTheSession) {
  const Place place = place_of(in_folder("7"), TxnId(0));
  EXPECT_EQ(place.file, "logs/J7.log");
  EXPECT_EQ(place.line, 12U);
  EXPECT_EQ(place_text(in_folder("7"), TxnId(0)), "J7.log, line 12");
  const Place unknown = place_of(in_folder("8"), TxnId(0));
  EXPECT_EQ(unknown.file, "logs");
  EXPECT_EQ(unknown.line, 0U);
  EXPECT_EQ(place_text(in_folder("8"), TxnId(0)), "");
}

TEST(Place, IsWordedByWhatIsKnown) {
  const TxnId txn(0);
  EXPECT_EQ(place_text(at_position("h.jsonl", "native", 12), txn), "line 12");
  EXPECT_EQ(place_text(at_position("h.edn", "jepsen", 12, 15), txn), "lines 12 and 15");
  EXPECT_EQ(place_text(at_position("h.bincode", "dbcop", 90), txn), "byte 90");
  EXPECT_EQ(place_text(at_position("h.jsonl", "native", 0), txn), "");
}

// Goal: bytes of what was unpacked are not those of the file.
TEST(Place, TellsBytesOfWhatWasUnpacked) {
  HistoryBuilder builder;
  builder.origin().format = "dbcop";
  builder.origin().compressed = true;
  builder.begin_txn(builder.session("7"), 90);
  const History history = std::move(builder.finish()).value();
  EXPECT_EQ(place_text(history, TxnId(0)), "byte 90 (decompressed)");
}

// Goal: without positions, transactions are counted; a part keeps the numbers of the whole.
TEST(Place, CountsTransactionsWhereNothingElseIsKnown) {
  for (const std::uint64_t position : {0U, 5U}) {
    HistoryBuilder builder;
    builder.origin().format = "native-binary";
    builder.origin().positions_are_numbers = true;
    builder.begin_txn(builder.session("7"), position);
    const History history = std::move(builder.finish()).value();
    EXPECT_EQ(place_text(history, TxnId(0)),
              position == 0 ? "transaction 1 of the file" : "transaction 5 of the file");
  }
}

TEST(Setting, IsToldAsFarAsItIsKnown) {
  HistoryOrigin origin;
  EXPECT_EQ(setting_text(origin), "");
  origin.isolation = "repeatable read";
  EXPECT_EQ(setting_text(origin), "isolation repeatable read");
  origin.database = "PostgreSQL 15.20";
  EXPECT_EQ(setting_text(origin), "PostgreSQL 15.20, isolation repeatable read");
}

}  // namespace
}  // namespace isolde::explain

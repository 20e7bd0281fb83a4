#include "explain/place.hpp"

#include <gtest/gtest.h>

namespace isolde::explain {
namespace {

History at_position(const char* file, const char* format, std::uint64_t position) {
  HistoryBuilder builder;
  builder.origin().file = file;
  builder.origin().format = format;
  builder.begin_txn(builder.session("7"), position);
  return std::move(builder.finish()).value();
}

TEST(Place, CountsLinesInTextAndBytesElsewhere) {
  const Place text = place_of(at_position("h.jsonl", "native", 12), {}, TxnId(0));
  EXPECT_EQ(text.file, "h.jsonl");
  EXPECT_EQ(text.line, 12U);
  EXPECT_EQ(text.bytes, 0U);
  const Place binary = place_of(at_position("h.bincode", "dbcop", 90), {}, TxnId(0));
  EXPECT_EQ(binary.line, 0U);
  EXPECT_EQ(binary.bytes, 90U);
}

TEST(Place, OfStandardInputIsNoFile) {
  const Place place = place_of(at_position("-", "native", 12), {}, TxnId(0));
  EXPECT_EQ(place.file, "");
  EXPECT_EQ(place.line, 12U);
}

// Goal: in folders the file is the session's; a position without its file says nothing.
TEST(Place, FindsTheFileOfTheSession) {
  const History history = at_position("logs", "viper", 12);
  const Place place = place_of(history, {{"7", "logs/J7.log"}, {"8", "logs/J8.log"}}, TxnId(0));
  EXPECT_EQ(place.file, "logs/J7.log");
  EXPECT_EQ(place.line, 12U);
  const Place unknown = place_of(history, {{"8", "logs/J8.log"}}, TxnId(0));
  EXPECT_EQ(unknown.file, "logs");
  EXPECT_EQ(unknown.line, 0U);
}

}  // namespace
}  // namespace isolde::explain

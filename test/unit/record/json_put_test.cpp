#include "record/json_put.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <limits>

#include "base/rng.hpp"
#include "support/seed.hpp"

namespace isolde::record {
namespace {

std::string text_of(std::string_view text) {
  std::string json(text_room(text), '\0');
  const char* const end = put_text(json.data(), text);
  if (end == nullptr) return "refused";
  json.resize(static_cast<std::size_t>(end - json.data()));
  return json;
}

TEST(JsonPut, Numbers) {
  for (const std::int64_t number :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{42},
        std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
    char digits[kNumberRoom];
    EXPECT_EQ(std::string(digits, put_number(digits, number)), std::to_string(number));
  }
}

TEST(JsonPut, EscapesWhatJsonWantsEscaped) {
  EXPECT_EQ(text_of(""), "\"\"");
  EXPECT_EQ(text_of("plain"), "\"plain\"");
  EXPECT_EQ(text_of("\"\\/\x7f"), "\"\\\"\\\\/\x7f\"");
  EXPECT_EQ(text_of(std::string_view("\0\n\x1f", 3)), "\"\\u0000\\u000a\\u001f\"");
  EXPECT_EQ(text_of("\xe2\x82\xac"), "\"\xe2\x82\xac\"");
}

// Against simdjson, on texts made of bytes at the borders of the rules.
TEST(JsonPut, AcceptsExactlyUtf8) {
  constexpr unsigned char kBytes[] = {'a',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                      0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
                                      0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
  base::Rng rng(support::run_seed());
  int valid = 0;
  for (std::uint64_t i = 0; i < 300'000; ++i) {
    std::string text;
    for (std::uint64_t n = rng.below(6); n > 0; --n) {
      text += static_cast<char>(kBytes[rng.below(sizeof kBytes)]);
    }
    const bool expected = simdjson::validate_utf8(text);
    ASSERT_EQ(text_of(text) != "refused", expected) << testing::PrintToString(text);
    ASSERT_TRUE(simdjson::validate_utf8(readable_text(text)));
    if (expected) {
      ASSERT_EQ(readable_text(text), text_of(text));
    }
    valid += expected ? 1 : 0;
  }
  EXPECT_GT(valid, 1000);
}

TEST(JsonPut, ReplacesWhatCannotBeRead) {
  EXPECT_EQ(readable_text("a\xff\xe2\x82"), "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace isolde::record

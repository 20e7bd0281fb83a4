#include "report/printable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "base/rng.hpp"
#include "support/seed.hpp"

namespace isolde::report {
namespace {

constexpr const char* kBad = "\xEF\xBF\xBD";

// Goal: what can be shown stays as it is, byte by byte.
TEST(Printable, KeepsWhatHasAShape) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("r(x)=1\n</script> \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "r(x)=1\n</script> \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
}

// Goal: each way in which bytes can fail to be UTF-8.
TEST(Printable, ReplacesBytesThatAreNoText) {
  const std::array<const char*, 7> bad = {"\xFF",
                                          "\x80",
                                          "\xC0",
                                          "\xF5",
                                          "\xE2"
                                          "\x82",
                                          "\xC3"
                                          "(",
                                          "\xF0"};
  for (const char* text : bad) {
    EXPECT_EQ(printable(text).rfind(kBad, 0), 0U) << text;
  }
  // Overlong forms, surrogates, and what lies beyond Unicode.
  const std::string three = std::string(kBad) + kBad + kBad;
  EXPECT_EQ(printable("\xE0\x80\x80"), three);
  EXPECT_EQ(printable("\xED\xA0\x80"), three);
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), three + kBad);
}

// Goal: nothing invisible, and nothing that turns the text around it.
TEST(Printable, ShowsControlCharacters) {
  EXPECT_EQ(printable(std::string("a\0b", 3)),
            "a\xE2\x90\x80"
            "b");
  EXPECT_EQ(printable("\t\x1b\x7f"), "\xE2\x90\x89\xE2\x90\x9B\xE2\x90\xA1");
  EXPECT_EQ(printable("\xE2\x80\xAE"), kBad);  // right-to-left override
  EXPECT_EQ(printable("\xC2\x85"), kBad);      // a C1 control
  EXPECT_EQ(printable("\xEF\xBF\xBF"), kBad);  // no character, not allowed in XML
}

// Goal: no character is cut in two.
TEST(Printable, ShortensBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc\xE2\x80\xA6");
  EXPECT_EQ(shortened("a\xE2\x82\xAC"
                      "b",
                      3),
            "a\xE2\x80\xA6");
}

// Goal: whatever the bytes, the result is UTF-8 by another judge, and stays the same when it is
// made printable again.
TEST(Printable, MakesAnyBytesUtf8) {
  const std::uint64_t seed = support::run_seed();
  base::Rng rng(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (std::uint64_t left = rng.below(12); left > 0; --left) {
      bytes += static_cast<char>(rng.below(2) == 0 ? rng.below(256) : 0xC0 + rng.below(0x40));
    }
    const std::string text = printable(bytes);
    EXPECT_NO_THROW(nlohmann::json(text).dump()) << "seed " << seed;
    EXPECT_EQ(printable(text), text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace isolde::report

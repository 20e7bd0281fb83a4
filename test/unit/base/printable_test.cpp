#include "base/printable.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/rng.hpp"
#include "base/utf8.hpp"
#include "support/seed.hpp"

namespace isolde::base {
namespace {

// Goal: what can be shown stays as it is, byte by byte.
TEST(Printable, KeepsWhatCanBeSeen) {
  for (const char* text : {"", "r(x)=1", "a b", "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80",
                           "C:\\temp\\new", "</b>"}) {
    EXPECT_EQ(printable_name(text), text);
    EXPECT_EQ(printable_path(text), text);
    EXPECT_EQ(printable_line(text), text);
  }
  EXPECT_EQ(printable_lines("a\n  b  c\n"), "a\n  b  c\n");
}

TEST(Printable, EscapesWhatCommandsOrCannotBeSeen) {
  EXPECT_EQ(printable_name("\x1b[31m\r\n\t\x7f"), "\\x1b[31m\\x0d\\x0a\\x09\\x7f");
  EXPECT_EQ(printable_name(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable_name("\xC2\x9b"), "\\u009b");              // a C1 control
  EXPECT_EQ(printable_name("\xE2\x80\xAE"), "\\u202e");          // right-to-left override
  EXPECT_EQ(printable_name("\xE2\x80\xA8"), "\\u2028");          // line separator
  EXPECT_EQ(printable_name("\xEF\xBB\xBF"), "\\ufeff");          // no width
  EXPECT_EQ(printable_name("\xEF\xBF\xBF"), "\\uffff");          // no character
  EXPECT_EQ(printable_name("\xF3\xA0\x81\x81"), "\\U000e0041");  // a tag
  EXPECT_EQ(printable_name("\xEE\x80\x80"), "\\ue000");          // private use
}

// Goal: each way in which bytes can fail to be UTF-8.
TEST(Printable, EscapesBytesThatAreNoText) {
  EXPECT_EQ(printable_name("\xFF\x80"), "\\xff\\x80");
  EXPECT_EQ(printable_name("\xC3("), "\\xc3(");
  EXPECT_EQ(printable_name("\xE2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable_name("\xE0\x80\x80"), "\\xe0\\x80\\x80");           // overlong
  EXPECT_EQ(printable_name("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable_name("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

// Goal: no name makes columns of its own.
TEST(Printable, EscapesBlanksAtEndsAndInRows) {
  EXPECT_EQ(printable_name(" a  b "), "\\x20a \\x20b\\x20");
  EXPECT_EQ(printable_line("note:  x"), "note: \\x20x");
}

// Goal: a backslash of the name is not taken for one of ours.
TEST(Printable, DoublesBackslashesOnlyWhereNeeded) {
  EXPECT_EQ(printable_name("\\x1b"), "\\\\x1b");
  EXPECT_EQ(printable_name("\\xyz \\u12 \\U1"), "\\xyz \\u12 \\U1");
  EXPECT_EQ(printable_name("\\\\a"), "\\\\\\a");
  EXPECT_EQ(printable_name("\\\n"), "\\\\\\x0a");
  EXPECT_EQ(printable_line("\\x1b"), "\\x1b");
}

// Goal: both ends of a long name, and how long it was.
TEST(Printable, CutsTheMiddleOfLongNames) {
  const std::string name = std::string(300, 'a') + "17";
  const std::string text = printable_name(name);
  EXPECT_EQ(text, std::string(140, 'a') + "...(302 bytes)..." + std::string(38, 'a') + "17");
  EXPECT_EQ(printable_path(name), name);
  const std::string escapes = printable_name(std::string(100, '\x1b'));
  EXPECT_EQ(escapes.substr(0, 8), "\\x1b\\x1b");
  EXPECT_NE(escapes.find("\\x1b...(100 bytes)...\\x1b"), std::string::npos) << escapes;
}

/// Pieces that mean something to terminals, to readers of escapes, or to decoders of UTF-8.
std::string random_name(Rng& rng) {
  static const std::array<std::string, 22> kPieces = {"\\",
                                                      "x",
                                                      "u",
                                                      "U",
                                                      "1b",
                                                      "202e",
                                                      "000e0041",
                                                      " ",
                                                      "\n",
                                                      "\x1b",
                                                      "\xC2",
                                                      "\xC2\x9b",
                                                      "\xE2\x80\xAE",
                                                      "\xE2\x80\xA8",
                                                      "\xED\xA0\x80",
                                                      "a",
                                                      "\xF3",
                                                      "\xA0",
                                                      "\x81",
                                                      "\xC3\xA9",
                                                      "\xEF\xBF\xBF",
                                                      "0"};
  std::string name;
  for (std::uint64_t left = rng.below(12); left > 0; --left) {
    name += rng.below(4) == 0 ? std::string(1, static_cast<char>(rng.below(256)))
                              : kPieces[rng.below(kPieces.size())];
  }
  return name;
}

/// The sizes of the pieces of a text that must not be cut: characters and escapes.
std::vector<std::size_t> pieces_of(std::string_view text) {
  std::vector<std::size_t> sizes;
  while (!text.empty()) {
    std::size_t size = first_character(text).bytes;
    if (text.size() > 1 && text[0] == '\\') {
      const std::size_t digits = text[1] == 'x'   ? 2
                                 : text[1] == 'u' ? 4
                                 : text[1] == 'U' ? 8
                                                  : 0;
      const std::string_view number = text.substr(2, digits);
      const bool escape = digits > 0 && number.size() == digits &&
                          number.find_first_not_of("0123456789abcdef") == std::string::npos;
      if (text[1] == '\\') size = 2;
      if (escape) size = 2 + digits;
    }
    sizes.push_back(size);
    text.remove_prefix(size);
  }
  return sizes;
}

/// As printable_name() cuts, of the whole text.
std::string cut(const std::string& name) {
  const std::string whole = printable_path(name);
  if (name.size() <= 200 && whole.size() <= 200) return whole;
  const std::vector<std::size_t> sizes = pieces_of(whole);
  std::size_t first = 0;
  std::size_t begin = 0;
  while (first < sizes.size() && begin + sizes[first] <= 140) begin += sizes[first++];
  std::size_t end = 0;
  for (std::size_t i = sizes.size(); i > first && end + sizes[i - 1] <= 40; --i) {
    end += sizes[i - 1];
  }
  return whole.substr(0, begin) + "...(" + std::to_string(name.size()) + " bytes)..." +
         whole.substr(whole.size() - end);
}

// Goal: what a long name loses does not depend on where looking at its end begins. Method:
// characters of all sizes, whole and broken, on all borders.
TEST(Printable, CutsBetweenCharactersWhereverTheyStand) {
  const std::uint64_t seed = support::run_seed();
  Rng rng(seed);
  for (int round = 0; round < 5'000; ++round) {
    std::string name;
    const std::size_t least = 20 + rng.below(400);
    while (name.size() < least) name += random_name(rng);
    name += std::string(rng.below(8), "\x80\xF0\\a"[rng.below(4)]);
    ASSERT_EQ(printable_name(name), cut(name)) << "seed " << seed;
  }
}

// Goal: a value of any size is told in a moment. Method: ten thousand of them.
TEST(Printable, DoesNotLookAtTheMiddle) {
  const std::string name(std::size_t{50} << 20, 'a');
  for (int round = 0; round < 10'000; ++round) ASSERT_LT(printable_name(name).size(), 250U);
}

TEST(Printable, KeepsJsonTheSame) {
  EXPECT_EQ(printable_json("{\"\x7f\xC2\x9b\xF3\xA0\x81\x81\":\"\xC3\xA9\"}\n"),
            "{\"\\u007f\\u009b\\udb40\\udc41\":\"\xC3\xA9\"}\n");
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

/// What a reader takes the escapes for.
std::string undone(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    const bool escape = text[0] == '\\' && text.size() > 1;
    const std::size_t digits = !escape ? 0 : text[1] == 'x' ? 2 : text[1] == 'u' ? 4 : 8;
    if (escape && text[1] == '\\') {
      bytes += '\\';
      text.remove_prefix(2);
      continue;
    }
    const bool is_number =
        escape && (text[1] == 'x' || text[1] == 'u' || text[1] == 'U') &&
        text.size() >= 2 + digits &&
        text.substr(2, digits).find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!is_number) {
      bytes += text[0];
      text.remove_prefix(1);
      continue;
    }
    const auto code = static_cast<std::uint32_t>(
        std::stoul(std::string(text.substr(2, digits)), nullptr, 16));
    if (digits == 2) {
      bytes += static_cast<char>(code);
    } else if (code < 0x800) {
      bytes += {static_cast<char>(0xC0U | code >> 6), static_cast<char>(0x80U | (code & 63U))};
    } else if (code < 0x10000) {
      bytes +=
          {static_cast<char>(0xE0U | code >> 12), static_cast<char>(0x80U | (code >> 6 & 63U)),
           static_cast<char>(0x80U | (code & 63U))};
    } else {
      bytes +=
          {static_cast<char>(0xF0U | code >> 18), static_cast<char>(0x80U | (code >> 12 & 63U)),
           static_cast<char>(0x80U | (code >> 6 & 63U)),
           static_cast<char>(0x80U | (code & 63U))};
    }
    text.remove_prefix(2 + digits);
  }
  return bytes;
}

// Goal: any name can be read back from its text, so different names have different texts; the
// text is UTF-8 without controls, and making it printable again changes nothing.
TEST(Printable, TellsAnyTwoNamesApart) {
  const std::uint64_t seed = support::run_seed();
  Rng rng(seed);
  for (int round = 0; round < 20'000; ++round) {
    const std::string name = random_name(rng);
    const std::string text = printable_name(name);
    ASSERT_EQ(undone(text), name) << text << ", seed " << seed;
    ASSERT_EQ(printable_line(text), text) << "seed " << seed;
    for (std::string_view rest = text; !rest.empty();) {
      const Character next = first_character(rest);
      ASSERT_TRUE(next.valid && next.code >= 0x20 && (next.code < 0x7f || next.code > 0x9f))
          << text << ", seed " << seed;
      rest.remove_prefix(next.bytes);
    }
  }
}

}  // namespace
}  // namespace isolde::base

#include "explain/encode.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/printable.hpp"
#include "base/rng.hpp"
#include "base/utf8.hpp"
#include "io/edn_lexer.hpp"
#include "support/seed.hpp"

namespace isolde::explain {
namespace {

/// What a document that cannot hold all bytes says in their place.
std::string readable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const base::Character next = base::first_character(text);
    const bool blank = next.code == '\t' || next.code == '\n' || next.code == '\r';
    const bool bad = !next.valid || (next.code < 0x20 && !blank) || next.code == 0x7f ||
                     next.code == 0xfffe || next.code == 0xffff;
    out += bad ? "\xef\xbf\xbd" : text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return out;
}

/// The same where there is no way to write what cannot be seen.
std::string seen(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const base::Character next = base::first_character(text);
    const bool blank =
        next.code == ' ' || next.code == '\t' || next.code == '\n' || next.code == '\r';
    out += base::is_unseen(next.code) && !blank ? "\xef\xbf\xbd" : text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return out;
}

TEST(Encode, KeepsWhatPeopleCanRead) {
  EXPECT_EQ(xml_characters("key \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\t"),
            "key \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\t");
  EXPECT_EQ(xml_characters(std::string_view("a\0b\x1b[31m", 8)),
            "a\xef\xbf\xbd"
            "b\xef\xbf\xbd[31m");
}

// Goal: each way in which bytes are not UTF-8. Method: a byte that is none stands alone.
TEST(Encode, ReplacesWhatIsNotUtf8) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(xml_characters("\xff"), mark);
  EXPECT_EQ(xml_characters("\xc3("), mark + "(");      // cut off by another character
  EXPECT_EQ(xml_characters("\xe2\x82"), mark + mark);  // cut off by the end
  EXPECT_EQ(xml_characters("\xc0\xaf"), mark + mark);  // overlong
  EXPECT_EQ(xml_characters("\xe0\x80\xaf"), mark + mark + mark);             // overlong
  EXPECT_EQ(xml_characters("\xed\xa0\x80"), mark + mark + mark);             // surrogate
  EXPECT_EQ(xml_characters("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // beyond Unicode
  EXPECT_EQ(xml_characters("\x80"), mark);
}

TEST(Encode, LeavesOutWhatXmlDoesNotHave) {
  EXPECT_EQ(xml_characters("\xef\xbf\xbe"), "\xef\xbf\xbd");  // U+FFFE
}

TEST(Encode, EscapesForEdn) {
  EXPECT_EQ(edn_string("a\"b\\c\n\t\r"), R"("a\"b\\c\n\t\r")");
  EXPECT_EQ(edn_string(std::string_view("\0\x1b", 2)), R"("\u0000\u001B")");
}

// What turns the text around it, or cannot be seen, is told in the form's own escapes.
TEST(Encode, ShowsWhatCannotBeSeen) {
  EXPECT_EQ(edn_string("a\xe2\x80\xae"
                       "b"),
            R"("a\u202Eb")");
  EXPECT_EQ(edn_string("\xf3\xa0\x80\x81"), R"("\uDB40\uDC01")");
  EXPECT_EQ(annotation_property("a\xe2\x80\xae"
                                "b"),
            "a\xef\xbf\xbd"
            "b");
}

TEST(Encode, EscapesForAnnotations) {
  EXPECT_EQ(annotation_message("50%: a,\r\nb::"), "50%25: a,%0D%0Ab::");
  EXPECT_EQ(annotation_property("50%: a,\r\nb::"), "50%25%3A a%2C%0D%0Ab%3A%3A");
}

// Goal: fingerprints never change; these are the published test values of FNV-1a.
TEST(Encode, FingerprintsAreForEver) {
  EXPECT_EQ(fingerprint(""), "cbf29ce484222325");
  EXPECT_EQ(fingerprint("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(fingerprint("foobar"), "85944171f73967e8");
}

TEST(Encode, MakesUrisOfPaths) {
  EXPECT_EQ(uri_of_path("demo/a b#1.jsonl"), "demo/a%20b%231.jsonl");
  EXPECT_EQ(uri_of_path("/tmp/x?.txt"), "file:///tmp/x%3F.txt");
  EXPECT_EQ(uri_of_path("c:history"), "c%3Ahistory");  // else c would be a scheme
  EXPECT_EQ(uri_of_path("\xff%"), "%FF%25");
}

std::string random_bytes(base::Rng& rng) {
  static constexpr std::string_view kNasty = "<>&\"'\\%:,;{}[]#\n\r\t\x1b\x7f\xc3\xa9\xed\xef";
  std::string text;
  for (std::uint64_t left = rng.below(24); left > 0; --left) {
    text += rng.below(2) == 0 ? kNasty[rng.below(kNasty.size())]
                              : static_cast<char>(rng.below(256));
  }
  return text;
}

std::string from_annotation(std::string_view command) {
  std::string text;
  while (!command.empty()) {
    std::size_t used = 1;
    char c = command[0];
    EXPECT_TRUE(c != '\n' && c != '\r');
    for (const auto& [escape, meaning] :
         {std::pair("%25", '%'), std::pair("%0D", '\r'), std::pair("%0A", '\n'),
          std::pair("%3A", ':'), std::pair("%2C", ',')}) {
      if (!command.starts_with(escape)) continue;
      c = meaning;
      used = 3;
    }
    text += c;
    command.remove_prefix(used);
  }
  return text;
}

// Goal: whatever bytes come, each language reads back what people would read. Method: random
// bytes, rich in those that mean something somewhere, through readers of each language.
TEST(Encode, AnyBytesStayWellFormed) {
  const std::uint64_t seed = support::run_seed();
  const std::uint64_t cases = support::case_count(20000);
  for (std::uint64_t number = 0; number < cases; ++number) {
    base::Rng rng(base::mix2(seed, number));
    const std::string bytes = random_bytes(rng);
    const std::string meant = readable(bytes);
    // nlohmann-json refuses what is not UTF-8.
    EXPECT_TRUE(nlohmann::json::accept("[" + nlohmann::json(meant).dump() + "]"));
    EXPECT_EQ(readable(meant), meant);
    EXPECT_EQ(xml_characters(bytes), meant);
    EXPECT_EQ(from_annotation(annotation_property(bytes)), seen(meant));
    EXPECT_EQ(from_annotation(annotation_message(bytes)), seen(meant));
    const std::string edn = edn_string(bytes);
    io::EdnLexer lexer("edn", edn);
    io::EdnToken token;
    ASSERT_TRUE(lexer.next(token)) << edn;
    ASSERT_EQ(token.kind, io::EdnKind::kString);
    EXPECT_EQ(readable(io::edn_string(token)), meant) << edn;
    ASSERT_TRUE(lexer.next(token));
    EXPECT_EQ(token.kind, io::EdnKind::kEnd) << edn;
  }
}

}  // namespace
}  // namespace isolde::explain

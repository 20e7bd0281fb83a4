// Files of segments: what is written is read again, and what is damaged is told.
#include "certify/segments.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

namespace isolde::certify {
namespace {

class SegmentsFile : public testing::Test {
 protected:
  SegmentsFile() { path_ = testing::TempDir() + "segments." + std::to_string(getpid()); }
  ~SegmentsFile() override { std::filesystem::remove(path_); }

  void write(const std::string& text) const { std::ofstream(path_) << text; }

  /// All segments, or what is wrong behind the path.
  std::string read(std::vector<Segment>& segments, bool* is_cut_off = nullptr) const {
    Result<SegmentsReader> reader = SegmentsReader::open(path_);
    if (!reader) return reader.error().message.substr(path_.size());
    while (true) {
      Result<std::optional<Segment>> next = reader->next();
      if (!next) return next.error().message.substr(path_.size());
      if (is_cut_off != nullptr) *is_cut_off = reader->is_cut_off();
      if (!*next) return "";
      segments.push_back(std::move(**next));
    }
  }
  std::string problem(const std::string& text) const {
    write(text);
    std::vector<Segment> ignored;
    return read(ignored);
  }

  std::string path_;
};

/// Lines with their checksums, as docs/formats/segments.md says.
std::string sealed_lines(const std::vector<std::string>& bodies) {
  std::string lines;
  std::uint64_t chain = 0;
  for (const std::string& body : bodies) {
    chain = XXH3_64bits_withSeed(body.data(), body.size(), chain);
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(chain));
    lines += body + R"(,"chain":")" + digits + "\"}\n";
  }
  return lines;
}

TEST_F(SegmentsFile, IsReadAsItWasWritten) {
  std::vector<std::uint64_t> order(100'000);
  std::iota(order.begin(), order.end(), 7U);
  std::swap(order[0], order[99'999]);
  SegmentsText text;
  std::string file = text.header({Level::kStrictSerializable, 250});
  file += text.settled(std::vector<std::uint64_t>{3, 1, 2}, 17);
  file += text.settled(order, 0xfedcba9876543210U);
  file += text.settled({}, 5);
  file += text.end({100'003, 99});
  write(file);
  std::vector<Segment> segments;
  ASSERT_EQ(read(segments), "");
  // A long order takes two lines, of which the second one tells the state.
  ASSERT_EQ(segments.size(), 5U);
  EXPECT_EQ(segments[0].order, (std::vector<std::uint64_t>{3, 1, 2}));
  EXPECT_EQ(segments[0].state, 17U);
  EXPECT_FALSE(segments[1].state);
  std::vector<std::uint64_t> joined = segments[1].order;
  joined.insert(joined.end(), segments[2].order.begin(), segments[2].order.end());
  EXPECT_EQ(joined, order);
  EXPECT_EQ(segments[2].state, 0xfedcba9876543210U);
  EXPECT_TRUE(segments[3].order.empty());
  ASSERT_TRUE(segments[4].end);
  EXPECT_EQ(segments[4].end->transactions, 100'003U);
  EXPECT_EQ(segments[4].end->contents, 99U);
  Result<SegmentsReader> reader = SegmentsReader::open(path_);
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().level, Level::kStrictSerializable);
  EXPECT_EQ(reader->header().clock_error_ns, 250);
  EXPECT_FALSE(reader->header().initial_is_unknown);
}

TEST_F(SegmentsFile, ALineMayTellALargerClockError) {
  SegmentsText text;
  std::string file = text.header({Level::kStrictSerializable, 2});
  file += text.settled(std::vector<std::uint64_t>{0}, 17);
  file += text.settled(std::vector<std::uint64_t>{1}, 18, 250);
  write(file);
  std::vector<Segment> segments;
  ASSERT_EQ(read(segments), "");
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[0].clock_error_ns, 0);
  EXPECT_EQ(segments[1].clock_error_ns, 250);
  const std::string header =
      R"({"isolde-segments":1,"level":"strict-serializable","clock_error_ns":0)";
  const auto with = [&](const std::string& member) {
    return problem(sealed_lines(
        {header, R"({"segment":0,"order":[0],"state":"0000000000000000",)" + member}));
  };
  EXPECT_EQ(with(R"("clock_error_ns":86400000000000)"), "");
  EXPECT_EQ(with(R"("clock_error_ns":86400000000001)"), ":2: expected a whole number");
  EXPECT_EQ(with(R"("clock_error_ns":-1)"), ":2: expected a whole number");
  EXPECT_EQ(with(R"("clock_error_ns":1,"clock_error_ns":2)"), ":2: expected each member once");
}

TEST_F(SegmentsFile, SaysThatInitialContentsAreUnknown) {
  SegmentsText text;
  const std::string header = text.header({Level::kStrictSerializable, 0, true, "a\"*"});
  EXPECT_EQ(header.substr(0, header.find(",\"chain\"")),
            R"({"isolde-segments":1,"level":"strict-serializable","clock_error_ns":0,)"
            R"("keys":"a\"*","initial":"unknown")");
  write(header);
  const Result<SegmentsReader> reader = SegmentsReader::open(path_);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->header().initial_is_unknown);
  EXPECT_EQ(reader->header().keys, "a\"*");
}

TEST_F(SegmentsFile, LeavesOutALastLineThatIsThereInPart) {
  SegmentsText text;
  std::string file = text.header({});
  file += text.settled(std::vector<std::uint64_t>{0, 1}, 1);
  const std::size_t whole = file.size();
  file += text.settled(std::vector<std::uint64_t>{2}, 2);
  for (std::size_t size = whole; size < file.size(); ++size) {
    write(file.substr(0, size));
    std::vector<Segment> segments;
    bool is_cut_off = false;
    ASSERT_EQ(read(segments, &is_cut_off), "");
    ASSERT_EQ(segments.size(), 1U);
    ASSERT_EQ(is_cut_off, size > whole);
  }
}

TEST_F(SegmentsFile, TellsDamage) {
  SegmentsText text;
  const std::string header = text.header({});
  const std::string first = text.settled(std::vector<std::uint64_t>{0}, 1);
  const std::string second = text.settled(std::vector<std::uint64_t>{1}, 2);
  const std::string damaged =
      ":2: wrong checksum; the file is damaged, or lines are missing: copy it again";
  EXPECT_EQ(problem(header + second), damaged);
  EXPECT_EQ(problem(header + second + first), damaged);
  std::string changed = first;
  changed[changed.find("[0]") + 1] = '3';
  EXPECT_EQ(problem(header + changed), damaged);
  EXPECT_EQ(problem(header + "\n"),
            ":2: expected a line that ends with its chain; this is no file of segments");
  EXPECT_EQ(problem(""), ":0: expected the header of segments; the file is empty or cut off");
  EXPECT_EQ(problem(first),
            ":1: wrong checksum; the file is damaged, or lines are missing: copy it again");
  const std::string end = text.end({2, 0});
  EXPECT_EQ(problem(header + first + second + end + text.settled({}, 0)),
            ":5: expected nothing behind the end");
}

TEST_F(SegmentsFile, TakesNoLineThatSaysSomethingElse) {
  const std::string header =
      R"({"isolde-segments":1,"level":"strict-serializable","clock_error_ns":0)";
  const auto wrong = [&](const std::string& line) {
    write(sealed_lines({header, line}));
    std::vector<Segment> ignored;
    return read(ignored);
  };
  EXPECT_EQ(wrong(R"({"segment":0,"order":[],"state":"0000000000000000")"), "");
  EXPECT_EQ(wrong(R"({"segment":0,"order":[])"), "");
  EXPECT_EQ(wrong(R"({"end":0,"contents":"0000000000000000")"), "");
  const std::string members = ":2: expected segment, order and state, or end and contents";
  EXPECT_EQ(wrong(R"({"segment":0)"), members);
  EXPECT_EQ(wrong(R"({"end":0)"), members);
  EXPECT_EQ(wrong(R"({"segment":0,"order":[],"end":0,"contents":"0000000000000000")"), members);
  EXPECT_EQ(wrong(R"({"segment":0,"order":[],"more":1)"), members);
  EXPECT_EQ(wrong(R"({"segment":0,"order":[],"order":[])"), ":2: expected each member once");
  EXPECT_EQ(wrong(R"({"segment":1,"order":[])"), ":2: expected the number of the next segment");
  const std::string steps = ":2: expected steps between numbers of transactions";
  EXPECT_EQ(wrong(R"({"segment":0,"order":[2,-3])"), steps);
  EXPECT_EQ(wrong(R"({"segment":0,"order":["1"])"), steps);
  EXPECT_EQ(wrong(R"({"segment":0,"order":[4611686018427387904])"), steps);
  EXPECT_EQ(wrong(R"({"segment":0,"order":[2305843009213693952,2305843009213693952])"), steps);
  EXPECT_EQ(wrong(R"({"segment":0,"order":[],"state":"0")"),
            ":2: expected 16 hexadecimal digits");
  EXPECT_EQ(wrong(R"({"segment":0,"order":7)"), ":2: expected an array of numbers");
  EXPECT_EQ(wrong(R"({"segment":0,)"), ":2: broken JSON");
  const auto wrong_header = [&](const std::string& line) {
    write(sealed_lines({line}));
    std::vector<Segment> ignored;
    return read(ignored);
  };
  EXPECT_EQ(wrong_header(R"({"isolde-segments":2,"level":"serializable","clock_error_ns":0)"),
            ":1: expected version 1 of the format");
  EXPECT_EQ(wrong_header(R"({"isolde-segments":1,"level":"best","clock_error_ns":0)"),
            ":1: expected a level");
  EXPECT_EQ(wrong_header(R"({"isolde-segments":1,"level":"serializable","clock_error_ns":-1)"),
            ":1: expected a whole number");
  EXPECT_EQ(wrong_header(R"({"isolde-segments":1,"level":"serializable")"),
            ":1: expected isolde-segments, level and clock_error_ns");
}

}  // namespace
}  // namespace isolde::certify

// Chains of archives are read as they were written, and what was changed is told. Forgeries of
// whole archives are the subject of test/cli/archive_test.py.
#include "certify/archive_chain.hpp"

#include <gtest/gtest.h>

namespace isolde::certify {
namespace {

ArchiveLine a_file() {
  ArchiveLine line;
  line.file.emplace(ArchiveLine::File{.first = 7,
                                      .transactions = 8,
                                      .bytes = 9,
                                      .groups = 10,
                                      .contents = 0xfedcba9876543210U,
                                      .size = 11,
                                      .until = -12,
                                      .history = "aa",
                                      .order = "bb",
                                      .next = "cc",
                                      .latest_start = -13});
  return line;
}

std::string a_chain() {
  ArchiveChainText text;
  std::string lines = text.header({Level::kStrictSerializable, 5});
  lines += text.line(a_file());
  ArchiveLine last = a_file();
  last.file->next.clear();
  lines += text.line({.deleted = 15});
  lines += text.line(last);
  return lines + text.line({.end = 23});
}

TEST(ArchiveChain, TellsWhichKeysCount) {
  ArchiveChainText text;
  const std::string lines = text.header({Level::kStrictSerializable, 0, "a\"*"});
  EXPECT_EQ(ArchiveChainReader::open(lines, "it")->header().keys, "a\"*");
  ArchiveChainText none;
  EXPECT_EQ(none.header({Level::kStrictSerializable, 0}).find("keys"), std::string::npos);
}

/// The first problem of a chain; empty: there is none.
std::string problem(const std::string& text) {
  Result<ArchiveChainReader> reader = ArchiveChainReader::open(text, "it");
  if (!reader) return reader.error().message;
  while (true) {
    const Result<std::optional<ArchiveLine>> line = reader->next();
    if (!line) return line.error().message;
    if (!*line) return "";
  }
}

TEST(ArchiveChain, IsReadAsItWasWritten) {
  Result<ArchiveChainReader> reader = ArchiveChainReader::open(a_chain(), "it");
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  EXPECT_EQ(reader->header().clock_error_ns, 5);
  const Result<std::optional<ArchiveLine>> line = reader->next();
  ASSERT_TRUE(line.ok() && *line && (*line)->file);
  const ArchiveLine::File& file = *(*line)->file;
  EXPECT_EQ(file.first, 7U);
  EXPECT_EQ(file.transactions, 8U);
  EXPECT_EQ(file.bytes, 9U);
  EXPECT_EQ(file.groups, 10U);
  EXPECT_EQ(file.contents, 0xfedcba9876543210U);
  EXPECT_EQ(file.size, 11U);
  EXPECT_EQ(file.until, -12);
  EXPECT_EQ(file.history + file.order + file.next, "aabbcc");
  EXPECT_EQ(file.latest_start, -13);
  EXPECT_EQ((*reader->next())->deleted, 15U);
  EXPECT_EQ((*reader->next())->file->next, "");
  EXPECT_EQ((*reader->next())->end, 23U);
  EXPECT_FALSE((*reader->next()).has_value());
  ArchiveChainText same;
  same.go_on(reader->chain());
  EXPECT_EQ(problem(a_chain() + same.line({.deleted = 16})), "");
}

TEST(ArchiveChain, EveryByteCounts) {
  const std::string text = a_chain();
  ASSERT_EQ(problem(text), "");
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(problem(changed), "") << i;
  }
  // Where a writer was stopped.
  EXPECT_EQ(problem(text.substr(0, text.size() - 1)), "");
}

TEST(ArchiveChain, TellsWhatItExpects) {
  EXPECT_EQ(problem(""), "it:0: expected the header; the file is empty or cut off");
  EXPECT_EQ(problem("{}\n"),
            "it:1: expected a line that ends with its chain; this is no chain of an archive");
  ArchiveChainText text;
  EXPECT_EQ(problem(text.line({.end = 1})),
            "it:1: expected isolde-archive, level and clock_error_ns");
  const std::string header = text.header({});
  ArchiveChainText other;
  std::string line = other.header({});
  line += other.line({.end = 1});
  EXPECT_EQ(problem(line), "");
  EXPECT_EQ(problem(line.substr(line.find('\n') + 1)),
            "it:1: wrong digest; the line was changed, or lines before it are missing");
  EXPECT_NE(problem(header), "");  // behind another line
}

}  // namespace
}  // namespace isolde::certify

// The examples of docs/formats/native.md and native-binary.md are read, so that they cannot
// drift.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "io/native_binary.hpp"
#include "io_inputs.hpp"
#include "support/source_dir.hpp"

namespace isolde::io {
namespace {

std::string document(const std::string& name) {
  std::string path = support::source_dir();
  path += "/docs/formats/";
  path += name;
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The first code block behind a heading.
std::string block_behind(const std::string& text, const std::string& heading) {
  const std::size_t section = text.find(heading);
  const std::size_t begin = text.find("```\n", section) + 4;
  const std::size_t end = text.find("```", begin);
  EXPECT_NE(section, std::string::npos) << heading;
  EXPECT_NE(end, std::string::npos) << heading;
  return text.substr(begin, end - begin);
}

TEST(NativeDocument, ExampleIsAHistory) {
  const Result<History> history =
      read_native_text(block_behind(document("native.md"), "## Example"));
  ASSERT_TRUE(history.ok()) << message_of(history);
  EXPECT_EQ(history->txn_count(), 4U);
  EXPECT_EQ(history->session_count(), 2U);
  EXPECT_EQ(history->status(TxnId(2)), TxnStatus::kIndeterminate);
  EXPECT_EQ(history->op_text(history->ops(TxnId(2))[1]), "r(x)=?");
}

/// The cells of the first table row behind `from` that begins with this name, without its bars.
std::string cell(const std::string& text, std::size_t from, const std::string& name) {
  const std::string begin = "| " + name + " | `";
  const std::size_t at = text.find(begin, from);
  if (at == std::string::npos) return {};
  const std::size_t bytes = at + begin.size();
  return text.substr(bytes, text.find('`', bytes) - bytes);
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    char digits[4];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(c) & 0xffU);
    if (!out.empty()) out += ' ';
    out += digits;
  }
  return out;
}

TEST(NativeBinaryDocument, WorkedExampleIsWhatIsWritten) {
  const std::string text = document("native-binary.md");
  const Result<History> history = read_native_text(block_behind(text, "## Worked example"));
  ASSERT_TRUE(history.ok()) << message_of(history);
  StringSink sink;
  ASSERT_TRUE(write_native_binary(*history, sink, false).ok());
  const char* const names[] = {"session-ends", "session-chars", "string-kinds", "string-ends",
                               "string-chars", "keys",          "txn-sessions", "txn-statuses",
                               "txn-starts",   "txn-ends",      "txn-labels",   "txn-op-counts",
                               "op-kinds",     "op-keys",       "op-values",    "list-counts",
                               "list-values",  "note-ends",     "note-chars"};
  binary::Header header;
  std::memcpy(&header, sink.text().data(), sizeof header);
  for (std::uint32_t i = 0; i < header.section_count; ++i) {
    binary::Section section;
    std::memcpy(&section, sink.text().data() + sizeof header + i * sizeof section,
                sizeof section);
    const char* const name = names[section.column - 1];
    EXPECT_EQ(hex(std::string_view(sink.text()).substr(section.offset, section.stored_bytes)),
              cell(text, text.find("## Worked example"), name))
        << name;
  }
}

}  // namespace
}  // namespace isolde::io

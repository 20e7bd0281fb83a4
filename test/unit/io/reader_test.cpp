// The registry, detection and the one entry point.
#include "io/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "io_inputs.hpp"
#include "temporary_folder.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kNative =
    "{\"isolde\":1,\"kind\":\"history\"}\n{\"session\":\"a\",\"ops\":[[\"w\",\"x\",1]]}\n";

Result<History> read_path(const std::string& path, std::string_view format) {
  base::Budget budget;
  return read_history(path, format, budget);
}

TEST(Formats, HaveDifferentNamesAndCanBeFound) {
  std::set<std::string_view> names;
  for (const Format* format : formats()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    EXPECT_EQ(find_format(format->name), format);
    EXPECT_FALSE(format->summary.empty());
  }
  EXPECT_EQ(find_format("json"), nullptr);
}

TEST(ReadHistory, DetectsNativeFormats) {
  const TemporaryFolder folder;
  const Result<History> text = read_path(folder.put("h", kNative), "");
  ASSERT_TRUE(text.ok()) << message_of(text);
  EXPECT_EQ(text->origin().format, "native");
  EXPECT_EQ(text->origin().file, folder.path("h"));

  StringSink sink;
  ASSERT_TRUE(write_native_binary(*text, sink).ok());
  const Result<History> binary = read_path(folder.put("b", sink.text()), "");
  ASSERT_TRUE(binary.ok()) << message_of(binary);
  EXPECT_EQ(binary->origin().format, "native-binary");
  EXPECT_EQ(binary->digest(), text->digest());
}

TEST(ReadHistory, ObeysTheNamedFormat) {
  const TemporaryFolder folder;
  const std::string path = folder.put("h", kNative);
  EXPECT_TRUE(read_path(path, "native").ok());
  const Result<History> wrong = read_path(path, "native-binary");
  EXPECT_EQ(message_of(wrong),
            path + "@0: the file does not begin with ISOLDEB1; this is another format");
}

TEST(ReadHistory, RejectsUnknownFormats) {
  const Result<History> history = read_path("nowhere", "josn");
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().code, ErrorCode::kUsage);
  EXPECT_EQ(history.error().message,
            "unknown format 'josn'; the formats are native, native-binary, dbcop, dbcop-json, "
            "dbcop-hist, plume, awdit, viper, cobra, jepsen, elle-json, porcupine, "
            "porcupine-kv, vbox");
}

TEST(ReadHistory, SaysWhenNothingFits) {
  const TemporaryFolder folder;
  const std::string path = folder.put("h", "Dear diary,\n");
  const Result<History> history = read_path(path, "");
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(
      history.error().message,
      path +
          ": no format recognises this input; name one of them with the option 'format': "
          "native, native-binary, dbcop, dbcop-json, dbcop-hist, plume, awdit, viper, cobra, "
          "jepsen, elle-json, porcupine, porcupine-kv, vbox");
}

TEST(ReadHistory, DoesNotReadADirectoryAsAFile) {
  const TemporaryFolder folder;
  folder.put("h", kNative);
  EXPECT_EQ(message_of(read_path(folder.path(), "native")),
            folder.path() +
                ": is a directory, and format native is a single file; name the file "
                "in it");
}

TEST(ReadHistory, NamesAHistoryInAFolderOfThem) {
  const TemporaryFolder folder;
  folder.put("README", "Dear diary,\n");
  const std::string path = folder.put("h.jsonl", kNative);
  EXPECT_EQ(message_of(read_path(folder.path(), "")),
            folder.path() +
                ": is a directory, and each native history in it is a single file; name the "
                "file, for example " +
                path);
}

TEST(ReadHistory, TellsHowFarItHasCome) {
  const TemporaryFolder folder;
  std::string text(kNative);
  while (text.size() < (std::size_t{9} << 20)) {
    text += "{\"session\":\"a\",\"ops\":[[\"w\",\"x\"," + std::to_string(text.size()) + "]]}\n";
  }
  const std::string path = folder.put("h", text);
  for (const unsigned threads : {1U, 3U}) {
    std::vector<std::uint64_t> bytes;
    base::Budget budget;
    const Result<History> history =
        read_history(path, "", budget, threads, [&](std::uint64_t read, std::uint64_t size) {
          EXPECT_EQ(size, text.size());
          bytes.push_back(read);
        });
    ASSERT_TRUE(history.ok()) << message_of(history);
    ASSERT_EQ(bytes.size(), 2U) << threads << " threads";
    EXPECT_GE(bytes[0], std::uint64_t{4} << 20);
    EXPECT_GE(bytes[1], std::uint64_t{8} << 20);
    EXPECT_LE(bytes[1], text.size());
  }
}

std::string histories_at(const std::string& path, std::string_view format) {
  base::Budget budget;
  const Result<std::vector<std::string>> paths = io::histories_at(path, format, budget);
  if (!paths) return paths.error().message;
  std::string text;
  for (const std::string& one : *paths) text += one + "\n";
  return text;
}

TEST(HistoriesAt, AreTheFilesOfAFolderThatIsNoHistory) {
  const TemporaryFolder folder;
  const std::string tenth = folder.put("h10", kNative);
  const std::string second = folder.put("h2", "Dear diary,\n");
  folder.put(".hidden", kNative);
  EXPECT_EQ(histories_at(folder.path(), ""), second + "\n" + tenth + "\n");
  EXPECT_EQ(histories_at(folder.path(), "native"), second + "\n" + tenth + "\n");
  // Whoever reads it says what is missing.
  EXPECT_EQ(histories_at(folder.path(), "viper"), folder.path() + "\n");
  EXPECT_EQ(histories_at(second, ""), second + "\n");
  EXPECT_EQ(histories_at("nowhere", ""), "nowhere\n");
  EXPECT_EQ(histories_at("-", ""), "-\n");
  EXPECT_EQ(histories_at("nowhere", "josn").find("unknown format 'josn'"), 0U);
}

TEST(HistoriesAt, LeaveOutWhatIsNoneByNameOrFirstBytes) {
  const TemporaryFolder folder;
  const std::string history = folder.put("h.jsonl", kNative);
  // Neither is a name that only begins like one, nor bytes further behind.
  const std::string notes = folder.put("notes.txt", "Dear diary,\n");
  const std::string other = folder.put("readme2", "\n{\"isolde-certificate\":1}\n");
  const std::vector<std::string> none = {
      folder.put("a.jsonl", "{\"isolde-certificate\":1,\"level\":\"serializable\"}\n"),
      folder.put("b.json", "{\"schema\":1,\"file\":\"h.jsonl\"}\n"),
      folder.put("c.PNG", kNative), folder.put("README", kNative)};
  base::Budget budget;
  std::vector<std::string> left_out;
  const auto found = io::histories_at(folder.path(), "", budget, &left_out);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(*found, (std::vector<std::string>{history, notes, other}));
  std::ranges::sort(left_out);
  std::vector<std::string> expected = none;
  std::ranges::sort(expected);
  EXPECT_EQ(left_out, expected);
  // Who names such a file means it.
  EXPECT_EQ(histories_at(none[2], ""), none[2] + "\n");
  EXPECT_TRUE(read_path(none[2], "").ok());
}

TEST(HistoriesAt, SayWhatAFolderHoldsInWhichAllIsLeftOut) {
  const TemporaryFolder folder;
  folder.put("README.md", "Dear diary,\n");
  folder.put("plot.png", "PNG");
  const std::string text = folder.path() +
                           ": is no history, and no file in it is one by its name and first "
                           "bytes: README.md and plot.png; name the file that is one all the "
                           "same, or a folder with files of one of the formats native, ";
  EXPECT_EQ(histories_at(folder.path(), "").find(text), 0U) << histories_at(folder.path(), "");
  EXPECT_EQ(message_of(read_path(folder.path(), "")).find(text), 0U);
  for (int i = 0; i < 7; ++i) folder.put("x" + std::to_string(i) + ".svg", "<svg/>");
  EXPECT_NE(message_of(read_path(folder.path(), "")).find("x5.svg and 1 more; name"),
            std::string::npos)
      << message_of(read_path(folder.path(), ""));
  // What may be a history is no such folder's.
  folder.put("notes.txt", "Dear diary,\n");
  EXPECT_NE(
      message_of(read_path(folder.path(), "")).find("no format recognises this directory"),
      std::string::npos);
}

TEST(HistoriesAt, IsTheFolderWhereAFormatReadsIt) {
  const TemporaryFolder folder;
  folder.put("J0.log", "{\"value\": [[\"w\", 1, 8, true]]}\n");
  folder.put("README", "Dear diary,\n");
  EXPECT_EQ(histories_at(folder.path(), ""), folder.path() + "\n");
}

TEST(HistoriesAt, IsTheHistoryOfARunThatJepsenStored) {
  const TemporaryFolder folder;
  folder.put("test.jepsen", "JEPSEN");
  EXPECT_EQ(histories_at(folder.path(), "")
                .find(folder.path("test.jepsen") +
                      ": is a run that Jepsen stored without history.edn"),
            0U);
  const std::string history = folder.put("history.edn", "{:type :ok :value [[:w 1 2]]}");
  EXPECT_EQ(histories_at(folder.path(), ""), history + "\n");
  const Result<History> read = read_path(folder.path(), "");
  ASSERT_TRUE(read.ok()) << message_of(read);
  EXPECT_EQ(read->origin().file, history);
}

TEST(ReadHistory, PassesOnTroubleWithFiles) {
  const Result<History> history = read_path("does/not/exist", "");
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().code, ErrorCode::kEnvironment);
  EXPECT_EQ(history.error().message,
            "does/not/exist: cannot be read: No such file or directory; check the path");
}

}  // namespace
}  // namespace isolde::io

// Goal: real files of every covered format are recognised, read and converted without loss.
// Method: every row of the corpus manifest whose format is covered, where the corpus is
// present; it is not ours to copy.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "io/reader.hpp"
#include "io/writer.hpp"
#include "support/seed.hpp"
#include "support/source_dir.hpp"
#include "unit/io/foreign_input.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde::io {
namespace {

const std::filesystem::path kCorpus =
    std::filesystem::path(support::source_dir()) / ".." / "shared" / "corpus";

/// Our name of the manifest's format; empty when it is not covered.
std::string format_name(const std::string& manifest_name) {
  static const std::map<std::string, std::string> kNames = {
      {"awdit", "awdit"},
      {"cobra", "cobra"},
      {"dbcop", "dbcop"},
      {"elle", "jepsen"},
      {"jepsen-edn", "jepsen"},
      {"plume-text", "plume"},
      {"polysi-text", "plume"},
      {"vbox", "vbox"},
      {"viper", "viper"},
      {"porcupine-etcd", "porcupine"},
      {"porcupine-kv", "porcupine-kv"},
  };
  const auto entry = kNames.find(manifest_name);
  return entry == kNames.end() ? "" : entry->second;
}

std::string detected(const Inputs& inputs) {
  std::string best;
  int best_score = 0;
  bool tie = false;
  for (const Format* format : formats()) {
    const int score = format->detect(inputs);
    if (score > 0 && score == best_score) tie = true;
    if (score <= best_score) continue;
    best = format->name;
    best_score = score;
    tie = false;
  }
  return tie ? best + " and another" : best;
}

bool has_content(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return true;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.file_size() > 0) return true;
  }
  return false;
}

/// Through each native format and back: the same history, and the same text whichever way.
void check_conversions(const History& history) {
  const TemporaryFolder folder;
  for (const std::string_view format : {"native", "native-binary"}) {
    const std::string path = folder.path(format);
    const std::string again = path + ".again";
    ASSERT_TRUE(write_history(history, format, path).ok());
    base::Budget budget;
    const Result<History> back = read_history(path, "", budget);
    ASSERT_TRUE(back.ok()) << back.error().message;
    EXPECT_EQ(back->digest(), history.digest());
    ASSERT_TRUE(write_history(*back, "native", again).ok());
  }
  EXPECT_EQ(folder.get("native.again"), folder.get("native"));
  EXPECT_EQ(folder.get("native-binary.again"), folder.get("native"));
}

TEST(ForeignCorpus, EveryCoveredFileIsRecognisedReadAndConverted) {
  std::ifstream manifest(kCorpus / "manifest.tsv");
  if (!manifest)
    GTEST_SKIP() << "no corpus at " << kCorpus << "; it is kept outside of the tree";
  std::map<std::string, int> counts;
  // With sanitizers some of them, others in each run, and the first of each format.
  base::Rng rng(support::run_seed());
  const double share = static_cast<double>(support::case_count(100)) / 100;
  std::string row;
  std::getline(manifest, row);  // column names
  while (std::getline(manifest, row)) {
    std::istringstream columns(row);
    std::string path;
    std::string format;
    std::getline(columns, path, '\t');
    std::getline(columns, format, '\t');
    format = format_name(format);
    // Archives must be unpacked first, and loading refuses directories of empty files.
    if (format.empty() || path.ends_with(".tar.zst") || !has_content(kCorpus / path)) continue;
    if (counts.contains(format) && !rng.chance(share)) continue;
    base::Budget budget;
    const Result<Inputs> inputs = load((kCorpus / path).string(), budget);
    SCOPED_TRACE(path);
    ASSERT_TRUE(inputs.ok()) << inputs.error().message;
    EXPECT_EQ(detected(*inputs), format) << path;
    const Result<History> history = find_format(format)->read(*inputs, budget);
    ASSERT_TRUE(history.ok()) << history.error().message;
    EXPECT_GT(history->txn_count(), 0U) << path;
    EXPECT_EQ(history->origin().format, format);
    check_conversions(*history);
    ++counts[format];
  }
  for (const auto& [format, count] : counts) RecordProperty(format, count);
  EXPECT_GE(counts.size(), 7U);
}

}  // namespace
}  // namespace isolde::io

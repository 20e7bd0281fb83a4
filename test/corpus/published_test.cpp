// The published histories of other tools (a manifest with the verdict of each), when a copy of
// that collection lies beside the checkout. Method: read each history by detection alone,
// decide all levels, verify every proof, compare with the manifest. The collection is other
// people's data and not part of this repository, so without it the test is skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/budget.hpp"
#include "base/rng.hpp"
#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "io/native.hpp"
#include "io/reader.hpp"
#include "support/forced_ways.hpp"
#include "support/seed.hpp"
#include "support/source_dir.hpp"
#include "unit/io/temporary_folder.hpp"

namespace isolde {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(support::source_dir()) / ".." / "shared" / "corpus";

/// One line of the manifest by column name.
using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields{""};
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<Row> read_manifest() {
  std::ifstream file(kFolder / "manifest.tsv");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> names = split(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    Row row;
    for (std::size_t i = 0; i < names.size(); ++i) {
      row[names[i]] = i < fields.size() ? fields[i] : "";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

bool is_covered(const Row& row) {
  // The only file of this one is empty in the published data, so there is nothing to check.
  return row.at("path") != "plume-viper/tap-b";
}

/// Of the serializable database that it was recorded from, the manifest says; but the log names
/// writes that are not in it (docs/formats/foreign.md).
bool lacks_writes(const Row& row) {
  return row.at("path").starts_with("vbox/blindw_pred_1000");
}

/// The folder of an archived history, unpacked.
fs::path unpack(const fs::path& archive, const fs::path& folder) {
  const std::string command =
      "tar --zstd -xf '" + archive.string() + "' -C '" + folder.string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  fs::path deepest = folder;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) deepest = entry.path().parent_path();
  }
  return deepest;
}

/// What the manifest says, by level.
std::map<Level, std::string> expected_verdicts(const Row& row) {
  const std::string& note = row.at("note");
  const bool sessions = note.find("levels without session order") == std::string::npos;
  std::map<Level, std::string> expected;
  expected[Level::kStrongSessionMonotonicAtomicView] =
      row.at("strong-session-monotonic-atomic-view");
  expected[sessions ? Level::kStrongSessionSnapshotIsolation : Level::kSnapshotIsolation] =
      row.at("strong-session-snapshot-isolation");
  expected[sessions ? Level::kStrongSessionSerializable : Level::kSerializable] =
      row.at("strong-session-serializable");
  expected[Level::kLinearizable] = row.at("linearizable");
  if (note.find("strict-serializable violated") != std::string::npos) {
    expected[Level::kStrictSerializable] = "violated";
  }
  return expected;
}

/// All that a run says of the history, but for the proofs.
std::string account_of(const Result<History>& history, unsigned threads) {
  if (!history.ok()) return history.error().message;
  std::string text = std::to_string(history->digest());
  for (const std::string& note : history->origin().notes) text += "\n" + note;
  base::Budget budget;
  CheckOptions options;
  options.threads = threads;
  const CheckReport report = check(*history, options, budget);
  for (const LevelReport& level : report.levels) {
    text += "\n" + std::string(info(level.level).name) + " " +
            std::string(name(level.verdict)) + level.reason;
  }
  return text;
}

/// Where there are two ways to the same, both give it: see base/ways.hpp.
void go_both_ways(const std::string& path) {
  base::Budget budget;
  std::vector<std::string> accounts;
  for (const base::Ways& ways : {support::ways_of_small(), support::ways_of_large()}) {
    const support::ForcedWays forced(ways);
    for (const unsigned threads : {1U, 3U}) {
      const Result<History> history = io::read_history(path, "", budget, threads);
      accounts.push_back(account_of(history, threads));
      EXPECT_EQ(accounts.back(), accounts.front()) << threads << " threads";
    }
  }
}

/// In the native format as lines and as blocks, taken apart quickly and by the book.
void read_as_native(const History& history) {
  io::StringSink sink;
  if (const Status written = io::write_native(history, sink); !written) {
    EXPECT_NE(written.error().message.find("UTF-8"), std::string::npos)
        << written.error().message;
    return;
  }
  for (const bool usual : {true, false}) {
    base::Ways ways;
    ways.usual_lines = usual;
    const support::ForcedWays forced(ways);
    for (const unsigned threads : {1U, 3U}) {
      io::Inputs inputs{"history", false, {}};
      inputs.files.push_back(io::Input::padded("history", sink.text()));
      inputs.threads = threads;
      inputs.block_bytes = 1000;
      base::Budget budget;
      const Result<History> again = io::read_native(inputs, budget);
      ASSERT_TRUE(again.ok()) << again.error().message;
      EXPECT_EQ(again->digest(), history.digest());
    }
  }
}

/// A log of Porcupine as Jepsen writes it to history.edn.
std::string as_edn(const fs::path& log) {
  std::ifstream file(log);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string info, logger, dash, process, type, function, value;
    words >> info >> logger >> dash >> process >> type >> function;
    std::getline(words, value);
    if (value.find(':') != std::string::npos) value = "nil :error :timed-out";
    text += "{:process " + process + ", :type " + type + ", :f " + function + ", :value " +
            value + "}\n";
  }
  return text;
}

/// The same operations have the same verdict in EDN, although a failed compare-and-set says
/// less there.
void check_as_edn(const Row& row) {
  base::Budget budget;
  const Result<History> history =
      io::read_bytes(as_edn(kFolder / row.at("path")), "history.edn", "", budget);
  ASSERT_TRUE(history.ok()) << history.error().message;
  EXPECT_EQ(history->origin().format, "jepsen");
  CheckOptions options;
  options.levels = {Level::kLinearizable};
  const CheckReport report = check(*history, options, budget);
  ASSERT_EQ(report.levels.size(), 1U);
  EXPECT_EQ(name(report.levels[0].verdict), row.at("linearizable"));
}

/// Thin-air reads violate all levels but read uncommitted, of which no read is evidence.
void expect_thin_air_reads(const CheckReport& report) {
  std::size_t violated = 0;
  for (const LevelReport& level : report.levels) {
    if (level.verdict == Verdict::kNotApplicable) continue;
    const bool holds = implies(Level::kStrongReadUncommitted, level.level, true);
    EXPECT_EQ(level.verdict, holds ? Verdict::kHolds : Verdict::kViolated)
        << info(level.level).name << " " << level.reason;
    violated += level.verdict == Verdict::kViolated ? 1 : 0;
  }
  EXPECT_EQ(violated, 32U);
}

/// The verifier that shares nothing with this program accepts the proof that the level is
/// violated, too. It reads the native format.
void verify_elsewhere(const History& history, const CheckReport& report, Level level) {
  const io::TemporaryFolder folder;
  io::StringSink sink;
  ASSERT_TRUE(io::write_native(history, sink).ok());
  std::ofstream(folder.path("history.jsonl")) << sink.text();
  const LevelReport& row = report.levels[static_cast<std::size_t>(level)];
  ASSERT_EQ(row.verdict, Verdict::kViolated);
  const Certificate certificate{level, history.digest(), 0, report.proofs[row.proof]};
  ASSERT_TRUE(
      certify::write_certificate(history, certificate, folder.path("certificate")).ok());
  const std::string command = "python3 '" + support::source_dir() + "/tools/verify.py' '" +
                              folder.path("certificate") + "' '" +
                              folder.path("history.jsonl") + "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

void check_row(const Row& row) {
  SCOPED_TRACE(row.at("path"));
  fs::path path = kFolder / row.at("path");
  const bool archived = path.string().find(".tar.") != std::string::npos;
  const io::TemporaryFolder folder;
  if (archived) path = unpack(path, folder.path());
  base::Budget budget;
  const Result<History> history = io::read_history(path.string(), "", budget);
  ASSERT_TRUE(history.ok()) << history.error().message;
  const CheckReport report = check(*history, {}, budget);
  for (const LevelReport& level : report.levels) {
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    const Certificate certificate{level.level, history->digest(), 0,
                                  report.proofs[level.proof]};
    const certify::VerifyResult verified = certify::verify(*history, certificate);
    EXPECT_TRUE(verified.proves) << info(level.level).name << ": " << verified.reason;
  }
  if (lacks_writes(row)) expect_thin_air_reads(report);
  for (const auto& [level, verdict] : expected_verdicts(row)) {
    if (verdict.empty() || lacks_writes(row)) continue;
    const LevelReport& got = report.levels[static_cast<std::size_t>(level)];
    EXPECT_EQ(name(got.verdict), verdict) << info(level).name << " " << got.reason;
  }
  if (row.at("format") == "porcupine-etcd") check_as_edn(row);
  if (lacks_writes(row)) {
    verify_elsewhere(*history, report, Level::kReadCommitted);
  } else {  // both ways through all conditions of that one take half a minute
    go_both_ways(path.string());
  }
  read_as_native(*history);
}

TEST(PublishedHistories, HaveTheVerdictsOfTheirManifest) {
  if (!fs::exists(kFolder / "manifest.tsv")) {
    GTEST_SKIP() << "no collection of published histories at " << kFolder;
  }
  std::map<std::string, int> checked;
  std::map<std::string, int> not_covered;
  // With sanitizers only some of them, others in each run.
  base::Rng rng(support::run_seed());
  const double share = static_cast<double>(support::case_count(100)) / 100;
  for (const Row& row : read_manifest()) {
    if (row.at("path").empty() || !rng.chance(share)) continue;
    ++(is_covered(row) ? checked : not_covered)[row.at("format")];
    if (is_covered(row)) check_row(row);
  }
  for (const auto& [format, count] : checked) {
    std::printf("checked %d histories in format %s\n", count, format.c_str());
  }
  for (const auto& [format, count] : not_covered) {
    std::printf("not yet covered: %d in format %s\n", count, format.c_str());
  }
}

}  // namespace
}  // namespace isolde

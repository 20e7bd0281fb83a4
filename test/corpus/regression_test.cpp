// Small histories with known verdicts: those that once went wrong (regressions/*.jsonl, the
// header's "expect" has the verdict of every level and "why" the story). Method: decide all
// levels, verify every proof, compare with the expectation and with the brute-force oracle.
#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "certify/verify.hpp"
#include "check/check.hpp"
#include "io/reader.hpp"
#include "isolde/history_builder.hpp"
#include "oracle/brute.hpp"
#include "support/source_dir.hpp"

namespace isolde {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

History parse(const std::string& text) {
  io::Inputs inputs;
  inputs.name = "example";
  inputs.files.push_back(io::Input::padded("example", text));
  base::Budget budget;
  Result<History> history = io::find_format("native")->read(inputs, budget);
  EXPECT_TRUE(history.ok()) << history.error().message;
  return history.ok() ? std::move(history).value() : *HistoryBuilder().finish();
}

/// Values that were written more than once leave room between the oracle and the engine.
bool agrees_with_oracle(const History& history, const LevelReport& level) {
  if (level.verdict == Verdict::kUnknown || level.verdict == Verdict::kNotApplicable) {
    return true;
  }
  return oracle::brute_force_holds(history, level.level, 0) ==
         (level.verdict == Verdict::kHolds);
}

/// Decides all levels; every verdict is verified and compared with the oracle.
CheckReport examine(const History& history) {
  base::Budget budget;
  CheckReport report = check(history, {}, budget);
  for (const LevelReport& level : report.levels) {
    EXPECT_TRUE(agrees_with_oracle(history, level)) << info(level.level).name;
    if (level.verdict != Verdict::kHolds && level.verdict != Verdict::kViolated) continue;
    Certificate certificate{level.level, history.digest(), 0, report.proofs[level.proof]};
    certificate.sums = sums_of(report, level);
    const certify::VerifyResult verified = certify::verify(history, certificate);
    EXPECT_TRUE(verified.proves) << info(level.level).name << ": " << verified.reason;
  }
  return report;
}

/// The header's "expect" as pairs of level and verdict names.
std::vector<std::pair<std::string, std::string>> expectations(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  simdjson::dom::parser parser;
  simdjson::dom::object expect;
  const std::string header = text.substr(0, text.find('\n'));
  EXPECT_FALSE(parser.parse(header)["expect"].get(expect));
  for (const auto field : expect) {
    pairs.emplace_back(std::string(field.key), std::string(field.value.get_c_str().value()));
  }
  return pairs;
}

TEST(Regressions, StayFixed) {
  std::vector<fs::path> files;
  const fs::path folder = fs::path(support::source_dir()) / "test/corpus/regressions";
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const std::string text = read_file(file);
    const CheckReport report = examine(parse(text));
    const auto expected = expectations(text);
    EXPECT_GE(expected.size(), 8U);  // the oracle has a word on all of them
    for (const auto& [level_name, verdict] : expected) {
      const auto level = find_level(level_name);
      ASSERT_TRUE(level.has_value()) << level_name;
      const LevelReport& got = report.levels[static_cast<std::size_t>(*level)];
      EXPECT_EQ(name(got.verdict), verdict) << level_name << ": " << got.reason;
    }
  }
}

}  // namespace
}  // namespace isolde

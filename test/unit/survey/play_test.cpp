// Goal: a scenario is played, judged by what was recorded, and leaves nothing behind; a load
// adds what its history says. Method: SQLite, whose settings give one cell of each kind, and
// others that lie.
#include "survey/play.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "certify/certificate_io.hpp"
#include "certify/verify.hpp"
#include "io/reader.hpp"
#include "survey/load.hpp"
#include "survey/proofs.hpp"
#include "survey/survey.hpp"

namespace isolde::survey {
namespace {

class PlayTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!db::find_database("sqlite")) GTEST_SKIP() << "this build has no driver for SQLite";
    std::string pattern = testing::TempDir() + "isolde-survey-XXXXXX";
    folder_ = mkdtemp(pattern.data());
    scenarios_ = all_scenarios(true).value();
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  Stage stage(std::string isolation) const {
    Stage stage{.info = **db::find_database("sqlite"),
                .open =
                    [isolation](bool with_index) {
                      db::OpenOptions options;
                      options.isolation = isolation;
                      return db::open_database(with_index ? "sqlite:?index=1" : "sqlite:",
                                               options);
                    },
                .source = "sqlite:",
                .version = "SQLite",
                .isolation = isolation,
                .promised = {},
                .folder = folder_};
    return stage;
  }
  Cell played(const std::string& column, const Stage& stage) {
    const auto scenario = std::ranges::find(scenarios_, column, &Scenario::column);
    Result<Cell> cell = play(*scenario, stage, findings_, budget_);
    EXPECT_TRUE(cell.ok()) << cell.error().message;
    return cell ? std::move(cell).value() : Cell();
  }

  std::filesystem::path folder_;
  std::vector<Scenario> scenarios_;
  Findings findings_;
  base::Budget budget_;
};

TEST_F(PlayTest, AnAnomalyThatOccursHasAProof) {
  const Cell cell = played("G1a", stage("read-uncommitted"));
  EXPECT_EQ(cell.finding.outcome, Outcome::kOccurs);
  ASSERT_TRUE(cell.violation);
  EXPECT_EQ(cell.violation->anomaly, "aborted read");
  EXPECT_EQ(cell.violation->level, Level::kReadCommitted);
  EXPECT_NE(cell.violation->narrative.find("A:0"), std::string::npos);
  EXPECT_EQ(findings_.verdict(Level::kReadCommitted), Findings::Verdict::kViolated);
  EXPECT_TRUE(std::filesystem::exists(cell.history));
  EXPECT_TRUE(std::filesystem::exists(cell.steps));
}

// Goal: what is told of a cell is proved beside it: the level that forbids the anomaly, and the
// promised one, by certificates that can be read again and verify.
TEST_F(PlayTest, EachVerdictHasItsProofInAFile) {
  Stage promising = stage("read-uncommitted");
  promising.promised = Level::kReadUncommitted;
  for (const char* const column : {"G0", "G1a", "P4"}) {
    const Cell cell = played(column, promising);
    const auto scenario = std::ranges::find(scenarios_, column, &Scenario::column);
    const Result<History> history = io::read_history(cell.history.string(), "native", budget_);
    ASSERT_TRUE(history.ok());
    std::vector<Level> proved;
    for (const ProofFile& proof : cell.proofs) {
      const Result<Certificate> certificate =
          certify::read_certificate(proof.certificate.string(), *history);
      ASSERT_TRUE(certificate.ok()) << certificate.error().message;
      EXPECT_EQ(certificate->level, proof.level);
      EXPECT_EQ(proof.certificate.parent_path(), cell.history.parent_path());
      EXPECT_EQ(certify::verify(*history, *certificate).reason, "");
      proved.push_back(proof.level);
    }
    std::vector<Level> expected = scenario->forbidden_by;
    if (std::ranges::count(expected, Level::kReadUncommitted) == 0) {
      expected.push_back(Level::kReadUncommitted);
    }
    EXPECT_EQ(proved, expected);
    EXPECT_EQ(proof_of(*scenario, cell)->verdict == Verdict::kViolated,
              cell.finding.outcome == Outcome::kOccurs);
  }
}

// Goal: a column with an index is played with it, and no other is. Method: whether the database
// was opened so, and what the history says of its source.
TEST_F(PlayTest, AnIndexIsThereWhereTheColumnSaysSo) {
  const Stage plain = stage("read-uncommitted");
  int opened = 0;
  int with_index = 0;
  Stage counting = plain;
  counting.open = [&](bool has_index) {
    ++(has_index ? with_index : opened);
    return plain.open(has_index);
  };
  EXPECT_EQ(played("PMP", counting).finding.outcome, Outcome::kOccurs);
  EXPECT_GT(opened, 0);
  EXPECT_EQ(with_index, 0);
  opened = 0;
  const Cell cell = played("PMP index", counting);
  EXPECT_EQ(cell.finding.outcome, Outcome::kOccurs);
  EXPECT_GT(with_index, 0);
  EXPECT_EQ(opened, 0);
  EXPECT_EQ(cell.history.filename(), "pmp-index.jsonl");
  std::string header;
  std::getline(std::ifstream(cell.history) >> std::ws, header);
  EXPECT_NE(header.find(R"("source":"sqlite:?index=1")"), std::string::npos) << header;
}

TEST_F(PlayTest, WhatWasPreventedSaysHow) {
  EXPECT_EQ(played("G1a", stage("deferred")).finding.outcome, Outcome::kConsistent);
  EXPECT_EQ(played("G1a", stage("serializable")).finding.outcome, Outcome::kBlocked);
  EXPECT_EQ(played("P4", stage("deferred")).finding.outcome, Outcome::kAborted);
}

TEST_F(PlayTest, ABrokenPromiseIsToldOfTheFirstHistory) {
  Stage promising = stage("read-uncommitted");
  promising.promised = Level::kReadCommitted;
  played("G1a", promising);
  played("G1b", promising);
  ASSERT_TRUE(findings_.breach);
  EXPECT_EQ(findings_.breach->where, "G1a");
  EXPECT_EQ(findings_.breach->history, folder_ / "g1a.jsonl");
  EXPECT_TRUE(findings_.breach->statement.starts_with("aborted read: "));
}

TEST_F(PlayTest, WithoutListsNothingIsPlayedThatNeedsThem) {
  db::DatabaseInfo info = **db::find_database("sqlite");
  info.capabilities.lists = false;
  const Stage from = stage("deferred");
  const Stage poor{info, from.open, "", "", "deferred", {}, false, from.step_wait, folder_};
  const Cell cell = played("G0", poor);
  EXPECT_EQ(cell.finding.outcome, Outcome::kNotPlayed);
  EXPECT_EQ(cell.transcript, "");
  EXPECT_EQ(loads_of(info).front(), gen::Workload("rw-register"));
}

TEST_F(PlayTest, ALoadAddsWhatItsHistorySays) {
  const Result<Load> load =
      run_load(gen::Workload("lost-update"), 0.3, 1, stage("serializable"), findings_, budget_);
  ASSERT_TRUE(load.ok()) << load.error().message;
  EXPECT_GT(load->committed, 0U);
  EXPECT_EQ(load->stopped, "");
  EXPECT_TRUE(load->proofs.empty());  // nothing is promised
  EXPECT_NE(findings_.verdict(Level::kSerializable), Findings::Verdict::kViolated);
  EXPECT_NE(findings_.verdict(Level::kSerializable), Findings::Verdict::kOpen);
}

}  // namespace
}  // namespace isolde::survey

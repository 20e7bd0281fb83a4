// Goal: what a survey tells in text and as JSON follows from its cells, and says no more than
// they do. Method: cells made up by hand.
#include "survey/survey.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace isolde::survey {
namespace {

Scenario scenario(std::string column, std::string plain) {
  Scenario made;
  made.name = column;
  made.column = std::move(column);
  made.plain = std::move(plain);
  made.forbidden_by = {Level::kReadCommitted};
  made.steps = "\nA: begin\n";
  return made;
}

Cell cell(Outcome outcome, std::string message = "") {
  Cell made;
  made.finding = {outcome, "step 1, so it was", std::move(message)};
  made.transcript = "  1  A  begin\n";
  made.history = "kept/x.jsonl";
  made.steps = "kept/it's.steps";
  made.proofs = {{Level::kReadCommitted,
                  outcome == Outcome::kOccurs ? Verdict::kViolated : Verdict::kHolds,
                  "kept/x.read-committed.certificate"},
                 {Level::kSerializable, Verdict::kViolated, "kept/x.serializable.certificate"}};
  if (outcome == Outcome::kOccurs) {
    made.violation = Violation{Level::kReadCommitted, "lost update", "lost update (G-single)",
                               "A and B", "told at length"};
  }
  return made;
}

class SurveyTest : public testing::Test {
 protected:
  SurveyTest() {
    survey_.product = "postgres";
    survey_.version = "PostgreSQL 15";
    survey_.scenarios = {scenario("G1a", "dirty reads"), scenario("G1b", "dirty reads"),
                         scenario("P4", "lost updates")};
    Setting& setting = survey_.settings.emplace_back();
    setting.name = "read-committed";
    setting.cells = {cell(Outcome::kConsistent), cell(Outcome::kBlocked),
                     cell(Outcome::kOccurs)};
  }
  Setting& setting() { return survey_.settings.front(); }
  std::string sentence() { return plain_sentence(survey_, setting()); }

  Survey survey_;
};

TEST_F(SurveyTest, TheSentenceNamesWhatOccursAndWhatWasPrevented) {
  EXPECT_EQ(sentence(), "At read-committed: lost updates occur; dirty reads were prevented.");
  setting().cells[1] = cell(Outcome::kOccurs);
  EXPECT_EQ(sentence(), "At read-committed: dirty reads and lost updates occur.");
}

// One form of it was prevented, and of the other nothing is known.
TEST_F(SurveyTest, TheSentenceIsSilentOnWhatWasNotShown) {
  setting().cells[1] = cell(Outcome::kNotPlayed);
  EXPECT_EQ(sentence(), "At read-committed: lost updates occur.");
  setting().cells[2] = cell(Outcome::kOther);
  EXPECT_EQ(sentence(), "At read-committed: what was played shows nothing.");
  setting().cells.clear();
  EXPECT_EQ(sentence(), "At read-committed: nothing was played.");
}

TEST_F(SurveyTest, WhatIsAbortedIsToBeRunAgain) {
  EXPECT_EQ(retry_sentence(setting()), "");
  setting().cells[0] = cell(Outcome::kAborted, "no (SQLSTATE 40001)");
  setting().cells[1] = cell(Outcome::kDeadlock, "deadlock detected");
  setting().cells.push_back(cell(Outcome::kAborted, "transaction 12 (SQLSTATE 40001)"));
  setting().cells.push_back(cell(Outcome::kAborted, "transaction 13 (SQLSTATE 40001)"));
  EXPECT_EQ(retry_sentence(setting()),
            "Run a transaction again that the database aborts because of a deadlock, no "
            "(SQLSTATE 40001) or transaction # (SQLSTATE 40001).");
}

TEST_F(SurveyTest, TheWorstThatOccursIsToldWithItsRemedy) {
  EXPECT_NE(meaning_of(setting()).find("deposits is gone"), std::string::npos);
  EXPECT_NE(remedy_of(survey_, setting()).find("REPEATABLE READ"), std::string::npos);
  setting().promised = Level::kSerializable;
  EXPECT_NE(remedy_of(survey_, setting()).find("it is a defect"), std::string::npos);
  setting().cells[2] = cell(Outcome::kConsistent);
  EXPECT_EQ(meaning_of(setting()), "");
  EXPECT_EQ(remedy_of(survey_, setting()), "");
}

TEST_F(SurveyTest, TheTableHasARowForEachSetting) {
  const std::string text = to_text(survey_, {});
  EXPECT_NE(text.find("                G1a    G1b      P4\n"
                      "read-committed  clean  blocked  occurs\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n  P4   occurs: step 1, so it was\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("isolde check"), std::string::npos);
}

TEST_F(SurveyTest, WhatWasKeptCanBeCheckedAndPlayedAgain) {
  const Commands commands{true, "--server postgres"};
  EXPECT_EQ(check_command(survey_.scenarios[2], setting().cells[2], commands),
            "isolde check --level read-committed kept/x.jsonl");
  Scenario& played = survey_.scenarios[2];
  EXPECT_EQ(replay_command(played, setting(), setting().cells[2], commands),
            "isolde replay --server postgres --isolation read-committed 'kept/it'\\''s.steps'");
  played.has_index = true;
  EXPECT_EQ(replay_command(played, setting(), setting().cells[2], commands),
            "isolde replay --server postgres --param index=1 --isolation read-committed "
            "'kept/it'\\''s.steps'");
  played.has_index = false;
  const std::string verify = "isolde verify kept/x.read-committed.certificate kept/x.jsonl\n";
  const std::string text = to_text(survey_, commands);
  EXPECT_NE(text.find("isolde replay"), std::string::npos);
  EXPECT_NE(text.find(verify), std::string::npos) << text;
  EXPECT_EQ(text.find("x.serializable"), std::string::npos) << text;
  setting().cells[2].transcript.clear();  // not played
  EXPECT_EQ(check_command(survey_.scenarios[2], setting().cells[2], commands), "");
}

TEST_F(SurveyTest, ABrokenPromiseNamesItsHistory) {
  setting().promised = Level::kReadCommitted;
  setting().findings.breach = Breach{"G1a", "aborted read: so it was", "kept/g1a.jsonl"};
  EXPECT_EQ(breach_command(setting(), {}), "");
  EXPECT_EQ(breach_command(setting(), {true, "--db x"}),
            "isolde check --level read-committed kept/g1a.jsonl");
  const auto json = nlohmann::json::parse(to_json(survey_, {true, "--db x"}));
  EXPECT_EQ(json["settings"][0]["promise"]["check"],
            breach_command(setting(), {true, "--db x"}));
  EXPECT_TRUE(json["settings"][0]["promise"]["verify"].is_null());  // no cell has that history
}

// Of a cell, of a load, and of nothing that is not kept.
TEST_F(SurveyTest, ABrokenPromiseNamesItsProof) {
  const Commands commands{true, "--db x"};
  setting().promised = Level::kSerializable;
  setting().findings.breach = Breach{"G1a", "aborted read: so it was", "kept/x.jsonl"};
  EXPECT_EQ(breach_proof_command(setting(), commands),
            "isolde verify kept/x.serializable.certificate kept/x.jsonl");
  EXPECT_EQ(breach_proof_command(setting(), {}), "");
  EXPECT_NE(to_text(survey_, commands).find("    isolde verify kept/x.serializable"),
            std::string::npos);
  Load& load = setting().loads.emplace_back();
  load.history = setting().findings.breach->history = "kept/load.jsonl";
  load.proofs = {{Level::kSerializable, Verdict::kViolated, "kept/load.certificate"}};
  EXPECT_EQ(breach_proof_command(setting(), commands),
            "isolde verify kept/load.certificate kept/load.jsonl");
}

TEST_F(SurveyTest, PagesLinkWhatProvesThem) {
  setting().loads.resize(1);
  setting().loads[0].history = "kept/1-read-committed/load.jsonl";
  setting().loads[0].proofs = {{Level::kSerializable, Verdict::kHolds, "kept/1/a.certificate"}};
  const std::vector<Page> pages = to_pages(survey_, {true, "--db x"});
  ASSERT_EQ(pages.size(), 4U);
  EXPECT_EQ(pages[3].name, "1-read-committed/P4.html");
  const auto links = [&](std::size_t page, const char* pointer) {
    std::string text;
    const auto json = nlohmann::json::parse(pages[page].json);
    for (const auto& link : json.at(nlohmann::json::json_pointer(pointer))) {
      text += link["to"].get<std::string>() + ": " + link["text"].get<std::string>() + "\n";
    }
    return text;
  };
  EXPECT_EQ(links(3, "/page/files"),
            "x.jsonl: the history\n"
            "it's.steps: its steps\n"
            "x.read-committed.certificate: the proof that it violates read-committed\n"
            "x.serializable.certificate: the proof that it violates serializable\n");
  EXPECT_EQ(links(0, "/settings/0/loads/0/files"),
            "1-read-committed/load.jsonl: the history\n"
            "1-read-committed/a.certificate: the proof that it satisfies serializable\n");
  EXPECT_TRUE(links(3, "/settings/0/loads/0/files").starts_with("../1-read-committed/load"));
}

// The scenarios prevent all, and random transactions show that the promise is broken.
TEST_F(SurveyTest, WhatALoadShowsIsToldAndExplained) {
  setting().promised = Level::kSerializable;
  setting().cells[2] = cell(Outcome::kBlocked);
  setting().findings.breach = Breach{"list-append", "anti-dependency cycle: so it was", "x",
                                     Level::kSerializable, "anti-dependency cycle"};
  EXPECT_EQ(sentence(),
            "At read-committed: transactions that cannot have run one after the other "
            "(anti-dependency cycles) occur in list-append; in the scenarios dirty reads and "
            "lost updates were prevented.");
  EXPECT_NE(meaning_of(setting()).find("three doctors"), std::string::npos);
  EXPECT_NE(remedy_of(survey_, setting()).find("it is a defect"), std::string::npos);
  setting().findings.breach->anomaly = "lost update";
  EXPECT_EQ(
      sentence(),
      "At read-committed: lost updates occur in list-append; in the scenarios dirty reads "
      "were prevented.");
}

TEST_F(SurveyTest, WhatIsPromisedOfOneServerNeedsOne) {
  setting().name = "repeatable-read";
  setting().cells[2].violation->anomaly = "write skew";
  setting().cells[2].violation->level = Level::kSerializable;
  EXPECT_TRUE(remedy_of(survey_, setting()).starts_with("use SERIALIZABLE"));
  survey_.servers = explain::Servers::kSeveral;
  EXPECT_TRUE(remedy_of(survey_, setting())
                  .starts_with("send all transactions to one server, and use SERIALIZABLE"));
}

TEST_F(SurveyTest, IsCompleteWhereAllWasPlayedAndDecided) {
  EXPECT_TRUE(survey_.is_complete());
  setting().promised = Level::kReadCommitted;
  EXPECT_FALSE(survey_.is_complete());
  EXPECT_FALSE(survey_.breaks_promise());
  setting().promised.reset();
  setting().cells[0] = cell(Outcome::kNotPlayed);
  EXPECT_FALSE(survey_.is_complete());
  setting().cells[0].transcript.clear();  // it could not be, here
  EXPECT_TRUE(survey_.is_complete());
  setting().cells.pop_back();
  EXPECT_FALSE(survey_.is_complete());
}

TEST_F(SurveyTest, TheSameAsJson) {
  const auto json = nlohmann::json::parse(to_json(survey_, {}));
  const auto& row = json["settings"][0];
  EXPECT_EQ(row["cells"][2]["outcome"], "occurs");
  EXPECT_EQ(row["cells"][2]["violation"]["level"], "read-committed");
  EXPECT_TRUE(row["cells"][2]["check"].is_null());
  EXPECT_TRUE(row["cells"][0]["violation"].is_null());
  EXPECT_TRUE(row["cells"][0]["certificates"].empty());  // nothing is kept
  const auto kept = nlohmann::json::parse(to_json(survey_, {true, "--db x"}));
  EXPECT_EQ(kept["settings"][0]["cells"][0]["certificates"][0]["verdict"], "holds");
  EXPECT_EQ(kept["settings"][0]["cells"][2]["certificates"][0]["verdict"], "violated");
  EXPECT_EQ(row["summary"], sentence());
  EXPECT_TRUE(row["promise"]["verdict"].is_null());
  EXPECT_EQ(json["scenarios"][0]["steps"], "A: begin\n");
}

TEST(FileName, HoldsNothingThatAPathWouldTakeForMore) {
  EXPECT_EQ(file_name("read-committed"), "read-committed");
  EXPECT_EQ(file_name("../a b"), "___a_b");
}

}  // namespace
}  // namespace isolde::survey

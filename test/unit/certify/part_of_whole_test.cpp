// What is taken for a part of a larger history, and what is not: each thing that a part says is
// changed in turn. Bundles and archives as watch writes them are the subject of
// test/cli/archive_bundle_test.py.
#include "certify/part_of_whole.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "unit/io/io_inputs.hpp"

namespace isolde::certify {
namespace {

History history_of(const std::string& text) {
  Result<History> history = io::read_native_text(text);
  EXPECT_TRUE(history.ok()) << history.error().message;
  return history ? std::move(history).value() : History();
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

const std::string kHeader = R"({"isolde":2,"kind":"history","initial":[["x",1],["l",["e1"]]]})"
                            "\n";

/// Whose second part begins at number 3.
const std::string kFirst =
    kHeader + R"({"session":"a","start":1,"end":2,"ops":[["w","x",2],["append","l","e2"]]}
{"session":"b","start":3,"end":4,"ops":[["w","y",7],["append","l","e3"],["r","z",null]]}
{"session":"a","start":5,"end":6,"status":"aborted","ops":[["w","y",8],["append","l","e9"]]}
)";
const std::string kSecond =
    R"({"isolde":1,"kind":"history"}
{"session":"b","start":7,"end":8,"ops":[["w","x",3],["append","l","e4"]]}
{"session":"c","start":9,"end":10,"ops":[["r","x",2],["r","y",7],["r","l",["e1","e2","e3","e4"]],["r","z",null]]}
)";

/// Without the second transaction: what it wrote is left out of the list, and of what was read.
const std::string kPart =
    kHeader +
    R"({"session":"a","start":1,"end":2,"id":1,"ops":[["w","x",2],["append","l","e2"]]}
{"session":"b","start":7,"end":8,"id":4,"ops":[["w","x",3],["append","l","e4"]]}
{"session":"c","start":9,"end":10,"id":5,"ops":[["r","x",2],["r","y"],["r","l",["e1","e2","e4"]],["r","z",null]]}
)";

std::string objection(const std::string& part, const std::string& first = kFirst,
                      const std::string& second = kSecond) {
  const History history = history_of(part);
  PartOfWhole held(history);
  const History one = history_of(first);
  held.take(one, 0);
  held.take(history_of(second), one.txn_count());
  held.finish();
  return held.objection();
}

std::string objection_to(const std::string& what, const std::string& with) {
  return objection(replaced(kPart, what, with));
}

TEST(PartOfWhole, TakesTransactionsWithLessOfWhatTheyRead) {
  EXPECT_EQ(objection(kPart), "");
  EXPECT_EQ(objection_to(R"(["r","x",2])", R"(["r","x"])"), "");
  EXPECT_EQ(objection_to(R"(["r","z",null])", R"(["r","z"])"), "");
  EXPECT_EQ(objection_to(R"(["r","l",["e1","e2","e4"]])", R"(["r","l"])"), "");
  const History whole = history_of(kPart);
  PartOfWhole held(whole);
  held.take(history_of(kFirst), 0);
  held.take(history_of(kSecond), 3);
  held.finish();
  EXPECT_EQ(held.found(), 3U);
  EXPECT_EQ(held.not_kept(), 0U);
}

std::string another(const std::string& txn, const std::string& what) {
  return txn + " has " + what + " in the archive";
}

TEST(PartOfWhole, TransactionsAreTheSame) {
  EXPECT_EQ(objection_to(R"("session":"b")", R"("session":"d")"),
            another("#4", "another session"));
  EXPECT_EQ(objection_to(R"("end":8)", R"("end":9)"), another("#4", "other times"));
  EXPECT_EQ(objection_to(R"("start":9)", R"("start":8)"), another("#5", "other times"));
  EXPECT_EQ(objection_to(R"("id":4)", R"("id":4,"status":"indeterminate")"),
            another("#4", "another outcome"));
  EXPECT_EQ(objection_to(R"("id":4)", R"("id":4,"level":"serializable")"),
            another("#4", "another level or other database times"));
  EXPECT_EQ(objection_to(R"(["w","x",3],)", ""), another("#4", "another number of operations"));
  const std::string written = another("#4", "another operation 1");
  const std::string set = R"(["w","x",3])";
  EXPECT_EQ(objection_to(set, R"(["w","x",4])"), written);
  EXPECT_EQ(objection_to(set, R"(["w","x","3"])"), written);
  EXPECT_EQ(objection_to(set, R"(["w","u",3])"), written);
  EXPECT_EQ(objection_to(set, R"(["r","x",3])"), written);
  EXPECT_EQ(objection_to(set, R"(["r","x"])"), written);
  EXPECT_EQ(objection(replaced(kPart, set, R"(["w","m",3])"), kFirst,
                      replaced(kSecond, set, R"(["append","m",3])")),
            written);
  const std::string read = another("#5", "another operation 1");
  EXPECT_EQ(objection_to(R"(["r","x",2])", R"(["r","x",3])"), read);
  EXPECT_EQ(objection_to(R"(["r","x",2])", R"(["r","x",null])"), read);
  EXPECT_EQ(objection_to(R"(["r","z",null])", R"(["r","z",5])"),
            another("#5", "another operation 4"));
}

TEST(PartOfWhole, WhatWasNotLearnedIsNotTold) {
  EXPECT_EQ(objection(kPart, kFirst, replaced(kSecond, R"(["r","z",null])", R"(["r","z"])")),
            another("#5", "another operation 4"));
}

TEST(PartOfWhole, ListsLackWhatOthersAppendedAlone) {
  const std::string third = another("#5", "another operation 3");
  const std::string told = R"(["e1","e2","e4"])";
  EXPECT_EQ(objection_to(told, R"(["e1","e2"])"), third);
  EXPECT_EQ(objection_to(told, R"(["e2","e4"])"), third);
  EXPECT_EQ(objection_to(told, R"(["e1","e4","e2"])"), third);
  EXPECT_EQ(objection_to(told, R"(["e1","e2","e4","e5"])"), third);
  EXPECT_EQ(objection_to(told, R"([])"), third);
  EXPECT_EQ(objection(replaced(kPart, R"(["r","y"])", R"(["r","y",[7]])"),
                      replaced(kFirst, R"(["w","y",7])", R"(["w","y",6])")),
            another("#5", "another operation 2"));
  EXPECT_EQ(objection_to(told, R"(["e1","e2","e3","e4"])"),
            "#2, which is not in the bundle, wrote \"e3\" of l, which #5 has read");
}

TEST(PartOfWhole, WhatWasReadNobodyElseWrote) {
  EXPECT_EQ(objection_to(R"(["r","y"])", R"(["r","y",7])"),
            "#2, which is not in the bundle, wrote 7 of y, which #5 has read");
  // Who aborted wrote nothing that others can read.
  const std::string second = replaced(kSecond, R"(["r","y",7])", R"(["r","y",8])");
  EXPECT_EQ(objection(replaced(kPart, R"(["r","y"])", R"(["r","y",8])"), kFirst, second), "");
  EXPECT_EQ(objection(replaced(kPart, R"(["r","y"])", R"(["r","y",8])"),
                      replaced(kFirst, "aborted", "indeterminate"), second),
            "#3, which is not in the bundle, wrote 8 of y, which #5 has read");
}

TEST(PartOfWhole, KeysHeldTheSameAtTheStart) {
  EXPECT_EQ(objection_to(R"(["x",1])", R"(["x",5])"),
            "x held something else at the start than the bundle says");
  EXPECT_EQ(objection_to(R"(["e1"]])", R"(["e1","e2"]])"),
            "l held something else at the start than the bundle says");
  EXPECT_EQ(objection_to(R"(["x",1])", R"(["x",1],["z",5])"),
            "z held nothing at the start, and the bundle says that it did");
  const std::string none = replaced(kPart, R"(["x",1],)", "");
  EXPECT_EQ(objection(none), "");
  EXPECT_EQ(objection(replaced(none, R"(["r","x",2])", R"(["r","x",1])"), kFirst,
                      replaced(kSecond, R"(["r","x",2])", R"(["r","x",1])")),
            "x held 1 at the start, which #5 has read and the bundle does not tell");
  EXPECT_EQ(objection(kPart, replaced(kFirst, R"(["x",1],)", "")),
            "x held nothing at the start, and the bundle says that it did");
}

TEST(PartOfWhole, NumbersAreThoseOfTheWhole) {
  EXPECT_EQ(objection_to(R"("id":5)", R"("id":6)"),
            "#6 is not in the archive, which has 5 transactions");
  EXPECT_EQ(objection_to(R"("id":4)", R"("id":5)"),
            "#5 stands behind #5, against the order of numbers");
  EXPECT_EQ(objection_to(R"("id":1)", R"("id":5)"),
            "#4 stands behind #5, against the order of numbers");
  const std::string none =
      "its transactions have no numbers (\"id\") by which they could be found there";
  EXPECT_EQ(objection_to(R"("id":4,)", ""), none);
  EXPECT_EQ(objection_to(R"("id":4)", R"("id":"4")"), none);
  EXPECT_EQ(objection_to(R"("id":1)", R"("id":0)"), none);
  EXPECT_EQ(objection("{\"isolde\":1,\"kind\":\"history\"}\n"), "it has no transactions");
}

/// The first part was deleted, and registers held that behind it.
std::string objection_behind(const std::string& registers, const std::string& part = kPart,
                             const std::string& second = kSecond) {
  const History history = history_of(part);
  PartOfWhole held(history);
  held.take_start(history_of(R"({"isolde":2,"kind":"history","initial":)" + registers + "}\n"),
                  3);
  held.take(history_of(second), 3);
  held.finish();
  EXPECT_TRUE(!held.objection().empty() || held.found() == 2);
  EXPECT_TRUE(!held.objection().empty() || held.not_kept() == 1);
  return held.objection();
}

TEST(PartOfWhole, WhatWasDeletedIsNotHeldAgainstIt) {
  EXPECT_EQ(objection_behind(R"([["x",2],["y",7]])"), "");
  EXPECT_EQ(objection_behind(R"([["x",2],["y",7]])",
                             replaced(kPart, R"(["r","y"])", R"(["r","y",7])")),
            "y held 7 where the files begin that were kept, so somebody who is not in the "
            "bundle wrote what #5 has read");
  EXPECT_EQ(
      objection_behind(R"([["x",2]])", kPart, replaced(kSecond, R"("end":8)", R"("end":9)")),
      another("#4", "other times"));
}

TEST(PartOfWhole, SomeOfItMustBeThere) {
  const History history = history_of(kPart);
  PartOfWhole held(history);
  held.take_start(History(), 5);
  held.finish();
  EXPECT_EQ(held.objection(), "all of its transactions were deleted from the archive");
}

TEST(PartOfWhole, OperationsOnOtherKeysAreLeftOut) {
  const std::string part = R"({"isolde":2,"kind":"history","initial":[["x",1]]}
{"session":"a","start":1,"end":2,"id":1,"ops":[["w","x",2]]}
{"session":"c","start":9,"end":10,"id":5,"ops":[["r","x",2]]}
)";
  const auto problem = [&](const std::string& keys) {
    const History history = history_of(part);
    PartOfWhole held(history);
    held.set_keys(keys);
    held.take(history_of(kFirst), 0);
    held.take(history_of(kSecond), 3);
    held.finish();
    return held.objection();
  };
  EXPECT_EQ(problem("x"), "");
  EXPECT_EQ(problem("[xw]"), "");
  EXPECT_EQ(problem("[xl]"), another("#1", "another number of operations"));
  EXPECT_EQ(problem(""), another("#1", "another number of operations"));
}

TEST(PartOfWhole, SelectionsAndIncrementsAreNotCompared) {
  EXPECT_EQ(objection_to(R"(["r","z",null])", R"(["inc","n",1])"),
            "selections and increments are not held against an archive");
}

}  // namespace
}  // namespace isolde::certify

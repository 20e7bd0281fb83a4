#include "explain/report_github.hpp"

#include <gtest/gtest.h>

#include "isolde/history_builder.hpp"
#include "unit/explain/histories.hpp"

namespace isolde::explain {
namespace {

/// write_skew() as a folder.
History write_skew_in_files() {
  HistoryBuilder builder;
  builder.origin().session_files = {{"A", "logs/A:1.log"}};
  const KeyId x = builder.key(builder.string("x"));
  const KeyId y = builder.key(builder.string("y"));
  for (const char* const session : {"A", "B"}) {
    builder.begin_txn(builder.session(session));
    builder.read(x, Value());
    builder.read(y, Value());
    const bool first = *session == 'A';
    builder.write(first ? x : y, Value::integer(first ? 1 : 2));
  }
  return std::move(builder.finish()).value();
}

// Goal: what was asked for and is violated is an error with its place; what is open a warning.
TEST(ReportGithub, AnnotatesStoriesAndOpenLevels) {
  const History history = write_skew_in_files();
  ReportModel input{history, {}, {}, {Level::kSerializable}, {}};
  input.levels = {{Level::kStrictSerializable, Verdict::kNotApplicable, "no times", {}, {}},
                  {Level::kSerializable,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, write_skew_proof())},
                  {Level::kSnapshotIsolation, Verdict::kUnknown, "timeout", {}, {}}};
  input.asked = true;
  EXPECT_EQ(
      to_annotations(input),
      "::error file=logs/A%3A1.log,title=Not serializable%3A write skew (G2-item)::"
      "write skew: A:0 read the initial value of y, which B:0 replaced by 2, but B:0 read the "
      "initial value of "
      "x, which A:0 replaced by 1.%0A"
      "A:0 < B:0, because A:0 read the initial value of y, which B:0 replaced by 2.%0A"
      "B:0 < A:0, because B:0 read the initial value of x, which A:0 replaced by 1.%0A"
      "That is: each of two transactions read what the other one was about to change, and "
      "neither saw the other's change; run one after the other, the second would have "
      "seen it.\n"
      "::warning title=Not decided%3A snapshot-isolation::timeout\n"
      "::notice title=Evidence::0 transactions took effect; transactions of different sessions "
      "met 0 times on a key that one of them wrote; 0 reads saw another session's write; 0 "
      "versions were replaced\n"
      "::warning title=Not applicable%3A strict-serializable::no times\n");
  input.asked = false;
  const std::string classified = to_annotations(input);
  EXPECT_TRUE(classified.starts_with("::warning file=logs/A%3A1.log,title=Not serializable"));
  EXPECT_EQ(classified.find("Not applicable"), std::string::npos);
}

// Goal: one who saw a transaction in part has no order of it, and its reason stands once.
TEST(ReportGithub, TellsOfAFracturedReadWithoutOrder) {
  const History history = fractured_read();
  ReportModel input{history, {}, {}, {Level::kReadAtomic}, {}};
  input.levels = {{Level::kReadAtomic,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, fractured_read_proof())}};
  const std::string text = to_annotations(input);
  EXPECT_TRUE(text.starts_with(
      "::warning title=Not read-atomic%3A fractured read (G-single)::fractured read: "
      "B:0 read the initial value of y, although A:0 wrote y = 1 and B:0 read x = 1 from "
      "A:0.%0A"
      "That is: "))
      << text;
}

TEST(ReportGithub, SaysThatARunStoppedOrBrokeItsPromise) {
  const History history = write_skew_in_files();
  ReportModel input{history, {}, {}, {}, {}};
  input.levels = {{Level::kSerializable,
                   Verdict::kViolated,
                   "",
                   {},
                   make_scenario(history, write_skew_proof())}};
  input.run.emplace();
  input.promise = Promise{"db", "best", Level::kSerializable, ""};
  input.run->stopped = "no space";
  const std::string text = to_annotations(input);
  EXPECT_NE(text.find("::error title=The run stopped early::no space\n"), std::string::npos);
  EXPECT_NE(text.find("::error title=Broken promise::db at best promises serializable: BROKEN"),
            std::string::npos);
}

// Goal: nothing in the text is a command, and the commands behind it are again.
TEST(ReportGithub, KeepsCommandsOutOfTheText) {
  const std::string text = without_commands("key\n::add-mask::x\n");
  const std::size_t end_of_line = text.find('\n');
  const std::string token = text.substr(17, end_of_line - 17);
  EXPECT_EQ(text, "::stop-commands::" + token + "\nkey\n::add-mask::x\n::" + token + "::\n");
  EXPECT_NE(without_commands("another").find("::stop-commands::"), std::string::npos);
  EXPECT_EQ(without_commands("another").find(token), std::string::npos);
}

TEST(ReportGithub, AnnotatesWhatCouldNotBeRead) {
  EXPECT_EQ(failure_annotation("a,b.jsonl", "a,b.jsonl:3: 100% wrong"),
            "::error file=a%2Cb.jsonl,title=Not checked::a,b.jsonl:3: 100%25 wrong\n");
  EXPECT_EQ(failure_annotation("-", "wrong"), "::error title=Not checked::wrong\n");
}

}  // namespace
}  // namespace isolde::explain

// Histories of recorders that died: the promise of an end line, and the folder FILE.inflight.
#include "io/leftovers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "history/inflight.hpp"
#include "io_inputs.hpp"
#include "temporary_folder.hpp"

namespace isolde::io {
namespace {

constexpr std::string_view kHeader = R"({"isolde":1,"kind":"history","ends":true})"
                                     "\n";
constexpr std::string_view kEnd = R"({"event":"end","at":9})"
                                  "\n";
constexpr std::string_view kLine = R"({"session":"a","start":1,"ops":[["w","x",1]],"end":2})"
                                   "\n";

std::string ledger(std::uint64_t slots, std::uint64_t stopped = 0) {
  inflight::Ledger record{};
  std::copy(inflight::kLedgerMagic.begin(), inflight::kLedgerMagic.end(), record.magic.begin());
  record.slots = slots;
  record.stopped = stopped;
  return std::string(reinterpret_cast<const char*>(&record), sizeof record);
}

std::string slot(std::uint64_t position, std::string_view text) {
  inflight::SlotHeader header{};
  std::copy(inflight::kSlotMagic.begin(), inflight::kSlotMagic.end(), header.magic.begin());
  header.position = position;
  header.length = text.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string(text) + "what stood here before";
}

Result<History> read(std::string_view main, const std::vector<std::string>& files) {
  Inputs inputs = inputs_of(main);
  inputs.leftovers.state = Leftovers::State::kRead;
  inputs.leftovers.name = "h.inflight";
  for (std::size_t i = 0; i < files.size(); ++i) {
    inputs.leftovers.files.push_back({"h.inflight/" + std::to_string(i), files[i]});
  }
  base::Budget budget;
  return read_native(inputs, budget);
}

History read_good(std::string_view main, const std::vector<std::string>& files) {
  Result<History> history = read(main, files);
  EXPECT_TRUE(history.ok()) << message_of(history);
  return std::move(history).value();
}

using Notes = std::vector<std::string>;

std::string join(std::string_view a, std::string_view b, std::string_view c = {}) {
  return std::string(a) + std::string(b) + std::string(c);
}

TEST(Ends, CompleteWithTheEndLine) {
  for (const std::string& text :
       {join(kHeader, kLine, kEnd), join(kHeader, kEnd), join(kHeader, kEnd, "\n \n"),
        join(kHeader, kLine, kEnd.substr(0, kEnd.size() - 1)),
        join(kHeader, R"({"at":1,"event" : "end" , "x":[1]})")}) {
    const auto history = read_native_text(text);
    ASSERT_TRUE(history.ok()) << message_of(history);
    EXPECT_FALSE(history->origin().truncated) << text;
    EXPECT_TRUE(history->origin().notes.empty()) << text;
  }
}

TEST(Ends, TruncatedWithoutTheEndLine) {
  for (const std::string& text :
       {std::string(kHeader), join(kHeader, kLine), join(kHeader, kEnd, kLine),
        join(kHeader, kLine, "{\"event\":\"fault\"}\n"), join(kHeader, "{\"event\":7}\n")}) {
    const auto history = read_native_text(text);
    ASSERT_TRUE(history.ok()) << message_of(history);
    EXPECT_TRUE(history->origin().truncated) << text;
    EXPECT_EQ(
        history->origin().notes,
        Notes{"the last line is not the {\"event\":\"end\"} that the header promises; the "
              "recorder seems to have stopped early"});
  }
}

TEST(Ends, OneNoteForALineThatIsCut) {
  const auto history = read_native_text(join(kHeader, kLine, kLine.substr(0, 20)));
  ASSERT_TRUE(history.ok()) << message_of(history);
  EXPECT_TRUE(history->origin().truncated);
  ASSERT_EQ(history->origin().notes.size(), 1U);
  EXPECT_EQ(history->origin().notes[0].substr(0, 17), "line 3 is cut off");
}

TEST(Ends, IsTrueOrFalse) {
  EXPECT_EQ(message_of(read_native_text(R"({"isolde":1,"kind":"history","ends":1})")),
            "h:1: \"ends\" is not true or false");
  const auto history = read_native_text(R"({"isolde":1,"kind":"history","ends":false})");
  ASSERT_TRUE(history.ok()) << message_of(history);
  EXPECT_FALSE(history->origin().truncated);
}

TEST(Leftovers, AreTakenInWithUnknownOutcome) {
  const History history =
      read_good(join(kHeader, kLine),
                {ledger(3), slot(1, R"({"session":"a","start":3,"ops":[)"), slot(0, ""),
                 slot(0, R"({"session":"b","start":4,"ops":[["r","x",1],["append","l",2])")});
  ASSERT_EQ(history.txn_count(), 3U);
  EXPECT_EQ(history.txn_name(TxnId(1)), "a:1");
  EXPECT_EQ(history.status(TxnId(1)), TxnStatus::kIndeterminate);
  EXPECT_EQ(history.times(TxnId(1)).start, 3);
  EXPECT_EQ(history.times(TxnId(1)).end, kNoTime);
  EXPECT_EQ(history.position_in_input(TxnId(1)), 0U);
  EXPECT_EQ(history.txn_name(TxnId(2)), "b:0");
  EXPECT_EQ(history.op_text(history.ops(TxnId(2))[1]), "append(l, 2)");
  EXPECT_FALSE(history.origin().truncated);
  EXPECT_EQ(history.origin().notes,
            Notes{"2 transactions were under way when the recorder stopped; taken from "
                  "h.inflight with unknown outcome"});
}

TEST(Leftovers, MayDeleteAndSelect) {
  const History history = read_good(
      R"({"isolde":2,"kind":"history","ends":true})"
      "\n",
      {ledger(1), slot(0, R"({"session":"a","ops":[["delete","x"],["select",{},[["y",1]]])")});
  ASSERT_EQ(history.txn_count(), 1U);
  EXPECT_TRUE(history.ops(TxnId(0))[0].is_delete());
  ASSERT_EQ(history.selections(TxnId(0)).size(), 1U);
  EXPECT_FALSE(history.origin().truncated);
}

TEST(Leftovers, AreTakenAsTheyAreWhenTheyHadEnded) {
  const std::string whole =
      R"({"session":"a","start":3,"ops":[["w","x","\u00e9"]],"status":"aborted","end":5})"
      "\n";
  for (const std::string& cut : {std::string(), whole.substr(0, 9)}) {
    const History history = read_good(join(kHeader, kLine, cut), {ledger(1), slot(1, whole)});
    ASSERT_EQ(history.txn_count(), 2U);
    EXPECT_EQ(history.status(TxnId(1)), TxnStatus::kAborted);
    EXPECT_EQ(history.times(TxnId(1)).end, 5);
    EXPECT_FALSE(history.origin().truncated);
    EXPECT_EQ(history.origin().notes,
              Notes{"1 transaction had just ended when the recorder stopped; taken from "
                    "h.inflight"});
  }
}

TEST(Leftovers, AreNotTakenTwice) {
  const std::string_view bare = kLine.substr(0, kLine.size() - 1);
  for (const std::string& text : {join(kHeader, kLine), join(kHeader, bare)}) {
    const History history = read_good(text, {ledger(1), slot(0, kLine)});
    EXPECT_EQ(history.txn_count(), 1U);
    EXPECT_FALSE(history.origin().truncated);
    EXPECT_EQ(history.origin().notes,
              Notes{"the recorder stopped early, with no transaction under way; none is "
                    "missing"});
  }
}

TEST(Leftovers, AreNotLookedAtWhenNothingIsMissing) {
  const History complete = read_good(join(kHeader, kLine, kEnd), {"broken"});
  EXPECT_FALSE(complete.origin().truncated);
  const History promises_nothing =
      read_good("{\"isolde\":1,\"kind\":\"history\"}\n", {"broken"});
  EXPECT_FALSE(promises_nothing.origin().truncated);
}

TEST(Leftovers, ShowWhatIsMissingAllTheSame) {
  const std::string open = R"({"session":"a","start":3,"ops":[["w","x",2])";
  const History stopped = read_good(join(kHeader, kLine), {ledger(1, 1), slot(1, open)});
  EXPECT_TRUE(stopped.origin().truncated);
  EXPECT_EQ(stopped.txn_count(), 2U);
  EXPECT_EQ(stopped.origin().notes[1],
            "the recorder stopped at an error, such as a full disk; what followed is missing");

  const History gap = read_good(join(kHeader, kLine), {ledger(1), slot(2, open)});
  EXPECT_TRUE(gap.origin().truncated);
  EXPECT_EQ(gap.txn_count(), 2U);
  EXPECT_EQ(gap.origin().notes[1],
            "the file lacks transactions that stood before those; it seems to be cut off");

  // A cut line of which no slot knows.
  const History cut =
      read_good(join(kHeader, kLine, R"({"session":"b")"), {ledger(1), slot(1, open)});
  EXPECT_TRUE(cut.origin().truncated);
  EXPECT_EQ(cut.txn_count(), 2U);
  // An event that is cut is no loss.
  const History event = read_good(join(kHeader, kLine, R"({"event":"fau)"), {ledger(0)});
  EXPECT_FALSE(event.origin().truncated);
}

TEST(Leftovers, OfAnotherTimeAreLeftOut) {
  Inputs inputs = inputs_of(join(kHeader, kLine));
  inputs.leftovers.name = "h.inflight";
  base::Budget budget;
  for (const auto state : {Leftovers::State::kInUse, Leftovers::State::kOtherRun}) {
    inputs.leftovers.state = state;
    const auto history = read_native(inputs, budget);
    ASSERT_TRUE(history.ok()) << message_of(history);
    EXPECT_TRUE(history->origin().truncated);
    ASSERT_EQ(history->origin().notes.size(), 2U);
  }
}

struct Broken {
  std::vector<std::string> files;
  std::string_view problem;
};

TEST(Leftovers, SayWhereTheyAreBroken) {
  const std::string advice =
      "; the folder h.inflight holds the transactions that were under way when the "
      "recorder died; without it the history can be read as one that is cut off";
  std::string too_long = slot(0, "{}");
  too_long.resize(65);
  const Broken cases[] = {
      {{"IsoldeL2 and more"},
       "0@0: found 'IsoldeL2'; expected 'IsoldeL1' and the rest of a record of 64 bytes"},
      {{ledger(0).substr(0, 63)},
       "0@0: found 'IsoldeL1'; expected 'IsoldeL1' and the rest of a record of 64 bytes"},
      {{ledger(2), slot(0, "")}, "0@8: found 1 file besides this one; expected 2"},
      {{ledger(1), std::string(64, '\0')},
       "1@0: found '\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'; expected 'IsoldeS1' and the "
       "rest "
       "of a record of 64 bytes"},
      {{ledger(1), too_long},
       "1@16: found a text of 2 bytes; expected at most the 1 that the file has"},
      {{ledger(1), slot(0, "{\"session\":\"a\",\"ops\":[[\"w\",")}, "1@64: malformed JSON: "},
      {{ledger(1), slot(0, "{\"session\":\"a\",\"ops\":[[\"x\",1,1]")},
       "1@64: unknown operation \"x\"; expected \"r\", \"w\", \"append\", \"delete\", "
       "\"inc\", \"cas\", \"refused\", \"select\" or an aggregate"},
      {{ledger(1), slot(0, "{\"event\":[1")}, "1@64: the text is not a transaction"},
      {{ledger(1), slot(1, "{\"session\":\"a\",\"ops\":[[\"append\",\"x\",1]")},
       "1@64: key \"x\" is used both as a register"},
      {{ledger(1), slot(1, "{\"session\":\"a\",\"ops\":[[\"delete\",\"x\"]")},
       "1@64: a deletion, an increment, an aggregate, a compare-and-set, a "
       "refused insert, a lock, a row with columns or a version in a "
       "file "
       "of version "
       "1; its first "
       "line must say "
       "\"isolde\":2"},
  };
  for (const Broken& broken : cases) {
    const Result<History> history = read(join(kHeader, kLine), broken.files);
    const std::string expected = "h.inflight/" + std::string(broken.problem);
    EXPECT_EQ(message_of(history).substr(0, expected.size()), expected);
    EXPECT_TRUE(message_of(history).ends_with(advice)) << message_of(history);
  }
  EXPECT_EQ(message_of(read(join(kHeader, kLine), {})),
            "h.inflight/0: is missing; the folder holds the transactions that were under way "
            "when the "
            "recorder died; without it the history can be read as one that is cut off");
}

// Through files, as a recorder on another machine has left them: no boot id is ours.
TEST(Leftovers, AreLoadedWithTheirFile) {
  const TemporaryFolder folder;
  const std::string path = folder.put("h", join(kHeader, kLine));
  std::filesystem::create_directory(folder.path("h.inflight"));
  base::Budget budget;
  EXPECT_EQ(message_of(read_history(path, "", budget)),
            path +
                ".inflight/0: is missing; the folder holds the transactions that were under "
                "way when the "
                "recorder died; without it the history can be read as one that is cut off");
  folder.put("h.inflight/0", ledger(1));
  folder.put("h.inflight/1", slot(1, R"({"session":"a","start":3,"ops":[)"));
  const auto elsewhere = read_history(path, "", budget);
  ASSERT_TRUE(elsewhere.ok()) << message_of(elsewhere);
  EXPECT_TRUE(elsewhere->origin().truncated);
  ASSERT_EQ(elsewhere->origin().notes.size(), 2U);
  EXPECT_EQ(elsewhere->origin().notes[1],
            path +
                ".inflight is left out: it can only be used on the recorder's machine, and "
                "until that machine restarts; convert the history there");
}

}  // namespace
}  // namespace isolde::io

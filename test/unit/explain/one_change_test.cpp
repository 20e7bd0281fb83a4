// Goal: the one setting that is advised promises a level that all violations break, and says
// what it promises nothing against.
#include "explain/one_change.hpp"

#include <gtest/gtest.h>

#include "explain/summary.hpp"
#include "io/reader.hpp"
#include "unit/explain/reported.hpp"

namespace isolde::explain {
namespace {

constexpr std::string_view kLostAndFractured =
    R"({"session":"A","ops":[["r","x",null],["w","x",1]]}
{"session":"B","ops":[["r","x",null],["w","x",2]]}
{"session":"C","ops":[["w","y",1],["w","z",1]]}
{"session":"D","ops":[["r","y",null],["r","z",1]]}
)";
constexpr std::string_view kLost = R"({"session":"A","ops":[["r","x",null],["w","x",1]]}
{"session":"B","ops":[["r","x",null],["w","x",2]]}
)";
constexpr std::string_view kSkewAndStale =
    R"({"session":"E","start":0,"end":10,"ops":[["r","u",null],["w","v",1]]}
{"session":"F","start":0,"end":10,"ops":[["r","v",null],["w","u",1]]}
{"session":"C","start":20,"end":30,"ops":[["w","y",1]]}
{"session":"D","start":40,"end":50,"ops":[["r","y",null]]}
)";
constexpr std::string_view kLostAndStale =
    R"({"session":"A","start":0,"end":10,"ops":[["r","x",null],["w","x",1]]}
{"session":"B","start":5,"end":15,"ops":[["r","x",null],["w","x",2]]}
{"session":"C","start":20,"end":30,"ops":[["w","y",1]]}
{"session":"D","start":40,"end":50,"ops":[["r","y",null]]}
)";

// Read atomic falls by the reads, and per-key strict serializability by the update.
constexpr std::string_view kLostAndNotRepeatable =
    R"({"session":"A","start":0,"end":10,"ops":[["r","x",null],["w","x",1]]}
{"session":"B","start":5,"end":15,"ops":[["r","x",null],["w","x",2]]}
{"session":"C","start":20,"end":30,"ops":[["w","y",1]]}
{"session":"D","start":25,"end":40,"ops":[["r","y",null],["r","y",1]]}
)";

// One item twice, as the session had made it and as it was before, which one snapshot forbids;
// and what one snapshot of the past would allow.
constexpr std::string_view kGoneAgain =
    R"({"session":"2","start":0,"end":14,"ops":[["w",1,1]]}
{"session":"1","start":8,"end":22,"ops":[["w",0,2],["r",0,2]]}
{"session":"2","start":16,"end":31,"ops":[["r",1,1],["w",1,3]]}
{"session":"1","start":24,"end":40,"ops":[["w",0,4],["w",0,5]]}
{"session":"1","start":41,"end":57,"ops":[["r",1,3],["r",1,1],["w",0,6]]}
)";

std::string change_for(std::string_view lines, const std::string& database,
                       const std::string& isolation, std::optional<Promise> promise = {}) {
  std::string text = R"({"isolde":1,"kind":"history","database":")" + database;
  ((text += R"(","isolation":")") += isolation) += "\"}\n";
  base::Budget budget;
  const Result<History> history = io::read_bytes(text.append(lines), "h", "native", budget);
  EXPECT_TRUE(history.ok());
  ReportModel model = report_on(*history);
  model.promise = std::move(promise);
  return summary_of(model).one_change;
}

// Whatever level the story of a lost update is told of, snapshot isolation forbids it.
TEST(OneChange, ForbidsLostUpdatesWhereverTheyAreTold) {
  EXPECT_EQ(
      change_for(kLostAndNotRepeatable, "PostgreSQL 15.20", "read-committed"),
      "set REPEATABLE READ, which promises snapshot-isolation, and run again what ends "
      "with error 40001; it promises nothing against write skew and stale reads, which this "
      "history may have as well");
}

TEST(OneChange, IsTheWeakestSettingThatForbidsAll) {
  EXPECT_EQ(change_for(kLostAndFractured, "PostgreSQL 15.20", "read-committed"),
            "set REPEATABLE READ, which promises snapshot-isolation, and run again what ends "
            "with error 40001; it promises nothing against write skew, which this history may "
            "have as well");
  EXPECT_EQ(change_for(std::string(kSkewAndStale), "PostgreSQL 15.20", "read-committed"),
            "set SERIALIZABLE, which promises serializable, and run again what ends with error "
            "40001; it promises nothing against stale reads");
  EXPECT_EQ(
      change_for(kLostAndFractured, "", ""),
      "use an isolation at which all statements of a transaction read one snapshot and no "
      "change overwrites one that it has not seen (snapshot-isolation); it promises "
      "nothing against write skew, which this history may have as well");
  EXPECT_EQ(change_for(kLostAndFractured, "MariaDB 10.11.19 REPEATABLE READ", ""),
            "set SERIALIZABLE, which promises serializable, and run again what ends with error "
            "1213 or 1205");
  EXPECT_EQ(
      change_for(kLostAndFractured, "MariaDB 10.11.19 with MyRocks", "read-committed"),
      "set REPEATABLE READ, which promises snapshot-isolation, and run again what ends "
      "with error 1213 or 1205; it promises nothing against write skew, which this history "
      "may have as well");
}

TEST(OneChange, SaysWhatToDoWhereNothingIsSet) {
  EXPECT_EQ(change_for(kLostAndFractured, "Redis 7.0.15", "multi"),
            "WATCH each key before it is read, which promises strict-serializable, and run "
            "again what ends with an EXEC that answers nil");
  EXPECT_EQ(change_for(kLostAndFractured, "Redis 7.0.15", "watch"), "");
}

TEST(OneChange, SaysWhatItPromisesNothingAgainst) {
  EXPECT_EQ(
      change_for(kLostAndStale, "PostgreSQL 15.20", "read-committed"),
      "set REPEATABLE READ, which promises snapshot-isolation, and run again what ends "
      "with error 40001; it promises nothing against stale reads, nor against write skew, "
      "which this history may have as well");
}

TEST(OneChange, TellsKindsThatItForbidsInPart) {
  const std::string change = change_for(kGoneAgain, "PostgreSQL 15.20", "read-committed");
  EXPECT_NE(
      change.find("error 40001; it forbids some of the non-repeatable reads seen here, not "
                  "all; it promises nothing against write skew"),
      std::string::npos)
      << change;
}

// Goal: what the user holds the database to takes no advice away, and the setting is named that
// promises it.
TEST(OneChange, IsNamedWhereTheUserAsksForMore) {
  constexpr std::string_view kSkew = R"({"session":"A","ops":[["r","x",null],["w","y",1]]}
{"session":"B","ops":[["r","y",null],["w","x",1]]}
)";
  const std::string text =
      R"({"isolde":1,"kind":"history","database":"PostgreSQL 15.20","isolation":"repeatable-read"}
)" + std::string(kSkew);
  base::Budget budget;
  const Result<History> history = io::read_bytes(text, "h", "native", budget);
  ASSERT_TRUE(history.ok());
  ReportModel model = report_on(*history);
  const Summary unasked = summary_of(model);
  EXPECT_EQ(unasked.keeper, "");
  const auto at = [&](Level level, bool is_asked) {
    model.promise = Promise{"postgres", "repeatable-read", level, ""};
    model.promise->is_asked = is_asked;
    return summary_of(model);
  };
  EXPECT_EQ(at(Level::kSerializable, true).remedy, unasked.remedy);
  EXPECT_NE(unasked.remedy.find("SERIALIZABLE"), std::string::npos);
  EXPECT_EQ(at(Level::kSerializable, true).keeper,
            "To have that promised, set SERIALIZABLE, which promises serializable, and run "
            "again what ends with error 40001.");
  EXPECT_EQ(at(Level::kSerializable, false).keeper, "");
  EXPECT_EQ(at(Level::kSnapshotIsolation, true).keeper, "");  // kept
  EXPECT_EQ(at(Level::kLinearizable, true).keeper, "");       // promised nowhere
}

TEST(OneChange, IsNoneWhereNoSettingHelps) {
  // One kind, for which other advice is there.
  EXPECT_EQ(change_for(kLost, "PostgreSQL 15.20", ""), "");
  // The strictest one there is.
  EXPECT_EQ(change_for(kLostAndFractured, "PostgreSQL 15.20", "serializable"), "");
  EXPECT_EQ(change_for(kLostAndFractured, "PostgreSQL 15.20 SERIALIZABLE", ""), "");
  // A broken promise.
  EXPECT_EQ(change_for(kLostAndFractured, "PostgreSQL 15.20", "read-committed",
                       Promise{"postgres", "read-committed", Level::kSnapshotIsolation, ""}),
            "");
}

}  // namespace
}  // namespace isolde::explain

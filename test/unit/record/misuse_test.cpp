// The recorder by what it says to those who use it in a wrong way, after which it records
// nothing.
#include <gtest/gtest.h>

#include "isolde/recorder.hpp"
#include "recorded.hpp"

namespace isolde {
namespace {

struct Misuse {
  const char* what;
  void (*act)(Recorder& recorder, RecordedSession& session);
  const char* problem;
};

// Recording stops at the first wrong call, and the history then says that it is not all.
void expect_stop(const Misuse& misuse) {
  const TemporaryFolder folder;
  {
    const auto recorder = open_recorder(folder.path("h"));
    RecordedSession session = recorder->session("a");
    session.begin();
    session.write("y", 7);
    misuse.act(*recorder, session);
    ASSERT_FALSE(recorder->status().ok()) << misuse.what;
    EXPECT_EQ(recorder->status().error().code, ErrorCode::kUsage) << misuse.what;
    EXPECT_EQ(message_of(recorder->status()), misuse.problem) << misuse.what;
    session.write("z", 8);
    EXPECT_EQ(message_of(recorder->close()), misuse.problem) << misuse.what;
  }
  const History history = read_back(folder.path("h"));
  EXPECT_TRUE(history.origin().truncated) << misuse.what;
  ASSERT_GE(history.txn_count(), 1U) << misuse.what;
  EXPECT_EQ(history.op_text(history.ops(TxnId(0))[0]), "w(y)=7") << misuse.what;
}

TEST(Recorder, SaysWhatWasWrong) {
  const Misuse cases[] = {
      {"name", [](Recorder& r, RecordedSession&) { r.session("a/2").begin(); },
       "session \"a/2\": '/' is reserved for the recorder; use another name"},
      {"twice", [](Recorder& r, RecordedSession&) { r.session("a").begin(); },
       "session \"a\": the name is already in use; give each client its own"},
      {"bytes", [](Recorder& r, RecordedSession&) { r.session("\xc0\x80").begin(); },
       "session \"\xef\xbf\xbd\xef\xbf\xbd\": the name is not UTF-8"},
      {"event", [](Recorder& r, RecordedSession&) { r.event("end", "?"); },
       "event \"end\": this kind is reserved for the recorder; use another"},
      {"begin", [](Recorder&, RecordedSession& s) { s.begin(); },
       "session \"a\": begin() in a transaction; end it with commit(), abort() or unknown()"},
      {"end",
       [](Recorder&, RecordedSession& s) {
         s.commit();
         s.commit();
       },
       "session \"a\": the end of a transaction that has not begun; call begin() first"},
      {"op",
       [](Recorder&, RecordedSession& s) {
         s.commit();
         s.write("x", 1);
       },
       "session \"a\": an operation outside of a transaction; call begin() first"},
      {"drop",
       [](Recorder&, RecordedSession& s) {
         s.commit();
         s.begin();
         s.drop_last();
       },
       "session \"a\": drop_last() without an operation to drop"},
      {"value", [](Recorder&, RecordedSession& s) { s.write("x", "\xff"); },
       "session \"a\": the key or value \"\xef\xbf\xbd\" is not UTF-8; encode it, for example "
       "in "
       "hexadecimal"},
      {"null", [](Recorder&, RecordedSession& s) { s.write("x", RecordedValue::null()); },
       "session \"a\": null is the initial value; it cannot be written, be a key or an "
       "element"},
      {"close", [](Recorder& r, RecordedSession&) { static_cast<void>(r.close()); },
       "close() while session \"a\" is in a transaction; end it, or destroy the session, "
       "first"},
  };
  for (const Misuse& misuse : cases) expect_stop(misuse);
}

void select(RecordedSession& session, const RecordedCondition& condition,
            const std::vector<RecordedRow>& rows = {}) {
  session.select(condition, rows);
}
constexpr std::int64_t kBeyond = RecordedBounds::kLeast - 1;
const RecordedValue kNull = RecordedValue::null();
constexpr const char* kBounds =
    "session \"a\": the bounds of a selection do not lie between -2^61 and 2^61 - 1";
constexpr const char* kNullRow =
    "session \"a\": a selection returned a row with null, which means that there is no row; "
    "encode the database's own NULL as text";

TEST(Recorder, SaysWhatIsWrongWithDeletionsAndSelections) {
  const Misuse cases[] = {
      {"delete", [](Recorder&, RecordedSession& s) { s.remove("y"); },
       "session \"a\": a deletion needs a recorder that was opened with `deletes`, which makes "
       "the file one of version 2"},
      {"least",
       [](Recorder&, RecordedSession& s) {
         select(s, {RecordedBounds{kBeyond, 0}});
       },
       kBounds},
      {"most",
       [](Recorder&, RecordedSession& s) {
         select(s, {RecordedBounds{0, -kBeyond}});
       },
       kBounds},
      {"values",
       [](Recorder&, RecordedSession& s) {
         select(s, {.values = RecordedBounds{-kBeyond, -kBeyond}});
       },
       kBounds},
      {"row",
       [](Recorder&, RecordedSession& s) {
         select(s, {}, {{1, 2}, {3, kNull}});
       },
       kNullRow},
      {"key",
       [](Recorder&, RecordedSession& s) {
         select(s, {}, {{kNull, 2}});
       },
       kNullRow},
      {"equal", [](Recorder&, RecordedSession& s) { select(s, {.equal = "\xff"}); },
       "session \"a\": the key or value \"\xef\xbf\xbd\" is not UTF-8; encode it, for example "
       "in hexadecimal"},
      {"selects",
       [](Recorder&, RecordedSession& s) {
         s.commit();
         select(s, {});
       },
       "session \"a\": an operation outside of a transaction; call begin() first"},
      {"version",
       [](Recorder&, RecordedSession& s) {
         s.write("x", 1);
         s.version(1);
       },
       "session \"a\": a version needs a recorder that was opened with `deletes`, which makes "
       "the file one of version 2"},
      {"version of a row",
       [](Recorder&, RecordedSession& s) {
         select(s, {}, {{.key = 1, .value = 2, .version = 3}});
       },
       "session \"a\": a version needs a recorder that was opened with `deletes`, which makes "
       "the file one of version 2"},
      {"version of an element",
       [](Recorder&, RecordedSession& s) {
         s.append("l", 1);
         s.version(1);
       },
       "session \"a\": version() after an operation that has none; it is for reads, writes and "
       "deletions"},
      {"version of nothing",
       [](Recorder&, RecordedSession& s) {
         s.commit();
         s.begin();
         s.version(1);
       },
       "session \"a\": version() without an operation that it belongs to"},
  };
  for (const Misuse& misuse : cases) expect_stop(misuse);
}

TEST(Recorder, StopsAtLocksOfNothing) {
  const Misuse cases[] = {
      {"version of an unknown result",
       [](Recorder&, RecordedSession& s) {
         s.read_unknown("x");
         s.version(1);
       },
       "session \"a\": version() after an operation that has none; it is for reads, writes and "
       "deletions"},
      {"lock",
       [](Recorder&, RecordedSession& s) {
         s.read("x", 1);
         s.locked(RecordedLock::kShare);
       },
       "session \"a\": a lock needs a recorder that was opened with `deletes`, which makes the "
       "file one of version 2"},
      {"refused insert", [](Recorder&, RecordedSession& s) { s.insert_refused("x"); },
       "session \"a\": a refused insert needs a recorder that was opened with `deletes`, which "
       "makes the file one of version 2"},
      {"lock of a write",
       [](Recorder&, RecordedSession& s) {
         s.write("x", 1);
         s.locked(RecordedLock::kShare);
       },
       "session \"a\": locked() after an operation that is neither a read with a result nor a "
       "selection"},
      {"lock of an unknown result",
       [](Recorder&, RecordedSession& s) {
         s.read_unknown("x");
         s.locked(RecordedLock::kShare);
       },
       "session \"a\": locked() after an operation that is neither a read with a result nor a "
       "selection"},
  };
  for (const Misuse& misuse : cases) expect_stop(misuse);
}

}  // namespace
}  // namespace isolde

// Recorder: records what clients send to a database and read from it, as it happens, as a
// history in Isolde's native text format (docs/formats/native.md). For Isolde's own runs and
// for users' clients; docs/recording.md shows how.
//
// What makes a recorded history correct, and what this class ensures:
//   - a transaction's start is taken before its first request is sent, its end after the
//     outcome has come, both from one monotonic clock, so that "ended before it started" is
//     true whenever the history says so;
//   - writes are on record before they are sent, so that no value can be read that the history
//     does not know, whenever the program dies (files FILE.inflight/N beside the history hold
//     what the sessions are doing; the reader of the format takes them in);
//   - a client that does not know an outcome goes on under a new session name, because what it
//     does next is not ordered after a transaction that may still be under way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isolde/export.h"
#include "isolde/language.hpp"
#include "isolde/recorded_values.hpp"
#include "isolde/status.hpp"

namespace isolde {

struct RecorderOptions {
  /// Extra fields of the header line, name and text: database, workload, isolation, ...
  std::vector<std::pair<std::string, std::string>> about;
  /// Who may read the file, as for open(2) and less what the process masks: its owner alone,
  /// for values may be confidential. The folder beside it is the owner's in any case.
  unsigned mode = 0600;
  /// Clients delete rows, their rows have columns, they compute aggregates, tell locks or
  /// refused inserts, they add to numbers, or they know versions. The file is then of version
  /// 2, which an older Isolde refuses.
  bool deletes = false;
  /// What the database held before the first transaction, for each key once. Keys that are not
  /// here held nothing. With it the file is of version 2, too.
  std::vector<RecordedContents> initial = {};
  /// Off: writes nothing and reads no clock, to measure the cost of recording.
  bool enabled = true;
};

/// What an event is the beginning or the end of: something that lasts, such as the pause of a
/// server, by a name of its own. Empty: of nothing; only one of them is used.
struct EventSpan {
  std::string_view begins = {};
  std::string_view ends = {};
};

/// The key of fences (RecordedSession::fence()); nothing else uses it.
inline constexpr std::string_view kFenceKey = "fence";

class Recorder;

/// One client. Calls come from one thread at a time; different sessions run concurrently. For
/// each transaction: begin(), operations, then exactly one of commit(), abort(), unknown(). No
/// call fails; Recorder::status() reports problems. What is passed in is copied. COST: some ten
/// nanoseconds for an operation, and for each column, test and selected row; one or two
/// microseconds for a transaction.
class ISOLDE_API RecordedSession {
 public:
  RecordedSession(RecordedSession&&) noexcept;
  RecordedSession& operator=(RecordedSession&&) noexcept;
  /// Inside a transaction: as unknown().
  ~RecordedSession();

  /// The server for the transactions from the next begin() on, and its name for the connection,
  /// as in its logs, so that people find them there: "db1:5432 backend 4711". Empty (the
  /// default): unknown. Call it after each connect.
  void server(std::string_view name);

  /// Call right before the first request of the transaction is sent.
  void begin();

  /// Before the request is sent.
  void write(RecordedValue key, RecordedValue value);
  void append(RecordedValue key, RecordedValue element);
  /// Before the request is sent: all columns of the row, those too that the statement leaves as
  /// they were. REQUIRES: RecorderOptions::deletes.
  void write_row(RecordedValue key, std::span<const RecordedColumn> columns);
  /// Before the request is sent, a deletion of the row. When the reply says that there was no
  /// such row, drop_last(). REQUIRES: RecorderOptions::deletes.
  void remove(RecordedValue key);
  /// After the answer has come.
  void read(RecordedValue key, RecordedValue value);
  void read_list(RecordedValue key, std::span<const RecordedValue> elements);
  void read_list(RecordedValue key, std::span<const std::int64_t> elements);
  /// After the answer has come: the columns that it told, those that hold NULL included. None:
  /// there was a row. When there was none, read() null. REQUIRES: RecorderOptions::deletes.
  void read_row(RecordedValue key, std::span<const RecordedColumn> columns);
  /// A read that only showed that the key does not hold this value, such as a conditional write
  /// that did not happen.
  void read_not(RecordedValue key, RecordedValue value);
  /// A read of all rows that meet the condition: it says that no other row did. In any order; a
  /// row that the answer has twice, too. An update by condition is a selection of what it
  /// changes, then writes.
  /// REQUIRES: RecorderOptions::deletes where rows have columns or no value, or there are
  /// tests.
  void select(const RecordedCondition& condition, std::span<const RecordedRow> rows);
  /// After the answer has come: what the database computed from all rows that meet the
  /// condition. REQUIRES: RecorderOptions::deletes.
  void aggregate(const RecordedCondition& condition, const RecordedAggregate& computed);
  /// A read whose answer never came.
  void read_unknown(RecordedValue key);
  /// After the answer has come: the database's own name of the version that the last operation,
  /// a read with a value, a write or a deletion, has read or written, such as PostgreSQL's xmin
  /// or etcd's revision. REQUIRES: RecorderOptions::deletes.
  void version(RecordedValue version);
  /// The last operation, a read with a result or a selection, has locked what it read. It is
  /// for people and for replays. REQUIRES: RecorderOptions::deletes.
  void locked(RecordedLock mode);
  /// An insert that failed, for there was a row with that key. Put down nothing else of it.
  /// REQUIRES: RecorderOptions::deletes.
  void insert_refused(RecordedValue key);
  /// Before the request is sent: a statement that adds to the number of a key, such as UPDATE
  /// ... SET v = v + 3 or INCRBY. When the reply says that there was nothing to add to,
  /// drop_last(). `by`: from -2^61 to 2^61 - 1. REQUIRES: RecorderOptions::deletes.
  void increment(RecordedValue key, std::int64_t by);
  /// After the answer has come, where it tells what became of the number: the sum that the last
  /// operation, an increment, has left. Without it the sum is not known.
  void sum(std::int64_t result);
  /// The same of all increments of the transaction, in their order, where the reply to the
  /// commit tells. Before commit().
  void sums(std::span<const std::int64_t> results);
  /// The same as version() for all writes and deletions of the transaction that have none yet,
  /// where only the reply to the commit tells. Before commit().
  void version_of_writes(RecordedValue version);
  /// A fence: a transaction that reads and writes the one key kFenceKey, so that its session's
  /// place among the others is known without clocks (docs/recording.md, "Fences"). After
  /// begin(), and after the answer to the read of the key has come, which is put down here with
  /// a write of the value that is returned: send it, then commit. No other fence of any
  /// recorder writes that value, but by a chance of 1 in 2^30.
  std::int64_t fence(RecordedValue seen);
  /// Undoes the last operation: a conditional write that did not happen, a deletion that found
  /// nothing. Not twice in a row.
  void drop_last();

  /// After the reply: the database has committed.
  void commit();
  /// After the reply, or after the client has rolled back: certainly not committed.
  void abort();
  /// The client does not know and never will: connection lost, timeout. The session goes on
  /// under a new name.
  void unknown();

 private:
  friend class Recorder;
  struct ISOLDE_HIDDEN State;
  explicit RecordedSession(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Owns the file. Thread-safe. Must outlive its sessions. COST, unless told: constant.
class ISOLDE_API Recorder {
 public:
  /// Starts a new history, and the folder FILE.inflight beside it. ERRORS: kUsage when one of
  /// them exists, or for a field in `about` that the format reserves; kEnvironment when they
  /// cannot be created. COST: makes both, and writes the header; linear in what `options` say.
  static Result<std::unique_ptr<Recorder>> open(const std::string& path,
                                                const RecorderOptions& options = {});
  /// As close(), without reporting errors. Does nothing in a forked child process.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Names must be distinct, in UTF-8, and without '/', which is reserved for the recorder.
  /// ERRORS: in status(). COST: makes a file of one page.
  RecordedSession session(std::string_view name);

  /// Records something that is not a transaction: a fault, a phase of the test. The kind "end"
  /// is reserved for the recorder; "stopped" says why a run ended early, and reports repeat it.
  /// Bytes that are not UTF-8 are replaced. ERRORS: in status(). COST: a write to the file.
  void event(std::string_view kind, std::string_view what, EventSpan span = {});

  /// Nanoseconds on the clock of the history, from 0 at open().
  std::int64_t now_ns() const;

  /// First problem of any session so far: kEnvironment for a full disk and the like, kUsage for
  /// calls in a wrong order and for names and values that cannot be recorded. Recording stops
  /// there, and the history says that it is incomplete.
  Status status() const;

  /// Marks the history as complete and removes FILE.inflight. Later calls of sessions do
  /// nothing. ERRORS: as status(); kUsage when a session is in a transaction. COST: a write to
  /// the file, and the removal of one file for each session.
  Status close();

 private:
  friend class RecordedSession;
  struct ISOLDE_HIDDEN State;

 public:
  explicit Recorder(std::unique_ptr<State> state);  ///< for open()
  class ISOLDE_HIDDEN Companion;                    ///< for record_in_groups() of isolde.hpp
  void accompany(std::unique_ptr<Companion> companion);

 private:
  std::unique_ptr<State> state_;
};

}  // namespace isolde

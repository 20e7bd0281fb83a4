// Single operations of a session, sent and put on record in the order that makes a history
// right: a write is on record before it is sent, a read after its answer has come.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "db/driver.hpp"
#include "isolde/recorder.hpp"

namespace isolde::run {

/// What the history calls a value; empty: the number itself.
using ValueNames = std::function<RecordedValue(std::int64_t)>;
/// What it calls a key, the same way. Texts must live until the operation is done.
using KeyNames = std::function<RecordedValue(db::Key)>;

RecordedAggregate::Kind recorded_kind(AggregateKind kind);

/// A session and its record. Keeps references. Keys are given twice: as the database knows
/// them, and as the history calls them.
class RecordedOps {
 public:
  RecordedOps(RecordedSession& recorded, ValueNames names = {})
      : recorded_(recorded), names_(std::move(names)) {}

  db::Reply read(db::Session& session, db::Key key, RecordedValue name,
                 std::optional<std::int64_t>& value);
  db::Reply read_list(db::Session& session, db::Key key, RecordedValue name,
                      std::vector<std::int64_t>& elements);
  db::Reply write(db::Session& session, db::Key key, RecordedValue name, std::int64_t value);
  db::Reply append(db::Session& session, db::Key key, RecordedValue name, std::int64_t element);

  /// Of what was refused nothing is on record, for it has added nothing.
  db::Reply increment(db::Session& session, db::Key key, RecordedValue name, std::int64_t by,
                      std::optional<std::int64_t>& sum);

  /// On record only where there was a row. The reply comes after the request is on record.
  db::Reply remove(db::Session& session, db::Key key, RecordedValue name, bool& removed);
  /// `rows` ascend by key.
  db::Reply select(db::Session& session, const db::Condition& condition, const KeyNames& keys,
                   std::vector<db::Row>& rows);
  /// On record, once it is known what was deleted, as a selection and deletions of its rows. A
  /// program that dies before has sent no commit.
  db::Reply remove(db::Session& session, const db::Condition& condition, const KeyNames& keys,
                   std::vector<db::Row>& rows);

  db::Reply aggregate(db::Session& session, const db::Condition& condition, AggregateKind kind,
                      std::optional<std::int64_t>& result);

  /// From here on writes, deletions, selections, appends and reads of lists are held back until
  /// it is known whether they are taken back; no other operations may come in this transaction.
  /// REQUIRES: histories call keys and values by their numbers.
  db::Reply savepoint(db::Session& session);
  /// What was done since is no part of the transaction: its writes are left out, and so are
  /// rows and lists that may hold them. Others were seen, and stay.
  db::Reply roll_back_to_savepoint(db::Session& session);
  /// On record, what was held back. Before a commit is sent, and before end().
  void release();

  /// The outcome of the transaction that `reply` has ended: of commit(), or the first reply
  /// other than kOk.
  void end(const db::Reply& reply);

 private:
  /// An operation after a savepoint.
  struct Held {
    enum class Kind : std::uint8_t { kRead, kWrite, kRemove, kSelect, kAppend, kReadList };
    Kind kind = Kind::kRead;
    db::Row row = {};  ///< of a read, write, deletion, or append; of a list its key
    db::Condition condition = {};
    std::vector<db::Row> rows = {};
    LockMode lock = LockMode::kNone;  ///< of a read or selection
    std::vector<std::int64_t> elements = {};
  };

  void emit(Held& held);
  void record(LockMode lock);
  void record(const db::Condition& condition, const KeyNames& keys, std::vector<db::Row>& rows);
  RecordedValue name_of(std::int64_t value) const {
    return names_ ? names_(value) : RecordedValue(value);
  }

  RecordedSession& recorded_;
  const ValueNames names_;
  const db::Session* wrote_ = nullptr;  ///< in the transaction: the session, where there is one
  bool holds_ = false;                  ///< there is a savepoint
  std::vector<Held> held_;
};

}  // namespace isolde::run

#include "explain/harm.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace isolde::explain {
namespace {

constexpr std::string_view kNotSerializable =
    "an isolation of this name should not let it happen: report it to the makers of the "
    "database, and until they have repaired it lock what a transaction reads";

constexpr std::array kRemedies = {
    Remedy{"postgres", "read-committed", Harm::kLostChange,
           "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
           "inside of the UPDATE (SET n = n + 1), or use REPEATABLE READ, which refuses the "
           "second change with error 40001, and run the transaction again"},
    Remedy{"postgres", "read-committed", Harm::kMixedState,
           "use REPEATABLE READ, at which all statements of a transaction read one snapshot"},
    Remedy{"postgres", "read-committed", Harm::kBrokenRule,
           "use SERIALIZABLE, and run a transaction again that ends with error 40001; or lock "
           "with SELECT ... FOR UPDATE every row on which a decision rests"},
    Remedy{"postgres", "repeatable-read", Harm::kBrokenRule,
           "use SERIALIZABLE, and run a transaction again that ends with error 40001; or lock "
           "with SELECT ... FOR UPDATE every row on which a decision rests"},
    Remedy{"mariadb", "read-uncommitted", Harm::kUncommitted,
           "use READ COMMITTED or any isolation above it"},
    Remedy{"mariadb", "repeatable-read", Harm::kLostChange,
           "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
           "inside of the UPDATE (SET n = n + 1), or set innodb_snapshot_isolation=ON, which "
           "refuses the second change with error 1020, and run the transaction again"},
    Remedy{"mariadb", "repeatable-read", Harm::kMixedState,
           "set innodb_snapshot_isolation=ON, or use SERIALIZABLE, at which reads lock"},
    Remedy{
        "mariadb", "read-committed", Harm::kMixedState,
        "use REPEATABLE READ with innodb_snapshot_isolation=ON, at which all statements of a "
        "transaction read one snapshot"},
    Remedy{"sqlite", "read-uncommitted", Harm::kUncommitted,
           "do without PRAGMA read_uncommitted, or without the shared cache"},
    Remedy{"firebird", "read-committed", Harm::kLostChange,
           "use SNAPSHOT, which refuses the second change, and run the transaction again, or "
           "read WITH LOCK what the transaction goes on to change"},
    Remedy{"firebird", "read-committed", Harm::kMixedState,
           "use SNAPSHOT, at which all statements of a transaction read one snapshot"},
    Remedy{"redis", "multi", Harm::kLostChange,
           "WATCH each key before reading it, and start anew when EXEC refuses; or let a "
           "script or one command (INCR) read and write"},
    Remedy{
        "redis", "multi", Harm::kMixedState,
        "read several keys by one command (MGET) or inside of MULTI and EXEC, or WATCH them"},
    Remedy{"redis", "multi", Harm::kBrokenRule,
           "WATCH each key on which a decision rests, and start anew when EXEC refuses"},
    Remedy{"etcd", "repeatable-reads", Harm::kLostChange,
           "compare the mod revision of each key that was read in the transaction that writes "
           "(the isolations serializable and serializable-snapshot of its client library do)"},
    Remedy{"etcd", "read-committed", Harm::kLostChange,
           "compare the mod revision of each key that was read in the transaction that writes "
           "(the isolations serializable and serializable-snapshot of its client library do)"},
    Remedy{
        "wiredtiger", "read-committed", Harm::kLostChange,
        "begin transactions with isolation=snapshot, which refuses the second change, and run "
        "the transaction again"},
    Remedy{"wiredtiger", "read-committed", Harm::kMixedState,
           "begin transactions with isolation=snapshot"},
    Remedy{
        "redis", "multi", Harm::kFalseReport,
        "WATCH each key that is read before a change, start anew when EXEC refuses, and read "
        "several keys by one command (MGET)"},
    Remedy{"wiredtiger", "snapshot", Harm::kFalseReport,
           "write again, with its old value, what a transaction reads before it changes "
           "something else, so that a change of it is noticed"},
    Remedy{"wiredtiger", "snapshot", Harm::kBrokenRule,
           "write again, with its old value, what a decision rests on, so that a change of it "
           "is noticed"},
    Remedy{"berkeleydb", "read-committed", Harm::kLostChange,
           "read with DB_RMW what the transaction goes on to change, or do without "
           "DB_READ_COMMITTED"},
    Remedy{"berkeleydb", "read-committed", Harm::kMixedState, "do without DB_READ_COMMITTED"},
    Remedy{"lmdb", "read-then-write", Harm::kLostChange,
           "read in the write transaction what it goes on to change, not in one before it"},
    Remedy{"lmdb", "read-then-write", Harm::kBrokenRule,
           "read in the write transaction all on which a decision rests, not in one before it"},
    Remedy{"lmdb", "read-then-write", Harm::kFalseReport,
           "read in the write transaction all on which it builds, not in one before it"},
    Remedy{"", "serializable", Harm::kLostChange, kNotSerializable},
    Remedy{"", "serializable", Harm::kMixedState, kNotSerializable},
    Remedy{"", "serializable", Harm::kBrokenRule, kNotSerializable},
    Remedy{"", "serializable", Harm::kFalseReport, kNotSerializable},
    Remedy{"postgres", "", Harm::kFalseReport,
           "use SERIALIZABLE for what writes and for what only reads, and run a transaction "
           "again that ends with error 40001"},
    Remedy{"mariadb", "", Harm::kFalseReport,
           "use SERIALIZABLE, at which reads lock, for what writes and for what only reads"},
    Remedy{"etcd", "", Harm::kFalseReport,
           "compare the mod revision of each key that was read in the transaction that writes, "
           "and read all keys at one revision in what only reads"},
    Remedy{"rocksdb", "", Harm::kFalseReport,
           "read with GetForUpdate in what writes, and from a snapshot in what only reads"},
    Remedy{"mariadb", "", Harm::kLostChange,
           "read with SELECT ... FOR UPDATE what the transaction goes on to change, or compute "
           "inside of the UPDATE (SET n = n + 1), or use SERIALIZABLE, at which reads lock"},
    Remedy{
        "mariadb", "", Harm::kBrokenRule,
        "use SERIALIZABLE, at which reads lock, or lock with SELECT ... FOR UPDATE every row "
        "on which a decision rests"},
    Remedy{"firebird", "", Harm::kBrokenRule,
           "read WITH LOCK every row on which a decision rests, or use SNAPSHOT TABLE "
           "STABILITY, which locks whole tables"},
    Remedy{
        "etcd", "", Harm::kMixedState,
        "read all keys at one revision, as the isolation serializable-snapshot of its client "
        "library does"},
    Remedy{"etcd", "", Harm::kBrokenRule,
           "compare the mod revision of each key that was read in the transaction that writes "
           "(the isolations serializable and serializable-snapshot of its client library do)"},
    Remedy{"rocksdb", "", Harm::kLostChange,
           "read with GetForUpdate what the transaction goes on to change, or set a snapshot "
           "at its beginning, so that the second change is refused"},
    Remedy{"rocksdb", "", Harm::kMixedState,
           "read from a snapshot (SetSnapshot, and ReadOptions::snapshot with each Get)"},
    Remedy{"rocksdb", "", Harm::kBrokenRule,
           "read with GetForUpdate every key on which a decision rests"},
    Remedy{"", "", Harm::kContradiction,
           "report it to the makers of the database, or look for what the recording lacks: "
           "clients that nobody recorded, data that was there before"},
    Remedy{"", "", Harm::kLostChange,
           "lock what is read before it is changed, or compute inside of the statement that "
           "changes it, or use an isolation that refuses the second change, such as snapshot "
           "isolation"},
    Remedy{"", "", Harm::kUncommitted, "use an isolation of read committed or above"},
    Remedy{"", "", Harm::kBrokenRule,
           "use a serializable isolation, or lock what a decision rests on, read or written"},
    Remedy{
        "", "", Harm::kNoFirst,
        "use a serializable isolation, or lock what each transaction reads, not only what it "
        "writes"},
    Remedy{"", "", Harm::kFalseReport,
           "use a serializable isolation for what writes and for what only reads; or let what "
           "writes lock what it reads, and what only reads use one snapshot"},
    Remedy{"", "", Harm::kMixedState,
           "use an isolation at which all statements of a transaction read one snapshot"},
    Remedy{"", "", Harm::kDisagreement,
           "read from one node, or use an isolation at which commits have one order for all "
           "readers, such as snapshot isolation"},
    Remedy{"", "", Harm::kOwnChangeMissed,
           "keep a session on one node, or let its requests wait until the node has caught up"},
    Remedy{"", "", Harm::kOldState,
           "read from the leader or with the database's option for linearizable reads, and not "
           "from a replica or a cache"},
};

}  // namespace

std::span<const Remedy> all_remedies() { return kRemedies; }

std::string_view meaning_of(Harm harm) {
  switch (harm) {
    case Harm::kContradiction:
      break;
    case Harm::kLostChange:
      return "two clients that read a balance, add to it and write it back are both told that "
             "it worked, and one of the two deposits is gone";
    case Harm::kUncommitted:
      return "a client acts or builds on a change that is undone later or not complete, for "
             "example "
             "ships what was never paid";
    case Harm::kBrokenRule:
      return "a rule over several items that each transaction checks before it writes is "
             "broken "
             "all the same: two doctors leave, each having seen the other one on call";
    case Harm::kNoFirst:
      return "several transactions each rest on what another of them is changing, all around a "
             "circle, so together they leave what no order of them would: three doctors leave, "
             "each because the next one is on call";
    case Harm::kFalseReport:
      return "what only reads can see a state that no order of the changes passes through: the "
             "report of a closed day is printed, and then a receipt is booked into that day";
    case Harm::kMixedState:
      return "what reads several items, or one item twice, can see a state that never existed: "
             "a report made during a transfer finds the money on neither account or on both";
    case Harm::kDisagreement:
      return "two clients disagree on what came first, and an answer can be there before the "
             "question that it answers";
    case Harm::kOwnChangeMissed:
      return "users do not find a change that they have just made or seen, or see it come and "
             "go";
    case Harm::kOldState:
      return "somebody who has been told of a change still reads what was there before it";
  }
  return "the database contradicts itself, and no program can be right that trusts it";
}

std::string_view remedy_for(Harm harm, std::string_view database, std::string_view isolation) {
  // A history may name both in one: "PostgreSQL 15.20 REPEATABLE READ".
  const std::string setting = base::plain_name(isolation.empty() ? database : isolation);
  // Names in data source names have no blanks: "Berkeley DB 5.3.28".
  std::string name = base::plain_name(database);
  std::erase(name, '-');
  // Rows with an isolation stand before those of any, and those of a database before others.
  const auto row_of = [&](Harm wanted) {
    return std::ranges::find_if(kRemedies, [&](const Remedy& each) {
      return each.harm == wanted && name.starts_with(each.database) &&
             setting.ends_with(each.isolation);
    });
  };
  const auto row = row_of(harm);
  ISOLDE_CHECK(row != kRemedies.end());
  if (harm != Harm::kNoFirst) return row->text;
  // Who locks all on which a decision rests breaks circles of any length. Only where nothing is
  // known of the database do the words differ.
  const auto of_decisions = row_of(Harm::kBrokenRule);
  const bool of_any = of_decisions->database.empty() && of_decisions->isolation.empty();
  return of_any ? row->text : of_decisions->text;
}

}  // namespace isolde::explain

#include "explain/harm.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "explain/lessons.hpp"

namespace isolde::explain {
namespace {

constexpr std::string_view kNotSerializable =
    "an isolation of this name should not let it happen: report it to the makers of the "
    "database, and until they have repaired it lock what a transaction reads";

/// Of any database.
constexpr std::array kOfAny = {
    Remedy{"serializable", Harm::kLostChange, kNotSerializable},
    Remedy{"serializable", Harm::kMixedState, kNotSerializable},
    Remedy{"serializable", Harm::kBrokenRule, kNotSerializable},
    Remedy{"serializable", Harm::kPhantom,
           "an isolation of this name should not let it happen: report it to the makers of the "
           "database, and until they have repaired it let a unique or an exclusion constraint "
           "refuse the second row"},
    Remedy{"serializable", Harm::kFalseReport, kNotSerializable},
    Remedy{"", Harm::kContradiction,
           "report it to the makers of the database, or look for what the recording lacks: "
           "clients that nobody recorded, data that was there before"},
    Remedy{"", Harm::kLostChange,
           "lock what is read before it is changed, or compute inside of the statement that "
           "changes it, or use an isolation that refuses the second change, such as snapshot "
           "isolation",
           Level::kSnapshotIsolation},
    Remedy{"", Harm::kUncommitted, "use an isolation of read committed or above",
           Level::kReadCommitted},
    Remedy{"", Harm::kBrokenRule,
           "use a serializable isolation, or lock what a decision rests on, read or written",
           Level::kSerializable},
    Remedy{
        "", Harm::kPhantom,
        "use a serializable isolation, or let a unique or an exclusion constraint refuse the "
        "second row, or before looking change one row that all have in common, such as the "
        "room's, or take a lock on its name; rows that are not there yet cannot be locked",
        Level::kSerializable},
    Remedy{
        "", Harm::kNoFirst,
        "use a serializable isolation, or lock what each transaction reads, not only what it "
        "writes",
        Level::kSerializable},
    Remedy{"", Harm::kFalseReport,
           "use a serializable isolation for writing and for read-only transactions; or let "
           "the writing ones lock what they read, and the read-only ones use one snapshot",
           Level::kSerializable},
    Remedy{"", Harm::kMixedState,
           "use an isolation at which all statements of a transaction read one snapshot",
           Level::kSnapshotIsolation},
    Remedy{"", Harm::kDisagreement,
           "use an isolation at which commits have one order for all readers, such as snapshot "
           "isolation",
           Level::kSnapshotIsolation, Servers::kOne},
    Remedy{"", Harm::kDisagreement,
           "use an isolation at which commits have one order for all readers, such as snapshot "
           "isolation; where there are several nodes, read from one of them",
           Level::kSnapshotIsolation},
    Remedy{
        "",
        Harm::kOwnChangeMissed,
        "let a session wait for the answer of one transaction before it begins the next one, "
        "and look for a cache that answers in place of the database",
        {},
        Servers::kOne},
    Remedy{"", Harm::kOwnChangeMissed,
           "keep a session on one node, or let its requests wait until the node has caught up"},
    Remedy{"",
           Harm::kOldState,
           "make the transaction a single statement, or use an isolation at which nothing that "
           "it reads changes until it ends, and look for a cache that answers in place of the "
           "database",
           {},
           Servers::kOne},
    Remedy{"", Harm::kOldState,
           "read and write through the leader or with the database's option for linearizable "
           "operations, and not through a replica or a cache"},
};

/// Of any database, where no isolation helps of which we know.
constexpr std::array kByHand = {
    Remedy{"", Harm::kLostChange,
           "lock what is read before it is changed, or compute inside of the statement that "
           "changes it, and use UPDATE, not an upsert, on rows that others may delete: it then "
           "finds no row"},
    Remedy{"", Harm::kUncommitted,
           "lock what is read and what is written until the transaction ends"},
    Remedy{"", Harm::kBrokenRule, "lock what a decision rests on, read or written"},
    Remedy{"", Harm::kPhantom,
           "let a unique or an exclusion constraint refuse the second row, or before looking "
           "change one row that all have in common, such as the room's, or take a lock on its "
           "name; rows that are not there yet cannot be locked"},
    Remedy{"", Harm::kNoFirst, "lock what each transaction reads, not only what it writes"},
    Remedy{"", Harm::kFalseReport,
           "let writing transactions lock what they read, and read-only ones use one "
           "snapshot"},
    Remedy{"", Harm::kMixedState,
           "read by one statement what belongs together, or lock what is read until the "
           "transaction ends"},
    Remedy{"",
           Harm::kDisagreement,
           "lock what is read until the transaction ends",
           {},
           Servers::kOne},
    Remedy{"", Harm::kDisagreement,
           "lock what is read until the transaction ends; where there are several nodes, read "
           "from one of them"},
};

constexpr std::string_view kOneDecides =
    "let one leader or a quorum decide on each operation, reads included, and look at leaders "
    "that go on after they have been replaced";

/// Of calls on single objects.
constexpr std::array kOfCalls = {
    Remedy{
        "", Harm::kLostChange,
        "let one leader or a quorum decide which of two compare-and-set operations comes "
        "first, and look for clients or drivers that send an operation again when its answer "
        "is lost"},
    Remedy{
        "", Harm::kUncommitted,
        "report as failed only what can no longer take effect: what timed out has an unknown "
        "outcome"},
    Remedy{"", Harm::kBrokenRule, kOneDecides},
    Remedy{"", Harm::kPhantom, kOneDecides},
    Remedy{"", Harm::kNoFirst, kOneDecides},
    Remedy{"", Harm::kFalseReport, kOneDecides},
    Remedy{"", Harm::kMixedState, kOneDecides},
    Remedy{"", Harm::kDisagreement, kOneDecides},
};

/// "MariaDB 10.11.19": the numbers of its first word that has any.
std::optional<Version> version_in(std::string_view database) {
  constexpr std::string_view kDigits = "0123456789";
  std::size_t at = database.find_first_of(kDigits);
  if (at == database.npos) return std::nullopt;
  Version version = {};
  const char* const end = database.data() + database.size();
  for (unsigned& part : version) {
    const auto [last, error] = std::from_chars(database.data() + at, end, part);
    at = static_cast<std::size_t>(last - database.data()) + 1;
    if (error != std::errc() || last == end || *last != '.') break;
  }
  return version;
}

/// Rows of a table that may be told, by the first that fits.
class Rows {
 public:
  Rows(Harm harm, const Setup& setup, const Cures& cures)
      : harm_(harm),
        servers_(setup.servers),
        version_(version_in(setup.database)),
        cures_(cures) {}

  /// The row that names this isolation; null: there is none.
  const Remedy* at_isolation(std::span<const Remedy> rows, std::string_view setting) const {
    return first(rows, [&](const Remedy& row) {
      return !row.isolation.empty() && setting.ends_with(row.isolation);
    });
  }
  /// The row for any isolation; null: there is none.
  const Remedy* at_any(std::span<const Remedy> rows) const {
    return first(rows, [](const Remedy& row) { return row.isolation.empty(); });
  }

 private:
  template <typename Fits>
  const Remedy* first(std::span<const Remedy> rows, const Fits& fits) const {
    const auto row = std::ranges::find_if(rows, [&](const Remedy& each) {
      const bool is_there = each.servers == Servers::kUnknown || each.servers == servers_;
      const bool is_true = each.there == nullptr || (version_ && each.there(*version_));
      return each.harm == harm_ && is_there && is_true && fits(each) &&
             (!each.cure || cures_(*each.cure));
    });
    return row == rows.end() ? nullptr : &*row;
  }

  Harm harm_;
  Servers servers_;
  std::optional<Version> version_;
  const Cures& cures_;
};

}  // namespace

const DatabaseRemedies* remedies_at(std::string_view database) {
  // Names in data source names have no blanks: "Berkeley DB 5.3.28".
  std::string name = base::plain_name(database);
  std::erase(name, '-');
  const DatabaseRemedies* found = nullptr;
  for (const DatabaseRemedies* each : all_remedies()) {
    const bool fits = name.starts_with(each->database) &&
                      name.find(each->engine, each->database.size()) != std::string::npos;
    // What is known of the engine is more than what is known of the database.
    if (fits && (found == nullptr || found->engine.empty())) found = each;
  }
  return found;
}

bool speaks_of_locks(std::string_view remedy) {
  constexpr std::array<std::string_view, 8> kWords = {
      "FOR UPDATE", "WITH LOCK", "GetForUpdate", "DB_RMW",
      "lock ",      " locks",    "reads lock",   "TABLE STABILITY"};
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return remedy.find(word) != std::string_view::npos;
  });
}

std::string_view locking_of(std::string_view database) {
  const DatabaseRemedies* const here = remedies_at(database);
  if (here != nullptr && !here->locking.empty()) return here->locking;
  return "transactions wait for one another, and two that lock in different orders deadlock: "
         "lock in one order everywhere, keep transactions short, and run again what the "
         "database aborts";
}

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
    case Harm::kPhantom:
      return "what each transaction looked for and did not find is there all the same: two "
             "clients book one room for one night, each having found it free";
    case Harm::kNoFirst:
      return "several transactions rest on what others of them are changing, all around a "
             "circle, "
             "so together they leave what no order of them would: three doctors leave, each "
             "because the next one is on call";
    case Harm::kFalseReport:
      return "a read-only transaction can see a state that no order of the changes passes "
             "through: the report of a closed day is printed, and then a receipt is booked "
             "into "
             "that day";
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

std::string_view meaning_of(std::string_view anomaly) {
  if (anomaly == "conflicting writers") {
    return "two clients change one item, the second one without having seen what the first one "
           "did; both are told that it worked, and the first one's change is gone";
  }
  if (anomaly == "real-time violation") {
    return "changes take effect in another order than that in which they were acknowledged, so "
           "that a later one can be seen without an earlier one";
  }
  if (anomaly == "no possible order") {
    return "answers fit no order in which each operation took effect at one moment: somebody "
           "reads what has been replaced, or two clients are both told that only they changed "
           "a value";
  }
  if (anomaly == "thin-air read") {
    return "the recording lacks rows or clients that were there, or, if it is complete, the "
           "database made the value up";
  }
  if (anomaly == "lost delete") {
    return "a client deletes an item and is told that it worked, and the item is there again "
           "because of another one that did not know";
  }
  return meaning_of(lesson_of(anomaly).harm);
}

std::string_view short_meaning_of(Harm harm) {
  switch (harm) {
    case Harm::kContradiction:
      break;
    case Harm::kLostChange:
      return "a change is gone that somebody was told had worked";
    case Harm::kUncommitted:
      return "a client acts or builds on a change that is undone later or not complete";
    case Harm::kBrokenRule:
      return "a rule over several items that each transaction checks is broken all the same";
    case Harm::kPhantom:
      return "what each transaction looked for and did not find is there all the same";
    case Harm::kNoFirst:
      return "together they leave what no order of them would";
    case Harm::kFalseReport:
      return "a read-only transaction can see a state that no order of the changes passes "
             "through";
    case Harm::kMixedState:
      return "what reads several items, or one item twice, can see a state that never existed";
    case Harm::kDisagreement:
      return "two clients disagree on what came first";
    case Harm::kOwnChangeMissed:
    case Harm::kOldState:
      return meaning_of(harm);
  }
  return "the database contradicts itself";
}

std::optional<Level> promised_there(std::string_view database, Level cure, Servers servers) {
  const DatabaseRemedies* const here = remedies_at(database);
  if (here == nullptr) return cure;
  const auto setting =
      std::ranges::find(here->settings, std::optional(cure), &Setting::promise);
  return setting == here->settings.end() ? cure : setting->promise_of(servers);
}

const Remedy& remedy_for(Harm harm, const Setup& setup, const Cures& cures) {
  // A history may name both in one: "PostgreSQL 15.20 REPEATABLE READ".
  const std::string setting =
      base::plain_name(setup.isolation.empty() ? setup.database : setup.isolation);
  const DatabaseRemedies* const here = remedies_at(setup.database);
  const std::span<const Remedy> known =
      here == nullptr ? std::span<const Remedy>() : here->remedies;
  // Who locks all on which a decision rests breaks circles of any length. Only where nothing is
  // known of the database do the words differ.
  const Rows wanted(harm == Harm::kNoFirst ? Harm::kBrokenRule : harm, setup, cures);
  const Remedy* row = wanted.at_isolation(known, setting);
  // Where it is known what the makers promise, its name says nothing more.
  const bool is_named_so = setting.ends_with("serializable");
  if (row == nullptr && !setup.promise_is_known) row = wanted.at_isolation(kOfAny, setting);
  if (row == nullptr) row = wanted.at_any(known);
  // Nobody can be sent to an isolation of that name who is at it.
  const Cures others = [&](Level level) {
    return cures(level) && !(is_named_so && level == Level::kSerializable);
  };
  const Rows any(harm, setup, others);
  if (row == nullptr && setup.of_calls) row = any.at_any(kOfCalls);
  if (row == nullptr) row = any.at_any(kOfAny);
  if (row == nullptr) row = any.at_any(kByHand);
  ISOLDE_CHECK(row != nullptr);
  return *row;
}

std::string_view remedy_for(Harm harm, std::string_view database, std::string_view isolation) {
  return remedy_for(harm, {database, isolation}, [](Level) { return true; }).text;
}

}  // namespace isolde::explain

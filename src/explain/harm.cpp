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
           "isolation"},
    Remedy{"", Harm::kUncommitted, "use an isolation of read committed or above"},
    Remedy{"", Harm::kBrokenRule,
           "use a serializable isolation, or lock what a decision rests on, read or written"},
    Remedy{
        "", Harm::kPhantom,
        "use a serializable isolation, or let a unique or an exclusion constraint refuse the "
        "second row, or before looking change one row that all have in common, such as the "
        "room's, or take a lock on its name; rows that are not there yet cannot be locked"},
    Remedy{
        "", Harm::kNoFirst,
        "use a serializable isolation, or lock what each transaction reads, not only what it "
        "writes"},
    Remedy{"", Harm::kFalseReport,
           "use a serializable isolation for what writes and for what only reads; or let what "
           "writes lock what it reads, and what only reads use one snapshot"},
    Remedy{"", Harm::kMixedState,
           "use an isolation at which all statements of a transaction read one snapshot"},
    Remedy{"", Harm::kDisagreement,
           "use an isolation at which commits have one order for all readers, such as snapshot "
           "isolation; where there are several nodes, read from one of them"},
    Remedy{"", Harm::kOwnChangeMissed,
           "keep a session on one node, or let its requests wait until the node has caught up"},
    Remedy{"", Harm::kOldState,
           "read from the leader or with the database's option for linearizable reads, and not "
           "from a replica or a cache"},
};

/// The row that names this isolation; null: there is none.
const Remedy* at_isolation(std::span<const Remedy> rows, Harm harm, std::string_view setting) {
  const auto row = std::ranges::find_if(rows, [&](const Remedy& each) {
    return each.harm == harm && !each.isolation.empty() && setting.ends_with(each.isolation);
  });
  return row == rows.end() ? nullptr : &*row;
}

/// The row for any isolation; null: there is none.
const Remedy* at_any(std::span<const Remedy> rows, Harm harm) {
  const auto row = std::ranges::find_if(
      rows, [&](const Remedy& each) { return each.harm == harm && each.isolation.empty(); });
  return row == rows.end() ? nullptr : &*row;
}

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
  const DatabaseRemedies* const here = remedies_at(database);
  const std::span<const Remedy> known =
      here == nullptr ? std::span<const Remedy>() : here->remedies;
  // Who locks all on which a decision rests breaks circles of any length. Only where nothing is
  // known of the database do the words differ.
  const Harm wanted = harm == Harm::kNoFirst ? Harm::kBrokenRule : harm;
  const Remedy* row = at_isolation(known, wanted, setting);
  if (row == nullptr) row = at_isolation(kOfAny, wanted, setting);
  if (row == nullptr) row = at_any(known, wanted);
  if (row == nullptr) row = at_any(kOfAny, harm);
  ISOLDE_CHECK(row != nullptr);
  return row->text;
}

}  // namespace isolde::explain

#include "explain/lessons.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"

namespace isolde::explain {
namespace {

constexpr std::array kLessons = {
    Lesson{"write skew", "write skew", Harm::kBrokenRule,
           "each of two transactions read what the other one was about to change, and "
           "neither saw the other's change; run one after the other, the second would "
           "have seen it",
           "snapshot isolation allows this by design, because it compares what "
           "transactions wrote and not what they read; where serializability was asked "
           "for, a read was not tracked or its lock was released too early"},
    Lesson{"lost update", "lost updates", Harm::kLostChange,
           "two transactions both wrote an item, and the one that came second had read it "
           "before the other one's change, which it overwrote without having seen it",
           "usually no check for write conflicts is made at commit, or it looks at the "
           "wrong version, or a value was read without a lock and written back after a "
           "computation"},
    Lesson{"conflicting writers", "conflicting writes", Harm::kLostChange,
           "two transactions both wrote the item and both committed, although the one that "
           "came second had not seen what the first had done",
           "usually no check for write conflicts is made at commit (the first committer "
           "wins), or it looks at the wrong version, or the lock on a written item is "
           "released before the commit"},
    Lesson{"lost delete", "lost deletes", Harm::kLostChange,
           "a transaction deleted a row, and another one that had not seen the deletion wrote "
           "the row again",
           "an insert conflicts with no row that is gone, so where writes insert or replace "
           "(upserts), snapshot isolation allows this by design; elsewhere no check for write "
           "conflicts is made at commit, or it does not look at deleted rows"},
    Lesson{"long fork", "long forks", Harm::kDisagreement,
           "each of two readers missed a write that came before the other one, so there was no "
           "single sequence of states that both saw",
           "usually snapshots come from replicas or shards that apply commits in "
           "different orders, or a snapshot is put together while commits go on"},
    Lesson{"fractured read", "fractured reads", Harm::kMixedState,
           "a transaction saw one write of another transaction but not its other write, "
           "so it saw that transaction half done",
           "usually a commit becomes visible item by item or shard by shard instead of "
           "all at once, or each statement takes a snapshot of its own"},
    Lesson{"non-monotonic read", "non-monotonic reads", Harm::kMixedState,
           "a transaction saw one write of another transaction and afterwards missed "
           "another one, so that a transaction it had observed vanished again (OTV)",
           "usually the reads went to replicas that lagged by different amounts, or a commit "
           "becomes visible item by item"},
    Lesson{"non-repeatable read", "non-repeatable reads", Harm::kMixedState,
           "a transaction read one item twice and got versions that differ by what other "
           "transactions wrote",
           "usually each statement takes a snapshot of its own, or read locks are "
           "released before the transaction ends"},
    Lesson{"no possible order", "answers in no possible order (not linearizable)",
           Harm::kOldState,
           "operations on one item returned what they cannot have returned if each took "
           "effect at one moment between its start and its end; all orders were tried",
           "usually a replica or a cache answered that had not yet seen an acknowledged "
           "write or had lost it"},
    Lesson{
        "impossible result", "impossible results", Harm::kMixedState,
        "a count, sum, minimum or maximum is not what any versions of the rows give that "
        "committed transactions wrote",
        "usually a statement saw rows twice, or not at all, while they moved in an index, or "
        "it saw uncommitted changes"},
    Lesson{"read skew", "read skew", Harm::kMixedState,
           "a transaction saw the effects of some writes but missed others that came "
           "earlier, so what it saw never existed at one moment",
           "usually the statements of a transaction read from different snapshots, or commits "
           "became visible in a different order than they were made"},
    Lesson{"resurrected row", "resurrected rows", Harm::kMixedState,
           "a transaction found a row although, by what it had seen before, the row had been "
           "deleted",
           "usually a replica or an index that had not yet applied the deletion answered, or "
           "what marks the row as deleted was dropped before all replicas had seen it"},
    Lesson{"causality violation", "causality violations", Harm::kDisagreement,
           "a transaction saw an effect but missed its cause: something it read was written by "
           "a transaction that had seen what it missed",
           "usually replication passes writes on without waiting for those they depend "
           "on, or a client moved to a replica that lags"},
    Lesson{"cyclic information flow", "dirty reads (cyclic information flow, G1c)",
           Harm::kUncommitted,
           "transactions saw each other's writes in a cycle, so each of them would have to "
           "finish before the other could start (a kind of dirty reads)",
           "usually changes are visible to others before their transaction commits"},
    Lesson{"write cycle", "write cycles", Harm::kUncommitted,
           "the writes of several transactions were interleaved, so that different items "
           "ended up with different last writers",
           "usually write locks are released before the transaction ends, or replicas "
           "apply concurrent writes in different orders"},
    Lesson{"stale read", "stale reads", Harm::kOldState,
           "a transaction read an old version although a newer one had been acknowledged "
           "to its writer before the reading transaction started",
           "usually a follower or a cache answered without asking the leader, a leader went on "
           "after it had been replaced, or snapshots follow clocks that disagree"},
    Lesson{"stale snapshot", "stale snapshots", Harm::kOldState,
           "by the database's own times a transaction read a state that was too old for "
           "when it started",
           "usually the snapshot came from a node that lags behind the clock by which "
           "transactions are stamped"},
    Lesson{"snapshot from the future", "snapshots from the future", Harm::kMixedState,
           "by the database's own times a transaction depends on one that had not "
           "committed when it started",
           "usually commits become visible in a different order than their times, or the "
           "clocks of nodes differ"},
    Lesson{"real-time violation", "real-time violations", Harm::kOldState,
           "the database ordered transactions against the order in which clients saw them "
           "end and start",
           "usually commits are ordered by clocks that differ between machines, or a "
           "commit is acknowledged before its place in the order is fixed"},
    Lesson{"read-your-writes violation", "read-your-writes violations", Harm::kOwnChangeMissed,
           "a session wrote an item, and a later transaction of the same session read an "
           "older version of it",
           "usually the next request of the session went to a replica that had not "
           "received its write yet"},
    Lesson{"monotonic-reads violation", "monotonic-reads violations", Harm::kOwnChangeMissed,
           "a session saw the state after some writes, and later read a version from "
           "before them",
           "usually the requests of a session are spread over replicas that lag by different "
           "amounts"},
    Lesson{"monotonic-writes violation", "monotonic-writes violations", Harm::kOwnChangeMissed,
           "two writes of one session were applied in the opposite order",
           "usually replicas order writes as they arrive or by clocks that differ, "
           "instead of in the order of the session"},
    Lesson{"writes-follow-reads violation", "writes-follow-reads violations",
           Harm::kOwnChangeMissed,
           "a session saw a write and then wrote the item itself, but its write was "
           "placed before the one it had seen",
           "usually writes are ordered by the clocks of the nodes that took them, and one "
           "of the clocks was behind"},
    Lesson{"session guarantee violation", "session guarantee violations",
           Harm::kOwnChangeMissed,
           "the database ordered the transactions of one session against the order in "
           "which the session ran them",
           "usually the requests of a session are handled by nodes that do not tell each "
           "other how far the session has come"},
    Lesson{"read-only transaction anomaly", "read-only transaction anomalies",
           Harm::kFalseReport,
           "two writers alone can be put in order, but a transaction that only reads saw "
           "a state between them that no such order passes through",
           "snapshot isolation allows this by design; where serializability was asked "
           "for, one of the reads was not tracked (PostgreSQL tracks them by SIREAD locks), or "
           "transactions that only read are left out of the checks for conflicts"},
    Lesson{"anti-dependency cycle",
           "transactions that cannot have run one after the other (anti-dependency cycles)",
           Harm::kNoFirst,
           "several transactions must each have come before the next one, all the way around a "
           "cycle, two or more of them because they missed a write that the next one made, so "
           "none of them can have come first",
           "snapshot isolation allows this by design; where serializability was asked "
           "for, some read was not tracked, for example one through an index or one that "
           "found nothing"},
    Lesson{"aborted read", "dirty reads (aborted reads, G1a)", Harm::kUncommitted,
           "a transaction saw a value whose only writers were rolled back (a dirty read)",
           "usually changes are visible to others until a rollback undoes them, or the "
           "rollback was reported for a transaction that had committed"},
    Lesson{
        "intermediate read", "dirty reads (intermediate reads, G1b)", Harm::kUncommitted,
        "a transaction saw a value that its writer replaced before it committed (a dirty read)",
        "usually changes are visible to others before their transaction commits, or "
        "are applied one by one"},
    Lesson{"internal inconsistency", "internal inconsistencies", Harm::kContradiction,
           "a transaction did not see what it had itself written or read before",
           "usually the writes of a transaction wait in a buffer that its reads bypass, its "
           "statements ran on different connections, or it was rolled back halfway and "
           "continued as a new transaction"},
    Lesson{"not my last write", "reads that miss the last write of their own transaction",
           Harm::kContradiction,
           "a transaction that had written an item more than once read one of its earlier "
           "writes",
           "usually the writes of a transaction wait in a buffer in which only the first one "
           "is found, or its statements ran in a different order than they were sent"},
    Lesson{"not my own write", "reads that miss a write of their own transaction",
           Harm::kContradiction,
           "a transaction read an item that it had written, and did not see its own write",
           "usually the writes of a transaction wait in a buffer that its reads bypass, its "
           "statements ran on different connections, or it was rolled back halfway and "
           "continued as a new transaction"},
    Lesson{"future read", "future reads", Harm::kContradiction,
           "a transaction read a value before it wrote that value itself",
           "usually statements ran in a different order than they were sent, or a transaction "
           "was retried after it had taken effect"},
    Lesson{"thin-air read", "reads of what nobody wrote (thin-air reads)", Harm::kContradiction,
           "a transaction read a value that no transaction of the history ever wrote",
           "usually the data existed before the recording began, an unrecorded client wrote "
           "it, its writer took it back to a savepoint, which no history tells, or the value "
           "was changed in transit; otherwise it is corrupted"},
    Lesson{
        "lost initial contents", "lost initial contents", Harm::kContradiction,
        "a transaction did not find what had been there at the start, and no transaction had "
        "taken it away",
        "usually an unrecorded client changed or deleted it, the history tells other initial "
        "contents than there were, or a replica had not loaded them yet; otherwise data is "
        "lost"},
    Lesson{"incompatible order", "reads of one list in incompatible orders",
           Harm::kContradiction,
           "two reads of one list show its elements in orders that no single list passes "
           "through",
           "usually two replicas took writes at the same time, as after a partition, and "
           "both answered reads"},
    Lesson{"cyclic versions", "cyclic versions", Harm::kContradiction,
           "each of several transactions replaced the version that the next one wrote, all the "
           "way around a cycle, so no version of the item can be the oldest",
           "usually changes are visible to others before their transaction commits, or "
           "two replicas took writes at the same time"},
    Lesson{"dirty update", "dirty updates", Harm::kUncommitted,
           "a committed transaction built on the writes of one that was rolled back",
           "usually a lock is released before the rollback has undone what it protects"},
    Lesson{"phantom", "phantoms", Harm::kPhantom,
           "a transaction selected rows by a condition and missed one that, given everything "
           "else that was seen, must have existed",
           "usually only rows that exist are locked or tracked, and not the places where "
           "the condition would find new ones"},
    Lesson{"phantom read", "phantom reads", Harm::kMixedState,
           "a transaction looked for one row twice, at least once by a condition that "
           "selects it, and found it only once",
           "usually each statement takes a snapshot of its own, or only rows that exist "
           "are locked"},
    Lesson{"row outside of the condition", "rows outside of the condition",
           Harm::kContradiction,
           "a selection returned a row that its condition does not select",
           "usually an index is out of step with its rows, or the condition was evaluated "
           "on another version of the row than the one returned"},
    Lesson{"missed increment", "missed increments", Harm::kOldState,
           "a transaction read a number without all that had been added to it before the "
           "transaction began",
           "usually an update was lost, or a replica answered that had missed some"},
    Lesson{"impossible number", "impossible numbers", Harm::kContradiction,
           "a transaction read a number that nothing of what was added to it comes to",
           "usually an increment was made twice because it was retried after an unclear "
           "answer, or an unrecorded client changed the number"},
    Lesson{"impossible total", "impossible totals", Harm::kMixedState,
           "a transaction read several numbers whose total never existed",
           "usually each statement sees a state of its own, so that a transfer shows on one "
           "side only, or an update was lost"},
    Lesson{"duplicate elements", "duplicate elements", Harm::kContradiction,
           "a list holds an element more often than it was appended",
           "usually a write was retried after an unclear answer, and the retry was not "
           "recognised as a duplicate"},
};

}  // namespace

std::span<const Lesson> all_lessons() { return kLessons; }

std::vector<std::string_view> anomaly_names() {
  std::vector<std::string_view> names;
  for (const Lesson& lesson : all_lessons()) names.push_back(lesson.name);
  return names;
}

const Lesson& lesson_of(std::string_view name) {
  const auto found = std::find_if(kLessons.begin(), kLessons.end(),
                                  [&](const Lesson& lesson) { return lesson.name == name; });
  ISOLDE_CHECK(found != kLessons.end());
  return *found;
}

std::vector<std::string> together(std::span<const std::string> names) {
  struct Kind {
    std::string name;
    std::vector<std::string> which;  // in parentheses
  };
  std::vector<Kind> kinds;
  for (const std::string& name : names) {
    const std::size_t open = name.find(" (");
    const bool is_parted = open != std::string::npos && name.ends_with(')');
    const std::string first = is_parted ? name.substr(0, open) : name;
    auto known = std::ranges::find(kinds, first, &Kind::name);
    if (!is_parted || known == kinds.end() || known->which.empty()) {
      known = kinds.insert(kinds.end(), Kind{first, {}});
    }
    if (is_parted) known->which.push_back(name.substr(open + 2, name.size() - open - 3));
  }
  std::vector<std::string> all;
  for (const Kind& kind : kinds) {
    all.push_back(kind.name);
    for (std::size_t i = 0; i < kind.which.size(); ++i) {
      const bool is_last = i + 1 == kind.which.size();
      all.back() += (i == 0 ? " (" : is_last ? ", and " : ", ") + kind.which[i];
    }
    if (!kind.which.empty()) all.back() += ')';
  }
  return all;
}

}  // namespace isolde::explain

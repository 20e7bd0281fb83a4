// One small history, or a few, for each level: it violates the level and satisfies levels that
// are next to it. The tests ask the engine and the oracle.
#include <array>

#include "explain/level_guide.hpp"

namespace isolde::explain {
namespace {

using enum Level;

constexpr auto kExamples = std::to_array<LevelExample>({
    {kStrictSerializable, "real-time violation",
     R"({"session":"a","start":1,"end":2,"ops":[["w","y",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",null]]}
{"session":"c","start":1,"end":4,"ops":[["r","y",null],["w","x",1]]})",
     "One after the other, b comes before c, which writes what b did not see, and c "
     "before a. But a had ended when b started.",
     "ssser strong-si"},
    {kPerKeyStrictSerializable, "real-time violation",
     R"({"session":"a","start":1,"end":2,"ops":[["r","z",1],["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["w","x",2],["w","y",1]]}
{"session":"c","start":1,"end":9,"ops":[["r","y",1],["w","z",1]]})",
     "a read from c, and c from b, so b comes first. But a had ended when b started, and both "
     "write x. Each key by itself is linearizable: two transactions on each, a before b on x, "
     "b before c on y, c before a on z.",
     "ssser lin"},
    {kStrongSessionSerializable, "session guarantee violation",
     R"({"session":"a","ops":[["w","y",1]]}
{"session":"a","ops":[["r","x",null]]}
{"session":"b","ops":[["r","y",null],["w","x",1]]})",
     "One after the other, the session's second transaction comes before b, and b before "
     "the session's first.",
     "ser sssi"},
    {kSerializable, "write skew",
     R"({"session":"a","ops":[["r","x",null],["w","y",1]]}
{"session":"b","ops":[["r","y",null],["w","x",1]]})",
     "Each read what the other was about to change, and neither saw the change. Run one "
     "after the other, the second would have seen it.",
     "sssi"},
    {kSerializable, "phantom",
     R"({"session":"a","ops":[["select",{"keys":[1,9]},[]],["w",1,10]]}
{"session":"b","ops":[["select",{"keys":[1,9]},[]],["w",2,20]]})",
     "Each found no row with a key from 1 to 9 and wrote one. Run one after the other, the "
     "second would have found the first one's row. No item was read that the other wrote, "
     "so repeatable read allows it.",
     "rr sssi"},
    {kRepeatableRead, "lost update",
     R"({"session":"a","ops":[["r","x",null],["w","x",1]]}
{"session":"b","ops":[["r","x",null],["w","x",2]]})",
     "Both read the initial version and replaced it: whichever came second overwrote a "
     "change that it had not seen.",
     "sspc"},
    {kCommitOrderedStrongSnapshotIsolation, "stale snapshot",
     R"({"session":"a","db_start":1,"db_commit":2,"ops":[["w","x",1]]}
{"session":"b","db_start":3,"db_commit":4,"ops":[["r","x",null]]})",
     "By the database's times a had committed when b started, but b's snapshot lacks it.",
     "pcsi"},
    {kPrefixConsistentSnapshotIsolation, "read-your-writes violation",
     R"({"session":"a","db_start":1,"db_commit":2,"ops":[["w","x",1]]}
{"session":"a","db_start":3,"db_commit":4,"ops":[["r","x",null]]})",
     "The snapshot of the session's second transaction lacks the first. An old snapshot "
     "is allowed, but not one older than the session.",
     "gsi"},
    {kAnsiSnapshotIsolation, "snapshot from the future",
     R"({"session":"a","db_start":1,"db_commit":3,"ops":[["w","x",1]]}
{"session":"b","db_start":2,"db_commit":4,"ops":[["r","x",1]]})",
     "By the database's times a had not committed when b started, but b's snapshot holds "
     "what a wrote.",
     "ssser"},
    {kStrongSnapshotIsolation, "stale read",
     R"({"session":"a","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",null]]})",
     "b started after a had ended, and did not see what a wrote.", "ssser"},
    {kStrongSessionSnapshotIsolation, "read-your-writes violation",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"a","ops":[["r","x",null]]})",
     "The session's second transaction does not see what its first one wrote. Without "
     "session order the second one may come first.",
     "ser ssmav"},
    {kStrongSessionSnapshotIsolation, "long fork over two sessions",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1]]}
{"session":"c","ops":[["r","y",null]]}
{"session":"d","ops":[["r","y",1]]}
{"session":"d","ops":[["r","x",null]]})",
     "Session c saw a before b, session d saw b before a. Each transaction alone is "
     "fine, and so is each session.",
     "ser sspsi"},
    {kSnapshotIsolation, "lost update",
     R"({"session":"a","ops":[["r","x",null],["w","x",1]]}
{"session":"b","ops":[["r","x",null],["w","x",2]]})",
     "Both read the initial version and replaced it: whichever came second overwrote a "
     "change that it had not seen.",
     "sspc"},
    {kSnapshotIsolation, "long fork",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1],["r","y",null]]}
{"session":"d","ops":[["r","y",1],["r","x",null]]})",
     "c saw a's write and not b's, d saw b's and not a's: no single sequence of states has "
     "both views.",
     "sspsi"},
    {kStrongParallelSnapshotIsolation, "stale read",
     R"({"session":"a","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",null]]})",
     "b started after a had ended, and did not see what a wrote.", "ssser"},
    {kStrongSessionParallelSnapshotIsolation, "read-your-writes violation",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"a","ops":[["r","x",null]]})",
     "The session's second transaction does not see what its first one wrote. Without "
     "session order the second one may come first.",
     "ser ssmav"},
    {kParallelSnapshotIsolation, "lost update",
     R"({"session":"a","ops":[["r","x",null],["w","x",1]]}
{"session":"b","ops":[["r","x",null],["w","x",2]]})",
     "Both read the initial version and replaced it: whichever came second overwrote a "
     "change that it had not seen.",
     "sspc"},
    {kParallelSnapshotIsolation, "causality violation",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1],["w","y",2]]}
{"session":"c","ops":[["r","y",2],["r","x",null]]})",
     "c saw what b wrote, but not what b had read when it wrote it.", "ssra"},
    {kStrongPrefixConsistency, "stale read",
     R"({"session":"a","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",null]]})",
     "b started after a had ended, and did not see what a wrote.", "ssser"},
    {kStrongSessionPrefixConsistency, "long fork over two sessions",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1]]}
{"session":"c","ops":[["r","y",null]]}
{"session":"d","ops":[["r","y",1]]}
{"session":"d","ops":[["r","x",null]]})",
     "Session c saw a before b, session d saw b before a. Each transaction alone is "
     "fine, and so is each session.",
     "ser sspsi"},
    {kPrefixConsistency, "long fork",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1],["r","y",null]]}
{"session":"d","ops":[["r","y",1],["r","x",null]]})",
     "c saw a's write and not b's, d saw b's and not a's: no single sequence of states has "
     "both views.",
     "sspsi"},
    {kSequential, "long fork over two sessions",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["w","y",1]]}
{"session":"c","ops":[["r","x",1]]}
{"session":"c","ops":[["r","y",null]]}
{"session":"d","ops":[["r","y",1]]}
{"session":"d","ops":[["r","x",null]]})",
     "Session c saw a before b, session d saw b before a. Each transaction alone is "
     "fine, and so is each session.",
     "ser sspsi"},
    {kLinearizable, "stale read",
     R"({"session":"a","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",null]]})",
     "b started after a had ended, and did not see what a wrote.", "ssser"},
    {kStrongTransactionalCausal, "stale read",
     R"({"session":"a","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",null]]})",
     "b started after a had ended, and did not see what a wrote.", "ssser"},
    {kTransactionalCausal, "causality violation",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1],["w","y",2]]}
{"session":"c","ops":[["r","y",2],["r","x",null]]})",
     "c saw what b wrote, but not what b had read when it wrote it.", "ssra"},
    {kCausal, "causality violation",
     R"({"session":"a","ops":[["w","acl",1]]}
{"session":"a","ops":[["w","photo",1]]}
{"session":"b","ops":[["r","photo",1]]}
{"session":"b","ops":[["r","acl",null]]})",
     "Session a closed its photos to b and then added one. b saw the photo, and "
     "afterwards not yet the rule.",
     "ser ssra ryw mr mw wfr"},
    {kStrongReadAtomic, "stale read",
     R"({"session":"a","start":1,"end":2,"ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"ops":[["r","x",null]]})",
     "b started after a had ended, and did not see what a wrote.", "ssser strong-mav"},
    {kStrongSessionReadAtomic, "read-your-writes violation",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"a","ops":[["r","x",null]]})",
     "The session's second transaction does not see what its first one wrote. Without "
     "session order the second one may come first.",
     "ser ssmav"},
    {kReadAtomic, "fractured read",
     R"({"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","y",null],["r","x",1]]})",
     "b missed one of a's writes and afterwards saw the other. Had a committed in "
     "between, each read alone would be right.",
     "sc"},
    {kStrongMonotonicAtomicView, "non-monotonic read",
     R"({"session":"a","start":1,"end":2,"ops":[["w","x",2]]}
{"session":"b","start":3,"end":4,"ops":[["w","x",1],["w","y",1]]}
{"session":"c","start":5,"end":6,"ops":[["r","y",1],["r","x",2]]})",
     "c saw b's y, so b's x should have replaced a's for it: a had ended when b started.",
     "ssser strong-rc"},
    {kStrongSessionMonotonicAtomicView, "non-monotonic read",
     R"({"session":"a","ops":[["w","x",2]]}
{"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","y",1],["r","x",2]]})",
     "b saw the session's second transaction by its y, and afterwards the x of the "
     "first, which the second had replaced.",
     "ser ssrc"},
    {kMonotonicAtomicView, "non-monotonic read",
     R"({"session":"a","ops":[["w","x",1],["w","y",1]]}
{"session":"b","ops":[["r","x",1],["r","y",null]]})",
     "b saw one of a's writes and afterwards missed the other: a vanished again. With "
     "the two reads in the other order the level holds.",
     "ssrc"},
    {kStrongReadCommitted, "real-time violation",
     R"({"session":"a","start":5,"end":6,"ops":[["w","x",1]]}
{"session":"b","start":1,"end":2,"ops":[["r","x",1]]})",
     "b had ended before a, from which it read, started.", "ssser strong-ru"},
    {kStrongSessionReadCommitted, "session guarantee violation",
     R"({"session":"a","ops":[["r","y",1],["w","x",1]]}
{"session":"a","ops":[["w","y",1]]})",
     "The first transaction of the session read what the second one wrote.", "ser ssru"},
    {kWritesFollowReads, "writes-follow-reads violation",
     R"({"session":"a","ops":[["w","y",1],["append","l",1]]}
{"session":"b","ops":[["r","y",1]]}
{"session":"b","ops":[["append","l",2]]}
{"session":"c","ops":[["r","l",[2,1]]]})",
     "Session b read from a and then appended to the list, but the list shows its append in "
     "front of a's.",
     "ser ryw mr mw"},
    {kMonotonicWrites, "monotonic-writes violation",
     R"({"session":"a","ops":[["append","l",2]]}
{"session":"a","ops":[["append","l",1]]}
{"session":"b","ops":[["r","l",[1,2]]]})",
     "The list shows the session's second append in front of its first.", "ser ryw mr wfr"},
    {kMonotonicReads, "monotonic-reads violation",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1]]}
{"session":"b","ops":[["r","x",null]]})",
     "The session saw a version and afterwards an older one.", "ser ssra ryw mw wfr"},
    {kReadYourWrites, "read-your-writes violation",
     R"({"session":"a","ops":[["w","x",1]]}
{"session":"a","ops":[["r","x",null]]})",
     "The session's second transaction does not see what its first one wrote.",
     "ser ssmav mr mw wfr"},
    {kReadCommitted, "aborted read",
     R"({"session":"a","status":"aborted","ops":[["w","x",1]]}
{"session":"b","ops":[["r","x",1]]})",
     "b saw a value that was rolled back (G1a).", "ssru"},
    {kReadCommitted, "intermediate read",
     R"({"session":"a","ops":[["w","x",1],["w","x",2]]}
{"session":"b","ops":[["r","x",1]]})",
     "b saw a value that its writer replaced before it committed (G1b).", "ssru"},
    {kReadCommitted, "cyclic information flow",
     R"({"session":"a","ops":[["w","x",1],["r","y",2]]}
{"session":"b","ops":[["w","y",2],["r","x",1]]})",
     "Each of the two read from the other, so neither can have come first (G1c).", "ssru mw"},
    {kStrongReadUncommitted, "real-time violation",
     R"({"session":"a","start":5,"end":6,"ops":[["append","l",1]]}
{"session":"b","start":1,"end":2,"ops":[["append","l",2]]}
{"session":"c","start":7,"end":8,"ops":[["r","l",[1,2]]]})",
     "The list has a's append in front of b's, but b had ended when a started.", "ssser"},
    {kStrongSessionReadUncommitted, "monotonic-writes violation",
     R"({"session":"a","ops":[["append","l",2]]}
{"session":"a","ops":[["append","l",1]]}
{"session":"b","ops":[["r","l",[1,2]]]})",
     "The list shows the session's second append in front of its first.", "ser wfr"},
    {kReadUncommitted, "write cycle",
     R"({"session":"a","ops":[["append","x",1],["append","y",1]]}
{"session":"b","ops":[["append","x",2],["append","y",2]]}
{"session":"c","ops":[["r","x",[1,2]]]}
{"session":"d","ops":[["r","y",[2,1]]]})",
     "List x has a's append first, list y b's: the two transactions were interleaved "
     "(G0).",
     "ryw mr mw"},
    {kStrongMixed, "real-time violation",
     R"({"session":"a","start":1,"end":2,"level":"serializable","ops":[["w","x",1]]}
{"session":"b","start":3,"end":4,"level":"read-committed","ops":[["r","x",null],["w","y",1]]}
{"session":"c","start":5,"end":6,"level":"serializable","ops":[["r","x",null],["r","y",1]]})",
     "That b, at read committed, read an old state is allowed. That c did is not: it is "
     "serializable, and a had ended when it started.",
     "mixed ser"},
    {kMixed, "write skew",
     R"({"session":"a","level":"serializable","ops":[["r","x",null],["w","y",1]]}
{"session":"b","level":"serializable","ops":[["r","y",null],["w","x",1]]}
{"session":"c","level":"read-committed","ops":[["r","x",1],["r","y",null],["r","y",1]]})",
     "c reads y twice and sees it change, which its level allows. But a and b each read what "
     "the other was about to change, and neither saw the change: were only one of them "
     "serializable, it could come first.",
     "ssmav wfr"},
});

}  // namespace

std::span<const LevelExample> all_examples() { return kExamples; }

}  // namespace isolde::explain

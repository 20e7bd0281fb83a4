// Where the verdicts come from. Of the histories O1 to O42, those of read-uncommitted,
// read-committed, read-atomic, parallel-snapshot-isolation, snapshot-isolation, serializable
// and strict-serializable, of sequential, causal and the four session guarantees are those of
// the literature, as far as it gives them: theory_test.cpp repeats them by level and compares.
// All others are derived: found by the oracle (test/oracle/brute.hpp), which agrees with second
// definitions of all levels. What to remember of them:
//
// - strong-session levels: where every transaction has its own session, as the base level.
//   Session order alone lets two sessions see the writes of others in opposite orders (O18 up
//   to parallel-snapshot-isolation, O21 at causal); with prefix-consistency there is one order.
// - strong-snapshot-isolation: snapshot isolation whose snapshot includes everything that had
//   ended before the start; the thesis' own "Strong SI" also fixes commit order and differs
//   (O14, O37, O38: violated there, fine here, because overlapping transactions are free).
// - monotonic-atomic-view: only a read that follows, in the same transaction, a read from
//   another transaction that wrote the key is constrained. So all histories that read-committed
//   accepts pass, except where a transaction first reads a new value and then an older one of a
//   key that the writer of the new value wrote too (O9, O29, O35r); where readers disagree
//   (D11); and where session order and read-from alone make a cycle (O42).
// - read-atomic, transactional-causal: for a list, a read comes from the writer of the last
//   element. The writers of the elements before it are no causes (D8, D9).
// - read-uncommitted: only lists show an order of writes (D1 to D7).
#include "support/oracle_histories.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"

namespace isolde::support {
namespace {

using enum Level;

// Levels in the order of the letters. The levels by the database's own times apply to no
// history of this table.
constexpr auto kColumns = std::to_array<Level>({
    // ser
    kStrictSerializable,
    kStrongSessionSerializable,
    kSerializable,
    // rr
    kRepeatableRead,
    // cossi, pcsi, gsi
    kCommitOrderedStrongSnapshotIsolation,
    kPrefixConsistentSnapshotIsolation,
    kAnsiSnapshotIsolation,
    // si
    kStrongSnapshotIsolation,
    kStrongSessionSnapshotIsolation,
    kSnapshotIsolation,
    // psi
    kStrongParallelSnapshotIsolation,
    kStrongSessionParallelSnapshotIsolation,
    kParallelSnapshotIsolation,
    // pc
    kStrongPrefixConsistency,
    kStrongSessionPrefixConsistency,
    kPrefixConsistency,
    // sc, lin
    kSequential,
    kLinearizable,
    // tcc, cc
    kStrongTransactionalCausal,
    kTransactionalCausal,
    kCausal,
    // ra
    kStrongReadAtomic,
    kStrongSessionReadAtomic,
    kReadAtomic,
    // mav
    kStrongMonotonicAtomicView,
    kStrongSessionMonotonicAtomicView,
    kMonotonicAtomicView,
    // rc
    kStrongReadCommitted,
    kStrongSessionReadCommitted,
    kReadCommitted,
    // ryw, mr, mw, wfr
    kReadYourWrites,
    kMonotonicReads,
    kMonotonicWrites,
    kWritesFollowReads,
    // ru
    kStrongReadUncommitted,
    kStrongSessionReadUncommitted,
    kReadUncommitted,
});

// The heading, by short names of base levels; `rmwf` stands for ryw, mr, mw, wfr:
//   ser rr timed si psi pc sc lin tcc cc ra mav rc rmwf ru
// clang-format off
constexpr auto kHistories = std::to_array<OracleHistory>({
    // Isolation: one session each, no times.
    {"O1", "transfer, second one sees the first",
     "A: r(a=_) w(a=80) r(b=_) w(b=120) ; B: r(a=80) w(a=30) r(c=_) w(c=250)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O2", "transfer, one update of a lost",
     "A: r(a=_) w(a=80) r(b=_) w(b=120) ; B: r(a=_) w(a=50) r(c=_) w(c=250)",
     "-nn n --- -nn -nn -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O3", "view- but not conflict-serializable",
     "A: r(a=_) w(a=1) ; B: w(a=2) ; C: w(a=3)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O4", "multiversion-serializable only",
     "A: w(a=1) w(b=1) ; B: w(a=2) w(b=2)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O4b", "O4 and a reader of its mixed end state",
     "A: w(a=1) w(b=1) ; B: w(a=2) w(b=2) ; C: r(a=2) r(b=1)",
     "-nn n --- -nn -nn -nn Y - -n Y -nn -YY -YY YYYY -YY"},
    {"O5", "lost update",
     "A: r(x=_) w(x=99a) ; B: r(x=_) w(x=99b)",
     "-nn n --- -nn -nn -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O6", "dirty read (G1a)",
     "A: w(b=120) ! ; B: r(b=120)",
     "-nn n --- -nn -nn -nn n - -n n -nn -nn -nn nnnn -YY"},
    {"O6b", "intermediate read (G1b)",
     "A: w(x=1) w(x=2) ; B: r(x=1)",
     "-nn n --- -nn -nn -nn n - -n n -nn -nn -nn nnnn -YY"},
    {"O7", "non-repeatable read",
     "A: r(x=_) r(x=1) ; B: w(x=1)",
     "-nn n --- -nn -nn -nn Y - -n Y -nn -YY -YY YYYY -YY"},
    {"O8", "write skew",
     "A: r(S=_) r(C=_) w(C=-10) ; B: r(S=_) r(C=_) w(S=-10)",
     "-nn n --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"P1", "phantom: each selects nothing and writes a row",
     "A: s(keys=1..9:) w(1=10) ; B: s(keys=1..9:) w(2=20)",
     "-nn Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"P2", "predicate write skew: each counts the rows that the other one adds to",
     "A: s(keys=1..9: 1=10) w(2=20) ; B: s(keys=1..9: 1=10) w(3=30) ; C: w(1=10)",
     "-nn Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"P3", "the same, one selection sees the other's row",
     "A: s(keys=1..9: 1=10) w(2=20) ; B: s(keys=1..9: 1=10 2=20) w(3=30) ; C: w(1=10)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O8a", "no write skew: the second sees the first",
     "A: r(S=_) r(C=_) w(C=-10) ; B: r(S=_) r(C=-10)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O9", "sum over half a transfer",
     "A: r(x=_) w(x=10) r(y=_) w(y=90) ; B: r(x=10) r(y=_)",
     "-nn n --- -nn -nn -nn n - -n n -nn -nn -YY YnYY -YY"},
    {"O10", "breaks P0 and is serializable all the same (O4)",
     "A: w(a=1) w(b=1) ; B: w(a=2) w(b=2)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O11", "sum over a transfer, after",
     "A: r(x=_) w(x=10) r(y=_) w(y=90) ; B: r(x=10) r(y=90)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O12", "sum over a transfer, before",
     "A: r(x=_) w(x=10) r(y=_) w(y=90) ; B: r(x=_) r(y=_)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O13", "long fork",
     "A: w(x=1) w(y=1) ; B: r(x=1) w(x=2) ; C: r(y=1) w(y=2) ; D: r(x=2) r(y=1) ; "
     "E: r(x=1) r(y=2)",
     "-nn n --- -nn -YY -nn Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O13b", "minimal long fork",
     "B: w(x=2) ; C: w(y=2) ; D: r(x=2) r(y=_) ; E: r(x=_) r(y=2)",
     "-nn n --- -nn -YY -nn Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O17", "read states of one execution (theory_test.cpp checks them too)",
     "Ta: w(x=1) ; Tc: w(y=1) ; Tb: r(y=1) r(z=_) w(y=2) w(z=1) ; Td: w(z=2) ; "
     "Te: r(x=_) r(z=1)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O26", "Wikipedia, blind edits",
     "A: w(c=a) ; B: w(c=b) ; C: r(c=a) w(r=p) ; D: r(c=b) w(i=n) ; "
     "R: r(c=b) r(r=p) r(i=n)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O26b", "Wikipedia, edits that read",
     "A: r(c=_) w(c=a) ; B: r(c=_) w(c=b) ; C: r(c=a) w(r=p) ; D: r(c=b) w(i=n) ; "
     "R: r(c=b) r(r=p) r(i=n)",
     "-nn n --- -nn -nn -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O27", "internal read",
     "A: w(x=1) w(y=1) ; B: r(x=1) w(y=2) r(y=2)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O28", "circular information flow (G1c)",
     "A: w(x=1) r(y=2) ; B: w(y=2) r(x=1)",
     "-nn n --- -nn -nn -nn n - -n n -nn -nn -nn YYYn -YY"},
    {"O29", "fractured read",
     "A: w(x=1) w(y=1) ; B: r(x=1) r(y=_)",
     "-nn n --- -nn -nn -nn n - -n n -nn -nn -YY YnYY -YY"},
    {"O30", "causality across two keys",
     "A: w(x=1) ; B: r(x=1) w(y=2) ; C: r(y=2) r(x=_)",
     "-nn n --- -nn -nn -nn n - -n n -YY -YY -YY YYYY -YY"},
    {"O31", "lost update with a reader",
     "A: r(c=_) w(c=1) ; B: r(c=_) w(c=2) ; C: r(c=1)",
     "-nn n --- -nn -nn -YY Y - -Y Y -YY -YY -YY YYYY -YY"},

    // Times.
    {"O14", "value of a transaction that ends later",
     "A: w(x=1) @1,4 ; B: r(x=1) @2,3",
     "YYY Y --- YYY YYY YYY Y Y YY Y YYY YYY YYY YYYY YYY"},
    {"O15", "stale read after the own session's write",
     "A: w(x=1) @1,2 ; B: r(x=1) w(x=2) @3,4 | r(x=1) @5,6",
     "nnY Y --- nnY nnY nnY n n nn n nnY YYY YYY nYYY YYY"},
    {"O16", "stale read after another session's write",
     "A: w(x=1) @1,2 ; B: r(x=1) w(x=2) @3,4 ; C: r(x=1) @5,6",
     "nYY Y --- nYY nYY nYY Y n nY Y nYY YYY YYY YYYY YYY"},
    {"O8t", "write skew in time",
     "A: r(x=_) r(y=_) w(x=1) @1,3 ; B: r(x=_) r(y=_) w(y=1) @2,4",
     "nnn n --- YYY YYY YYY Y Y YY Y YYY YYY YYY YYYY YYY"},
    {"O32", "transaction inversion",
     "A: w(x=1) @1,2 ; B: r(x=_) @3,4",
     "nYY Y --- nYY nYY nYY Y n nY Y nYY YYY YYY YYYY YYY"},
    {"O32s", "transaction inversion in one session",
     "A: w(x=1) @1,2 | r(x=_) @3,4",
     "nnY Y --- nnY nnY nnY n n nn n nnY YYY YYY nYYY YYY"},
    {"O37", "value of an overlapping transaction",
     "A: w(x=1) @1,3 ; B: r(x=1) @2,4",
     "YYY Y --- YYY YYY YYY Y Y YY Y YYY YYY YYY YYYY YYY"},
    {"O38", "overlapping blind writes",
     "A: w(x=1) @1,3 ; B: w(x=2) @2,4",
     "YYY Y --- YYY YYY YYY Y Y YY Y YYY YYY YYY YYYY YYY"},
    {"O39", "read from the future",
     "A: w(x=1) @5,6 ; B: r(x=1) @1,2",
     "nYY Y --- nYY nYY nYY Y n nY Y nYY nYY nYY YYYY YYY"},

    // Sessions.
    {"O18", "two observers disagree on the order",
     "A: w(a=1) ; B: w(b=1) ; C: r(a=1) | r(b=_) ; D: r(b=1) | r(a=_)",
     "-nY Y --- -nY -YY -nY n - -Y Y -YY -YY -YY YYYY -YY"},
    {"O19", "defriend, then post",
     "A: w(acl=1) | w(photo=1) ; B: r(photo=1) | r(acl=_)",
     "-nY Y --- -nY -nY -nY n - -n n -YY -YY -YY YYYY -YY"},
    {"O20", "new value, then the old one again",
     "A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) | r(x=1)",
     "-nY Y --- -nY -nY -nY n - -n n -YY -YY -YY YnYY -YY"},
    {"O21", "two sessions see opposite orders",
     "A: w(x=1) ; B: w(x=2) ; C: r(x=1) | r(x=2) ; D: r(x=2) | r(x=1)",
     "-nY Y --- -nY -nY -nY n - -n Y -YY -YY -YY YYYY -YY"},
    {"O22", "own write not read",
     "A: w(x=1) | r(x=_)",
     "-nY Y --- -nY -nY -nY n - -n n -nY -YY -YY nYYY -YY"},
    {"O23", "value, then the initial one",
     "A: w(x=1) ; B: r(x=1) | r(x=_)",
     "-nY Y --- -nY -nY -nY n - -n n -YY -YY -YY YnYY -YY"},
    {"O24", "writes of a session seen backwards",
     "A: w(x=1) | w(x=2) ; B: r(x=2) | r(x=1)",
     "-nY Y --- -nY -nY -nY n - -n n -YY -YY -YY YYYY -YY"},
    {"O25", "write that follows a read, seen without it",
     "A: w(x=1) ; B: r(x=1) | w(y=1) ; C: r(y=1) | r(x=_)",
     "-nY Y --- -nY -nY -nY n - -n n -YY -YY -YY YYYY -YY"},
    {"O33", "serializable, but not in the order of its session (O22)",
     "A: w(x=1) | r(x=_)",
     "-nY Y --- -nY -nY -nY n - -n n -nY -YY -YY nYYY -YY"},
    {"O34", "lost update, sequential",
     "A: r(x=_) w(x=1) ; B: r(x=_) w(x=2)",
     "-nn n --- -nn -nn -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O35", "old read, then a new one",
     "W: w(x=1) w(y=1) ; R: r(y=_) r(x=1)",
     "-nn n --- -nn -nn -nn Y - -n Y -nn -YY -YY YYYY -YY"},
    {"O35r", "new read, then an old one",
     "W: w(x=1) w(y=1) ; R: r(x=1) r(y=_)",
     "-nn n --- -nn -nn -nn n - -n n -nn -nn -YY YnYY -YY"},
    {"O36", "half of a transaction, over a session",
     "W: w(x=1) w(y=1) ; B: r(x=1) | r(y=_)",
     "-nY Y --- -nY -nY -nY n - -n n -YY -YY -YY YnYY -YY"},
    {"O40", "stale own write",
     "A: w(x=1) | w(x=2) | r(x=1)",
     "-nY Y --- -nY -nY -nY n - -n n -nY -YY -YY nYYY -YY"},
    {"O41", "own write overwritten by another",
     "A: w(x=1) | r(x=2) ; B: w(x=2)",
     "-YY Y --- -YY -YY -YY Y - -Y Y -YY -YY -YY YYYY -YY"},
    {"O42", "the own session's future",
     "A: r(y=1) w(x=1) | w(y=1)",
     "-nY Y --- -nY -nY -nY n - -n n -nY -nY -nY nnnn -YY"},

    // Derived: what the literature has no history for, or none with times, which are needed to
    // speak of all levels.
    {"D1", "interleaved appends (G0)",
     "A: a(l=1) a(l=3) @1,9 ; B: a(l=2) @2,8 ; C: r(l=[1 2 3]) @3,9",
     "nnn n --- nnn nnn nnn n n nn n nnn nnn nnn nnnn nnn"},
    {"D2", "two lists in opposite orders (G0)",
     "A: a(x=1) a(y=1) @1,9 ; B: a(x=2) a(y=2) @1,9 ; C: r(x=[1 2]) @1,9 ; "
     "D: r(y=[2 1]) @1,9",
     "nnn n --- nnn nnn nnn n Y nn n nnn nnn nnn YYYn nnn"},
    {"D3", "two orders of one list",
     "A: a(l=1) @1,9 ; B: a(l=2) @1,9 ; C: r(l=[1 2]) @1,9 ; D: r(l=[2 1]) @1,9",
     "nnn n --- nnn nnn nnn n n nn n nnn nnn nnn YYYn nnn"},
    {"D4", "appends against real time",
     "A: a(l=1) @5,6 ; B: a(l=2) @1,2 ; C: r(l=[1 2]) @7,8",
     "nYY Y --- nYY nYY nYY Y n nY Y nYY nYY nYY YYYY nYY"},
    {"D5", "appends against the order of their session",
     "A: a(l=2) @1,2 | a(l=1) @3,4 ; B: r(l=[1 2]) @5,6",
     "nnY Y --- nnY nnY nnY n n nn n nnY nnY nnY YYnY nnY"},
    {"D6", "appends against their session, overlapping in time",
     "A: a(l=2) @1,9 | a(l=1) @2,8 ; B: r(l=[1 2]) @3,9",
     "YnY Y --- YnY YnY YnY n Y nn n YnY YnY YnY YYnY YnY"},
    {"D7", "an own append is missing in front of a later one",
     "A: a(l=2) @1,2 | a(l=3) @3,4 | r(l=[3]) @5,6",
     "nnY Y --- nnY nnY nnY n n nn n nnY nnY nnY nYnY YYY"},
    {"D8", "half of a transaction, behind the next one's element",
     "A: w(x=1) a(l=1) @1,9 ; B: a(l=2) @1,9 ; C: r(l=[1 2]) r(x=_) @1,9",
     "nnn n --- nnn nnn nnn n Y YY n YYY YYY YYY YnYY YYY"},
    {"D9", "a list puts another's write before the own one, too late",
     "A: w(x=1) a(l=1) @1,9 ; B: a(l=2) @1,2 | r(x=_) @3,4 | r(l=[1 2]) @5,6",
     "nnY Y --- nnY nnY nnY n Y YY n YYY YYY YYY nYYY YYY"},
    {"D10", "lists of two keys turn a session round",
     "A: a(y=2) @1,2 | a(x=1) @3,4 ; B: a(x=2) a(y=1) @1,9 ; "
     "C: r(x=[1 2]) r(y=[1 2]) @10,11",
     "nnY Y --- nnY nnY nnY n Y nn n nnY nnY nnY YYnY nnY"},
    {"D11", "two readers disagree on two writers",
     "A: w(x=1) w(y=1) @1,9 ; B: w(x=2) w(y=2) @1,9 ; C: r(x=1) r(y=2) @1,9 ; "
     "D: r(x=2) r(y=1) @1,9",
     "nnn n --- nnn nnn nnn n Y nn Y nnn nnn YYY YYYY YYY"},
    {"D12", "lost update, overlapping in time",
     "A: r(x=_) w(x=1) @1,9 ; B: r(x=_) w(x=2) @2,8",
     "nnn n --- nnn nnn YYY Y n YY Y YYY YYY YYY YYYY YYY"},
    {"D13", "long fork, overlapping in time",
     "A: w(x=1) @1,9 ; B: w(y=1) @1,9 ; C: r(x=1) r(y=_) @2,8 ; D: r(y=1) r(x=_) @2,8",
     "nnn n --- nnn YYY nnn n Y YY Y YYY YYY YYY YYYY YYY"},
    {"D14", "fractured read, overlapping in time",
     "A: w(x=1) w(y=1) @1,9 ; B: r(x=1) r(y=_) @2,8",
     "nnn n --- nnn nnn nnn n Y nn n nnn nnn YYY YnYY YYY"},
    {"D15", "effect without its cause, overlapping in time",
     "A: w(x=1) @1,9 ; B: r(x=1) w(y=2) @2,8 ; C: r(y=2) r(x=_) @3,7",
     "nnn n --- nnn nnn nnn n Y nn n YYY YYY YYY YYYY YYY"},
    {"D16", "circular information flow, overlapping in time",
     "A: w(x=1) r(y=2) @1,9 ; B: w(y=2) r(x=1) @2,8",
     "nnn n --- nnn nnn nnn n Y nn n nnn nnn nnn YYYn YYY"},
    {"D17", "old read, then a new one, overlapping in time",
     "A: w(x=1) w(y=1) @1,9 ; B: r(y=_) r(x=1) @2,8",
     "nnn n --- nnn nnn nnn Y Y nn Y nnn YYY YYY YYYY YYY"},
    {"D18", "dirty read, overlapping in time",
     "A: w(x=1) ! @1,9 ; B: r(x=1) @2,8",
     "nnn n --- nnn nnn nnn n n nn n nnn nnn nnn nnnn YYY"},
    {"D19", "own write not read, overlapping in time",
     "A: w(x=1) @1,9 | r(x=_) @2,8",
     "YnY Y --- YnY YnY YnY n Y nn n YnY YYY YYY nYYY YYY"},
    {"D20", "the own session's future, overlapping in time",
     "A: r(y=1) w(x=1) @1,9 | w(y=1) @2,8",
     "YnY Y --- YnY YnY YnY n Y nn n YnY YnY YnY nnnn YYY"},
    {"D21", "the own session's future, in turn",
     "A: r(y=1) w(x=1) @1,2 | w(y=1) @3,4",
     "nnY Y --- nnY nnY nnY n n nn n nnY nnY nnY nnnn YYY"},
    {"D22", "value, then the initial one, in turn",
     "A: w(x=1) @1,2 ; B: r(x=1) @3,4 | r(x=_) @5,6",
     "nnY Y --- nnY nnY nnY n n nn n nYY YYY YYY YnYY YYY"},
    {"D23", "real time on a shared key against one order, each key linearizable",
     "A: r(z=1) w(x=1) @1,2 ; B: w(x=2) w(y=1) @3,4 ; C: r(y=1) w(z=1) @1,9",
     "nYY Y --- nYY nYY nYY Y Y nY Y nYY nYY nYY YYYY YYY"},
    {"D24", "real time against one order, on no shared key",
     "A: r(z=1) w(x=1) @1,2 | w(y=1) @3,4 ; C: r(y=1) w(z=1) @1,9",
     "nnY Y --- nnY nnY nnY n Y nn n nnY nnY nnY YYYn YYY"},
    {"D25", "appends against real time on no shared key, shown by lists",
     "A: a(l=1) @1,2 | a(k=1) @3,4 ; C: a(k=2) a(l=0) @1,9 ; D: r(k=[1 2]) r(l=[0 1]) @10,11",
     "nnY Y --- nnY nnY nnY n Y nn n nnY nnY nnY YYnY nnY"},
    {"D26", "a session reads from a transaction, then misses it on another key",
     "A: r(x=1) @2,3 | r(y=_) @4,5 ; B: w(x=1) w(y=1) @1,9",
     "nnY Y --- nnY nnY nnY n Y nn n YYY YYY YYY YnYY YYY"},
});
// clang-format on

/// A level that came later: its letters for all histories, in their order. Theory.HasEveryLevel
/// prints the row of one that is missing, as the oracle has it.
struct Later {
  Level level;
  std::string_view letters;
};
constexpr auto kLater = std::to_array<Later>({
    {kPerKeyStrictSerializable,
     "---------- ---------- --------Yn nnnnYYn--- ---------- ---nnnnnYn "
     "nYYnnnnnnn nYYnnnYYY"},
});

std::optional<char> letter_of(const OracleHistory& history, Level level) {
  std::string letters(history.verdicts);
  auto place = static_cast<std::size_t>(std::find(kColumns.begin(), kColumns.end(), level) -
                                        kColumns.begin());
  std::size_t size = kColumns.size();
  if (place == size) {
    const auto* const later = std::ranges::find(kLater, level, &Later::level);
    if (later == kLater.end()) return std::nullopt;
    letters = later->letters;
    place = static_cast<std::size_t>(
        std::ranges::find(kHistories, history.id, &OracleHistory::id) - kHistories.begin());
    size = kHistories.size();
  }
  std::erase(letters, ' ');
  ISOLDE_CHECK(letters.size() == size);
  return letters[place];
}

}  // namespace

std::span<const OracleHistory> oracle_histories() { return kHistories; }

std::optional<bool> expected_verdict(const OracleHistory& history, Level level) {
  // None of them states levels.
  if (info(level).base == BaseLevel::kMixed) return std::nullopt;
  const std::optional<char> known = letter_of(history, level);
  ISOLDE_CHECK(known.has_value());
  const char letter = *known;
  if (letter == '-') return std::nullopt;
  ISOLDE_CHECK(letter == 'Y' || letter == 'n');
  return letter == 'Y';
}

bool has_verdicts(Level level) {
  return info(level).base == BaseLevel::kMixed || letter_of(kHistories[0], level).has_value();
}

std::string verdict_letters(const OracleHistory& history) {
  std::string letters;
  for (const LevelInfo& row : all_levels()) {
    if (row.base == BaseLevel::kMixed) continue;
    const std::optional<bool> verdict = expected_verdict(history, row.level);
    letters += !verdict ? '-' : *verdict ? 'Y' : 'n';
  }
  return letters;
}

}  // namespace isolde::support

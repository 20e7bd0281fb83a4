# A dictionary that is changed at commit, for all sessions: dirty nothing, and no isolation beyond.
$ isolde survey --db "exec:python3 $ROOT/test/support/adapter.py" --load 0
| Dictionary 1.0: 2 isolation settings, 16 scenarios
|
|       G0     G1a    G1b    G1c    OTV    OTV-write  IMP     PMP      P4
| none  clean  clean  clean  clean  clean  clean      occurs  unknown  occurs
| best  clean  clean  clean  clean  clean  clean      occurs  unknown  occurs
|
|       P4-later  G-single  G-single-write  G-single pred.  G2-item  G2-read-only
| none  occurs    occurs    occurs          unknown         occurs   occurs
| best  occurs    occurs    occurs          unknown         occurs   occurs
|
|       G2
| none  unknown
| best  unknown
|
|   occurs    the anomaly happened; its proof is verified
|   clean     prevented: no step waited, none was refused, and the reads show no such anomaly
|   unknown   the play shows nothing
|
|   Columns: G0, dirty write; G1a, aborted read; G1b, intermediate read; G1c, cyclic
|     information flow; OTV, observed transaction vanishes; OTV-write, observed transaction
|     vanishes before a writer; IMP, non-repeatable read; PMP, phantom read; P4, lost update;
|     P4-later, lost update after a commit; G-single, read skew; G-single-write, read skew of
|     a writer; G-single pred., read skew by conditions; G2-item, write skew; G2-read-only,
|     read-only transaction anomaly; G2, phantom.
|   In brackets below: the weakest level that forbids what happened, in the terms of isolde
|     levels, whatever the database calls by that name. What a setting does not promise is no
|     defect.
|
| none
|   Promises none of the levels: its adapter names no level.
|   At none: non-repeatable reads, lost updates, read skew, read skew of writers, write skew
|   and read-only transaction anomalies occur; dirty writes, dirty reads and vanishing
|   transactions were prevented.
|   That means: two clients that read a balance, add to it and write it back are both told
|   that it worked, and one of the two deposits is gone.
|   What helps: lock what is read before it is changed, or compute inside of the statement
|   that changes it, or use an isolation that refuses the second change, such as snapshot
|   isolation.
|   The strongest levels that nothing violated: sequential and strong-monotonic-atomic-view.
|   G0              clean
|   G1a             clean
|   G1b             clean
|   G1c             clean
|   OTV             clean
|   OTV-write       clean
|   IMP             occurs: non-repeatable read: A:0 read the initial value of x first and x =
|                   1 from B:0 later (violates read-atomic, which the setting does not
|                   promise)
|   PMP             unknown: it selects rows by conditions, which Dictionary 1.0 cannot do
|   P4              occurs: lost update: A:0 and B:0 both read and then wrote x, and neither
|                   saw the other's write (violates parallel-snapshot-isolation, which the
|                   setting does not promise)
|   P4-later        occurs: lost update: A:0 and B:0 both read and then wrote x, and neither
|                   saw the other's write (violates parallel-snapshot-isolation, which the
|                   setting does not promise)
|   G-single        occurs: fractured read: A:0 read the initial value of x, although B:0
|                   wrote x = 1 and A:0 read y = 1 from B:0 (violates read-atomic, which the
|                   setting does not promise)
|   G-single-write  occurs: fractured read: A:0 read x = [], although B:0 appended 1 to x and
|                   A:0 read y = [1 2] from B:0 (violates read-atomic, which the setting does
|                   not promise)
|   G-single pred.  unknown: it selects rows by conditions, which Dictionary 1.0 cannot do
|   G2-item         occurs: write skew: A:0 read the initial value of y, which B:0 replaced by
|                   2, but B:0 read the initial value of x, which A:0 replaced by 1 (violates
|                   repeatable-read, which the setting does not promise)
|   G2-read-only    occurs: read-only transaction anomaly: C:0 read y = 2, which B:0 wrote;
|                   C:0 read the initial value of x, which A:0 replaced by 1; but A:0 read the
|                   initial value of y, which B:0 replaced by 2 (violates repeatable-read,
|                   which the setting does not promise)
|   G2              unknown: it selects rows by conditions, which Dictionary 1.0 cannot do
|
| best
|   Promises serializable: BROKEN, in G1b: non-repeatable read: B:0 read the initial value of
|   x first and x = 2 from A:0 later.
|   At best: non-repeatable reads, lost updates, read skew, read skew of writers, write skew
|   and read-only transaction anomalies occur; dirty writes, dirty reads and vanishing
|   transactions were prevented.
|   That means: two clients that read a balance, add to it and write it back are both told
|   that it worked, and one of the two deposits is gone.
|   What helps: the database promises that this does not happen: it is a defect, or the setup
|   breaks a rule of the manual.
|   The strongest levels that nothing violated: sequential and strong-monotonic-atomic-view.
|   G0              clean
|   G1a             clean
|   G1b             clean
|   G1c             clean
|   OTV             clean
|   OTV-write       clean
|   IMP             occurs: non-repeatable read: A:0 read the initial value of x first and x =
|                   1 from B:0 later (violates read-atomic, which the setting promises)
|   PMP             unknown: it selects rows by conditions, which Dictionary 1.0 cannot do
|   P4              occurs: lost update: A:0 and B:0 both read and then wrote x, and neither
|                   saw the other's write (violates parallel-snapshot-isolation, which the
|                   setting promises)
|   P4-later        occurs: lost update: A:0 and B:0 both read and then wrote x, and neither
|                   saw the other's write (violates parallel-snapshot-isolation, which the
|                   setting promises)
|   G-single        occurs: fractured read: A:0 read the initial value of x, although B:0
|                   wrote x = 1 and A:0 read y = 1 from B:0 (violates read-atomic, which the
|                   setting promises)
|   G-single-write  occurs: fractured read: A:0 read x = [], although B:0 appended 1 to x and
|                   A:0 read y = [1 2] from B:0 (violates read-atomic, which the setting
|                   promises)
|   G-single pred.  unknown: it selects rows by conditions, which Dictionary 1.0 cannot do
|   G2-item         occurs: write skew: A:0 read the initial value of y, which B:0 replaced by
|                   2, but B:0 read the initial value of x, which A:0 replaced by 1 (violates
|                   repeatable-read, which the setting promises)
|   G2-read-only    occurs: read-only transaction anomaly: C:0 read y = 2, which B:0 wrote;
|                   C:0 read the initial value of x, which A:0 replaced by 1; but A:0 read the
|                   initial value of y, which B:0 replaced by 2 (violates repeatable-read,
|                   which the setting promises)
|   G2              unknown: it selects rows by conditions, which Dictionary 1.0 cannot do
|
| Nothing was kept; with --keep DIR each history is, with its steps and proofs.
= 1
# It writes at once. A promise that is broken gives the exit code.
$ isolde survey --db "exec:python3 $ROOT/test/support/adapter.py dirty" --load 0 --isolation best | sed -n '1,/^  At /p'
| Dictionary 1.0: 1 isolation setting, 16 scenarios
|
|       G0      G1a     G1b     G1c     OTV     OTV-write  IMP     PMP      P4
| best  occurs  occurs  occurs  occurs  occurs  clean      occurs  unknown  occurs
|
|       P4-later  G-single  G-single-write  G-single pred.  G2-item  G2-read-only
| best  occurs    occurs    occurs          unknown         occurs   occurs
|
|       G2
| best  unknown
|
|   occurs    the anomaly happened; its proof is verified
|   clean     prevented: no step waited, none was refused, and the reads show no such anomaly
|   unknown   the play shows nothing
|
|   Columns: G0, dirty write; G1a, aborted read; G1b, intermediate read; G1c, cyclic
|     information flow; OTV, observed transaction vanishes; OTV-write, observed transaction
|     vanishes before a writer; IMP, non-repeatable read; PMP, phantom read; P4, lost update;
|     P4-later, lost update after a commit; G-single, read skew; G-single-write, read skew of
|     a writer; G-single pred., read skew by conditions; G2-item, write skew; G2-read-only,
|     read-only transaction anomaly; G2, phantom.
|   In brackets below: the weakest level that forbids what happened, in the terms of isolde
|     levels, whatever the database calls by that name. What a setting does not promise is no
|     defect.
|
| best
|   Promises serializable: BROKEN, in G0: write cycle: A:0 appended 1 to x before B:0 appended
|   2, for C:0 read x = [1 2], but B:0 appended 2 to y before A:0 appended 1, for C:0 read y =
|   [2 1].
|   At best: dirty writes, dirty reads, vanishing transactions, non-repeatable reads, lost
= 0
$ isolde survey --db "exec:python3 $ROOT/test/support/adapter.py dirty" --load 0 > /dev/null
= 1
# SQLite, one setting: a step that waits, a transaction that is refused.
$ isolde survey --db sqlite: --isolation deferred --load 0 --step-wait 600ms | sed 1d
|
|           G0       G1a    G1b    G1c      OTV      OTV-write  IMP    PMP
| deferred  blocked  clean  clean  blocked  blocked  aborted    clean  clean
|
|           PMP index  P4       P4-later  G-single  G-single-write  G-single pred.
| deferred  clean      aborted  aborted   clean     aborted         clean
|
|           G-single pred. index  G2-item  G2-read-only  G2       G2 index
| deferred  clean                 aborted  aborted       aborted  aborted
|
|   blocked   prevented: a step waited until another session's transaction had ended
|   aborted   prevented: the database aborted a transaction
|   clean     prevented: no step waited, none was refused, and the reads show no such anomaly
|
|   Columns: G0, dirty write; G1a, aborted read; G1b, intermediate read; G1c, cyclic
|     information flow; OTV, observed transaction vanishes; OTV-write, observed transaction
|     vanishes before a writer; IMP, non-repeatable read; PMP, phantom read; PMP index,
|     phantom read with an index; P4, lost update; P4-later, lost update after a commit;
|     G-single, read skew; G-single-write, read skew of a writer; G-single pred., read skew by
|     conditions; G-single pred. index, read skew by conditions with an index; G2-item, write
|     skew; G2-read-only, read-only transaction anomaly; G2, phantom; G2 index, phantom with
|     an index.
|
| deferred
|   Promises serializable: kept in what was played.
|   At deferred: dirty writes, dirty reads, vanishing transactions, non-repeatable reads,
|   phantom reads, lost updates, read skew, read skew of writers, write skew, read-only
|   transaction anomalies and phantoms were prevented.
|   Run a transaction again that the database aborts because of database is locked (517) or
|   database is locked (5).
|   The strongest level that nothing violated: strict-serializable.
|   G0                    blocked: step 4, B: append(x, 2), waited for step 7, A: commit
|   G1a                   clean
|   G1b                   clean
|   G1c                   blocked: step 4, B: w(y, 2), waited for step 7, A: commit
|   OTV                   blocked: step 6, B: w(x, 2), waited for step 7, A: commit
|   OTV-write             aborted: step 7, A: append(y, 2), was refused: database is locked
|                         (517)
|   IMP                   clean
|   PMP                   clean
|   PMP index             clean
|   P4                    aborted: step 6, B: w(x, 2), was refused: database is locked (5)
|   P4-later              aborted: step 7, B: w(x, 2), was refused: database is locked (517)
|   G-single              clean
|   G-single-write        aborted: step 7, A: append(y, 2), was refused: database is locked
|                         (517)
|   G-single pred.        clean
|   G-single pred. index  clean
|   G2-item               aborted: step 8, B: w(y, 2), was refused: database is locked (5)
|   G2-read-only          aborted: step 12, A: w(x, 1), was refused: database is locked (517)
|   G2                    aborted: step 10, B: w(4, 42), was refused: database is locked (5)
|   G2 index              aborted: step 10, B: w(4, 42), was refused: database is locked (5)
|
| Nothing was kept; with --keep DIR each history is, with its steps and proofs.
= 0
# A load beside it.
$ isolde survey --db sqlite: --isolation serializable --load 100ms --step-wait 100ms | grep -o -e '^  Promises.*' -e '^  Random load.*):' -e '^  The strongest.*'
|   Promises serializable: kept in what was played.
|   Random load (list-append, lost-update, write-skew, read-skew, phantom and on-call):
|   The strongest level that nothing violated: strict-serializable.
= 0
# What is kept can be checked and played again.
$ isolde survey --db sqlite: --isolation read-uncommitted --load 0 --step-wait 600ms --keep kept | grep -A 5 'G1a  '; ls kept/1-read-uncommitted | head -3; cat kept/1-read-uncommitted/g1a.steps
|                   G0       G1a     G1b     G1c      OTV      OTV-write  IMP
| read-uncommitted  aborted  occurs  occurs  aborted  aborted  clean      occurs
|
|                   PMP     PMP index  P4       P4-later  G-single  G-single-write
| read-uncommitted  occurs  occurs     aborted  occurs    occurs    occurs
|
| --
|   G1a                   occurs: aborted read: B:0 read x = 1, which only the aborted A:0
|                         wrote (violates read-committed, which the setting does not promise)
|                         isolde check --level read-committed kept/1-read-uncommitted/g1a.jsonl
|                         isolde verify kept/1-read-uncommitted/g1a.read-committed.certificate kept/1-read-uncommitted/g1a.jsonl
|                         isolde replay --db sqlite: --isolation read-uncommitted kept/1-read-uncommitted/g1a.steps
|   G1b                   occurs: intermediate read: B:0 read x = 1, which A:0 replaced by 2
| g-single-predicate-index.jsonl
| g-single-predicate-index.read-atomic.certificate
| g-single-predicate-index.read-uncommitted.certificate
| # G1a, aborted read: a transaction reads what is rolled back.
| # A writes x, B reads it, A rolls back.
| A: begin
| B: begin
| A: w(x, 1)
| B: r(x)
| A: rollback
| B: r(x)
| B: commit
= 0
$ isolde check --level read-committed kept/1-read-uncommitted/g1a.jsonl | grep -A 4 '^  In short'
|   In short: Dirty reads (aborted reads, G1a) occur.
|   That means: a client acts or builds on a change that is undone later or not complete, for
|     example ships what was never paid.
|   What helps: do without PRAGMA read_uncommitted, or without the shared cache.
|
= 0
$ isolde verify kept/1-read-uncommitted/g1a.read-committed.certificate kept/1-read-uncommitted/g1a.jsonl
| proved: read-committed is violated, by a single read
= 0
$ isolde replay --db sqlite: --isolation read-uncommitted kept/1-read-uncommitted/g1a.steps | sed -n '4,11p'
|     1  A  begin
|     2  B  begin
|     3  A  w(x, 1)
|     4  B  r(x)      now 1
|     5  A  rollback
|     6  B  r(x)      now null
|     7  B  commit
|
= 0
# Likewise with an index, unless somebody has said whether there is one.
$ grep index kept/1-read-uncommitted/pmp-index.steps; isolde replay --db sqlite: --param index=1 --isolation read-uncommitted kept/1-read-uncommitted/pmp-index.steps | grep select; grep -o '"source":"[^"]*"' kept/1-read-uncommitted/pmp-index.jsonl kept/1-read-uncommitted/pmp.jsonl
| # PMP index, phantom read with an index: a condition selects other rows the second time.
| # A selects the values from 30 to 39, B writes one and commits, A selects them once more. The values have an index (--param index=1).
|     7  A  select(values 30 to 39)  now []
|    10  A  select(values 30 to 39)  now [3=30]
|          select(values 30 to 39) -> nothing; left out 3
|          select(values 30 to 39) -> 3 = 30
|     selects it, and found it only once.
|          select(values 30 to 39) -> nothing; left out 3
|          select(values 30 to 39) -> 3 = 30
| kept/1-read-uncommitted/pmp-index.jsonl:"source":"sqlite:?index=1"
| kept/1-read-uncommitted/pmp.jsonl:"source":"sqlite:"
= 0
$ for index in 0 1; do isolde survey --db sqlite: --param index=$index --isolation deferred --load 0 --step-wait 100ms | sed -n '1p;/^deferred$/,/G0/p' | grep -e scenarios -e index | sed 's/SQLite [0-9.]*/SQLite VERSION/'; done
| SQLite VERSION: 1 isolation setting, 16 scenarios
| SQLite VERSION: 1 isolation setting, 16 scenarios
= 0
$ isolde survey --db sqlite: --load 0 --keep kept
! isolde: --keep kept: expected a new or an empty folder
= 3
# For programs, and as a page.
$ isolde survey --db "exec:python3 $ROOT/test/support/adapter.py" --load 0 --json --html page.html > survey.json; echo $?; python3 $ROOT/tools/check_report.py survey < survey.json; grep -c 'Isolde survey' page.html; python3 -c 'import json; d = json.load(open("survey.json")); print([c["outcome"] for c in d["settings"][1]["cells"]], d["settings"][1]["promise"])'
| 1
| 1 valid
| 3
| ['clean', 'clean', 'clean', 'clean', 'clean', 'clean', 'occurs', 'unknown', 'occurs', 'occurs', 'occurs', 'occurs', 'unknown', 'occurs', 'occurs', 'unknown'] {'level': 'serializable', 'verdict': 'broken', 'text': 'Promises serializable: BROKEN, in G1b: non-repeatable read: B:0 read the initial value of x first and x = 2 from A:0 later', 'check': None, 'verify': None}
= 0
$ isolde survey --db "exec:python3 $ROOT/test/support/adapter.py" --load 0 --html - | head -1
| <!DOCTYPE html>
= 0
$ isolde survey --db sqlite: --json --html -
! isolde: --json and --html - cannot share standard output; give --html a file
= 3
$ isolde survey --db "exec:python3 $ROOT/test/support/adapter.py" --load 50ms --pages pages > /dev/null; echo $?; ls pages pages/2-* | grep -v jsonl | grep -e index -e g0 -e p4; python3 $ROOT/test/cli/survey_proofs.py pages; rm -r pages
| 1
| index.html
| g0.html
| g0.read-committed.certificate
| g0.read-uncommitted.certificate
| g0.serializable.certificate
| g0.steps
| p4-later.html
| p4-later.parallel-snapshot-isolation.certificate
| p4-later.serializable.certificate
| p4-later.steps
| p4.html
| p4.parallel-snapshot-isolation.certificate
| p4.serializable.certificate
| p4.steps
| 32 cells, 41 proofs of cells, 4 proofs of loads
= 0
$ isolde survey --db sqlite: --load 0 --pages kept
! isolde: --pages kept: expected a new or an empty folder
= 3
$ isolde survey --db sqlite: --load 0 --pages pages --keep other
! isolde: --pages keeps the histories beside the pages; leave --keep away
= 3
# What shows nothing says so: the evidence is missing, an outcome is unknown, an answer is none.
$ for fault in 'aborted commit' 'unknown commit' 'garbage write'; do isolde survey --db "exec:python3 $ROOT/test/support/adapter.py $fault" --load 0 --isolation none > out; echo $?; sed -n '3,4p' out; grep '  G0 ' out; done
| 2
|       G0       G1a      G1b      G1c      OTV      OTV-write  IMP      PMP
| none  unknown  aborted  aborted  aborted  aborted  aborted    aborted  unknown
|       G0       G1a      G1b      G1c      OTV      OTV-write  IMP      PMP
|   G0              unknown: step 13, C: commit, was to bring the evidence and did not:
| 2
|       G0       G1a      G1b      G1c      OTV      OTV-write  IMP      PMP
| none  unknown  unknown  unknown  unknown  unknown  unknown    unknown  unknown
|       G0       G1a      G1b      G1c      OTV      OTV-write  IMP      PMP
|   G0              unknown: step 7, A: commit, has no answer that counts: unknown as told
| 2
|       G0     G1a      G1b      G1c      OTV      OTV-write  IMP      PMP
| none  clean  unknown  unknown  unknown  unknown  clean      unknown  unknown
|       G0     G1a      G1b      G1c      OTV      OTV-write  IMP      PMP
|   G0              clean
= 0
# Nor does it go on with a database that refuses for good.
$ isolde survey --db "exec:python3 $ROOT/test/support/adapter.py failed read" --load 0 | sed -n '1,9p'
| Dictionary 1.0: 1 isolation setting, 16 scenarios
|
|       G0     G1a  G1b  G1c  OTV  OTV-write  IMP  PMP  P4  P4-later  G-single
| none  clean
|
|       G-single-write  G-single pred.  G2-item  G2-read-only  G2
| none
|
|   clean     prevented: no step waited, none was refused, and the reads show no such anomaly
! isolde: the database refused a step: failed as told
= 0
# In time, and not at all; nothing is left behind.
$ isolde survey --db sqlite:data.db --load 0 --timeout 600ms | grep -e Stopped; ls
| Stopped early: time limit of 0.6 s reached
| kept
| out
| page.html
| survey.json
= 0
$ timeout -s INT 2 isolde survey --db sqlite:data.db --load 0 > out; tail -3 out | head -1; python3 -c 'import sqlite3; print(sqlite3.connect("data.db").execute("SELECT name FROM sqlite_master").fetchall())'
| Stopped early: interrupted
| []
= 0
$ isolde survey --db sqlite: --isolation serialisable
! isolde: unknown isolation 'serialisable' of sqlite (did you mean serializable?); expected one of deferred, serializable, read-uncommitted
= 3
$ isolde survey
! isolde: say which database: --db DSN (isolde databases) or --server KIND (isolde server)
= 3
# As docs/survey.md shows it.
$ isolde survey --server postgres --isolation read-committed --load 0 | tail -n +3
|                 G0       G1a    G1b    G1c    OTV      OTV-write  IMP     PMP
| read-committed  blocked  clean  clean  clean  blocked  clean      occurs  occurs
|
|                 PMP index  P4      P4-later  G-single  G-single-write
| read-committed  occurs     occurs  occurs    occurs    occurs
|
|                 G-single pred.  G-single pred. index  G2-item  G2-read-only
| read-committed  occurs          occurs                occurs   occurs
|
|                 G2      G2 index
| read-committed  occurs  occurs
|
|   occurs    the anomaly happened; its proof is verified
|   blocked   prevented: a step waited until another session's transaction had ended
|   clean     prevented: no step waited, none was refused, and the reads show no such anomaly
|
|   Columns: G0, dirty write; G1a, aborted read; G1b, intermediate read; G1c, cyclic
|     information flow; OTV, observed transaction vanishes; OTV-write, observed transaction
|     vanishes before a writer; IMP, non-repeatable read; PMP, phantom read; PMP index,
|     phantom read with an index; P4, lost update; P4-later, lost update after a commit;
|     G-single, read skew; G-single-write, read skew of a writer; G-single pred., read skew by
|     conditions; G-single pred. index, read skew by conditions with an index; G2-item, write
|     skew; G2-read-only, read-only transaction anomaly; G2, phantom; G2 index, phantom with
|     an index.
|   In brackets below: the weakest level that forbids what happened, in the terms of isolde
|     levels, whatever the database calls by that name. What a setting does not promise is no
|     defect.
|
| read-committed
|   Promises read-committed: kept in what was played.
|   At read-committed: non-repeatable reads, phantom reads, lost updates, read skew, read skew
|   of writers, write skew, read-only transaction anomalies and phantoms occur; dirty writes,
|   dirty reads and vanishing transactions were prevented.
|   That means: two clients that read a balance, add to it and write it back are both told
|   that it worked, and one of the two deposits is gone.
|   What helps: read with SELECT ... FOR UPDATE what the transaction goes on to change, or
|   compute inside of the UPDATE (SET n = n + 1), or use REPEATABLE READ, which refuses the
|   second change with error 40001, and run the transaction again.
|   The strongest levels that nothing violated: sequential and strong-monotonic-atomic-view.
|   G0                    blocked: step 4, B: append(x, 2), waited for step 7, A: commit
|   G1a                   clean
|   G1b                   clean
|   G1c                   clean
|   OTV                   blocked: step 6, B: w(x, 2), waited for step 7, A: commit
|   OTV-write             clean
|   IMP                   occurs: non-repeatable read: A:0 read the initial value of x first
|                         and x = 1 from B:0 later (violates read-atomic, which the setting
|                         does not promise)
|   PMP                   occurs: phantom read: A:0 read no row key 3 among values 30 to 39
|                         first and key 3 = 30 from B:0 later (violates read-atomic, which the
|                         setting does not promise)
|   PMP index             occurs: phantom read: A:0 read no row key 3 among values 30 to 39
|                         first and key 3 = 30 from B:0 later (violates read-atomic, which the
|                         setting does not promise)
|   P4                    occurs: lost update: A:0 and B:0 both read and then wrote x, and
|                         neither saw the other's write (violates parallel-snapshot-isolation,
|                         which the setting does not promise)
|   P4-later              occurs: lost update: A:0 and B:0 both read and then wrote x, and
|                         neither saw the other's write (violates parallel-snapshot-isolation,
|                         which the setting does not promise)
|   G-single              occurs: fractured read: A:0 read the initial value of x, although
|                         B:0 wrote x = 1 and A:0 read y = 1 from B:0 (violates read-atomic,
|                         which the setting does not promise)
|   G-single-write        occurs: fractured read: A:0 read x = [], although B:0 appended 1 to
|                         x and A:0 read y = [1 2] from B:0 (violates read-atomic, which the
|                         setting does not promise)
|   G-single pred.        occurs: non-repeatable read: A:0 read key 1 = 10 from S:0 first and
|                         key 1 = 32 from B:0 later (violates read-atomic, which the setting
|                         does not promise)
|   G-single pred. index  occurs: non-repeatable read: A:0 read key 1 = 10 from S:0 first and
|                         key 1 = 32 from B:0 later (violates read-atomic, which the setting
|                         does not promise)
|   G2-item               occurs: write skew: A:0 read the initial value of y, which B:0
|                         replaced by 2, but B:0 read the initial value of x, which A:0
|                         replaced by 1 (violates repeatable-read, which the setting does not
|                         promise)
|   G2-read-only          occurs: read-only transaction anomaly: C:0 read y = 2, which B:0
|                         wrote; C:0 read the initial value of x, which A:0 replaced by 1; but
|                         A:0 read the initial value of y, which B:0 replaced by 2 (violates
|                         repeatable-read, which the setting does not promise)
|   G2                    occurs: phantom: A:0 selected values 30 to 49 and key 4 was not
|                         among them, but B:0 wrote key 4 = 42, but B:0 selected values 30 to
|                         49 and key 3 was not among them, but A:0 wrote key 3 = 30 (violates
|                         serializable, which the setting does not promise)
|   G2 index              occurs: phantom: A:0 selected values 30 to 49 and key 4 was not
|                         among them, but B:0 wrote key 4 = 42, but B:0 selected values 30 to
|                         49 and key 3 was not among them, but A:0 wrote key 3 = 30 (violates
|                         serializable, which the setting does not promise)
|
| Nothing was kept; with --keep DIR each history is, with its steps and proofs.
= 0

# The classes of Coo: listed, printed as steps, played on a store without locks.
$ isolde schedules
| dirty-read                     RAT  W1x R2x A1 C2
| non-repeatable-read            RAT  R1x W2x R1x C1 C2
| intermediate-read              RAT  W1x R2x W1x C1 C2
| intermediate-read-committed    RAT  W1x R2x C2 W1x C1
| lost-self-update               RAT  W1x W2x R1x C1 C2
| write-read-skew                RAT  W1x W2y R2x R1y C1 C2
| write-read-skew-committed      RAT  W1x W2y R2x C2 R1y C1
| double-write-skew-1            RAT  W1x R2x W2y W1y C1 C2
| double-write-skew-1-committed  RAT  W1x R2x W2y C2 W1y C1
| double-write-skew-2            RAT  W1x W2x W2y R1y C1 C2
| read-skew                      RAT  R1x W2x W2y R1y C1 C2
| read-skew-2                    RAT  W1x R2x R2y W1y C1 C2
| read-skew-2-committed          RAT  W1x R2x R2y C2 W1y C1
| step-rat                       RAT  W1x W2y R2x W3z R3y R1z C1 C2 C3
| step-rat-long-fork             RAT  R4x W1x R2y R2x W3y R4y C1 C2 C3 C4
| dirty-write                    WAT  W1x W2x C1 C2
| dirty-write-aborted            WAT  W1x W2x A1 C2
| full-write                     WAT  W1x W2x W1x C1 C2
| full-write-committed           WAT  W1x W2x C2 W1x C1
| lost-update                    WAT  R1x W2x W1x C1 C2
| lost-self-update-committed     WAT  W1x W2x C2 R1x C1
| double-write-skew-2-committed  WAT  W1x W2x W2y C2 R1y C1
| full-write-skew                WAT  W1x W2x W2y W1y C1 C2
| full-write-skew-committed      WAT  W1x W2x W2y C2 W1y C1
| read-write-skew-1              WAT  R1x W2x W2y W1y C1 C2
| read-write-skew-2              WAT  W1x R2y W2x W1y C1 C2
| read-write-skew-2-committed    WAT  W1x R2y W2x C2 W1y C1
| step-wat                       WAT  W1x W2y W2x W3z W3y W1z C1 C2 C3
| non-repeatable-read-committed  IAT  R1x W2x C2 R1x C1
| lost-update-committed          IAT  R1x W2x C2 W1x C1
| read-skew-committed            IAT  R1x W2x W2y C2 R1y C1
| read-write-skew-1-committed    IAT  R1x W2x W2y C2 W1y C1
| write-skew                     IAT  R1x R2y W2x W1y C1 C2
| write-skew-committed           IAT  R1x R2y W2x C2 W1y C1
| step-iat                       IAT  R1x R2y R3z W2x W3y W1z C1 C2 C3
| step-iat-causality-violation   IAT  R1x W2x C2 R3x W3y C3 R1y C1
| step-iat-cross-phenomenon      IAT  R1x R3y W2x C2 W4y C4 R3x C3 R1y C1
| step-iat-read-only             IAT  R1x R1y R2x W2x C2 R3x R3y C3 W1y C1
| step-iat-unnamed               IAT  R1x R2y W2y R2x W2x C2 R3z W3z R3y W3y C3 R1z C1
|
| Each in these forms, as NAME.FORM:
|   registers           items are registers, read by key
|   lists               items are lists, which show the order of what was appended
|   selections          items are rows, selected by conditions; their first write inserts them
|   deletions           the first write of each item deletes its row; read by key
|   selected-deletions  likewise, but selected by conditions
|   last-deletions      the last of several writes of an item deletes its row; read by key
= 0
$ isolde schedules lost-update.lists
| # lost-update.lists: R1x W2x W1x C1 C2
| A: begin
| A: r(x)
| B: begin
| B: append(x, 11)
| A: append(x, 12)
| A: commit
| B: commit
| F: begin
| F: r(x)
| F: commit
= 0
$ isolde schedules write-skew.selected-deletions
| # write-skew.selected-deletions: R1x R2y W2x W1y C1 C2
| S: begin
| S: w(1, 10)
| S: w(2, 20)
| S: commit
| A: begin
| A: select(values 10 to 19)
| B: begin
| B: select(values 20 to 29)
| B: d(1)
| A: d(2)
| A: commit
| B: commit
| F: begin
| F: select()
| F: commit
= 0
$ isolde schedules lost-updates
! isolde: no schedule 'lost-updates'; isolde schedules lists them
= 3
$ isolde schedules dirty-write.last-deletion
! isolde: no schedule 'dirty-write.last-deletion' (did you mean dirty-write.last-deletions, full-write.last-deletions or dirty-write.selected-deletions?); isolde schedules lists them
= 3
$ isolde schedules lost-update.lists > steps; isolde gen --steps steps --out history.jsonl; cat history.jsonl
| {"isolde":1,"kind":"history","database":"a store without locks"}
| {"session":"A","start":0,"end":5500,"ops":[["r","x",[]],["append","x",12]]}
| {"session":"B","start":2000,"end":6500,"ops":[["append","x",11]]}
| {"session":"F","start":7000,"end":9500,"ops":[["r","x",[11,12]]]}
= 0
$ isolde schedules lost-update.lists | isolde gen --steps - --out - | isolde check --level psi - | sed -n '1,23p'
| -: native, 3 sessions, 3 transactions, 4 operations, 1 key
| recorded from a store without locks
|
|   In short: Lost updates occur.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: if the database promises parallel-snapshot-isolation, it is a defect, of which
|     isolde minimize makes a small history for the makers; if not, lock what is read before
|     it is changed, or compute inside of the statement that changes it, or use an isolation
|     that refuses the second change, such as snapshot isolation.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|   parallel-snapshot-isolation  violated        lost update (G-single)
|
| Why not parallel-snapshot-isolation:
|
|   Lost update (G-single)
|
|   Let:
|     T1 = B:0, line 3, from 2.000 us to 6.500 us
|          append(x, 11)
= 0
$ isolde schedules write-skew | isolde gen --steps - --out - | isolde check - | tail -1
| Weakest violated:     serializable (and repeatable-read, the same but for conditions)
= 0
$ isolde schedules dirty-write | isolde gen --steps - --out - | isolde check --level ser -
| -: native, 3 sessions, 3 transactions, 3 operations, 1 key
| recorded from a store without locks
|
|   In short: No anomaly that serializable forbids was found in 3 transactions.
|
|   serializable  holds
|
| Evidence:
|   3 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   1 version was replaced
= 0
# Any steps will do, but what only a database can do.
$ printf 'A: begin\nA: w(x, 1)\nB: begin\nB: d(x)\nA: rollback\nB: commit\n' | isolde gen --steps - --out -
| {"isolde":2,"kind":"history","database":"a store without locks"}
| {"session":"A","status":"aborted","start":0,"end":4500,"ops":[["w","x",1]]}
| {"session":"B","start":2000,"end":5500,"ops":[["delete","x"]]}
= 0
$ printf 'A: begin\nA: sql SELECT 1\nA: commit\n' | isolde gen --steps - --out -
! isolde: standard input: sql SELECT 1: a store without locks has no language; play these steps on a database with SQL
= 3
$ printf 'A: begin\nA: count()\nA: commit\n' | isolde gen --steps - --out -
! isolde: standard input: count(): a store without locks computes nothing; play these steps on a database with SQL
= 3
$ printf 'A: begin\nA: go\n' | isolde gen --steps - --out -
! isolde: standard input: line 2: expected begin, r(KEY), w(KEY, VALUE), append(KEY, VALUE), d(KEY), select(CONDITION), delete(CONDITION), count(CONDITION) or another aggregate, sql STATEMENT, commit, rollback, wait, crash, or one of these after send or until
= 3
$ isolde gen --steps nowhere --out -
! isolde: nowhere: cannot read: No such file or directory
= 4
$ isolde gen --steps steps --seed 3 --out -
! isolde: --seed is for workloads; --steps are played as they are written
= 3
$ isolde gen --steps steps --workload bank --out -
! isolde: --workload is for workloads; --steps are played as they are written
= 3

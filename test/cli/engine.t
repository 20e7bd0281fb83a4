# The commands of docs/engine.md, on its engine with the flaw and without it.
$ cp $ROOT/examples/tinystore*.py .
= 0
$ isolde databases try 'exec:python3 tinystore_adapter.py' | tail -n 1
| Nothing is wrong. What isolation it gives, isolde run tells.
= 0
$ isolde run --db 'exec:python3 tinystore_adapter.py' --workload lost-update --keys 4 --sessions 8 --txns 2000 --require-evidence --out lost-update.jsonl > out; echo $?; grep promises out
| 1
|   What helps: the database promises that this does not happen: it is a defect, or the setup
|   tinystore 0.1 at optimistic promises strict-serializable: BROKEN.
= 0
$ sed -n '/^--- a.tinystore.py/,/^```/p' $ROOT/docs/engine.md | sed '$d' | patch tinystore.py
| patching file tinystore.py
= 0
$ isolde run --db 'exec:python3 tinystore_adapter.py' --workload write-skew --keys 4 --sessions 8 --txns 2000 --require-evidence --out write-skew.jsonl > out; echo $?; grep promises out
| 0
|   tinystore 0.1 at optimistic promises strict-serializable: kept in this history.
= 0

# A file by hand, as the page has it.
$ sed -n '/^{"isolde"/,/^{"event"/p' $ROOT/docs/engine.md > by-hand.jsonl
= 0
$ isolde check --level strict-serializable by-hand.jsonl
| by-hand.jsonl: native, 2 sessions, 2 transactions, 4 operations, 1 key
|
|   In short: Lost updates occur.
|   At least 1 update was lost: overwritten by a transaction that had read the same version
|     before.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: if the database promises strict-serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, lock what is read before it is
|     changed, or compute inside of the statement that changes it, or use an isolation that
|     refuses the second change, such as snapshot isolation.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|   strict-serializable  violated        lost update (G-single)
|
| Why not strict-serializable:
|
|   Lost update (G-single)
|
|   Let:
|     T1 = a:0, line 2, from 0 ns to 30 ns
|          r(x)=initial w(x)=1
|     T2 = b:0, line 3, from 10 ns to 40 ns
|          r(x)=initial w(x)=2
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 2.
|     T2 < T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   Whichever of T1 and T2 came first, the other one overwrote its write of x without having seen
|     it.
|   Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Lost update: two transactions both wrote an item, and the one that came second had read it
|     before the other one's change, which it overwrote without having seen it.
|   Where to look: usually no check for write conflicts is made at commit, or it looks at the
|     wrong version, or a value was read without a lock and written back after a computation.
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   0 reads saw another session's write
|   1 version was replaced
= 1

# Who holds it to a level, and is told so in other words, learns the same.
$ isolde check --promise snapshot-isolation by-hand.jsonl | grep 'What helps'
|   What helps: if the database promises snapshot-isolation, it is a defect, of which isolde
= 0

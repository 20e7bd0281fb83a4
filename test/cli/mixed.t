# Transactions that state levels of their own.
$ isolde check --level mixed $DATA/mixed.jsonl
| $DATA/mixed.jsonl: native, 3 sessions, 3 transactions, 7 operations, 2 keys
|
|   In short: Write skew occurs.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: if the database promises what was asked for, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use a serializable isolation, or
|     lock what a decision rests on, read or written.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|   mixed  violated        write skew (G2-item)
|
| Why not mixed:
|
|   Write skew (G2-item)
|
|   Let:
|     T1 = a:0, line 2, at serializable
|          r(x)=initial w(y)=1
|     T2 = b:0, line 3, at serializable
|          r(y)=initial w(x)=1
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 1.
|     T2 < T1 (rw), because T2 read the initial value of y, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   So T1 did not see T2's write of x and T2 did not see T1's write of y: neither can have come
|     first.
|   Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G2-item, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Write skew: each of two transactions read what the other one was about to change, and neither
|     saw the other's change; run one after the other, the second would have seen it.
|   Where to look: snapshot isolation allows this by design, because it compares what transactions
|     wrote and not what they read; where serializability was asked for, a read was not tracked or
|     its lock was released too early.
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 4 times on a key that one of them wrote
|   2 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
= 1
$ isolde check $DATA/mixed.jsonl | grep -E '^ *mixed|^Weakest'
|   mixed                                                        violated         not-applicable
| Weakest violated:     read-atomic, mixed
= 0
$ isolde check --level mixed $DATA/serial.jsonl
| $DATA/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   In short: None of the levels applies to this history.
|
|   mixed  not-applicable  no transaction states a level
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
= 2
$ isolde convert --to native-binary $DATA/mixed.jsonl mixed.bin
= 0
$ isolde convert --to native mixed.bin -
| {"isolde":1,"kind":"history"}
| {"session":"a","level":"serializable","ops":[["r","x",null],["w","y",1]]}
| {"session":"b","level":"serializable","ops":[["r","y",null],["w","x",1]]}
| {"session":"c","level":"read-committed","ops":[["r","x",1],["r","y",null],["r","y",1]]}
= 0
$ isolde check --level mixed --certificate proof mixed.bin >out.txt
= 1
$ isolde verify proof mixed.bin
| proved: mixed is violated, by a cycle
= 0
$ sed 's/"serializable"/"chaos"/' $DATA/mixed.jsonl >bad.jsonl; isolde check bad.jsonl
! isolde: bad.jsonl:2: "level" is not the name of a level; isolde levels lists them all
= 3

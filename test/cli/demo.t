# What the recordings in demo/ show.
$ isolde check $DEMO/pg-repeatable-read-write-skew.jsonl
| $DEMO/pg-repeatable-read-write-skew.jsonl: native, 4 sessions, 48 transactions (10 aborted), 128 operations, 6 keys
| recorded from PostgreSQL 15.20 REPEATABLE READ
|
|   In short: Write skew occurs. Dirty reads, lost updates, fractured reads and stale reads:
|     not seen in 38 transactions.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: use SERIALIZABLE, and run a transaction again that ends with error 40001; or
|     lock with SELECT ... FOR UPDATE every row on which a decision rests.
|   What locks bring: transactions wait for one another, and two that lock rows in different
|     orders deadlock, which ends one of them with error 40P01: lock rows in one order
|     everywhere (ORDER BY the key), commit soon, and run again what ends with error 40001 or
|     40P01.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         violated
|   per-key-strict-serializable                 violated
|   repeatable-read                             violated
|   snapshot-isolation                          holds            holds            holds
|   parallel-snapshot-isolation                 holds            holds            holds
|   prefix-consistency                          holds            holds            holds
|   sequential                                                   holds
|   linearizable                                                                  holds
|   transactional-causal                                         holds            holds
|   causal                                                       holds
|   read-atomic                                 holds            holds            holds
|   monotonic-atomic-view                       holds            holds            holds
|   read-committed                              holds            holds            holds
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            holds
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|   Rows that PostgreSQL can be set to, on one server: READ COMMITTED promises read-committed,
|     REPEATABLE READ promises snapshot-isolation (which is not the row repeatable-read) and
|     SERIALIZABLE promises serializable.
|
| Why not serializable:
|
|   Write skew (G2-item)
|
|   Let:
|     T1 = c:2, line 6, from 13.972 ms to 24.446 ms
|          r(bob.checking)=initial r(bob.savings)=initial w(bob.savings)=3
|     T2 = b:0, line 7, from 484.499 us to 25.164 ms
|          r(bob.checking)=initial r(bob.savings)=initial w(bob.checking)=4
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of bob.checking, which T2 replaced by 4.
|     T2 < T1 (rw), because T2 read the initial value of bob.savings, which T1 replaced by 3.
|     T1 < T2 < T1, a contradiction.
|   So T1 did not see T2's write of bob.checking and T2 did not see T1's write of bob.savings:
|     neither can have come first.
|   Notation: T1 < T2, T1 must come before T2; c:2, session c's transaction 2, counted from 0;
|     G2-item, the type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Write skew: each of two transactions read what the other one was about to change, and neither
|     saw the other's change; run one after the other, the second would have seen it.
|   Where to look: snapshot isolation allows this by design, because it compares what transactions
|     wrote and not what they read; where serializability was asked for, a read was not tracked or
|     its lock was released too early.
|
| Evidence:
|   38 transactions took effect
|   overlapping transactions met 24 times on a key that one of them wrote
|   41 reads saw another session's write
|   25 versions were replaced
|
| Strongest that holds: strong-snapshot-isolation
| Weakest violated:     serializable (and repeatable-read, the same but for conditions)
= 0
$ isolde check $DEMO/mariadb-repeatable-read-lost-update.jsonl
| $DEMO/mariadb-repeatable-read-lost-update.jsonl: native, 4 sessions, 48 transactions, 102 operations, 4 keys
| recorded from MariaDB 10.11.19 REPEATABLE READ
|
|   In short: Lost updates occur. Dirty reads, fractured reads and stale reads: not seen in 48
|     transactions.
|   At least 5 updates were lost: overwritten by a transaction that had read the same version
|     before.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: read with SELECT ... FOR UPDATE what the transaction goes on to change, or
|     compute inside of the UPDATE (SET n = n + 1), or set innodb_snapshot_isolation=ON (from
|     10.6.18 and 10.11.8 on; the default since 11.6.2), which refuses the second change with
|     error 1020, and run the transaction again.
|   What locks bring: transactions wait for one another, and two that lock rows in different
|     orders deadlock, which ends one of them with error 1213; one that waits for too long
|     gets error 1205: lock rows in one order everywhere (ORDER BY the key), commit soon, roll
|     back, and run again what ends with error 1213, 1205 or 1020.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         violated
|   per-key-strict-serializable                 violated
|   repeatable-read                             violated
|   snapshot-isolation                          violated         violated         violated
|   parallel-snapshot-isolation                 violated         violated         violated
|   prefix-consistency                          holds            holds            holds
|   sequential                                                   holds
|   linearizable                                                                  violated
|   transactional-causal                                         holds            holds
|   causal                                                       holds
|   read-atomic                                 holds            holds            holds
|   monotonic-atomic-view                       holds            holds            holds
|   read-committed                              holds            holds            holds
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            holds
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|   Rows that MariaDB can be set to, on one server: READ UNCOMMITTED promises
|     read-uncommitted, READ COMMITTED promises read-committed, REPEATABLE READ promises none
|     of them and SERIALIZABLE promises serializable.
|
| Why not serializable, parallel-snapshot-isolation, linearizable:
|
|   Lost update (G-single)
|
|   Let:
|     T1 = a:4, line 17, from 53.724 ms to 63.527 ms
|          r(stock.plums)=3 w(stock.plums)=7
|     T2 = b:5, line 18, from 60.402 ms to 73.295 ms
|          r(stock.plums)=3 w(stock.plums)=8
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read stock.plums = 3, which T2 read as well and replaced by 8.
|     T2 < T1 (rw), because T2 read stock.plums = 3, which T1 read as well and replaced by 7.
|     T1 < T2 < T1, a contradiction.
|   Whichever of T1 and T2 came first, the other one overwrote its write of stock.plums without
|     having seen it.
|   Notation: T1 < T2, T1 must come before T2; a:4, session a's transaction 4, counted from 0;
|     G-single, the type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Lost update: two transactions both wrote an item, and the one that came second had read it
|     before the other one's change, which it overwrote without having seen it.
|   Where to look: usually no check for write conflicts is made at commit, or it looks at the
|     wrong version, or a value was read without a lock and written back after a computation.
|
| Evidence:
|   48 transactions took effect
|   overlapping transactions met 26 times on a key that one of them wrote
|   24 reads saw another session's write
|   25 versions were replaced
|
| Strongest that holds: strong-prefix-consistency
| Weakest violated:     parallel-snapshot-isolation, linearizable
= 0
$ isolde check $DEMO/pg-serializable.jsonl
| $DEMO/pg-serializable.jsonl: native, 5 sessions, 150 transactions (61 aborted), 382 operations, 6 keys
| recorded from PostgreSQL 15.20 SERIALIZABLE
|
|   In short: No anomaly was found in 89 transactions.
|
|                                               plain            session order    real time
|   serializable                                holds            holds            holds
|   per-key-strict-serializable                 holds
|   repeatable-read                             holds
|   snapshot-isolation                          holds            holds            holds
|   parallel-snapshot-isolation                 holds            holds            holds
|   prefix-consistency                          holds            holds            holds
|   sequential                                                   holds
|   linearizable                                                                  holds
|   transactional-causal                                         holds            holds
|   causal                                                       holds
|   read-atomic                                 holds            holds            holds
|   monotonic-atomic-view                       holds            holds            holds
|   read-committed                              holds            holds            holds
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            holds
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|   Rows that PostgreSQL can be set to, on one server: READ COMMITTED promises read-committed,
|     REPEATABLE READ promises snapshot-isolation (which is not the row repeatable-read) and
|     SERIALIZABLE promises serializable.
|
| Evidence:
|   89 transactions took effect
|   overlapping transactions met 67 times on a key that one of them wrote
|   124 reads saw another session's write
|   63 versions were replaced
|
| Strongest that holds: strict-serializable
| Weakest violated:     none
= 0
$ isolde check --level snapshot-isolation --certificate proof.jsonl $DEMO/mariadb-repeatable-read-lost-update.jsonl >out.txt
= 1
$ isolde verify proof.jsonl $DEMO/mariadb-repeatable-read-lost-update.jsonl
| proved: snapshot-isolation is violated, by an argument of 2 steps
= 0
$ isolde check --level serializable --certificate proof.jsonl $DEMO/pg-serializable-upsert.jsonl
| $DEMO/pg-serializable-upsert.jsonl: native, 8 sessions, 87 transactions, 117 operations, 2 keys
| recorded from PostgreSQL 15.20, isolation serializable
|
|   In short: Read-only transaction anomalies occur.
|   That means: a read-only transaction can see a state that no order of the changes passes
|     through: the report of a closed day is printed, and then a receipt is booked into that
|     day.
|   What helps: an isolation of this name should not let it happen: report it to the makers of
|     the database, and until they have repaired it lock what a transaction reads.
|   What locks bring: transactions wait for one another, and two that lock rows in different
|     orders deadlock, which ends one of them with error 40P01: lock rows in one order
|     everywhere (ORDER BY the key), commit soon, and run again what ends with error 40001 or
|     40P01.
|
|   serializable  violated        read-only transaction anomaly (G2-item)
|
| Why not serializable:
|
|   Read-only transaction anomaly (G2-item)
|
|   Let:
|     T1 = s2:7, line 30, from 22.822 ms to 23.376 ms
|          append(10139, 185195)
|          r(10148)=L, which is [176894 176902 ... 177038 179330 176340] (12 elements)
|     T2 = s5:6, line 31, from 22.181 ms to 23.634 ms
|          append(10148, 177078)
|     T3 = s3:5, line 32, from 23.087 ms to 24.311 ms
|          r(10148)=L + [177078] (13 elements, 2 times)
|          r(10139)=[179162 182360 182333 185163 185171]
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read key 10148 up to 176340 (12 elements), without T2's append of
|       177078, which T3 read right after 176340.
|     T2 < T3 (wr), because T3 read 177078 in key 10148 (the last of 13 elements), which T2
|       appended.
|     T3 < T1 (rw), because T3 read key 10139 = [179162 182360 182333 185163 185171], without T1's
|       append of 185195.
|     T1 < T2 < T3 < T1, a contradiction.
|   So T1 did not see T2's append to key 10148, T3 saw T2's append to key 10148 and T3 did not see
|     T1's append to key 10139: none of them can have come first.
|   Notation: T1 < T2, T1 must come before T2; s2:7, session 2's transaction 7, counted from 0;
|     G2-item, the type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
|   Read-only transaction anomaly: two writers alone can be put in order, but a transaction that
|     only reads saw a state between them that no such order passes through.
|   Where to look: snapshot isolation allows this by design; where serializability was asked for,
|     one of the reads was not tracked (PostgreSQL tracks them by SIREAD locks), or transactions
|     that only read are left out of the checks for conflicts.
|
| Evidence:
|   87 transactions took effect
|   overlapping transactions met 42 times on a key that one of them wrote
|   47 reads saw another session's write
|   43 versions were replaced
|
| Certificates:
|   serializable: proof.jsonl
|
| Left out or assumed:
|   only the operations on two of the keys: 10139 and 10148
= 1
$ isolde verify proof.jsonl $DEMO/pg-serializable-upsert.jsonl
| proved: serializable is violated, by a cycle
= 0

# Histories and proofs of findings.
$ for proof in $DEMO/pg-commit-race/*.proof.jsonl; do isolde verify $proof ${proof%.proof.jsonl}.jsonl; done
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
| proved: serializable is violated, by a cycle
= 0
$ isolde minimize $DEMO/pg-commit-race/forced.jsonl --level serializable
| $DEMO/pg-commit-race/forced.jsonl: serializable is violated, by a cycle.
|
|   before  3 transactions with 6 operations
|   after   2 transactions with 4 operations
|
| Nothing more can be left out; 11 parts were checked. The proof is verified.
|
| Names, lines and times are those of $DEMO/pg-commit-race/forced.jsonl:
|
| Write skew (G2-item)
|
| Times are of 2026-11-23, in UTC.
|
| Let:
|   T1 = P:0, line 2, 16:27:01.500505 to 16:27:02.409549, on 127.0.0.1:16708 backend 21251
|        r(x)=initial w(y)=2
|   T2 = Tin:0, line 4, 16:27:02.402286 to 16:27:03.357077, on 127.0.0.1:16708 backend 21253
|        r(y)=initial w(x)=3
| Then:
|   T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 3.
|   T2 < T1 (rw), because T2 read the initial value of y, which T1 replaced by 2.
|   T1 < T2 < T1, a contradiction.
| So T1 did not see T2's write of x and T2 did not see T1's write of y: neither can have come
|   first.
| Notation: T1 < T2, T1 must come before T2; P:0, session P's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B.
|
| Write skew: each of two transactions read what the other one was about to change, and neither
|   saw the other's change; run one after the other, the second would have seen it.
| Where to look: snapshot isolation allows this by design, because it compares what transactions
|   wrote and not what they read; where serializability was asked for, a read was not tracked or
|   its lock was released too early.
|
| That is the shortest form. One of its transactions replaced a version that it had read
| and another had not seen; with who wrote that version:
|
| Anti-dependency cycle (G2-item)
|
| Times are of 2026-11-23, in UTC.
|
| Let:
|   T1 = P:0, line 2, 16:27:01.500505 to 16:27:02.409549, on 127.0.0.1:16708 backend 21251
|        r(x)=initial w(y)=2
|   T2 = Tout:0, line 3, 16:27:01.505772 to 16:27:03.354930, on 127.0.0.1:16708 backend 21252
|        w(x)=1
|   T3 = Tin:0, line 4, 16:27:02.402286 to 16:27:03.357077, on 127.0.0.1:16708 backend 21253
|        r(x)=1 r(y)=initial w(x)=3
| Then:
|   T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 1.
|   T2 < T3 (wr), because T3 read x = 1, which T2 wrote.
|   T3 < T1 (rw), because T3 read the initial value of y, which T1 replaced by 2.
|   T1 < T2 < T3 < T1, a contradiction.
| So T1 did not see T2's write of x, T3 saw T2's write of x and T3 did not see T1's write of y:
|   none of them can have come first.
| Notation: T1 < T2, T1 must come before T2; P:0, session P's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
| Anti-dependency cycle: several transactions must each have come before the next one, all the way
|   around a cycle, two or more of them because they missed a write that the next one made, so
|   none of them can have come first.
| Where to look: snapshot isolation allows this by design; where serializability was asked for,
|   some read was not tracked, for example one through an index or one that found nothing.
= 0
$ isolde minimize $DEMO/pg-commit-race/forced.jsonl --level serializable --longer --out three.jsonl --certificate three.proof.jsonl
| $DEMO/pg-commit-race/forced.jsonl: serializable is violated, by a cycle.
|
|   before  3 transactions with 6 operations
|   after   2 transactions with 4 operations
|
| Nothing more can be left out; 11 parts were checked. The proof is verified.
| History: three.jsonl
| Certificate: three.proof.jsonl
| Written is the longer form, told second: 3 transactions with 6 operations.
|
| Names, lines and times are those of $DEMO/pg-commit-race/forced.jsonl:
|
| Write skew (G2-item)
|
| Times are of 2026-11-23, in UTC.
|
| Let:
|   T1 = P:0, line 2, 16:27:01.500505 to 16:27:02.409549, on 127.0.0.1:16708 backend 21251
|        r(x)=initial w(y)=2
|   T2 = Tin:0, line 4, 16:27:02.402286 to 16:27:03.357077, on 127.0.0.1:16708 backend 21253
|        r(y)=initial w(x)=3
| Then:
|   T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 3.
|   T2 < T1 (rw), because T2 read the initial value of y, which T1 replaced by 2.
|   T1 < T2 < T1, a contradiction.
| So T1 did not see T2's write of x and T2 did not see T1's write of y: neither can have come
|   first.
| Notation: T1 < T2, T1 must come before T2; P:0, session P's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B.
|
| Write skew: each of two transactions read what the other one was about to change, and neither
|   saw the other's change; run one after the other, the second would have seen it.
| Where to look: snapshot isolation allows this by design, because it compares what transactions
|   wrote and not what they read; where serializability was asked for, a read was not tracked or
|   its lock was released too early.
|
| That is the shortest form. One of its transactions replaced a version that it had read
| and another had not seen; with who wrote that version:
|
| Anti-dependency cycle (G2-item)
|
| Times are of 2026-11-23, in UTC.
|
| Let:
|   T1 = P:0, line 2, 16:27:01.500505 to 16:27:02.409549, on 127.0.0.1:16708 backend 21251
|        r(x)=initial w(y)=2
|   T2 = Tout:0, line 3, 16:27:01.505772 to 16:27:03.354930, on 127.0.0.1:16708 backend 21252
|        w(x)=1
|   T3 = Tin:0, line 4, 16:27:02.402286 to 16:27:03.357077, on 127.0.0.1:16708 backend 21253
|        r(x)=1 r(y)=initial w(x)=3
| Then:
|   T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 1.
|   T2 < T3 (wr), because T3 read x = 1, which T2 wrote.
|   T3 < T1 (rw), because T3 read the initial value of y, which T1 replaced by 2.
|   T1 < T2 < T3 < T1, a contradiction.
| So T1 did not see T2's write of x, T3 saw T2's write of x and T3 did not see T1's write of y:
|   none of them can have come first.
| Notation: T1 < T2, T1 must come before T2; P:0, session P's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
| Anti-dependency cycle: several transactions must each have come before the next one, all the way
|   around a cycle, two or more of them because they missed a write that the next one made, so
|   none of them can have come first.
| Where to look: snapshot isolation allows this by design; where serializability was asked for,
|   some read was not tracked, for example one through an index or one that found nothing.
= 0
$ isolde verify three.proof.jsonl three.jsonl
| proved: serializable is violated, by a cycle
= 0
$ isolde explain three.proof.jsonl three.jsonl --html report.html
| serializable is violated, by a cycle.
|
|   In short: Transactions that cannot have run one after the other (anti-dependency cycles)
|     occur.
|   That means: several transactions rest on what others of them are changing, all around a
|     circle, so together they leave what no order of them would: three doctors leave, each
|     because the next one is on call.
|   What helps: an isolation of this name should not let it happen: report it to the makers of
|     the database, and until they have repaired it lock what a transaction reads.
|   What locks bring: transactions wait for one another, and two that lock rows in different
|     orders deadlock, which ends one of them with error 40P01: lock rows in one order
|     everywhere (ORDER BY the key), commit soon, and run again what ends with error 40001 or
|     40P01.
|
| Anti-dependency cycle (G2-item)
|
| Times are of 2026-11-23, in UTC.
|
| Let:
|   T1 = P:0, line 2, 16:27:01.500505 to 16:27:02.409549, on 127.0.0.1:16708 backend 21251
|        r(x)=initial w(y)=2
|   T2 = Tout:0, line 3, 16:27:01.505772 to 16:27:03.354930, on 127.0.0.1:16708 backend 21252
|        w(x)=1
|   T3 = Tin:0, line 4, 16:27:02.402286 to 16:27:03.357077, on 127.0.0.1:16708 backend 21253
|        r(x)=1 r(y)=initial w(x)=3
| Then:
|   T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 1.
|   T2 < T3 (wr), because T3 read x = 1, which T2 wrote.
|   T3 < T1 (rw), because T3 read the initial value of y, which T1 replaced by 2.
|   T1 < T2 < T3 < T1, a contradiction.
| So T1 did not see T2's write of x, T3 saw T2's write of x and T3 did not see T1's write of y:
|   none of them can have come first.
| Notation: T1 < T2, T1 must come before T2; P:0, session P's first transaction; G2-item, the type
|   of the anomaly in the terms of Adya and Elle.
| A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
| Anti-dependency cycle: several transactions must each have come before the next one, all the way
|   around a cycle, two or more of them because they missed a write that the next one made, so
|   none of them can have come first.
| Where to look: snapshot isolation allows this by design; where serializability was asked for,
|   some read was not tracked, for example one through an index or one that found nothing.
|
| Left out or assumed:
|   minimised for serializable: 3 of 3 transactions, each with a part of its operations
= 0
$ grep -o '"evidence":"[^"]*"' report.html
| "evidence":"3 transactions took effect; overlapping transactions met 4 times on a key that one of them wrote; 1 read saw another session's write; 1 version was replaced"
= 0
# Nobody wrote in between.
$ isolde minimize $DEMO/pg-repeatable-read-write-skew.jsonl --level serializable --longer --out two.jsonl
| $DEMO/pg-repeatable-read-write-skew.jsonl: serializable is violated, by a cycle.
|
|   before  48 transactions with 128 operations
|   after   2 transactions with 4 operations
|
| Nothing more can be left out; 29 parts were checked. The proof is verified.
| History: two.jsonl
|
| Names, lines and times are those of $DEMO/pg-repeatable-read-write-skew.jsonl:
|
| Write skew (G2-item)
|
| Let:
|   T1 = c:2, line 6, from 13.972 ms to 24.446 ms
|        r(bob.checking)=initial w(bob.savings)=3
|   T2 = b:0, line 7, from 484.499 us to 25.164 ms
|        r(bob.savings)=initial w(bob.checking)=4
|   Times are since the first start of the whole history.
| Then:
|   T1 < T2 (rw), because T1 read the initial value of bob.checking, which T2 replaced by 4.
|   T2 < T1 (rw), because T2 read the initial value of bob.savings, which T1 replaced by 3.
|   T1 < T2 < T1, a contradiction.
| So T1 did not see T2's write of bob.checking and T2 did not see T1's write of bob.savings:
|   neither can have come first.
| Notation: T1 < T2, T1 must come before T2; c:2, session c's transaction 2, counted from 0;
|   G2-item, the type of the anomaly in the terms of Adya and Elle.
| A < B by rw: A read a version that B replaced, so it did not see B.
|
| Write skew: each of two transactions read what the other one was about to change, and neither
|   saw the other's change; run one after the other, the second would have seen it.
| Where to look: snapshot isolation allows this by design, because it compares what transactions
|   wrote and not what they read; where serializability was asked for, a read was not tracked or
|   its lock was released too early.
|
| There is no longer form: nobody wrote in between.
= 0
$ isolde verify $DEMO/pg-commit-race/upsert-seed12.proof.jsonl $DEMO/pg-commit-race/upsert-seed12.jsonl
| proved: serializable is violated, by a cycle
= 0

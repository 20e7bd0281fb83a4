# Each anomaly is named and explained; the exit code of a classification is 0.
$ isolde check $DATA/serial.jsonl
| $DATA/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   In short: No anomaly was found in 3 transactions.
|
|                                               plain            session order    real time
|   serializable                                holds            holds            not-applicable
|   repeatable-read                             holds
|   snapshot-isolation                          holds            holds            not-applicable
|   parallel-snapshot-isolation                 holds            holds            not-applicable
|   prefix-consistency                          holds            holds            not-applicable
|   sequential                                                   holds
|   transactional-causal                                         holds            not-applicable
|   causal                                                       holds
|   read-atomic                                 holds            holds            not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   2 reads saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: strong-session-serializable
| Weakest violated:     none
= 0
$ isolde check $DATA/write-skew.jsonl
| $DATA/write-skew.jsonl: native, 2 sessions, 2 transactions, 6 operations, 2 keys
|
|   In short: Write skew occurs. Dirty reads, lost updates and fractured reads: not seen in 2
|     transactions.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: use a serializable isolation, or lock what a decision rests on, read or
|     written.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          holds            holds            not-applicable
|   parallel-snapshot-isolation                 holds            holds            not-applicable
|   prefix-consistency                          holds            holds            not-applicable
|   sequential                                                   holds
|   transactional-causal                                         holds            not-applicable
|   causal                                                       holds
|   read-atomic                                 holds            holds            not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not serializable:
|
|   Write skew (G2-item)
|
|   Let:
|     T1 = A:0, line 2
|          r(x)=initial r(y)=initial w(x)=1
|     T2 = B:0, line 3
|          r(x)=initial r(y)=initial w(y)=2
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of y, which T2 replaced by 2.
|     T2 < T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   So T1 did not see T2's write of y and T2 did not see T1's write of x: neither can have come
|     first.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G2-item, the
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
|   2 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: strong-session-snapshot-isolation
| Weakest violated:     serializable (and repeatable-read, the same but for conditions)
= 0
$ isolde check $DATA/lost-update.jsonl
| $DATA/lost-update.jsonl: native, 3 sessions, 3 transactions, 5 operations, 1 key
|
|   In short: Lost updates occur. Dirty reads and fractured reads: not seen in 3 transactions.
|   At least 1 update was lost: overwritten by a transaction that had read the same version
|     before.
|   That means: two clients that read a balance, add to it and write it back are both told
|     that it worked, and one of the two deposits is gone.
|   What helps: lock what is read before it is changed, or compute inside of the statement
|     that changes it, or use an isolation that refuses the second change, such as snapshot
|     isolation.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          violated         violated         not-applicable
|   parallel-snapshot-isolation                 violated         violated         not-applicable
|   prefix-consistency                          holds            holds            not-applicable
|   sequential                                                   holds
|   transactional-causal                                         holds            not-applicable
|   causal                                                       holds
|   read-atomic                                 holds            holds            not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not parallel-snapshot-isolation:
|
|   Lost update (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          r(x)=initial w(x)=1
|     T2 = B:0, line 3
|          r(x)=initial w(x)=2
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 2.
|     T2 < T1 (rw), because T2 read the initial value of x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   Whichever of T1 and T2 came first, the other one overwrote its write of x without having seen
|     it.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B.
|
|   Lost update: two transactions both wrote an item, and the one that came second had read it
|     before the other one's change, which it overwrote without having seen it.
|   Where to look: usually no check for write conflicts is made at commit, or it looks at the
|     wrong version, or a value was read without a lock and written back after a computation.
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 3 times on a key that one of them wrote
|   1 read saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: strong-session-prefix-consistency
| Weakest violated:     parallel-snapshot-isolation
= 0
$ isolde check $DATA/long-fork.jsonl
| $DATA/long-fork.jsonl: native, 4 sessions, 4 transactions, 6 operations, 2 keys
|
|   In short: Long forks occur. Dirty reads, lost updates and fractured reads: not seen in 4
|     transactions.
|   That means: two clients disagree on what came first, and an answer can be there before the
|     question that it answers.
|   What helps: use an isolation at which commits have one order for all readers, such as
|     snapshot isolation; where there are several nodes, read from one of them.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          violated         violated         not-applicable
|   parallel-snapshot-isolation                 holds            holds            not-applicable
|   prefix-consistency                          violated         violated         not-applicable
|   sequential                                                   holds
|   transactional-causal                                         holds            not-applicable
|   causal                                                       holds
|   read-atomic                                 holds            holds            not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not prefix-consistency:
|
|   Long fork (G-nonadjacent)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1
|     T2 = C:0, line 4
|          r(x)=1 r(y)=initial
|     T3 = B:0, line 3
|          w(y)=2
|     T4 = D:0, line 5
|          r(x)=initial r(y)=2
|   Then:
|     T1 < T2 (wr), because T2 read x = 1, which T1 wrote.
|     T2 < T3 (rw), because T2 read the initial value of y, which T3 replaced by 2.
|     T3 < T4 (wr), because T4 read y = 2, which T3 wrote.
|     T4 < T1 (rw), because T4 read the initial value of x, which T1 replaced by 1.
|     T1 < T2 < T3 < T4 < T1, a contradiction.
|   So T2 saw T1's write of x and not T3's write of y, while T4 saw T3's write of y and not T1's
|     write of x: for T2 T1 came first, and for T4 T3.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G-nonadjacent,
|     the type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
|   Long fork: each of two readers missed a write that came before the other one, so there was no
|     single sequence of states that both saw.
|   Where to look: usually snapshots come from replicas or shards that apply commits in different
|     orders, or a snapshot is put together while commits go on.
|
| Evidence:
|   4 transactions took effect
|   transactions of different sessions met 4 times on a key that one of them wrote
|   2 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: strong-session-parallel-snapshot-isolation, sequential
| Weakest violated:     prefix-consistency
= 0
$ isolde check $DATA/causality.jsonl
| $DATA/causality.jsonl: native, 3 sessions, 3 transactions, 5 operations, 2 keys
|
|   In short: Causality violations occur. Dirty reads and fractured reads: not seen in 3
|     transactions.
|   That means: two clients disagree on what came first, and an answer can be there before the
|     question that it answers.
|   What helps: use an isolation at which commits have one order for all readers, such as
|     snapshot isolation; where there are several nodes, read from one of them.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          violated         violated         not-applicable
|   parallel-snapshot-isolation                 violated         violated         not-applicable
|   prefix-consistency                          violated         violated         not-applicable
|   sequential                                                   violated
|   transactional-causal                                         violated         not-applicable
|   causal                                                       violated
|   read-atomic                                 holds            holds            not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not parallel-snapshot-isolation, prefix-consistency, transactional-causal, causal:
|
|   Causality violation (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1
|     T2 = B:0, line 3
|          r(x)=1 w(y)=2
|     T3 = C:0, line 4
|          r(y)=2 r(x)=initial
|   Then:
|     T1 < T2 (wr), because T2 read x = 1, which T1 wrote.
|     T2 < T3 (wr), because T3 read y = 2, which T2 wrote.
|     T3 < T1 (rw), because T3 read the initial value of x, which T1 replaced by 1.
|     T1 < T2 < T3 < T1, a contradiction.
|   So T2 saw T1's write of x and T3 saw T2's write of y, and still T3 did not see T1's write of
|     x.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
|   Causality violation: a transaction saw an effect but missed its cause: something it read was
|     written by a transaction that had seen what it missed.
|   Where to look: usually replication passes writes on without waiting for those they depend on,
|     or a client moved to a replica that lags.
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 3 times on a key that one of them wrote
|   2 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: strong-session-read-atomic, monotonic-reads, read-your-writes
| Weakest violated:     parallel-snapshot-isolation, prefix-consistency,
|   transactional-causal, causal
= 0
$ isolde check $DATA/fractured-read.jsonl
| $DATA/fractured-read.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   In short: Fractured reads, non-monotonic reads and monotonic-reads violations occur. Dirty
|     reads: not seen in 2 transactions.
|   That means: what reads several items, or one item twice, can see a state that never
|     existed: a report made during a transfer finds the money on neither account or on both.
|     Monotonic-reads violations: users do not find a change that they have just made or seen,
|     or see it come and go.
|   What helps: use an isolation at which all statements of a transaction read one snapshot.
|   Against monotonic-reads violations: keep a session on one node, or let its requests wait
|     until the node has caught up.
|   The one change that helps most: use an isolation at which all statements of a transaction
|     read one snapshot, with all that its session did before, and no change overwrites one
|     that it has not seen (strong-session-snapshot-isolation); it promises nothing against
|     write skew, which this history may have as well.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          violated         violated         not-applicable
|   parallel-snapshot-isolation                 violated         violated         not-applicable
|   prefix-consistency                          violated         violated         not-applicable
|   sequential                                                   violated
|   transactional-causal                                         violated         not-applicable
|   causal                                                       violated
|   read-atomic                                 violated         violated         not-applicable
|   monotonic-atomic-view                       violated         violated         not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              violated
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not causal, read-atomic:
|
|   Fractured read (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1 w(y)=1
|     T2 = B:0, line 3
|          r(x)=1 r(y)=initial
|   Suppose an order explains what session B saw.
|   Then:
|     T1 < T2 (wr), because T2 read x = 1, which T1 wrote.
|     T2 < T1 (rw), because T2 read the initial value of y, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   So T2 saw T1's write of x, and still T2 did not see T1's write of y.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
|   Fractured read: a transaction saw one write of another transaction but not its other write, so
|     it saw that transaction half done.
|   Where to look: usually a commit becomes visible item by item or shard by shard instead of all
|     at once, or each statement takes a snapshot of its own.
|
| Why not monotonic-atomic-view:
|
|   Non-monotonic read (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1 w(y)=1
|     T2 = B:0, line 3
|          r(x)=1 r(y)=initial
|   Then:
|     T2 read x = 1 from T1 and later the initial value of y, although T1 wrote y = 1 too.
|   Notation: A:0, session A's first transaction; G-single, the type of the anomaly in the terms
|     of Adya and Elle.
|
|   Non-monotonic read: a transaction saw one write of another transaction and afterwards missed
|     another one, so that a transaction it had observed vanished again (OTV).
|   Where to look: usually the reads went to replicas that lagged by different amounts, or a
|     commit becomes visible item by item.
|
| Why not monotonic-reads:
|
|   Monotonic-reads violation (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1 w(y)=1
|     T2 = B:0, line 3
|          r(x)=1 r(y)=initial
|   Suppose an order explains what session B saw.
|   Then:
|     T1 < T2 (wr), because T2 read x = 1, which T1 wrote.
|     T2 < T1 (rw), because T2 read the initial value of y, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   So T2 saw T1's write of x, and still T2 did not see T1's write of y.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
|   Monotonic-reads violation: a session saw the state after some writes, and later read a version
|     from before them.
|   Where to look: usually the requests of a session are spread over replicas that lag by
|     different amounts.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: strong-session-read-committed, read-your-writes
| Weakest violated:     monotonic-atomic-view, monotonic-reads
= 0
$ isolde check $DATA/cases.jsonl
| $DATA/cases.jsonl: native, 3 sessions, 3 transactions, 6 operations, 2 keys
|
|   In short: Fractured reads occur. Dirty reads: not seen in 3 transactions.
|   That means: what reads several items, or one item twice, can see a state that never
|     existed: a report made during a transfer finds the money on neither account or on both.
|   What helps: use an isolation at which all statements of a transaction read one snapshot.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          violated         violated         not-applicable
|   parallel-snapshot-isolation                 violated         violated         not-applicable
|   prefix-consistency                          violated         violated         not-applicable
|   sequential                                                   holds
|   transactional-causal                                         violated         not-applicable
|   causal                                                       holds
|   read-atomic                                 violated         violated         not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not read-atomic:
|
|   Fractured read (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1 w(y)=1
|     T2 = C:0, line 4
|          r(x)=2 r(y)=1
|     T3 = B:0, line 3
|          w(x)=2 w(y)=2
|   Then:
|     T1 < T3 (av), because T2 read x = 2 from T3, although T1 wrote x = 1 and T2 read y = 1 from
|       T1.
|     T3 < T1 (av), because T2 read y = 1 from T1, although T3 wrote y = 2 and T2 read x = 2 from
|       T3.
|     T1 < T3 < T1, a contradiction.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G-single, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by av: A was visible to a reader that read from B what A also wrote, so B's version is
|     newer.
|
|   Fractured read: a transaction saw one write of another transaction but not its other write, so
|     it saw that transaction half done.
|   Where to look: usually a commit becomes visible item by item or shard by shard instead of all
|     at once, or each statement takes a snapshot of its own.
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 6 times on a key that one of them wrote
|   2 reads saw another session's write
|   2 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: sequential
| Weakest violated:     read-atomic
= 0
$ isolde check $DATA/read-only-anomaly.jsonl
| $DATA/read-only-anomaly.jsonl: native, 3 sessions, 3 transactions, 5 operations, 2 keys
|
|   In short: Read-only transaction anomalies occur. Dirty reads, lost updates and fractured
|     reads: not seen in 3 transactions.
|   That means: a read-only transaction can see a state that no order of the changes passes
|     through: the report of a closed day is printed, and then a receipt is booked into that
|     day.
|   What helps: use a serializable isolation for writing and for read-only transactions; or
|     let the writing ones lock what they read, and the read-only ones use one snapshot.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          holds            holds            not-applicable
|   parallel-snapshot-isolation                 holds            holds            not-applicable
|   prefix-consistency                          holds            holds            not-applicable
|   sequential                                                   holds
|   transactional-causal                                         holds            not-applicable
|   causal                                                       holds
|   read-atomic                                 holds            holds            not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not serializable:
|
|   Read-only transaction anomaly (G2-item)
|
|   Let:
|     T1 = A:0, line 2
|          r(x)=initial w(y)=1
|     T2 = B:0, line 3
|          w(x)=2
|     T3 = C:0, line 4
|          r(x)=2 r(y)=initial
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 2.
|     T2 < T3 (wr), because T3 read x = 2, which T2 wrote.
|     T3 < T1 (rw), because T3 read the initial value of y, which T1 replaced by 1.
|     T1 < T2 < T3 < T1, a contradiction.
|   So T1 did not see T2's write of x, T3 saw T2's write of x and T3 did not see T1's write of y:
|     none of them can have come first.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G2-item, the
|     type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B.
|
|   Read-only transaction anomaly: two writers alone can be put in order, but a transaction that
|     only reads saw a state between them that no such order passes through.
|   Where to look: snapshot isolation allows this by design; where serializability was asked for,
|     one of the reads was not tracked (PostgreSQL tracks them by SIREAD locks), or transactions
|     that only read are left out of the checks for conflicts.
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 3 times on a key that one of them wrote
|   1 read saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: strong-session-snapshot-isolation
| Weakest violated:     serializable (and repeatable-read, the same but for conditions)
= 0
$ isolde check $DATA/circular-information-flow.jsonl
| $DATA/circular-information-flow.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   In short: Dirty reads (cyclic information flow, G1c) occur.
|   That means: a client acts or builds on a change that is undone later or not complete, for
|     example ships what was never paid.
|   What helps: use an isolation of read committed or above.
|
|                                               plain            session order    real time
|   serializable                                violated         violated         not-applicable
|   repeatable-read                             violated
|   snapshot-isolation                          violated         violated         not-applicable
|   parallel-snapshot-isolation                 violated         violated         not-applicable
|   prefix-consistency                          violated         violated         not-applicable
|   sequential                                                   violated
|   transactional-causal                                         violated         not-applicable
|   causal                                                       violated
|   read-atomic                                 violated         violated         not-applicable
|   monotonic-atomic-view                       violated         violated         not-applicable
|   read-committed                              violated         violated         not-applicable
|   writes-follow-reads                                          violated
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             holds
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not read-committed:
|
|   Cyclic information flow (G1c)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1 r(y)=2
|     T2 = B:0, line 3
|          w(y)=2 r(x)=1
|   Then:
|     T1 < T2 (wr), because T2 read x = 1, which T1 wrote.
|     T2 < T1 (wr), because T1 read y = 2, which T2 wrote.
|     T1 < T2 < T1, a contradiction.
|   So T2 saw T1's write of x and T1 saw T2's write of y: neither can have come first.
|   Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G1c, the type
|     of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote.
|
|   Cyclic information flow: transactions saw each other's writes in a cycle, so each of them
|     would have to finish before the other could start (a kind of dirty reads).
|   Where to look: usually changes are visible to others before their transaction commits.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 2 times on a key that one of them wrote
|   2 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|
| Strongest that holds: monotonic-writes, monotonic-reads, read-your-writes,
|   strong-session-read-uncommitted
| Weakest violated:     read-committed
= 0
$ isolde check $DATA/stale-read.jsonl
| $DATA/stale-read.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
|
|   In short: Stale reads occur.
|   That means: somebody who has been told of a change still reads what was there before it.
|   What helps: read and write through the leader or with the database's option for
|     linearizable operations, and not through a replica or a cache.
|
|                                               plain            session order    real time
|   serializable                                holds            holds            violated
|   per-key-strict-serializable                 violated
|   repeatable-read                             holds
|   snapshot-isolation                          holds            holds            violated
|   parallel-snapshot-isolation                 holds            holds            violated
|   prefix-consistency                          holds            holds            violated
|   sequential                                                   holds
|   linearizable                                                                  violated
|   transactional-causal                                         holds            violated
|   causal                                                       holds
|   read-atomic                                 holds            holds            violated
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
|
| Why not linearizable, strong-read-atomic:
|
|   Stale read (G-single-realtime)
|
|   Let:
|     T1 = B:0, line 3, from 2.500 ms to 3.000 ms
|          r(x)=initial
|     T2 = A:0, line 2, from 0 ns to 1.000 ms
|          w(x)=1
|     Times are since the first start of the history.
|   Then:
|     T1 < T2 (rw), because T1 read the initial value of x, which T2 replaced by 1.
|     T2 < T1 (rt), because T2 ended 1.500 ms before T1 started.
|     T1 < T2 < T1, a contradiction.
|   So T1 started after T2 had ended, and still T1 did not see T2's write of x.
|   Notation: T1 < T2, T1 must come before T2; B:0, session B's first transaction;
|     G-single-realtime, the type of the anomaly in the terms of Adya and Elle.
|   A < B by rw: A read a version that B replaced, so it did not see B; rt: A had ended before B
|     started.
|
|   Stale read: a transaction read an old version although a newer one had been acknowledged to
|     its writer before the reading transaction started.
|   Where to look: usually a follower or a cache answered without asking the leader, a leader went
|     on after it had been replaced, or snapshots follow clocks that disagree.
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   no two overlapping transactions used a key that one of them wrote, so
|     strong-session-serializable, serializable, repeatable-read,
|     strong-session-snapshot-isolation, snapshot-isolation,
|     strong-session-parallel-snapshot-isolation, parallel-snapshot-isolation,
|     strong-session-prefix-consistency, prefix-consistency, sequential, transactional-causal,
|     causal, strong-session-read-atomic, read-atomic, strong-session-monotonic-atomic-view,
|     monotonic-atomic-view, strong-session-read-committed, writes-follow-reads,
|     monotonic-writes, monotonic-reads, read-your-writes, read-committed,
|     strong-session-read-uncommitted, read-uncommitted were not put to the test; more
|     sessions at once on fewer keys would do that
|
| Strongest that holds: strong-session-serializable (not put to the test),
|   strong-monotonic-atomic-view
| Weakest violated:     linearizable, strong-read-atomic
= 0
$ isolde check $DATA/read-your-writes.jsonl
| $DATA/read-your-writes.jsonl: native, 1 session, 2 transactions, 2 operations, 1 key
|
|   In short: Read-your-writes violations occur.
|   That means: users do not find a change that they have just made or seen, or see it come
|     and go.
|   What helps: keep a session on one node, or let its requests wait until the node has caught
|     up.
|
|                                               plain            session order    real time
|   serializable                                holds            violated         not-applicable
|   repeatable-read                             holds
|   snapshot-isolation                          holds            violated         not-applicable
|   parallel-snapshot-isolation                 holds            violated         not-applicable
|   prefix-consistency                          holds            violated         not-applicable
|   sequential                                                   violated
|   transactional-causal                                         violated         not-applicable
|   causal                                                       violated
|   read-atomic                                 holds            violated         not-applicable
|   monotonic-atomic-view                       holds            holds            not-applicable
|   read-committed                              holds            holds            not-applicable
|   writes-follow-reads                                          holds
|   monotonic-writes                                             holds
|   monotonic-reads                                              holds
|   read-your-writes                                             violated
|   read-uncommitted                            holds            holds            not-applicable
|
|   Not applicable: the history has no start and end times.
|
|   Columns: plain, the level as it is defined; session order, the transactions of a session
|     also stay in their order; real time, what had ended also comes before what started
|     later. Blank: the level has no such form.
|
| Why not strong-session-read-atomic, read-your-writes:
|
|   Read-your-writes violation (G-single-process)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1
|     T2 = A:1, line 3
|          r(x)=initial
|   Then:
|     T2 read the initial value of x, although T1 wrote x = 1 and came before T2 in session A.
|   Notation: A:0, session A's first transaction; G-single-process, the type of the anomaly in the
|     terms of Adya and Elle.
|
|   Read-your-writes violation: a session wrote an item, and a later transaction of the same
|     session read an older version of it.
|   Where to look: usually the next request of the session went to a replica that had not received
|     its write yet.
|
| Evidence:
|   2 transactions took effect
|   transactions of different sessions met 0 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|   whether transactions overlapped is not known, for there are no times
|   no two transactions of different sessions used a key that one of them wrote, so
|     serializable, repeatable-read, snapshot-isolation, parallel-snapshot-isolation,
|     prefix-consistency, read-atomic, monotonic-atomic-view, read-committed, read-uncommitted
|     were not put to the test; more sessions at once on fewer keys would do that
|
| Strongest that holds: serializable (not put to the test),
|   strong-session-monotonic-atomic-view, monotonic-reads
| Weakest violated:     strong-session-read-atomic, read-your-writes
= 0
# By the database's own times, where values repeat: x = 1 may be from a or b, and b's y tells.
$ printf '{"isolde":1,"kind":"history"}\n{"session":"a","db_start":1,"db_commit":2,"ops":[["w","x",1]]}\n{"session":"b","db_start":3,"db_commit":4,"ops":[["w","x",1],["w","y",5]]}\n{"session":"c","db_start":5,"db_commit":6,"ops":[["w","x",2]]}\n{"session":"d","db_start":7,"db_commit":8,"ops":[["r","x",1],["r","y",5]]}\n' >timed.jsonl; isolde check --level ansi-snapshot-isolation --certificate timed timed.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify timed timed.jsonl
|   ansi-snapshot-isolation  holds
| proved: ansi-snapshot-isolation holds, by an order of 4 transactions
= 0
$ sed 's/"db_start":7/"db_start":3/' timed.jsonl >early.jsonl; isolde check --level ansi-snapshot-isolation early.jsonl | sed -n '/violated/,/^  Step 2/p'
|   ansi-snapshot-isolation  violated        fractured read (G-single)
|
| Why not ansi-snapshot-isolation:
|
|   Fractured read (G-single)
|
|   Let:
|     T1 = b:0, line 3
|          w(x)=1 w(y)=5
|     T2 = d:0, line 5
|          r(x)=1 r(y)=5
|     T3 = a:0, line 2
|          w(x)=1
|   Step 1. T2 read x = 1 from T1, or T2 read x = 1 from T3; there is no other possibility.
|   Step 2. T2 did not read x = 1 from T1, for otherwise:
= 0
# Whether b took effect is open, and it has no such times: so is whether the level applies.
$ sed 's/"db_start":3,"db_commit":4/"status":"indeterminate"/; s/"r","y",5/"r","y",null/' timed.jsonl >open.jsonl; isolde check --level ansi-snapshot-isolation open.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde check --timeout 60 open.jsonl | grep -A1 'no times of the database'
|   ansi-snapshot-isolation  unknown         transaction b:0 has no times of the database
|   Unknown, because transaction b:0 has no times of the database:
|     commit-ordered-strong-snapshot-isolation, prefix-consistent-snapshot-isolation,
= 0

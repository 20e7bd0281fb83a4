# Each anomaly is named and explained; the exit code of a classification is 0.
$ isolde check $DATA/serial.jsonl
| $DATA/serial.jsonl: native, 2 sessions, 3 transactions, 4 operations, 1 key
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           holds
|   serializable                          holds
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     holds
|   snapshot-isolation                    holds
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Strongest that holds: strong-session-serializable
| Weakest violated:     none
= 0
$ isolde check $DATA/write-skew.jsonl
| $DATA/write-skew.jsonl: native, 2 sessions, 2 transactions, 6 operations, 2 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        write skew (G2-item)
|   serializable                          violated        write skew (G2-item)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     holds
|   snapshot-isolation                    holds
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
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
|     T1 < T2 (rw), because T1 read the initial y, which T2 replaced by 2.
|     T2 < T1 (rw), because T2 read the initial x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|
|   Write skew: each of two transactions read what the other one was about to change, and neither
|     saw the other's change; run one after the other, the second would have seen it.
|
| Strongest that holds: strong-session-snapshot-isolation
| Weakest violated:     serializable
= 0
$ isolde check $DATA/lost-update.jsonl
| $DATA/lost-update.jsonl: native, 3 sessions, 3 transactions, 5 operations, 1 key
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        lost update (G-single)
|   serializable                          violated        lost update (G-single)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     violated        lost update (G-single)
|   snapshot-isolation                    violated        lost update (G-single)
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Why not snapshot-isolation:
|
|   Lost update (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          r(x)=initial w(x)=1
|     T2 = B:0, line 3
|          r(x)=initial w(x)=2
|   Then:
|     T1 < T2 (rw), because T1 read the initial x, which T2 replaced by 2.
|     T2 < T1 (rw), because T2 read the initial x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|   Whichever of T1 and T2 came first, the other one overwrote its write of x without having seen
|     it.
|
|   Lost update: two transactions read the same version of an item and both wrote the item; the
|     one that came second overwrote a change that it had never seen.
|
| Strongest that holds: strong-session-monotonic-atomic-view
| Weakest violated:     snapshot-isolation
= 0
$ isolde check $DATA/long-fork.jsonl
| $DATA/long-fork.jsonl: native, 4 sessions, 4 transactions, 6 operations, 2 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        long fork (G-nonadjacent)
|   serializable                          violated        long fork (G-nonadjacent)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     violated        long fork (G-nonadjacent)
|   snapshot-isolation                    violated        long fork (G-nonadjacent)
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Why not snapshot-isolation:
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
|     T2 < T3 (rw), because T2 read the initial y, which T3 replaced by 2.
|     T3 < T4 (wr), because T4 read y = 2, which T3 wrote.
|     T4 < T1 (rw), because T4 read the initial x, which T1 replaced by 1.
|     T1 < T2 < T3 < T4 < T1, a contradiction.
|
|   Long fork: two readers saw two independent writes in opposite orders, so there was no single
|     line of states that both readers looked at.
|
| Strongest that holds: strong-session-monotonic-atomic-view
| Weakest violated:     snapshot-isolation
= 0
$ isolde check $DATA/causality.jsonl
| $DATA/causality.jsonl: native, 3 sessions, 3 transactions, 5 operations, 2 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        causality violation (G-single)
|   serializable                          violated        causality violation (G-single)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     violated        causality violation (G-single)
|   snapshot-isolation                    violated        causality violation (G-single)
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Why not snapshot-isolation:
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
|     T3 < T1 (rw), because T3 read the initial x, which T1 replaced by 1.
|     T1 < T2 < T3 < T1, a contradiction.
|
|   Causality violation: a transaction saw an effect but missed its cause: something it read was
|     written by somebody who had seen what it missed.
|
| Strongest that holds: strong-session-monotonic-atomic-view
| Weakest violated:     snapshot-isolation
= 0
$ isolde check $DATA/fractured-read.jsonl
| $DATA/fractured-read.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        fractured read (G-single)
|   serializable                          violated        fractured read (G-single)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     violated        fractured read (G-single)
|   snapshot-isolation                    violated        fractured read (G-single)
|   strong-session-monotonic-atomic-view  violated        fractured read (G-single)
|   read-committed                        holds
|
| Why not snapshot-isolation, strong-session-monotonic-atomic-view:
|
|   Fractured read (G-single)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1 w(y)=1
|     T2 = B:0, line 3
|          r(x)=1 r(y)=initial
|   Then:
|     T1 < T2 (wr), because T2 read x = 1, which T1 wrote.
|     T2 < T1 (rw), because T2 read the initial y, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|
|   Fractured read: a transaction saw one write of another transaction but not its other write, so
|     it saw that transaction half done.
|
| Strongest that holds: read-committed
| Weakest violated:     snapshot-isolation, strong-session-monotonic-atomic-view
= 0
$ isolde check $DATA/cases.jsonl
| $DATA/cases.jsonl: native, 3 sessions, 3 transactions, 6 operations, 2 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        fractured read (G-single)
|   serializable                          violated        fractured read (G-single)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     violated        fractured read (G-single)
|   snapshot-isolation                    violated        fractured read (G-single)
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Why not snapshot-isolation:
|
|   Fractured read (G-single)
|
|   Let:
|     T1 = B:0, line 3
|          w(x)=2 w(y)=2
|     T2 = C:0, line 4
|          r(x)=2 r(y)=1
|     T3 = A:0, line 2
|          w(x)=1 w(y)=1
|   Step 1. T1 wrote x before T3, for otherwise:
|     T1 < T2 (wr), because T2 read x = 2, which T1 wrote.
|     T2 < T1 (rw), because T2 read y = 1 from T3, which T1 replaced by 2 (assumed).
|     T1 < T2 < T1, a contradiction.
|   Step 2. Then:
|     T3 < T2 (wr), because T2 read y = 1, which T3 wrote.
|     T2 < T3 (rw), because T2 read x = 2 from T1, which T3 replaced by 1 (step 1).
|     T3 < T2 < T3, a contradiction.
|
|   Fractured read: a transaction saw one write of another transaction but not its other write, so
|     it saw that transaction half done.
|
| Strongest that holds: strong-session-monotonic-atomic-view
| Weakest violated:     snapshot-isolation
= 0
$ isolde check $DATA/read-only-anomaly.jsonl
| $DATA/read-only-anomaly.jsonl: native, 3 sessions, 3 transactions, 5 operations, 2 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        read-only transaction anomaly (G2-item)
|   serializable                          violated        read-only transaction anomaly (G2-item)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     holds
|   snapshot-isolation                    holds
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
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
|     T1 < T2 (rw), because T1 read the initial x, which T2 replaced by 2.
|     T2 < T3 (wr), because T3 read x = 2, which T2 wrote.
|     T3 < T1 (rw), because T3 read the initial y, which T1 replaced by 1.
|     T1 < T2 < T3 < T1, a contradiction.
|
|   Read-only transaction anomaly: two writers alone can be put in order, but a transaction that
|     only reads saw a state between them that no such order passes through.
|
| Strongest that holds: strong-session-snapshot-isolation
| Weakest violated:     serializable
= 0
$ isolde check $DATA/circular-information-flow.jsonl
| $DATA/circular-information-flow.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        cyclic information flow (G1c)
|   serializable                          violated        cyclic information flow (G1c)
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     violated        cyclic information flow (G1c)
|   snapshot-isolation                    violated        cyclic information flow (G1c)
|   strong-session-monotonic-atomic-view  violated        cyclic information flow (G1c)
|   read-committed                        violated        cyclic information flow (G1c)
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
|
|   Cyclic information flow: transactions saw each other's writes in a circle, so each of them
|     would have to finish before the other could start.
|
| Strongest that holds: none
| Weakest violated:     read-committed
= 0
$ isolde check $DATA/stale-read.jsonl
| $DATA/stale-read.jsonl: native, 2 sessions, 2 transactions, 2 operations, 1 key
|
|   strict-serializable                   violated        stale read (G-single-realtime)
|   strong-session-serializable           holds
|   serializable                          holds
|   strong-snapshot-isolation             violated        stale read (G-single-realtime)
|   strong-session-snapshot-isolation     holds
|   snapshot-isolation                    holds
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Why not strong-snapshot-isolation:
|
|   Stale read (G-single-realtime)
|
|   Let:
|     T1 = A:0, line 2, from 0 ns to 1.000 ms
|          w(x)=1
|     T2 = B:0, line 3, from 2.500 ms to 3.000 ms
|          r(x)=initial
|   Then:
|     T1 < T2 (rt), because T1 ended 1.500 ms before T2 started.
|     T2 < T1 (rw), because T2 read the initial x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|
|   Stale read: a transaction read an old version although a newer one had been acknowledged to
|     its writer before the reading transaction started.
|
| Strongest that holds: strong-session-serializable
| Weakest violated:     strong-snapshot-isolation
= 0
$ isolde check $DATA/read-your-writes.jsonl
| $DATA/read-your-writes.jsonl: native, 1 session, 2 transactions, 2 operations, 1 key
|
|   strict-serializable                   not-applicable  the history has no start and end times
|   strong-session-serializable           violated        read-your-writes violation (G-single-process)
|   serializable                          holds
|   strong-snapshot-isolation             not-applicable  the history has no start and end times
|   strong-session-snapshot-isolation     violated        read-your-writes violation (G-single-process)
|   snapshot-isolation                    holds
|   strong-session-monotonic-atomic-view  holds
|   read-committed                        holds
|
| Why not strong-session-snapshot-isolation:
|
|   Read-your-writes violation (G-single-process)
|
|   Let:
|     T1 = A:0, line 2
|          w(x)=1
|     T2 = A:1, line 3
|          r(x)=initial
|   Then:
|     T1 < T2 (so), because T1 is before T2 in session A.
|     T2 < T1 (rw), because T2 read the initial x, which T1 replaced by 1.
|     T1 < T2 < T1, a contradiction.
|
|   Read-your-writes violation: a session wrote an item, and a later transaction of the same
|     session read an older version of it.
|
| Strongest that holds: serializable, strong-session-monotonic-atomic-view
| Weakest violated:     strong-session-snapshot-isolation
= 0

# The table of levels, levels in detail, their examples, and what a wrong name gives.
$ isolde levels
| equal to running the transactions one after the other in some order
|   strict-serializable                        sser         and real time binds
|   strong-session-serializable                ssser        and session order binds
|   serializable                               ser
| serializable, and never before one that had ended and used one of the same keys
|   per-key-strict-serializable                pkser
| serializable as far as single items go; what a condition selects may change
|   repeatable-read                            rr
| snapshots hold exactly what the database says was committed when they were taken
|   commit-ordered-strong-snapshot-isolation   cossi
| snapshots follow the database's commit times and hold the session's own transactions
|   prefix-consistent-snapshot-isolation       pcsi
| snapshots follow the database's commit times, and may be old
|   ansi-snapshot-isolation                    gsi
| each transaction reads one snapshot, and no two that overlap write the same key
|   strong-snapshot-isolation                  strong-si    and real time binds
|   strong-session-snapshot-isolation          sssi         and session order binds
|   snapshot-isolation                         si
| causal snapshots without lost updates; readers may disagree on unrelated writes
|   strong-parallel-snapshot-isolation         strong-psi   and real time binds
|   strong-session-parallel-snapshot-isolation sspsi        and session order binds
|   parallel-snapshot-isolation                psi
| each transaction reads one snapshot of a single commit order; updates can be lost
|   strong-prefix-consistency                  strong-pc    and real time binds
|   strong-session-prefix-consistency          sspc         and session order binds
|   prefix-consistency                         pc
| one commit order for all; each session moves along it and never back, read by read
|   sequential                                 sc
| each key by itself: one operation after the other, in real time
|   linearizable                               lin
| whoever sees an effect sees its causes, and sees transactions whole
|   strong-transactional-causal                strong-tcc   and real time binds
|   transactional-causal                       tcc
| each session sees effects after their causes; transactions may be seen in part
|   causal                                     cc
| a transaction sees all of another one's writes or none
|   strong-read-atomic                         strong-ra    and real time binds
|   strong-session-read-atomic                 ssra         and session order binds
|   read-atomic                                ra
| once a transaction has seen part of another, its later reads see all of it
|   strong-monotonic-atomic-view               strong-mav   and real time binds
|   strong-session-monotonic-atomic-view       ssmav        and session order binds
|   monotonic-atomic-view                      mav
| only final values of committed transactions are read, and never in a cycle
|   strong-read-committed                      strong-rc    and real time binds
|   strong-session-read-committed              ssrc         and session order binds
|   read-committed                             rc
| what a session writes comes after what it had read before
|   writes-follow-reads                        wfr
| the writes of each session take effect in session order
|   monotonic-writes                           mw
| the reads of a session never go back to an older state
|   monotonic-reads                            mr
| a session sees what it wrote before
|   read-your-writes                           ryw
| the writes of transactions are not interleaved, as far as lists show their order
|   strong-read-uncommitted                    strong-ru    and real time binds
|   strong-session-read-uncommitted            ssru         and session order binds
|   read-uncommitted                           ru
| each transaction gets the level it states; one commit order for all
|   strong-mixed                               strong-mix   and real time binds
|   mixed                                      mix
= 0
$ isolde levels ser
| serializable (ser)
|   equal to running the transactions one after the other in some order
|
| Definition
|   There is one order of all transactions in which every external read of a transaction
|   returns the state that the transactions before it have left. So the outcome is the same as
|   if they had run one after the other.
|   Sources: Adya 1999: PL-3 (no G1, no G2). Crooks 2019: the parent state is complete. Biswas
|     and Enea 2019: SER, there with session order.
|
| Example: write skew
|     a:0  r(x)=initial  w(y)=1
|     b:0  r(y)=initial  w(x)=1
|   Each read what the other was about to change, and neither saw the change. Run one after
|   the other, the second would have seen it.
|   Violates serializable. Satisfies strong-session-snapshot-isolation.
|
| Example: phantom
|     a:0  select(keys 1 to 9) -> nothing; left out 1, 2  w(1)=10
|     b:0  select(keys 1 to 9) -> nothing; left out 1, 2  w(2)=20
|   Each found no row with a key from 1 to 9 and wrote one. Run one after the other, the
|   second would have found the first one's row. No item was read that the other wrote, so
|   repeatable read allows it.
|   Violates serializable. Satisfies repeatable-read, strong-session-snapshot-isolation.
|
| Who claims it
|   PostgreSQL SERIALIZABLE (SSI). MariaDB and MySQL SERIALIZABLE (locks). SQLite. Firebird
|   SNAPSHOT TABLE STABILITY. RocksDB when all reads are GetForUpdate, key by key. CockroachDB
|   and YugabyteDB SERIALIZABLE. Oracle's SERIALIZABLE is snapshot isolation. Elle's
|   "serializable" is this; that of MTC, dbcop, VeriStrong and Cobra's rounds has session
|   order, so theirs is strong-session-serializable. With real time it is what etcd, LMDB with
|   one writer, FoundationDB and Spanner ("external consistency") promise.
|
| Weaker and stronger levels
|   Next weaker: repeatable-read, snapshot-isolation
|   All weaker: repeatable-read; snapshot-isolation; parallel-snapshot-isolation;
|     prefix-consistency; read-atomic; monotonic-atomic-view; read-committed; read-uncommitted
|   Next stronger: per-key-strict-serializable, strong-session-serializable
|   All stronger: serializable (with real time, with session order);
|     per-key-strict-serializable
|
| Cost of deciding
|   NP-complete in general. A guess that is right, as for most histories of correct databases,
|   takes O(m log n); list reads and read-modify-write chains leave nothing to guess.
= 0
$ isolde levels strict-serializable
| strict-serializable (sser)
|   one transaction after the other, and never before one that had ended when it started
|
| Definition
|   There is one order of all transactions in which every external read of a transaction
|   returns the state that the transactions before it have left. So the outcome is the same as
|   if they had run one after the other.
|   Real time binds: a transaction that had ended before another one started, by the clocks of
|   the clients, comes before it, and before its snapshot where there is one.
|   Needs start and end times in the history.
|   Sources: Adya 1999: PL-3 (no G1, no G2). Crooks 2019: the parent state is complete. Biswas
|     and Enea 2019: SER, there with session order.
|
| Example: real-time violation
|     a:0  w(y)=1  time 1 to 2
|     b:0  r(x)=initial  time 3 to 4
|     c:0  r(y)=initial  w(x)=1  time 1 to 4
|   One after the other, b comes before c, which writes what b did not see, and c before a.
|   But a had ended when b started.
|   Violates strict-serializable. Satisfies strong-session-serializable,
|   strong-snapshot-isolation.
|
| Who claims it
|   Of the base level: PostgreSQL SERIALIZABLE (SSI). MariaDB and MySQL SERIALIZABLE (locks).
|   SQLite. Firebird SNAPSHOT TABLE STABILITY. RocksDB when all reads are GetForUpdate, key by
|   key. CockroachDB and YugabyteDB SERIALIZABLE. Oracle's SERIALIZABLE is snapshot isolation.
|   Elle's "serializable" is this; that of MTC, dbcop, VeriStrong and Cobra's rounds has
|   session order, so theirs is strong-session-serializable. With real time it is what etcd,
|   LMDB with one writer, FoundationDB and Spanner ("external consistency") promise.
|
| Weaker and stronger levels
|   Next weaker: per-key-strict-serializable, strong-snapshot-isolation
|   All weaker: per-key-strict-serializable; serializable; repeatable-read; snapshot-isolation
|     (with real time, plain); parallel-snapshot-isolation (with real time, plain);
|     prefix-consistency (with real time, plain); linearizable; read-atomic (with real time,
|     plain); monotonic-atomic-view (with real time, plain); read-committed (with real time,
|     plain); read-uncommitted (with real time, plain)
|   Weaker too, where each session's transactions follow one another in time:
|     strong-session-serializable; strong-session-snapshot-isolation;
|     strong-session-parallel-snapshot-isolation; strong-session-prefix-consistency;
|     sequential; transactional-causal (with real time, plain); causal;
|     strong-session-read-atomic; strong-session-monotonic-atomic-view;
|     strong-session-read-committed; writes-follow-reads; monotonic-writes; monotonic-reads;
|     read-your-writes; strong-session-read-uncommitted; mixed (with real time, plain)
|   Next stronger: none
|   All stronger: none
|
| Cost of deciding
|   NP-complete in general. A guess that is right, as for most histories of correct databases,
|   takes O(m log n); list reads and read-modify-write chains leave nothing to guess.
= 0
$ isolde levels strong-session-monotonic-atomic-view
| strong-session-monotonic-atomic-view (ssmav)
|   once a transaction has seen part of another, its later reads see all of it; commits follow
|   session order
|
| Definition
|   As read committed. And when a transaction has an external read from T and later one of a
|   key that T writes, the later one returns T's version or that of a transaction after T.
|   Session order binds: the earlier transactions of a session come before the later ones, and
|   before their snapshots where there are any.
|   Sources: Bailis et al. 2013 (no G1, no OTV: observed transaction vanishes). Biswas and
|     Enea 2019: their RC is the form with session order.
|
| Example: non-monotonic read
|     a:0  w(x)=2
|     a:1  w(x)=1  w(y)=1
|     b:0  r(y)=1  r(x)=2
|   b saw the session's second transaction by its y, and afterwards the x of the first, which
|   the second had replaced.
|   Violates strong-session-monotonic-atomic-view. Satisfies serializable,
|   strong-session-read-committed.
|
| Who claims it
|   Of the base level: "RC" of AWDIT, Plume and dbcop is the form with session order. Elle's
|   "monotonic-atomic-view".
|
| Weaker and stronger levels
|   Next weaker: monotonic-atomic-view, strong-session-read-committed
|   All weaker: monotonic-atomic-view; read-committed (with session order, plain);
|     writes-follow-reads; monotonic-writes; read-uncommitted (with session order, plain)
|   Next stronger: sequential, strong-session-read-atomic
|   All stronger: strong-session-serializable; prefix-consistent-snapshot-isolation;
|     strong-session-snapshot-isolation; strong-session-parallel-snapshot-isolation;
|     strong-session-prefix-consistency; sequential; transactional-causal (with real time,
|     plain); strong-session-read-atomic
|
| Cost of deciding
|   O(m^1.5) at worst, nearly linear for transactions of a few operations.
= 0
$ isolde levels gsi
| ansi-snapshot-isolation (gsi)
|   snapshots follow the database's commit times, and may be old
|
| Definition
|   Snapshot isolation by the database's own start and commit times: transactions commit in
|   the order of those times, and a snapshot is the state at some moment not after the start.
|   No other transaction commits a write of one of its keys between that moment and its own
|   commit.
|   Sources: Berenson et al. 1995. Elnikety, Zwaenepoel, Pedone 2005: generalized snapshot
|     isolation (GSI). Crooks 2019, section 3.3.2: ANSI SI.
|
| Example: snapshot from the future
|     a:0  w(x)=1  database time 1 to 3
|     b:0  r(x)=1  database time 2 to 4
|   By the database's times a had not committed when b started, but b's snapshot holds what a
|   wrote.
|   Violates ansi-snapshot-isolation. Satisfies strong-session-serializable.
|
| Who claims it
|   No product by that name; lagging replicas aim at this. Viper checks it as "GSI".
|
| Weaker and stronger levels
|   Next weaker: snapshot-isolation
|   All weaker: snapshot-isolation; parallel-snapshot-isolation; prefix-consistency;
|     read-atomic; monotonic-atomic-view; read-committed; read-uncommitted
|   Next stronger: commit-ordered-strong-snapshot-isolation,
|     prefix-consistent-snapshot-isolation
|   All stronger: commit-ordered-strong-snapshot-isolation;
|     prefix-consistent-snapshot-isolation
|
| Cost of deciding
|   O(n log n): the times leave one execution to check.
= 0
$ isolde levels si --example 2
| {"isolde":1,"kind":"history"}
| {"session":"a","ops":[["w","x",1]]}
| {"session":"b","ops":[["w","y",1]]}
| {"session":"c","ops":[["r","x",1],["r","y",null]]}
| {"session":"d","ops":[["r","y",1],["r","x",null]]}
= 0
$ isolde levels si --example 2 | isolde check --level si,ra -
| -: native, 4 sessions, 4 transactions, 6 operations, 2 keys
|
|   In short: Long forks occur. Dirty reads and fractured reads: not seen in 4 transactions.
|   That means: two clients disagree on what came first, and an answer can be there before the
|     question that it answers.
|   What helps: if the database promises snapshot-isolation, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use an isolation at which commits
|     have one order for all readers, such as snapshot isolation; where there are several
|     nodes, read from one of them.
|
|   snapshot-isolation  violated        long fork (G-nonadjacent)
|   read-atomic         holds
|
| Why not snapshot-isolation:
|
|   Long fork (G-nonadjacent)
|
|   Let:
|     T1 = a:0, line 2
|          w(x)=1
|     T2 = c:0, line 4
|          r(x)=1 r(y)=initial
|     T3 = b:0, line 3
|          w(y)=1
|     T4 = d:0, line 5
|          r(y)=1 r(x)=initial
|   Then:
|     T1 < T2 (wr), because T2 read x = 1, which T1 wrote.
|     T2 < T3 (rw), because T2 read the initial value of y, which T3 replaced by 1.
|     T3 < T4 (wr), because T4 read y = 1, which T3 wrote.
|     T4 < T1 (rw), because T4 read the initial value of x, which T1 replaced by 1.
|     T1 < T2 < T3 < T4 < T1, a contradiction.
|   So T2 saw T1's write of x and not T3's write of y, while T4 saw T3's write of y and not T1's
|     write of x: for T2 T1 came first, and for T4 T3.
|   Notation: T1 < T2, T1 must come before T2; a:0, session a's first transaction; G-nonadjacent,
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
= 1
$ isolde levels si --example 3
! isolde: snapshot-isolation has 2 examples, not 3
= 3
$ isolde levels --example 1
! isolde: --example needs the argument level, which is not given (see isolde levels --help)
= 3
$ isolde levels nothing
! isolde: unknown level 'nothing'; isolde levels lists them all
= 3
# Adya's names.
$ for level in PL-3 pl-2.99 PL-SI PL-2+ PL-2 PL-1; do isolde levels $level | head -1; done; isolde check --level PL-3,PL-2L $DATA/serial.jsonl; isolde check --level PL-2.9 $DATA/serial.jsonl
| serializable (ser)
| repeatable-read (rr)
| snapshot-isolation (si)
| parallel-snapshot-isolation (psi)
| read-committed (rc)
| read-uncommitted (ru)
! isolde: unknown level 'PL-2L' (did you mean pl-2 or pl-2+?); isolde levels lists them all
! isolde: unknown level 'PL-2.9' (did you mean pl-2.99?); isolde levels lists them all
= 3
$ isolde check --level PL-3,PL-2 $DATA/write-skew.jsonl | grep -E '^  (serializable|read-committed) '
|   serializable    violated        write skew (G2-item)
|   read-committed  holds
= 0

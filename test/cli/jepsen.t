# Jepsen's registers: three operations on one, the last of which read what was replaced.
$ { echo '{:process 0 :type :invoke :f :write :value 3}'; echo '{:process 0 :type :ok :f :write :value 3}'; } >register.edn
= 0
$ { echo '{:process 1 :type :invoke :f :cas :value [3 4]}'; echo '{:process 1 :type :ok :f :cas :value [3 4]}'; } >>register.edn
= 0
$ { echo '{:process 2 :type :invoke :f :cas :value [3 5]}'; echo '{:process 2 :type :fail :f :cas :value [3 5] :error #object[a.Refused 0x1f "refused"]}'; } >>register.edn
= 0
$ echo '{:process :nemesis :type :info :f :start :value {"n1" #{"n2"}}}' >>register.edn
= 0
$ isolde check --level linearizable --certificate proof register.edn
| register.edn: jepsen, 3 sessions, 3 transactions (1 aborted), 5 operations, 1 key
|
|   In short: No anomaly that linearizable forbids was found in 2 transactions.
|
|   linearizable  holds
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   1 read saw another session's write
|   1 version was replaced
|
| Certificates:
|   linearizable: proof
|
| Left out or assumed:
|   the input has no times: real time is the order of its events, which are numbered
|   1 compare-and-set that failed; taken as not happened, for the log does not say why
|   1 log line of processes that are not clients left out
= 0
$ isolde verify proof register.edn
| proved: linearizable holds, by an order for the key
= 0
$ { echo '{:process 0 :type :invoke :f :read :value nil}'; echo '{:process 0 :type :ok :f :read :value 3}'; } >>register.edn
= 0
$ isolde check --level linearizable --certificate proof register.edn
| register.edn: jepsen, 3 sessions, 4 transactions (1 aborted), 6 operations, 1 key
|
|   In short: Stale reads occur.
|   That means: somebody who has been told of a change still reads what was there before it.
|   What helps: read and write through the leader or with the database's option for
|     linearizable operations, and not through a replica or a cache.
|
|   linearizable  violated        stale read (G-single-realtime)
|
| Why not linearizable:
|
|   Stale read (G-single-realtime)
|
|   Let:
|     T1 = s0:1, lines 8 and 9, events 6 to 7
|          r(x)=3
|     T2 = s1:0, lines 3 and 4, events 2 to 3
|          r(x)=3 w(x)=4
|   Then:
|     T1 < T2 (rw), because T1 read x = 3, which T2 read as well and replaced by 4.
|     T2 < T1 (rt), because T2 ended (event 3) before T1 started (event 6).
|     T1 < T2 < T1, a contradiction.
|   So T1 started after T2 had ended, and still T1 did not see T2's write of x.
|   Notation: T1 < T2, T1 must come before T2; s0:1, session 0's transaction 1, counted from 0;
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
|   3 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   1 read saw another session's write
|   1 version was replaced
|
| Certificates:
|   linearizable: proof
|
| Left out or assumed:
|   the input has no times: real time is the order of its events, which are numbered
|   1 compare-and-set that failed; taken as not happened, for the log does not say why
|   1 log line of processes that are not clients left out
= 1
$ isolde verify proof register.edn
| proved: linearizable is violated, by a cycle
= 0
# One register for each key.
$ sed 's/:value \([3n][0-9il]*\)/:value [7 \1]/; s/:value \[\([0-9]\) \([45]\)]/:value [7 [\1 \2]]/' register.edn >keys.edn
= 0
$ cat keys.edn
| {:process 0 :type :invoke :f :write :value [7 3]}
| {:process 0 :type :ok :f :write :value [7 3]}
| {:process 1 :type :invoke :f :cas :value [7 [3 4]]}
| {:process 1 :type :ok :f :cas :value [7 [3 4]]}
| {:process 2 :type :invoke :f :cas :value [7 [3 5]]}
| {:process 2 :type :fail :f :cas :value [7 [3 5]] :error #object[a.Refused 0x1f "refused"]}
| {:process :nemesis :type :info :f :start :value {"n1" #{"n2"}}}
| {:process 0 :type :invoke :f :read :value [7 nil]}
| {:process 0 :type :ok :f :read :value [7 3]}
= 0
$ isolde check --level linearizable keys.edn | head -12
| keys.edn: jepsen, 3 sessions, 4 transactions (1 aborted), 6 operations, 1 key
|
|   In short: Stale reads occur.
|   That means: somebody who has been told of a change still reads what was there before it.
|   What helps: read and write through the leader or with the database's option for
|     linearizable operations, and not through a replica or a cache.
|
|   linearizable  violated        stale read (G-single-realtime)
|
| Why not linearizable:
|
|   Stale read (G-single-realtime)
= 0
# The first read shows what the register began with.
$ { echo '{:process 0 :type :invoke :f :read}'; echo '{:process 0 :type :ok :f :read :value 0}'; cat register.edn; } >begun.edn
= 0
$ isolde check --level read-committed begun.edn | tail -7
|
| Left out or assumed:
|   the input has no times: real time is the order of its events, which are numbered
|   1 compare-and-set that failed; taken as not happened, for the log does not say why
|   the initial value of 1 register is not given; the value that was read there before anybody
|     wrote it was taken as the initial one
|   1 log line of processes that are not clients left out
= 0
# Sets: a read tells what is there, and what is not.
$ { echo '{:process 0 :type :invoke :f :add :value 1}'; echo '{:process 0 :type :ok :f :add :value 1}'; } >set.edn
= 0
$ { echo '{:process 1 :type :invoke :f :add :value 2}'; echo '{:process 1 :type :info :f :add :value 2}'; } >>set.edn
= 0
$ { echo '{:process 2 :type :invoke :f :read :value nil}'; echo '{:process 2 :type :ok :f :read :value #{1 2}}'; } >>set.edn
= 0
$ isolde check --level strict-serializable --certificate proof set.edn | head -6
| set.edn: jepsen, 3 sessions, 3 transactions (1 with unknown outcome), 4 operations, 2 keys
|
|   In short: No anomaly that strict-serializable forbids was found in 3 transactions.
|
|   strict-serializable  holds
|
= 0
$ isolde verify proof set.edn
| proved: strict-serializable holds, by an order of 3 transactions
= 0
$ { echo '{:process 2 :type :invoke :f :read :value nil}'; echo '{:process 2 :type :ok :f :read :value [1]}'; } >>set.edn
= 0
$ isolde check --level strict-serializable --certificate proof set.edn
| set.edn: jepsen, 3 sessions, 4 transactions (1 with unknown outcome), 6 operations, 2 keys
|
|   In short: Monotonic-reads violations occur.
|   That means: users do not find a change that they have just made or seen, or see it come
|     and go.
|   What helps: if the database promises strict-serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, keep a session on one node, or
|     let its requests wait until the node has caught up.
|
|   strict-serializable  violated        monotonic-reads violation (G-single-process)
|
| Why not strict-serializable:
|
|   Monotonic-reads violation (G-single-process)
|
|   Let:
|     T1 = s1:0, lines 3 and 4, outcome unknown
|          w(2)=added
|     T2 = s2:0, lines 5 and 6, events 4 to 5
|          r(2)=added (and 1 more operation)
|     T3 = s2:1, lines 7 and 8, events 6 to 7
|          r(2)=initial (and 1 more operation)
|   Then:
|     T1 < T2 (wr), because T2 read key 2 = added, which T1 wrote.
|     T2 < T3 (so), because T2 is before T3 in session 2.
|     T3 < T1 (rw), because T3 read the initial value of key 2, which T1 replaced by added.
|     T1 < T2 < T3 < T1, a contradiction.
|   So T2 saw T1's write of key 2 and T3 came after T2 in its session, and still T3 did not see
|     T1's write of key 2.
|   Notation: T1 < T2, T1 must come before T2; s1:0, session 1's first transaction;
|     G-single-process, the type of the anomaly in the terms of Adya and Elle.
|   A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B;
|     so: A came earlier in the same session.
|
|   Monotonic-reads violation: a session saw the state after some writes, and later read a version
|     from before them.
|   Where to look: usually the requests of a session are spread over replicas that lag by
|     different amounts.
|
| Evidence:
|   4 transactions took effect, 1 of them with unknown outcome, by what others read
|   overlapping transactions met 2 times on a key that one of them wrote
|   3 reads saw another session's write
|   0 versions were replaced
|
| Certificates:
|   strict-serializable: proof
|
| Left out or assumed:
|   the input has no times: real time is the order of its events, which are numbered
= 1
$ isolde verify proof set.edn
| proved: strict-serializable is violated, by a cycle
= 0
# Counters: what is added is known, and to what is not.
$ { echo '{:process 0 :type :invoke :f :add :value 5}'; echo '{:process 1 :type :invoke :f :read}'; echo '{:process 0 :type :ok :f :add :value 5}'; } >counter.edn
= 0
$ { echo '{:process 1 :type :ok :f :read :value 0}'; echo '{:process 0 :type :invoke :f :add :value 2}'; echo '{:process 0 :type :info :f :add :value 2}'; } >>counter.edn
= 0
$ isolde check --level strict-serializable --certificate proof counter.edn
| counter.edn: jepsen, 2 sessions, 3 transactions (1 with unknown outcome), 5 operations, 1 key
|
|   In short: No anomaly that strict-serializable forbids was found in 2 transactions.
|
|   strict-serializable  holds
|
| Evidence:
|   2 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   at least 0 reads saw another session's write
|   0 versions were replaced
|
| Certificates:
|   strict-serializable: proof
|
| Left out or assumed:
|   1 transaction with unknown outcome that nothing must have read from: it may have happened
|     or not
|   the input has no times: real time is the order of its events, which are numbered
|   the initial value of the counter is not given; taken as 0, as Jepsen's own checker does
= 0
$ isolde verify proof counter.edn
| proved: strict-serializable holds, by an order of 2 transactions
= 0
$ { echo '{:process 1 :type :invoke :f :read}'; echo '{:process 1 :type :ok :f :read :value 2}'; } >>counter.edn
= 0
$ isolde check --level strict-serializable counter.edn
| counter.edn: jepsen, 2 sessions, 4 transactions (1 with unknown outcome), 6 operations, 1 key
|
|   In short: Missed increments occur.
|   That means: somebody who has been told of a change still reads what was there before it.
|   What helps: read and write through the leader or with the database's option for
|     linearizable operations, and not through a replica or a cache.
|
|   strict-serializable  violated        missed increment
|
| Why not strict-serializable:
|
|   Missed increment
|
|   Let:
|     T1 = s1:1, lines 7 and 8, events 6 to 7
|          r(x)=2
|     T2 = s0:0, lines 1 and 3, events 0 to 2
|          r(x)=?, w(x)=? + 5 (#1)
|     T3 = s0:1, lines 5 and 6, outcome unknown
|          r(x)=?, w(x)=? + 2 (#2)
|   Then: T1 read 2 from x, where only 5 to 7 are possible: it began with 0, transactions before
|     T1 added 5, and others can have added up to 2.
|   Notation: s1:1, session 1's transaction 1, counted from 0.
|
|   Missed increment: a transaction read a number without all that had been added to it before the
|     transaction began.
|   Where to look: usually an update was lost, or a replica answered that had missed some.
|
| Evidence:
|   3 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   at least 1 read saw another session's write
|   0 versions were replaced
|
| Left out or assumed:
|   1 transaction with unknown outcome that nothing must have read from: it may have happened
|     or not
|   the input has no times: real time is the order of its events, which are numbered
|   the initial value of the counter is not given; taken as 0, as Jepsen's own checker does
|   a read shows 2 (line 8), where by real time the sum was between 5 and 7, which strict
|     serializability does not allow
= 1
$ { echo '{:process 1 :type :invoke :f :read}'; echo '{:process 1 :type :ok :f :read :value 8}'; } >>counter.edn
= 0
$ isolde check --level strict-serializable counter.edn | head -8
| counter.edn: jepsen, 2 sessions, 5 transactions (1 with unknown outcome), 7 operations, 1 key
|
|   In short: Impossible numbers occur.
|   That means: the database contradicts itself, and no program can be right that trusts it.
|   What helps: report it to the makers of the database, or look for what the recording lacks:
|     clients that nobody recorded, data that was there before.
|
|   strict-serializable  violated        impossible number
= 0
# Banks: what the accounts begin with has to be known.
$ { echo '{:process 0 :type :invoke :f :transfer :value {:from 0 :to 1 :amount 5}}'; echo '{:process 0 :type :ok :f :transfer :value {:from 0 :to 1 :amount 5}}'; } >bank.edn
= 0
$ { echo '{:process 1 :type :invoke :f :read}'; echo '{:process 1 :type :ok :f :read :value {0 5, 1 15}}'; } >>bank.edn
= 0
$ isolde check bank.edn
! isolde: bank.edn:4: found a balance of an account of which no :ok read ended before the first transfer began, so that nobody knows what the account begins with; expected, in front of the log, what all accounts begin with, as a read: {:type :invoke, :f :read, :process -1} {:type :ok, :f :read, :process -1, :value {0 10, 1 10}}
= 3
$ { echo '{:type :invoke, :f :read, :process -1} {:type :ok, :f :read, :process -1, :value {0 10, 1 10}}'; cat bank.edn; } >begun.edn
= 0
$ isolde check --level strict-serializable --certificate proof begun.edn
| begun.edn: jepsen, 3 sessions, 3 transactions, 8 operations, 2 keys
|
|   In short: No anomaly that strict-serializable forbids was found in 3 transactions.
|
|   strict-serializable  holds
|
| Evidence:
|   3 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   at least 2 reads saw another session's write
|   0 versions were replaced
|
| Certificates:
|   strict-serializable: proof
|
| Left out or assumed:
|   the input has no times: real time is the order of its events, which are numbered
|   the initial value of 2 accounts is not given; the value that was read there before anybody
|     began to change it was taken as the initial one
= 0
$ isolde verify proof begun.edn
| proved: strict-serializable holds, by an order of 3 transactions
= 0
$ { echo '{:process 1 :type :invoke :f :read}'; echo '{:process 1 :type :ok :f :read :value {0 5, 1 14}}'; } | tee -a bank.edn >>begun.edn
= 0
$ isolde check bank.edn
! isolde: bank.edn:4: found a balance of an account of which no :ok read ended before the first transfer began, so that nobody knows what the account begins with; expected, in front of the log, what all accounts begin with, as a read: {:type :invoke, :f :read, :process -1} {:type :ok, :f :read, :process -1, :value {0 10, 1 10}}; what can be told: reads of all accounts show the sums 20 (line 4) and 19 (line 6), which neither serializability nor snapshot isolation allows
= 3
$ isolde check --level serializable begun.edn
| begun.edn: jepsen, 3 sessions, 4 transactions, 10 operations, 2 keys
|
|   In short: Impossible totals occur.
|   That means: what reads several items, or one item twice, can see a state that never
|     existed: a report made during a transfer finds the money on neither account or on both.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use an isolation at which all
|     statements of a transaction read one snapshot.
|
|   serializable  violated        impossible total
|
| Why not serializable:
|
|   Impossible total
|
|   Let:
|     T1 = s1:1, lines 6 and 7, events 6 to 7
|          r(0)=5 r(1)=14
|     T2 = s0:0, lines 2 and 3, events 2 to 3
|          r(0)=?, w(0)=? - 5 (#1), r(1)=?, w(1)=? + 5 (#2)
|   Then: T1 read 19 in all from key 0 and key 1, where only 20 is possible: they began with 20,
|     and nobody else can have changed that.
|   Notation: s1:1, session 1's transaction 1, counted from 0.
|
|   Impossible total: a transaction read several numbers whose total never existed.
|   Where to look: usually each statement sees a state of its own, so that a transfer shows on one
|     side only, or an update was lost.
|
| Evidence:
|   4 transactions took effect
|   overlapping transactions met 0 times on a key that one of them wrote
|   at least 4 reads saw another session's write
|   0 versions were replaced
|
| Left out or assumed:
|   the input has no times: real time is the order of its events, which are numbered
|   the initial value of 2 accounts is not given; the value that was read there before anybody
|     began to change it was taken as the initial one
|   reads of all accounts show the sums 20 (line 1) and 19 (line 7), which neither
|     serializability nor snapshot isolation allows
= 1
# What nothing follows from.
$ echo '{:process 0 :type :ok :f :enqueue :value 5}' >queue.edn
= 0
$ isolde check queue.edn
! isolde: queue.edn:1: found workload :f enqueue, which is not covered; list-append, rw-register, registers (:read, :write, :cas), sets and counters (:add, :read) and banks (:transfer, :read) are; expected :value to be a vector of operations like [:append k v] or [:w k v]
= 3

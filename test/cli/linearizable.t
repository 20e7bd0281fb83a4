# Linearizability: each key by itself, in real time. Two questions at once, a proof for each answer.
$ isolde check --level linearizable,serializable --certificate both $DATA/write-skew-in-time.jsonl
| $DATA/write-skew-in-time.jsonl: native, 2 sessions, 2 transactions, 4 operations, 2 keys
|
|   In short: Write skew occurs.
|   That means: a rule over several items that each transaction checks before it writes is
|     broken all the same: two doctors leave, each having seen the other one on call.
|   What helps: if the database promises serializable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, use a serializable isolation, or
|     lock what a decision rests on, read or written.
|   What locks bring: transactions wait for one another, and two that lock in different orders
|     deadlock: lock in one order everywhere, keep transactions short, and run again what the
|     database aborts.
|
|   serializable  violated        write skew (G2-item)
|   linearizable  holds
|
| Why not serializable:
|
|   Write skew (G2-item)
|
|   Let:
|     T1 = a:0, line 2, from 0 ns to 2 ns
|          r(x)=initial w(y)=1
|     T2 = b:0, line 3, from 1 ns to 3 ns
|          r(y)=initial w(x)=1
|     Times are since the first start of the history.
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
|   2 transactions took effect
|   overlapping transactions met 2 times on a key that one of them wrote
|   0 reads saw another session's write
|   0 versions were replaced
|
| Certificates:
|   serializable: both.serializable.jsonl
|   linearizable: both.linearizable.jsonl
= 1
$ isolde verify both.linearizable.jsonl $DATA/write-skew-in-time.jsonl
| proved: linearizable holds, by an order for each of 2 keys
= 0
$ tail -n +2 both.linearizable.jsonl
| {"key":"x","order":[0,1]}
| {"key":"y","order":[1,0]}
= 0
# Where values repeat there is no short proof of a violation; the verifier tries all orders again.
$ isolde check --level lin --certificate all $DATA/repeated-values.jsonl
| $DATA/repeated-values.jsonl: native, 4 sessions, 4 transactions, 4 operations, 1 key
|
|   In short: Answers in no possible order (not linearizable) occur.
|   That means: answers fit no order in which each operation took effect at one moment:
|     somebody reads what has been replaced, or two clients are both told that only they
|     changed a value.
|   What helps: if the database promises linearizable, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, read and write through the leader
|     or with the database's option for linearizable operations, and not through a replica or
|     a cache.
|
|   linearizable  violated        no possible order (not-linearizable)
|
| Why not linearizable:
|
|   No possible order (not-linearizable)
|
|   Let:
|     T1 = d:0, line 5, from 40 ns to 49 ns
|          r(x)=1
|     T2 = a:0, line 2, from 0 ns to 9 ns
|          w(x)=1
|     T3 = c:0, line 4, from 20 ns to 29 ns
|          w(x)=2
|     Times are since the first start of the history.
|   Then: T1 read x = 1, which was not there at any time while it ran: T3 had written 2 before,
|     and nobody wrote 1 between the two.
|   Why none of the writes of that value can have been read:
|     T2, and 1 other before it, wrote 1, but T3 came between, which wrote 2.
|   Notation: d:0, session d's first transaction.
|
|   No possible order: operations on one item returned what they cannot have returned if each took
|     effect at one moment between its start and its end; all orders were tried.
|   Where to look: usually a replica or a cache answered that had not yet seen an acknowledged
|     write or had lost it.
|
| Evidence:
|   4 transactions took effect
|   overlapping transactions met 1 time on a key that one of them wrote
|   1 read saw another session's write
|   2 versions were replaced
|
| Certificates:
|   linearizable: all
= 1
$ tail -n +2 all
| {"key":"x","until":3}
= 0
$ isolde verify all $DATA/repeated-values.jsonl
| proved: linearizable is violated, by trying all orders of one key
= 0
$ sed 's/"until":3/"until":2/' all >short
= 0
$ isolde verify short $DATA/repeated-values.jsonl
| not proved: linearizable is violated, by trying all orders of one key: an order explains what had returned when c:0 returned
= 1
$ isolde explain --dot dot all $DATA/repeated-values.jsonl >text
= 0
$ head -n 2 dot
| digraph isolde {
|   label="No possible order (not-linearizable): d:0 read x = 1, which was not\nthere at any time while it ran: c:0 had written 2 before, and nobody\nwrote 1 between the two";
= 0
# It needs times.
$ isolde check --level lin $DATA/lost-update.jsonl
| $DATA/lost-update.jsonl: native, 3 sessions, 3 transactions, 5 operations, 1 key
|
|   In short: None of the levels applies to this history.
|
|   linearizable  not-applicable  the history has no start and end times
|
| Evidence:
|   3 transactions took effect
|   transactions of different sessions met 3 times on a key that one of them wrote
|   1 read saw another session's write
|   1 version was replaced
|   whether transactions overlapped is not known, for there are no times
= 2
# Where elements of a list repeat, per-key strict serializability is undecided unless its verdict follows
# from another level's, and every document says from which.
$ printf '{"isolde":1,"kind":"history"}\n{"session":"A","start":0,"end":10,"ops":[["w","y",1]]}\n{"session":"A","start":20,"end":30,"ops":[["w","y",2]]}\n{"session":"B","start":40,"end":50,"ops":[["r","y",1]]}\n{"session":"C","start":0,"end":10,"ops":[["append","z",1]]}\n{"session":"D","start":0,"end":10,"ops":[["append","z",1]]}\n{"session":"E","start":20,"end":30,"ops":[["r","z",[1]]]}\n' >flow.jsonl; isolde check --level pkser,lin --certificate by flow.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'
|   per-key-strict-serializable  violated        stale read (G-single-realtime), follows from linearizable
|   linearizable                 violated        stale read (G-single-realtime)
= 0
$ isolde verify by.per-key-strict-serializable.jsonl flow.jsonl
| proved: per-key-strict-serializable is violated, because linearizable is violated, by an argument of 2 steps
= 0
$ cat by.per-key-strict-serializable.jsonl | sed 's/"history":"[^"]*"/"history":DIGEST/'
| {"isolde-certificate":1,"level":"per-key-strict-serializable","follows_from":"linearizable","verdict":"violated","history":DIGEST,"transactions":6,"clock_error_ns":0}
| {"clause":[[1,0]],"cycle":[{"from":2,"to":1,"kind":"rw","key":"y","via":0},{"from":1,"to":2,"kind":"rt"}]}
| {"clause":[],"cycle":[{"from":1,"to":0,"kind":"ww","key":"y"},{"from":0,"to":1,"kind":"rt"}]}
= 0
$ sed 's/"level":"per-key-strict-serializable"/"level":"serializable"/' by.per-key-strict-serializable.jsonl >forged.jsonl; isolde verify forged.jsonl flow.jsonl
| not proved: serializable is violated, because linearizable is violated, by an argument of 2 steps: serializable does not imply linearizable
= 1
$ isolde explain by.per-key-strict-serializable.jsonl flow.jsonl | head -4
| per-key-strict-serializable is violated, because linearizable is violated, by an argument of 2 steps.
|
|   In short: Stale reads occur.
|   That means: somebody who has been told of a change still reads what was there before it.
= 0
$ isolde check --json --level pkser,lin flow.jsonl | tr ',' '\n' | grep follows
| "follows_from":"linearizable"
= 0
$ isolde check --level pkser,lin --junit by.xml --edn by.edn --html by.html flow.jsonl >out; grep -ho 'follows from [a-z-]*' by.xml; grep follows by.edn; grep -o 'follows from [a-z-]*' by.html | head -1
| follows from linearizable
|  :isolde/follows-from {:per-key-strict-serializable :linearizable},
| follows from linearizable
= 0
$ isolde check flow.jsonl | grep 'follows that of'
|   From the verdict of linearizable follows that of: per-key-strict-serializable
= 0
# What proves a stronger level proves sequential consistency, too, which has a search of its own.
$ isolde check --level sspc,sc --certificate by $DATA/repeated-values.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify by.sequential.jsonl $DATA/repeated-values.jsonl
|   strong-session-prefix-consistency  holds
|   sequential                         holds
| proved: sequential holds, by an order of 4 transactions
= 0
$ printf '{"isolde":1,"kind":"history"}\n{"session":"A","ops":[["w","x",2]]}\n{"session":"B","ops":[["r","x",2],["w","y",2]]}\n{"session":"C","ops":[["w","x",2]]}\n{"session":"E","ops":[["r","x",2]]}\n' >again.jsonl; isolde check --level sc --certificate by again.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify by again.jsonl
|   sequential  holds
| proved: sequential holds, by an order of 4 transactions
= 0
# So are causal consistency and the session guarantees, with sources for each session: E and F saw
# two writes in different orders.
$ printf '{"isolde":1,"kind":"history"}\n{"session":"A","ops":[["w","z",1],["w","x",1]]}\n{"session":"B","ops":[["w","z",1],["w","y",1]]}\n{"session":"E","ops":[["r","x",1],["r","y",null]]}\n{"session":"E","ops":[["r","z",1],["w","u",1]]}\n{"session":"F","ops":[["r","y",1],["r","x",null]]}\n{"session":"F","ops":[["r","z",1]]}\n' >each.jsonl; isolde check --level sc,cc,mr,ryw,mw,wfr --certificate by each.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify by.causal.jsonl each.jsonl; isolde verify by.sequential.jsonl each.jsonl
|   sequential           violated        long fork (G-nonadjacent)
|   causal               holds
|   writes-follow-reads  holds
|   monotonic-writes     holds
|   monotonic-reads      holds
|   read-your-writes     holds
| proved: causal holds, by 2 orders for different sessions
| proved: sequential is violated, by a cycle
= 0
$ printf '{"isolde":1,"kind":"history"}\n{"session":"A","ops":[["w","z",1]]}\n{"session":"B","ops":[["w","z",1]]}\n{"session":"C","ops":[["r","z",1]]}\n{"session":"C","ops":[["r","z",null]]}\n' >back.jsonl; isolde check --level sc,cc,mr,ryw,mw,wfr --certificate by back.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify by.monotonic-reads.jsonl back.jsonl; isolde explain by.monotonic-reads.jsonl back.jsonl
|   sequential           violated        monotonic-reads violation (G-single-process)
|   causal               violated        monotonic-reads violation (G-single-process)
|   writes-follow-reads  holds
|   monotonic-writes     holds
|   monotonic-reads      violated        monotonic-reads violation (G-single-process)
|   read-your-writes     holds
| proved: monotonic-reads is violated, by an argument of 5 steps
| monotonic-reads is violated, by an argument of 5 steps.
|
|   In short: Monotonic-reads violations occur.
|   That means: users do not find a change that they have just made or seen, or see it come
|     and go.
|   What helps: if the database promises monotonic-reads, it is a defect, of which isolde
|     minimize makes a small history for the makers; if not, keep a session on one node, or
|     let its requests wait until the node has caught up.
|
| Monotonic-reads violation (G-single-process)
|
| Let:
|   T1 = A:0, line 2
|        w(z)=1
|   T2 = C:0, line 4
|        r(z)=1
|   T3 = B:0, line 3
|        w(z)=1
|   T4 = C:1, line 5
|        r(z)=initial
| Suppose an order explains what session C saw.
| Step 1. T2 read z = 1 from T1, or T2 read z = 1 from T3; there is no other possibility.
| Step 2. T2 did not read z = 1 from T1, for otherwise:
|   T1 < T2 (wr), because T2 read z = 1, which T1 wrote (assumed, for others wrote this value
|     too).
|   T2 < T4 (so), because T2 is before T4 in session C.
|   T4 < T1 (rw), because T4 read the initial value of z, which T1 replaced by 1.
|   T1 < T2 < T4 < T1, a contradiction.
| Step 3. From steps 1 and 2: T2 read z = 1 from T3.
| Step 4. T2 did not read z = 1 from T3, for otherwise:
|   T3 < T2 (wr), because T2 read z = 1, which T3 wrote (assumed, for others wrote this value
|     too).
|   T2 < T4 (so), because T2 is before T4 in session C.
|   T4 < T3 (rw), because T4 read the initial value of z, which T3 replaced by 1.
|   T3 < T2 < T4 < T3, a contradiction.
| Step 5. From steps 3 and 4: a contradiction.
| Thus no order explains what session C saw.
| Notation: T1 < T2, T1 must come before T2; A:0, session A's first transaction; G-single-process,
|   the type of the anomaly in the terms of Adya and Elle.
| A < B by wr: B read what A wrote; rw: A read a version that B replaced, so it did not see B; so:
|   A came earlier in the same session.
|
| Monotonic-reads violation: a session saw the state after some writes, and later read a version
|   from before them.
| Where to look: usually the requests of a session are spread over replicas that lag by different
|   amounts.
= 0
# Per-key strict serializability is decided itself.
$ isolde check --level pkser,lin --certificate by $DATA/repeated-values.jsonl | grep -E '^  [a-z-]+ +(holds|violated|unknown)'; isolde verify by.per-key-strict-serializable.jsonl $DATA/repeated-values.jsonl
|   per-key-strict-serializable  violated        stale read (G-single-realtime)
|   linearizable                 violated        no possible order (not-linearizable)
| proved: per-key-strict-serializable is violated, by an argument of 10 steps
= 0
